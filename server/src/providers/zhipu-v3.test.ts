/** The alias of Zhipu's version 3 for version 4: its addresses, and its token, checked by a second computation. */
import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { documentedProvider } from "../../../tests/support/providers/documented.ts";
import type { SendTools } from "./outgoing.ts";
import { zhipuV3 } from "./zhipu-v3.ts";
import { zhipuV4 } from "./zhipu-v4.ts";

const { beforeSend, failed, manifest, models, sent, url } = documentedProvider(zhipuV3);
const newer = documentedProvider(zhipuV4);

test("calls go where those of version 4 go, with what its models want", () => {
  for (const baseUrl of ["https://open.bigmodel.cn", "https://open.bigmodel.cn/api/coding/paas/v4/"])
    for (const path of ["/v1/chat/completions", "/v1/embeddings"])
      expect(url(path, { baseUrl })).toBe(newer.url(path, { baseUrl }));
  const body = { model: "glm-4.7", max_completion_tokens: 5, reasoning_effort: "none" };
  expect(sent(body)).toEqual(newer.sent(body));
  expect(newer.models).toEqual(expect.arrayContaining([...models]));
});

const NOW_MS = 1_790_000_000_000;

async function authorization(key: string): Promise<string> {
  const request = { method: "POST", url: "https://a.example", headers: [] as string[], body: Buffer.alloc(0) } as const;
  const channel = { baseUrl: "", key, other: "", openaiOrganization: "" };
  const call = {
    operation: "chat",
    dialect: "openai-chat",
    path: "",
    model: "m",
    isStream: false,
    headers: {},
  } as const;
  const made = await beforeSend?.(request, channel, call, { nowMs: NOW_MS } as SendTools);
  return made?.headers.join(" ") ?? "";
}

test("a key of two parts signs a token for half an hour", async () => {
  const coded = (text: string) =>
    Buffer.from(text).toString("base64").replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  const header = coded('{"alg":"HS256","sign_type":"SIGN"}');
  const payload = coded(`{"api_key":"id-1","exp":${NOW_MS + 1_800_000},"timestamp":${NOW_MS}}`);
  const signature = createHmac("sha256", "secret-1").update(`${header}.${payload}`).digest("base64url");
  expect(await authorization("id-1.secret-1")).toBe(`authorization Bearer ${header}.${payload}.${signature}`);
});

test("a key of another form goes as it is", async () => {
  expect(await authorization("sk-test")).toBe("authorization Bearer sk-test");
  expect(await authorization("a.b.c")).toBe("authorization Bearer a.b.c");
});

test.each([
  ["401-token.json", "auth"],
  ["429-balance.json", "quota"],
  ["429-rate.json", "rate"],
] as const)("%s is a failure of kind %s", (name, kind) => {
  expect(failed(name)).toMatchObject({ kind, isRetryable: true });
});

test("its manifest is type 16", () => {
  expect(manifest).toMatchObject({ id: 16, slug: "zhipu-v3", operations: ["chat", "embeddings", "models"] });
});
