/** Wenxin by its documentation: the path of each model, the token, turns in pairs, vectors, and failures by their codes. */
import { describe, expect, test } from "vitest";
import { documentedProvider } from "../../../../tests/support/providers/documented.ts";
import type { NeutralMessage, NeutralRequest } from "../../dialects/neutral/neutral.ts";
import type { AccessToken, SendTools, SideRequest } from "../outgoing.ts";
import { wenxin } from "./wenxin.ts";

const { beforeSend, failed, format, isFailure, manifest, models, ownOperations, url } = documentedProvider(wenxin);

const ROOT = "https://aip.baidubce.com/rpc/2.0/ai_custom/v1/wenxinworkshop";

test.each([
  ["ERNIE-4.0-8K", "chat/completions_pro"],
  ["ERNIE-3.5-8K", "chat/completions"],
  ["ERNIE-Bot-turbo", "chat/eb-instant"],
  ["ERNIE-Speed-8K", "chat/ernie_speed"],
  ["ERNIE-Speed-128K", "chat/ernie-speed-128k"],
  ["ERNIE-3.5-8K-0205", "chat/ernie-3.5-8k-0205"],
  ["ERNIE-Lite-8K-0308", "chat/ernie-lite-8k"],
  ["BLOOMZ-7B", "chat/bloomz_7b1"],
  ["../own", "chat/..%2Fown"],
])("%s is at %s", (model, path) => {
  expect(url("", { model })).toBe(`${ROOT}/${path}`);
});

test.each([
  ["Embedding-V1", "embedding-v1"],
  ["bge-large-zh", "bge_large_zh"],
  ["tao-8k", "tao_8k"],
])("vectors of %s are at %s", (model, path) => {
  expect(url("", { model, operation: "embeddings" })).toBe(`${ROOT}/embeddings/${path}`);
});

describe("the token", () => {
  const channel = (key: string) => ({ baseUrl: "https://aip.baidubce.com/", key, other: "", openaiOrganization: "" });
  const call = { operation: "chat", dialect: "vendor", path: "", model: "m", isStream: false, headers: {} } as const;
  const asked: SideRequest[] = [];
  const made: AccessToken[] = [];
  const toolsThatAnswer = (fields: Record<string, unknown>, status = 200): SendTools => ({
    nowMs: 0,
    ask: (request) => {
      asked.push(request);
      return Promise.resolve({ status, text: JSON.stringify(fields), fields });
    },
    accessToken: async (_purpose, exchange) => {
      const token = await exchange();
      made.push(token);
      return token.token;
    },
  });
  const leave = async (key: string, tools: SendTools) => {
    const request = {
      method: "POST",
      url: `${ROOT}/chat/completions`,
      headers: [] as string[],
      body: Buffer.from("{}"),
    } as const;
    return (await beforeSend?.(request, channel(key), call, tools))?.url;
  };

  test("is exchanged for the key, and goes in the address", async () => {
    const tools = toolsThatAnswer({ access_token: "24.a+b", expires_in: 2_592_000 });
    expect(await leave("ak|sk", tools)).toBe(`${ROOT}/chat/completions?access_token=24.a%2Bb`);
    expect(asked[0]).toMatchObject({
      method: "POST",
      url: "https://aip.baidubce.com/oauth/2.0/token?grant_type=client_credentials&client_id=ak&client_secret=sk",
    });
    expect(made[0]).toEqual({ token: "24.a+b", lifetimeSeconds: 2_592_000 });
  });

  test("that is refused speaks of the key, and a key without two parts asks for none", async () => {
    const refused = toolsThatAnswer({ error: "invalid_client", error_description: "unknown client id" }, 401);
    await expect(leave("ak|sk", refused)).rejects.toMatchObject({
      failure: { kind: "auth", isRetryable: true, message: "unknown client id" },
    });
    const broken = toolsThatAnswer({}, 502);
    await expect(leave("ak|sk", broken)).rejects.toMatchObject({ failure: { kind: "overloaded" } });
    const before = asked.length;
    await expect(leave("only-one", refused)).rejects.toMatchObject({ failure: { code: "malformed_key" } });
    expect(asked.length).toBe(before);
  });
});

const text = (words: string) => ({ kind: "text", text: words }) as const;
const request: NeutralRequest = {
  model: "ERNIE-4.0-8K",
  isStream: false,
  system: [text("Be brief.")],
  messages: [{ role: "user", parts: [text("hi")] }],
  tools: [],
  unknownFields: [],
};
const channel = { baseUrl: "", key: "", other: "", openaiOrganization: "" };
const encoded = (more: Partial<NeutralRequest>, warned: string[] = []) =>
  format?.(channel, "m").encodeRequest({ ...request, ...more }, (field) => void warned.push(field));
const weather = { kind: "function", name: "get_weather", parameters: { type: "object" } } as const;

describe("a request", () => {
  test("has its instructions in a field, and what the vendor bounds within its bounds", () => {
    const warned: string[] = [];
    const fields = encoded({ temperature: 1.5, maxTokens: 1, stop: ["a"], user: "u", topK: 3 }, warned);
    expect(fields).toEqual({
      messages: [{ role: "user", content: "hi" }],
      stream: false,
      system: "Be brief.",
      temperature: 1,
      stop: ["a"],
      max_output_tokens: 2,
      user_id: "u",
    });
    expect(warned.toSorted()).toEqual(["temperature", "top_k"]);
  });

  test("has each call before its result, also where several were made at once", () => {
    const call = (id: string, city: string) =>
      ({ kind: "tool_call", id, name: "get_weather", arguments: `{"city":"${city}"}` }) as const;
    const result = (id: string, words: string) => ({ kind: "tool_result", id, parts: [text(words)] }) as const;
    const messages: NeutralMessage[] = [
      { role: "user", parts: [text("Paris and Rome?")] },
      { role: "assistant", parts: [call("a", "Paris"), call("b", "Rome")] },
      { role: "user", parts: [result("b", "rainy"), result("a", "sunny"), text("thanks")] },
    ];
    expect(encoded({ messages, tools: [weather] })?.["messages"]).toEqual([
      { role: "user", content: "Paris and Rome?" },
      { role: "assistant", content: "", function_call: { name: "get_weather", arguments: '{"city":"Paris"}' } },
      { role: "function", name: "get_weather", content: "sunny" },
      { role: "assistant", content: "", function_call: { name: "get_weather", arguments: '{"city":"Rome"}' } },
      { role: "function", name: "get_weather", content: "rainy\n\nthanks" },
    ]);
  });

  test("can call for one certain tool, for JSON, and for nothing the vendor lacks", () => {
    const tools = [weather];
    const choice = { tool_choice: { type: "function", function: { name: "get_weather" } } };
    expect(encoded({ tools, toolChoice: { kind: "required" } })).toMatchObject(choice);
    expect(encoded({ tools, toolChoice: { kind: "none" } })).not.toHaveProperty("functions");
    expect(encoded({ responseFormat: { kind: "json" } })).toMatchObject({ response_format: "json_object" });
    const two = [weather, { ...weather, name: "get_time" }];
    expect(() => encoded({ tools: two, toolChoice: { kind: "required" } })).toThrow("one certain tool");
    expect(() => encoded({ responseFormat: { kind: "json_schema", name: "n", schema: {} } })).toThrow("schema");
    const source = { kind: "url", url: "https://a.example/a.png" } as const;
    expect(() => encoded({ messages: [{ role: "user", parts: [{ kind: "image", source }] }] })).toThrow("text only");
  });
});

test("an answer in place of an unsafe one, and one that was cut, say so", () => {
  const finish = (more: object) =>
    format?.(channel, "m").decodeAnswer({ id: "as-1", result: "x", ...more })?.choices[0]?.finish;
  expect(finish({ need_clear_history: true, finish_reason: "normal" })).toBe("content_filter");
  expect(finish({ is_truncated: true })).toBe("length");
  expect(finish({ finish_reason: "normal" })).toBe("stop");
});

test("vectors are in the order of their inputs, at most 16 of them", () => {
  const own = ownOperations?.embeddings;
  const asked = { fields: { model: "Embedding-V1", input: ["a", "b"] }, files: {} };
  expect(own?.encodeRequest(asked, () => undefined)).toEqual({ input: ["a", "b"] });
  const data = [1, 0].map((index) => ({ object: "embedding", index, embedding: [index] }));
  const answer = own?.decodeAnswer({ data, usage: { prompt_tokens: 4, total_tokens: 4 } }, asked);
  expect(answer).toMatchObject({ data: [{ embedding: [0] }, { embedding: [1] }], usage: { prompt_tokens: 4 } });
  const many = { fields: { input: Array.from({ length: 17 }, () => "a") }, files: {} };
  expect(() => own?.encodeRequest(many, () => undefined)).toThrow("at most 16");
  expect(own?.decodeAnswer({ error_code: 18 }, asked)).toBeUndefined();
});

test.each([
  ["200-expired.json", "auth", 401, true],
  ["200-token.json", "auth", 401, true],
  ["200-permission.json", "auth", 401, true],
  ["200-daily.json", "quota", 402, true],
  ["200-qps.json", "rate", 429, true],
  ["200-minute.json", "rate", 429, true],
  ["200-busy.json", "overloaded", 503, true],
  ["200-internal.json", "overloaded", 503, true],
  ["200-argument.json", "invalid", 400, false],
] as const)("%s is a failure of kind %s", (name, kind, status, isRetryable) => {
  expect(failed(name)).toMatchObject({ kind, status, isRetryable });
});

test("failures are distinguished from answers that mention some", () => {
  expect(isFailure?.('data: {"error_code":18,"error_msg":"slow down"}')).toBe(true);
  expect(isFailure?.(JSON.stringify({ result: '{"error_code":18}' }))).toBe(false);
});

test("its manifest is type 15 and its models are listed once each", () => {
  expect(manifest).toMatchObject({ id: 15, slug: "wenxin" });
  expect(models.length).toBeGreaterThan(0);
  expect(new Set(models).size).toBe(models.length);
});
