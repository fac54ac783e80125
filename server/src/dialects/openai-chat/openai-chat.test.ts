/** Requests, usage, frames and errors of the OpenAI dialect. */
import { expect, test } from "vitest";
import { NO_USAGE } from "../../../../contract/src/pricing/usage.ts";
import { redact } from "../neutral/failure.ts";
import { readTopLevel } from "../json/bytes.ts";
import { StreamTap, withoutEmptyUsage } from "./stream/passthrough.ts";
import { findUsage, normaliseUsage } from "./usage.ts";
import { errorBody, readFailure } from "./errors.ts";
import { forcedStreamOptions, readRequest } from "./request-info.ts";

const request = (value: unknown) => {
  const body = Buffer.from(JSON.stringify(value));
  return { body, chat: readRequest(body, readTopLevel(body.toString("latin1"), 64)) };
};

test("a request has its model, stream flag, limits and text", () => {
  const { chat } = request({
    model: "m",
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 5,
    max_completion_tokens: 9,
    n: 2,
    messages: [{ role: "user", content: "é" }],
  });
  expect(chat).toMatchObject({ model: "m", isStream: true, asksUsage: true, maxTokens: 9, choices: 2 });
  expect(request({ model: 5, stream: "true", max_tokens: -1, n: "x" }).chat).toMatchObject({
    model: "",
    isStream: false,
    asksUsage: false,
    maxTokens: undefined,
    choices: 1,
  });
});

test("include_usage is forced and the client's other stream options stay", () => {
  const forced = (value: object): string | undefined => {
    const { body, chat } = request({ stream: true, ...value });
    return forcedStreamOptions(body, chat);
  };
  expect(forced({})).toBe('{"include_usage":true}');
  expect(forced({ stream_options: { x: 1, include_usage: false } })).toBe('{"x":1,"include_usage":true}');
  expect(forced({ stream_options: null })).toBe('{"include_usage":true}');
  expect(forced({ stream_options: { include_usage: true } })).toBeUndefined();
});

test("usage is normalised, and nothing an upstream says is believed unchecked", () => {
  expect(
    normaliseUsage({
      prompt_tokens: 10,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 4, audio_tokens: 1 },
      completion_tokens_details: { reasoning_tokens: 3 },
    }),
  ).toEqual({
    usage: {
      ...NO_USAGE,
      inputTokens: 10,
      outputTokens: 5,
      cacheReadTokens: 4,
      reasoningTokens: 3,
      audioInputTokens: 1,
    },
    faults: [],
  });
  expect(
    normaliseUsage({ prompt_tokens: 10, completion_tokens: 1, prompt_cache_hit_tokens: 6 })?.usage.cacheReadTokens,
  ).toBe(6);
  expect(normaliseUsage({ prompt_tokens: -5, completion_tokens: -1 })).toBeUndefined();
  expect(normaliseUsage({ prompt_tokens: -5, completion_tokens: 3 })).toMatchObject({
    usage: { inputTokens: 0, outputTokens: 3 },
    faults: ["prompt_tokens"],
  });
  expect(normaliseUsage({ prompt_tokens: "12", completion_tokens: 1.5 })).toMatchObject({
    usage: { inputTokens: 12, outputTokens: 2 },
    faults: ["prompt_tokens", "completion_tokens"],
  });
  expect(normaliseUsage({ prompt_tokens: 1e300, completion_tokens: Number.NaN })).toBeUndefined();
  expect(normaliseUsage({ prompt_tokens: "2000000000", completion_tokens: 1_000_000_000 })).toMatchObject({
    usage: { inputTokens: 0, outputTokens: 1_000_000_000 },
    faults: ["prompt_tokens"],
  });
  expect(
    normaliseUsage({ prompt_tokens: 5, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 99 } })?.usage
      .cacheReadTokens,
  ).toBe(5);
  for (const none of [undefined, null, "x", 3, [], {}, { prompt_tokens: 0, completion_tokens: 0 }])
    expect(normaliseUsage(none)).toBeUndefined();
});

test("usage is found by scanning, and the text of an answer cannot fake it", () => {
  const fake = JSON.stringify({
    choices: [{ message: { content: '"usage": {"prompt_tokens": 1, "completion_tokens": 1}' } }],
    usage: { prompt_tokens: 7, details: { a: ["}"] } },
    tail: '"usage":{}',
  });
  expect(findUsage(fake)).toEqual({ prompt_tokens: 7, details: { a: ["}"] } });
  expect(
    findUsage(JSON.stringify({ choices: [{ message: { content: '"usage":{"prompt_tokens":1}' } }] })),
  ).toBeUndefined();
  const groq = { choices: [{ delta: {} }], x_groq: { id: "req_1", usage: { prompt_tokens: 21 } } };
  expect(findUsage(JSON.stringify(groq))).toEqual({ prompt_tokens: 21 });
  expect(findUsage('{"usage" :\n { "prompt_tokens" : 3 } }')).toEqual({ prompt_tokens: 3 });
  for (const broken of ["", '"usage"', '{"usage":', '{"usage":{', '{"usage":null}', '{"usage":{"a":}}'])
    expect(findUsage(broken)).toBeUndefined();
});

test("frames are classified", () => {
  const tap = new StreamTap();
  const chunk = (value: object): string =>
    Buffer.from(`data: ${JSON.stringify({ id: "1", ...value })}\n\n`).toString("latin1");
  expect(tap.classify(chunk({ choices: [{ delta: { role: "assistant", content: "" }, finish_reason: null }] }))).toBe(
    "delta",
  );
  expect(tap.deltas).toBe(0);
  expect(
    tap.classify(
      chunk({ choices: [{ delta: { content: 'say "finish_reason":"stop" é' }, finish_reason: null }], usage: null }),
    ),
  ).toBe("delta");
  expect([tap.deltas, tap.words.bytes]).toEqual([1, 29]);
  expect(tap.classify(chunk({ choices: [{ delta: { reasoning_content: "abc" } }] }))).toBe("delta");
  expect(tap.classify(chunk({ choices: [{ delta: { tool_calls: [{ function: { arguments: "{}" } }] } }] }))).toBe(
    "delta",
  );
  expect(tap.deltas).toBe(3);
  expect(tap.classify(": ping\n\n")).toBe("other");
  expect(tap.classify("\n")).toBe("other");
  expect(tap.classify(chunk({ choices: [{ delta: {}, finish_reason: "stop" }] }))).toBe("finish");
  expect(tap.classify(chunk({ choices: [{ delta: { content: "x" } }], usage: { prompt_tokens: 1 } }))).toBe("delta");
  expect(tap.classify(chunk({ choices: [], usage: { prompt_tokens: 2, completion_tokens: 1 } }))).toBe("usage");
  expect(tap.rawUsage).toEqual({ prompt_tokens: 2, completion_tokens: 1 });
  expect(tap.classify("data: [DONE]\n\n")).toBe("done");
  expect(tap.classify("data:[DONE]\r\n\r\n")).toBe("done");
  expect(tap.classify('data: {"error":{"message":"no"}}\n\n')).toBe("error");
  expect(tap.classify('event: error\ndata: {"message":"no"}\n\n')).toBe("error");
});

test("errors are read from wherever a vendor puts them, and redacted", () => {
  expect(
    readFailure(
      401,
      '{"error":{"message":"Incorrect API key provided: sk-abcdefghijklmnop","type":"invalid_request_error","code":"invalid_api_key"}}',
    ),
  ).toEqual({
    kind: "auth",
    status: 401,
    isRetryable: true,
    message: "Incorrect API key provided: [key]",
    type: "invalid_request_error",
    code: "invalid_api_key",
  });
  expect(
    readFailure(429, '{"error":{"message":"m","type":"insufficient_quota","code":"insufficient_quota"}}'),
  ).toMatchObject({ kind: "quota", isRetryable: true });
  expect(readFailure(400, '{"error":{"message":"bad"}}')).toMatchObject({
    kind: "invalid",
    isRetryable: false,
    status: 400,
  });
  expect(readFailure(404, "nope")).toMatchObject({
    kind: "invalid",
    isRetryable: false,
    message: "the upstream answered with status 404",
  });
  expect(readFailure(503, '{"message":"down"}')).toMatchObject({
    kind: "overloaded",
    isRetryable: true,
    message: "down",
  });
  expect(readFailure(200, '{"error":{"message":"m","code":429}}')).toMatchObject({ status: 429, kind: "rate" });
  expect(readFailure(200, '{"error":"flat"}')).toMatchObject({ status: 502, message: "flat" });
  expect(redact("see https://user:pw@10.0.0.1/x?key=1 at 10.1.2.3:80 with Bearer abc.def")).toBe(
    "see [address] at [address] with Bearer [key]",
  );
});

// OpenAI's message about a single item; prefixes as in the references of OpenAI, Anthropic (also at Vertex AI and Bedrock), DeepSeek and OpenRouter.
test("ids of items, calls and answers stay in an error, keys do not", () => {
  const rs = "rs_68c2f1d0a7b88195b0d3e1f2a4c5d6e7f8a9b0c1d2e3f4a5";
  expect(redact(`Item '${rs}' of type 'reasoning' was provided without its required following item.`)).toContain(rs);
  const ids = [
    "call_abcdefghijklmnop1234567890ABCDEF",
    "msg_68c2f1d0a7b88195b0d3e1f2a4c5d6e7",
    "resp_68c2f1d0a7b88195b0d3e1f2a4c5d6e7",
    "toolu_01ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "call_00000000-1111-2222-3333-444444444444",
    "call_00_AbCdEfGhIjKlMnOpQrStUvWxYz012345",
    "toolu_vrtx_01AbCdEfGhIjKlMnOpQrStUv",
    "msg_vrtx_01AbCdEfGhIjKlMnOpQrStUv",
    "msg_bdrk_01AbCdEfGhIjKlMnOpQrStUvW",
    "req_vrtx_011CQ4AbCdEfGhIjKlMnOpQr",
    "cntr_68c2f1d0a7b88195b0d3e1f2a4c5d6e7",
    "ctco_68c2f1d0a7b88195b0d3e1f2a4c5d6e7",
    "vs_68c2f1d0a7b88195b0d3e1f2a4c5d6e7",
    "container_011CPR5CNjB747bTd36fQLFk",
    "gen-1757000000-AbCdEfGhIjKlMnOpQrSt",
  ];
  for (const id of ids) expect(redact(`no output for ${id}.`)).toBe(`no output for ${id}.`);
  const key = "a1".repeat(20);
  expect(redact(`wrong key ${key}`)).toBe("wrong key [key]");
  for (const glued of [`call_sk-${key}`, `msg_${key}-${key}`, `rs_sk_live_${key}`, `resp-key_${key}`])
    expect(redact(`x ${glued} x`)).not.toContain(key);
});

// Recorded from Azure (content_filter) and Groq (tool_use_failed) with status 200, reduced; the others in OpenAI's form.
test.each([
  [{ message: "filtered", code: "content_filter", status: 400 }, 400, "content", false],
  [
    { message: "bad call", type: "invalid_request_error", code: "tool_use_failed", status_code: 400 },
    400,
    "invalid",
    false,
  ],
  [{ message: "no money", type: "insufficient_quota", code: "insufficient_quota" }, 429, "quota", true],
  [{ message: "bad", type: "invalid_request_error" }, 400, "invalid", false],
  [{ message: "oops", type: "server_error" }, 502, "overloaded", true],
  [{ message: "oops", status: "failed" }, 502, "overloaded", true],
] as const)("the error %j in a success counts as %i of kind %s", (error, status, kind, isRetryable) => {
  expect(readFailure(200, JSON.stringify({ error }))).toMatchObject({ status, kind, isRetryable });
});

// console.groq.com/docs/tool-use: failed_generation.
test("what a model wrote in place of a call stays with its error, bounded and without keys", () => {
  const error = { message: "Failed to call a function.", code: "tool_use_failed", failed_generation: "" };
  const read = (generation: string) =>
    readFailure(400, JSON.stringify({ error: { ...error, failed_generation: generation } })).details;
  const generation = '<function=get_time>{"zone":"UTC"';
  expect(read(generation)).toEqual({ failed_generation: generation });
  expect(read("Bearer abcdef")).toEqual({ failed_generation: "Bearer [key]" });
  expect(String(read("x ".repeat(20_000))?.["failed_generation"])).toHaveLength(16_000);
  expect(read("")).toBeUndefined();
});

test("envelopes", () => {
  expect(JSON.parse(errorBody({ message: "m", type: "t", status: 400, code: "c", param: null }))).toEqual({
    error: { message: "m", type: "t", param: null, code: "c" },
  });
});

const hidden = (text: string): string =>
  Buffer.from(withoutEmptyUsage(Buffer.from(text).toString("latin1")), "latin1").toString();

test.each([
  [
    'data: {"choices":[{"delta":{"content":"é"}}],"usage":null}\n\n',
    'data: {"choices":[{"delta":{"content":"é"}}]}\n\n',
  ],
  ['data: {"usage":null,"choices":[]}\n\n', 'data: {"choices":[]}\n\n'],
  [
    'data: {"id": "a", "usage": null, "choices": [{"n": 1.0}]}\r\n\r\n',
    'data: {"id": "a", "choices": [{"n": 1.0}]}\r\n\r\n',
  ],
  ['data: {"choices":[],"usage":null,"obfuscation":"x}\\"]"}\n\n', 'data: {"choices":[],"obfuscation":"x}\\"]"}\n\n'],
  ['data: {"usage":null}\n\n', "data: {}\n\n"],
])("an empty usage is cut out of its event and every other byte stays: %j", (before, after) => {
  expect(hidden(before)).toBe(after);
});

test.each([
  'data: {"choices":[{"delta":{"content":"\\"usage\\":null"}}]}\n\n',
  'data: {"choices":[{"usage":null}]}\n\n',
  'data: {"choices":[],"usage":{"prompt_tokens":1}}\n\n',
  'data: {"choices":[],"usage":null',
  "data: [DONE]\n\n",
])("text, nested members, real usage and broken events stay: %j", (text) => {
  expect(hidden(text)).toBe(text);
});
