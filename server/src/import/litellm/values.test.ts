/** Values of LiteLLM's database, without one: sealed texts, dollars to the last digit, lists of models, and where a deployment is called. */
import { createCipheriv, hkdfSync } from "node:crypto";
import { expect, test } from "vitest";
import { listIn } from "./cells.ts";
import { inAll, readModels } from "./models.ts";
import { keyOf, placeOf, upstreamOf } from "./providers.ts";
import { openFields, openValue } from "./sealed-values.ts";
import { openSecretbox } from "./secretbox.ts";
import { compare, minus, quotaOf, readUsd, usdText } from "./usd.ts";

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ""), "hex");

test("a secretbox of NaCl's own test opens, and with one bit changed does not", () => {
  const key = hex("1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389");
  const box = hex(`69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37
    f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186a
    c0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae
    90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5`);
  const opened = openSecretbox(key, box);
  expect([opened?.length, opened?.subarray(0, 8).toString("hex")]).toEqual([131, "be075fc53c81f2d5"]);
  for (const place of [0, 24, 60]) {
    const changed = Buffer.from(box);
    changed[place] = (changed[place] ?? 0) ^ 1;
    expect(openSecretbox(key, changed)).toBeUndefined();
  }
  expect(openSecretbox(key, Buffer.alloc(10))).toBeUndefined();
});

test("the newest form opens under its own key alone; what is in clear stays so, and what is closed is named", () => {
  const nonce = Buffer.alloc(12, 3);
  const cipher = createCipheriv(
    "aes-256-gcm",
    Buffer.from(hkdfSync("sha256", "salt", "", "litellm-at-rest-v3", 32)),
    nonce,
  );
  const sealed = `v3:gcm:${Buffer.concat([nonce, cipher.update("a value of a deployment"), cipher.final(), cipher.getAuthTag()]).toString("base64url")}`;
  expect([openValue("salt", sealed), openValue("other", sealed), openValue(undefined, sealed)]).toEqual([
    "a value of a deployment",
    undefined,
    undefined,
  ]);
  const fields = { api_key: sealed, model: "gpt-4o", rpm: 5 };
  expect(openFields("salt", fields)).toEqual({ fields: { ...fields, api_key: "a value of a deployment" }, closed: [] });
  expect(openFields(undefined, fields)).toEqual({ fields: { model: "gpt-4o", rpm: 5 }, closed: ["api_key"] });
});

test.each([
  ["10", "5000000", undefined],
  ["0.000001", "1", "-0.5"],
  ["-0.000001", "-1", "0.5"],
  ["1e-07", "0", "0.05"],
  ["8.7654321099", "4382716", "0.05495"],
  ["12345678901.25", "6172839450625000", undefined],
])("%s dollars are %s quota", (usd, quota, remainder) => {
  const found = quotaOf(readUsd(usd) ?? expect.fail(usd), readUsd("500000") ?? expect.fail());
  expect([String(found.quota), found.remainder && usdText(found.remainder)]).toEqual([quota, remainder]);
});

test("amounts are subtracted exactly, and what is no number is none", () => {
  const [one, other] = [readUsd("0.3") ?? expect.fail(), readUsd("0.1") ?? expect.fail()];
  expect([usdText(minus(other, one)), compare(one, other), compare(other, one)]).toEqual(["-0.2", 1, -1]);
  expect(["NaN", "Infinity", "", null, "1e999", "0x10"].map(readUsd)).toEqual(
    Array.from({ length: 6 }, () => undefined),
  );
});

test("lists of PostgreSQL are read with quotes, and lists of models narrow each other", () => {
  expect(listIn({ models: String.raw`{a,"b c","d,\"e\\",NULL,"NULL"}` }, "models")).toEqual([
    "a",
    "b c",
    'd,"e\\',
    "NULL",
  ]);
  expect(["{}", null, "x"].map((models) => listIn({ models }, "models"))).toEqual([[], [], []]);
  const known = { names: new Set(["openai/a", "openai/b", "c"]), groups: new Map([["fast", new Set(["c"])]]) };
  const read = (...list: string[]) => readModels(list, known);
  expect(read("all-proxy-models").names).toBeUndefined();
  expect([...(read("openai/*", "fast").names ?? [])]).toEqual(["openai/a", "openai/b", "c"]);
  expect(read("no-default-models")).toEqual({ names: new Set(), dropped: [] });
  expect(read("mistral/*").dropped).toEqual(["mistral/*"]);
  expect(inAll([read("c", "x"), read(), read("x", "y")]).names).toEqual(new Set(["x"]));
});

test.each([
  [{ model: "openai/gpt-4o" }, 1, "", "gpt-4o"],
  [{ model: "gpt-4o", api_base: "https://host.example/v1/" }, 1, "https://host.example", "gpt-4o"],
  [
    { model: "openai/qwen/x", api_base: "https://host.example/api/v3" },
    8,
    "https://host.example/api/v3/chat/completions",
    "qwen/x",
  ],
  [{ model: "hosted_vllm/x" }, -1, "", "x"],
  [{ model: "groq/llama" }, 1, "https://api.groq.com/openai", "llama"],
  [{ model: "bedrock/converse/anthropic.claude" }, 33, "", "anthropic.claude"],
  [{ model: "claude-sonnet", custom_llm_provider: "anthropic" }, 14, "", "claude-sonnet"],
  [{ model: "constructor/x" }, -1, "", "constructor/x"],
])("%j is called by type %s at '%s' as %s", (fields, type, base_url, model) => {
  const upstream = upstreamOf(fields);
  expect([placeOf(upstream, fields), upstream.model]).toEqual([{ type, base_url }, model]);
});

test("keys of AWS stand in one text", () => {
  const fields = { aws_access_key_id: "AK", aws_secret_access_key: "SK", aws_region_name: "eu-west-1", api_key: "no" };
  expect([keyOf(33, fields), keyOf(1, fields)]).toEqual(["AK|SK|eu-west-1", "no"]);
});
