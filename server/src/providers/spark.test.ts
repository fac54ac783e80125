/** Spark by its documentation: versions and domains, the published example of its signature, and failures by their codes. */
import { describe, expect, test } from "vitest";
import { documentedProvider } from "../../../tests/support/providers/documented.ts";
import type { NeutralRequest } from "../dialects/neutral/neutral.ts";
import type { SendTools } from "./outgoing.ts";
import { spark, signedUrl } from "./spark.ts";

const { beforeSend, dialectsOf, endpoint, failed, format, isFailure, isLastMessage, manifest, models, sent, changed } =
  documentedProvider(spark);

const SIGNING = "app12345|secret-of-the-test|key-of-the-test";
const channel = (key = SIGNING, more: object = {}) => ({
  baseUrl: manifest.defaultBaseUrl,
  key,
  other: "",
  openaiOrganization: "",
  ...more,
});
const call = {
  operation: "chat",
  dialect: "vendor",
  path: "/v1/chat/completions",
  isStream: false,
  headers: {},
} as const;
const called = (model: string, own = channel()) => endpoint(own, { ...call, model }).url;

const request: NeutralRequest = {
  model: "m",
  isStream: true,
  system: [{ kind: "text", text: "Be brief." }],
  messages: [{ role: "user", parts: [{ kind: "text", text: "hi" }] }],
  tools: [],
  unknownFields: [],
};
const encoded = (model: string, asked: NeutralRequest = request, own = channel(), warned: string[] = []) =>
  format?.(own, model).encodeRequest(asked, (field) => void warned.push(field)) as {
    header: unknown;
    parameter: { chat: Record<string, unknown> };
    payload: { message: { text: { role: string; content: string }[] } };
  };

describe("a version", () => {
  test.each([
    ["SparkDesk", "", "/v2.1/chat", "generalv2"],
    ["SparkDesk", "v3.5", "/v3.5/chat", "generalv3.5"],
    ["SparkDesk-v1.1", "v3.5", "/v1.1/chat", "lite"],
    ["SparkDesk-v3.1", "", "/v3.1/chat", "generalv3"],
    ["SparkDesk-v4.0", "", "/v4.0/chat", "4.0Ultra"],
    ["SparkDesk-v5.2", "", "/v5.2/chat", "generalv5.2"],
    ["pro-128k", "v1.1", "/chat/pro-128k", "pro-128k"],
    ["max-32k", "", "/chat/max-32k", "max-32k"],
    ["generalv3.5", "v1.1", "/v3.5/chat", "generalv3.5"],
    ["4.0Ultra", "", "/v4.0/chat", "4.0Ultra"],
  ])("of %s with the channel's '%s' is %s, domain %s", (model, other, path, domain) => {
    const own = channel(SIGNING, { other });
    expect(called(model, own)).toBe(`wss://spark-api.xf-yun.com${path}`);
    expect(encoded(model, request, own).parameter.chat["domain"]).toBe(domain);
  });

  test("without a role for instructions has them in the first question", () => {
    const texts = (model: string) => encoded(model).payload.message.text;
    expect(texts("4.0Ultra")).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "hi" },
    ]);
    expect(texts("lite")).toEqual([{ role: "user", content: "Be brief.\n\nhi" }]);
  });
});

test("a message has the application, and numbers the vendor takes", () => {
  const warned: string[] = [];
  const asked = { ...request, temperature: 1.8, topK: 40, maxTokens: 100, topP: 0.5, user: "u-1" };
  const { header, parameter } = encoded("4.0Ultra", asked, channel(), warned);
  expect(header).toEqual({ app_id: "app12345", uid: "u-1" });
  expect(parameter.chat).toEqual({ domain: "4.0Ultra", temperature: 1, max_tokens: 100, top_k: 6 });
  expect(warned.toSorted()).toEqual(["temperature", "top_k", "top_p"]);
});

test("what its WebSocket cannot do is refused by the field's name", () => {
  const tools = [{ kind: "function", name: "f", parameters: {} }] as const;
  expect(() => encoded("4.0Ultra", { ...request, tools })).toThrow("no tools");
  const source = { kind: "url", url: "https://a.example/a.png" } as const;
  const messages = [{ role: "user", parts: [{ kind: "image", source }] }] as const;
  expect(() => encoded("4.0Ultra", { ...request, messages })).toThrow("text only");
  expect(() => encoded("4.0Ultra", { ...request, responseFormat: { kind: "json" } })).toThrow("form");
});

describe("the signature", () => {
  test("is that of the vendor's published example", () => {
    const url = signedUrl("wss://iat-api.xfyun.cn/v2/iat", {
      host: "iat-api.xfyun.cn",
      nowMs: Date.parse("Wed, 10 Jul 2019 07:35:43 GMT"),
      apiKey: "keyxxxxxxxx8ee279348519exxxxxxxx",
      apiSecret: "secretxxxxxxxx2df7900c09xxxxxxxx",
    });
    const { searchParams } = new URL(url);
    expect(Object.fromEntries(searchParams)).toEqual({
      authorization:
        "YXBpX2tleT0ia2V5eHh4eHh4eHg4ZWUyNzkzNDg1MTlleHh4eHh4eHgiLCBhbGdvcml0aG09ImhtYWMtc2hhMjU2IiwgaGVhZGVycz0iaG9zdCBkYXRlIHJlcXVlc3QtbGluZSIsIHNpZ25hdHVyZT0iSHAzVHk0WmtTQm1MOGpLeU9McFFpdjlTcjVudm1lWUVIN1dzTC9aTzJKZz0i",
      date: "Wed, 10 Jul 2019 07:35:43 GMT",
      host: "iat-api.xfyun.cn",
    });
  });

  const leave = async (key: string, url: string) => {
    const leaving = { method: "POST", url, headers: [] as string[], body: Buffer.from("{}") } as const;
    return beforeSend?.(leaving, channel(key), { ...call, model: "m" }, { nowMs: 1_790_000_000_000 } as SendTools);
  };

  test("names the vendor's host also behind a proxy, and wants three parts", async () => {
    const sentTo = async (url: string) => new URL((await leave(SIGNING, url))?.url ?? "").searchParams.get("host");
    expect(await sentTo("wss://spark-api-n.xf-yun.com/v1.1/chat")).toBe("spark-api-n.xf-yun.com");
    expect(await sentTo("ws://127.0.0.1:9/v1.1/chat")).toBe("spark-api.xf-yun.com");
    await expect(leave("app|secret", "wss://a.example/v1.1/chat")).rejects.toMatchObject({ failure: { kind: "auth" } });
    expect((await leave("password", "https://a.example/v1"))?.url).toBe("https://a.example/v1");
  });
});

describe("a password", () => {
  test("has OpenAI's format at the compatible service", () => {
    expect([dialectsOf?.("lite", channel("password")), dialectsOf?.("lite", channel())]).toEqual([
      ["openai-chat"],
      ["vendor"],
    ]);
    const open = "https://spark-api-open.xf-yun.com";
    expect(called("lite", channel("password"))).toBe(`${open}/v1/chat/completions`);
    expect(called("x1", channel("password"))).toBe(`${open}/v2/chat/completions`);
    const own = channel("password", { baseUrl: "https://proxy.example/v2/" });
    expect(called("lite", own)).toBe("https://proxy.example/v2/chat/completions");
    expect(endpoint(channel("password"), { ...call, model: "lite" }).headers).toEqual([
      "authorization",
      "Bearer password",
    ]);
  });

  test("has calls of tools as a list, and thinking as a switch where there is one", () => {
    const asked = { dialect: "openai-chat" } as const;
    const tools = [{ type: "function" }];
    expect(sent({ model: "4.0Ultra", tools }, asked)).toEqual({ model: "4.0Ultra", tools, tool_calls_switch: true });
    expect(sent({ model: "x1", reasoning_effort: "none" }, asked)).toEqual({
      model: "x1",
      thinking: { type: "disabled" },
    });
    expect(sent({ model: "lite", reasoning_effort: "high", max_completion_tokens: 5 }, asked)).toEqual({
      model: "lite",
      max_tokens: 5,
    });
    expect(changed({ model: "lite", tools })).toEqual([]);
  });
});

test.each([
  ["200-licence.json", "auth", 401, true],
  ["200-flow.json", "rate", 429, true],
  ["200-concurrency.json", "rate", 429, true],
  ["200-busy.json", "overloaded", 503, true],
  ["200-schema.json", "invalid", 400, false],
  ["200-length.json", "invalid", 400, false],
  ["200-input.json", "content", 400, false],
  ["401-signature.json", "auth", 401, true],
  ["401-password.json", "auth", 401, true],
] as const)("%s is a failure of kind %s", (name, kind, status, isRetryable) => {
  expect(failed(name)).toMatchObject({ kind, status, isRetryable });
});

test("the end of a stream and failures are distinguished from answers", () => {
  const piece = (header: object) => JSON.stringify({ header, payload: {} });
  expect([0, 2].map((status) => isLastMessage?.(piece({ code: 0, status })))).toEqual([false, true]);
  expect(isLastMessage?.(piece({ code: 10013, status: 0 }))).toBe(true);
  expect(isFailure?.(`data: ${piece({ code: 10013, message: "no" })}`)).toBe(true);
  expect(isFailure?.(`data: ${piece({ code: 0, message: "Success" })}`)).toBe(false);
  expect(isFailure?.('{"code":0,"message":"Success","choices":[]}')).toBe(false);
});

test("its manifest is type 18, its version is checked, and its models are listed once each", () => {
  expect(manifest).toMatchObject({ id: 18, slug: "spark" });
  const version = new RegExp(manifest.fields.find(({ name }) => name === "other")?.pattern ?? "");
  expect(["v3.5", "max-32k", "3.5", "v3.5x"].map((text) => version.test(text))).toEqual([true, true, false, false]);
  expect(new Set(models).size).toBe(models.length);
});
