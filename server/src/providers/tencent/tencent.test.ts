/** Hunyuan by its documentation: its two addresses, the published example of its signature, its vectors, and failures by their codes. */
import { createHash, createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { documentedProvider } from "../../../../tests/support/providers/documented.ts";
import type { SendTools } from "../outgoing.ts";
import { authorization } from "./signature.ts";
import { tencent } from "./tencent.ts";

const { beforeSend, changed, dialectsOf, endpoint, failed, isFailure, manifest, models, ownOperations, sent } =
  documentedProvider(tencent);

const SIGNING = "1250000000|AKIDexample|secret-of-the-test";
const channel = (key: string, baseUrl = manifest.defaultBaseUrl) => ({
  baseUrl,
  key,
  other: "",
  openaiOrganization: "",
});
const call = { operation: "chat", dialect: "vendor", path: "/v1/chat/completions", model: "m" } as const;
const called = (key: string, baseUrl?: string, more: object = {}) =>
  endpoint(channel(key, baseUrl), { ...call, isStream: false, headers: {}, ...more });

describe("a key of three parts", () => {
  test("has the format of the vendor, at one address whose action is a header", () => {
    expect(dialectsOf?.("m", channel(SIGNING))).toEqual(["vendor"]);
    expect(called(SIGNING)).toEqual({
      url: "https://hunyuan.tencentcloudapi.com/",
      headers: ["x-tc-action", "ChatCompletions", "x-tc-version", "2023-09-01"],
    });
    expect(called(SIGNING, undefined, { operation: "embeddings" }).headers).toContain("GetEmbedding");
  });

  const tools = { nowMs: 1_790_000_000_500 } as SendTools;
  const send = async (key: string, url = "https://hunyuan.tencentcloudapi.com/") => {
    const headers = ["x-tc-action", "ChatCompletions", "content-type", "application/json"];
    const request = { method: "POST", url, headers, body: Buffer.from('{"Model":"m"}') } as const;
    const made = await beforeSend?.(request, channel(key), { ...call, isStream: false, headers: {} }, tools);
    const pairs = made?.headers.flatMap((name, at, all) => (at % 2 === 0 ? [[name, all[at + 1]]] : [])) ?? [];
    return Object.fromEntries(pairs) as Record<string, string>;
  };

  test("signs its body by the documented chain, computed here a second time", async () => {
    const sha = (text: string) => createHash("sha256").update(text).digest("hex");
    const hmac = (key: Buffer | string, text: string) => createHmac("sha256", key).update(text).digest();
    const canonical =
      "POST\n/\n\ncontent-type:application/json\nhost:hunyuan.tencentcloudapi.com\nx-tc-action:chatcompletions\n\n" +
      `content-type;host;x-tc-action\n${sha('{"Model":"m"}')}`;
    const toSign = `TC3-HMAC-SHA256\n1790000000\n2026-09-21/hunyuan/tc3_request\n${sha(canonical)}`;
    const key = hmac(hmac(hmac("TC3secret-of-the-test", "2026-09-21"), "hunyuan"), "tc3_request");
    const expected =
      "TC3-HMAC-SHA256 Credential=AKIDexample/2026-09-21/hunyuan/tc3_request, " +
      `SignedHeaders=content-type;host;x-tc-action, Signature=${hmac(key, toSign).toString("hex")}`;
    for (const url of ["https://hunyuan.tencentcloudapi.com/", "http://127.0.0.1:9/"])
      expect(await send(SIGNING, url)).toMatchObject({ authorization: expected, "x-tc-timestamp": "1790000000" });
  });

  test("is refused where a part is missing", async () => {
    await expect(send("AKIDexample|secret")).rejects.toMatchObject({ failure: { kind: "auth" } });
    await expect(send("a|b|")).rejects.toMatchObject({ failure: { code: "malformed_key" } });
  });
});

test("the signature is that of the vendor's published example", () => {
  const body = String.raw`{"Limit": 1, "Filters": [{"Values": ["\u672a\u547d\u540d"], "Name": "instance-name"}]}`;
  const secretId = "AKIDz8krbsJ5yKBZQpn74WFkmLPx3*******";
  const headers = [
    ["content-type", "application/json; charset=utf-8"],
    ["host", "cvm.tencentcloudapi.com"],
  ] as const;
  const secretKey = "Gu5t9xGARNpq86cd98joQYCN3*******";
  const request = { secretId, secretKey, service: "cvm", timestampSeconds: 1_551_113_065, headers };
  expect(authorization({ ...request, body: Buffer.from(body) })).toBe(
    `TC3-HMAC-SHA256 Credential=${secretId}/2019-02-25/cvm/tc3_request, SignedHeaders=content-type;host, ` +
      "Signature=2230eefd229f582d8b1b891af7107b91597240707d778ab3738f756258d7652c",
  );
});

test("an API key has OpenAI's format at the compatible service, or behind the operator's own base URL", async () => {
  expect(dialectsOf?.("m", channel("sk-test"))).toEqual(["openai-chat"]);
  expect(called("sk-test")).toEqual({
    url: "https://api.hunyuan.cloud.tencent.com/v1/chat/completions",
    headers: ["authorization", "Bearer sk-test"],
  });
  expect(called("sk-test", "https://tokenhub.tencentmaas.com/v1/").url).toBe(
    "https://tokenhub.tencentmaas.com/v1/chat/completions",
  );
  expect(called("sk-test", "https://proxy.example").url).toBe("https://proxy.example/v1/chat/completions");
  const request = {
    method: "POST",
    url: "https://a.example/",
    headers: [] as string[],
    body: Buffer.from("{}"),
  } as const;
  const asked = { ...call, isStream: false, headers: {} };
  expect(await beforeSend?.(request, channel("sk-test"), asked, {} as SendTools)).toBe(request);
});

test("the compatible service gets what it knows of OpenAI's fields, signed calls stay as they are", () => {
  const asked = { dialect: "openai-chat" } as const;
  const body = { model: "m", messages: [{ role: "developer", content: "x" }], max_completion_tokens: 5 };
  expect(sent({ ...body, reasoning_effort: "low" }, asked)).toEqual({
    model: "m",
    messages: [{ role: "system", content: "x" }],
    max_tokens: 5,
  });
  expect(changed({ Model: "m", Messages: [] })).toEqual([]);
});

describe("vectors", () => {
  const own = ownOperations?.embeddings;
  const asked = { fields: { model: "hunyuan-embedding", input: ["a", "b"] }, files: {} };

  test("are asked for as a list of texts, by a key that signs", () => {
    expect([own?.isFor?.(SIGNING), own?.isFor?.("sk-test")]).toEqual([true, false]);
    expect(own?.encodeRequest(asked, () => undefined)).toEqual({ InputList: ["a", "b"] });
    const tokens = { fields: { input: [1, 2] }, files: {} };
    expect(() => own?.encodeRequest(tokens, () => undefined)).toThrow("takes texts, not tokens");
    const many = { fields: { input: Array.from({ length: 201 }, () => "a") }, files: {} };
    expect(() => own?.encodeRequest(many, () => undefined)).toThrow("at most 200");
  });

  test("come back as OpenAI has them, with what they cost", () => {
    const Data = [0.5, 1].map((value, Index) => ({ Embedding: [value], Index: 0, Object: "embedding", at: Index }));
    const answer = { Response: { Data, Usage: { PromptTokens: 6, TotalTokens: 6 }, RequestId: "r" } };
    expect(own?.decodeAnswer(answer, asked)).toMatchObject({
      data: [
        { index: 0, embedding: [0.5] },
        { index: 1, embedding: [1] },
      ],
      usage: { prompt_tokens: 6, total_tokens: 6 },
    });
    const inBase64 = { ...asked, fields: { ...asked.fields, encoding_format: "base64" } };
    expect(own?.decodeAnswer(answer, inBase64)).toMatchObject({ data: [{ embedding: "AAAAPw==" }, {}] });
    expect(own?.decodeAnswer({ Response: {} }, asked)).toBeUndefined();
  });
});

test.each([
  ["200-signature.json", "auth", 401, true],
  ["200-closed.json", "auth", 401, true],
  ["200-job.json", "overloaded", 503, true],
  ["200-quota.json", "quota", 402, true],
  ["200-arrears.json", "quota", 402, true],
  ["200-rate.json", "rate", 429, true],
  ["200-busy.json", "overloaded", 503, true],
  ["200-slow.json", "timeout", 504, true],
  ["200-stream.json", "timeout", 504, true],
  ["200-model.json", "invalid", 400, false],
  ["200-content.json", "content", 400, false],
  ["401-key.json", "auth", 401, true],
] as const)("%s is a failure of kind %s", (name, kind, status, isRetryable) => {
  expect(failed(name)).toMatchObject({ kind, status, isRetryable });
});

test("failures are distinguished from answers that mention some", () => {
  expect(isFailure?.('data: {"Response":{"Error":{"Code":"InternalError"}}}')).toBe(true);
  expect(isFailure?.('{"Choices":[],"ErrorMsg":{"Msg":"slow","Code":4001}}')).toBe(true);
  const quoting = JSON.stringify({ Choices: [{ Delta: { Content: '"Error": {' } }], ErrorMsg: null });
  expect(isFailure?.(quoting)).toBe(false);
});

test("its manifest is type 23 and its models are listed once each", () => {
  expect(manifest).toMatchObject({ id: 23, slug: "tencent" });
  expect(models.length).toBeGreaterThan(0);
  expect(new Set(models).size).toBe(models.length);
});
