/** Buffered answers, usage and errors of the Responses dialect: golden files, and what the vendor's object repeats and names. */
import { expect, test } from "vitest";
import { NO_USAGE } from "../../../../contract/src/pricing/usage.ts";
import type { NeutralPart } from "../neutral/neutral.ts";
import {
  INFO,
  REQUEST,
  USAGE,
  answerOf,
  checkGrammar,
  decodeStream,
  encodeStream,
  fixture,
  read,
} from "../../../../tests/support/dialects/openai-responses.ts";
import { openAiResponsesDialect as dialect } from "./openai-responses.ts";

test("golden: whole answers", () => {
  expect(dialect.decodeAnswer(fixture("text.json"))).toMatchObject({
    id: "resp_0011aa",
    choices: [{ parts: [{ kind: "text", text: "Under a silver moon a fox found a bell." }], finish: "stop" }],
  });
  expect(dialect.decodeAnswer(fixture("function-call.json"))?.choices[0]).toEqual({
    finish: "tool_calls",
    parts: [
      {
        kind: "reasoning",
        text: "The weather is asked for.\n\nOne city.",
        signature: { dialect: "openai-responses", value: "rs_0022bb:gAAAAABproof" },
      },
      {
        kind: "tool_call",
        id: "call_0022bb",
        name: "get_current_weather",
        arguments: '{"location":"Boston, MA","unit":"celsius"}',
      },
      {
        kind: "tool_call",
        id: "call_0022cc",
        name: "apply_patch",
        arguments: '{"input":"*** Begin Patch\\n*** End Patch\\n"}',
      },
    ],
  });
  expect(dialect.decodeAnswer(fixture("refusal.json"))?.choices[0]).toMatchObject({
    finish: "refusal",
    parts: [{ kind: "refusal" }],
  });
  expect(dialect.decodeAnswer(fixture("incomplete.json"))?.choices[0]).toMatchObject({ finish: "length" });
  const search = dialect.decodeAnswer(fixture("web-search.json"));
  expect(search?.choices[0]?.parts).toEqual([
    {
      kind: "text",
      text: "A bridge was opened (example.com).",
      citations: [{ url: "https://example.com/a", title: "A bridge", quote: "", start: 20, end: 33 }],
    },
  ]);
  expect(dialect.decodeAnswer({ error: { message: "x" } })).toBeUndefined();
});

test("usage: parts never exceed their whole, searches are counted, nonsense is nothing", () => {
  expect(dialect.normaliseUsage(dialect.findUsage(read("text.json")))).toEqual({
    usage: {
      ...NO_USAGE,
      inputTokens: 36,
      outputTokens: 87,
      cacheReadTokens: 8,
      cacheWriteTokens: 4,
      reasoningTokens: 12,
    },
    faults: [],
  });
  const searched = dialect.normaliseUsage(dialect.findUsage(read("web-search.json")));
  expect(searched?.usage.toolCalls).toEqual([{ tool: "web_search", calls: 2, usdPerThousand: "" }]);
  const details = { cached_tokens: 9, cache_write_tokens: 9, cache_write_tokens_details: { ttl_12h_tokens: 4 } };
  expect(dialect.normaliseUsage({ input_tokens: 12, output_tokens: "5", input_tokens_details: details })).toMatchObject(
    {
      usage: { inputTokens: 12, outputTokens: 5, cacheReadTokens: 9, cacheWriteTokens: 0, cacheWriteLongTokens: 3 },
      faults: ["output_tokens"],
    },
  );
  for (const raw of [undefined, null, 5, [], {}, { input_tokens: -1 }])
    expect(dialect.normaliseUsage(raw)).toBeUndefined();
});

test("the response repeats the client's settings, and has the vendor's defaults where there are none", () => {
  const request = {
    instructions: "be brief",
    temperature: 0.2,
    reasoning: { effort: "low" },
    text: { verbosity: "low" },
    store: true,
  };
  const response = dialect.encodeAnswer(answerOf([{ kind: "text", text: "a" }], "length"), USAGE, {
    ...INFO,
    request,
  });
  expect(response).toMatchObject({
    id: "resp_req1",
    object: "response",
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
    instructions: "be brief",
    temperature: 0.2,
    top_p: 1,
    tools: [],
    tool_choice: "auto",
    reasoning: { effort: "low", summary: null },
    text: { format: { type: "text" }, verbosity: "low" },
    store: false,
    output: [
      { id: "msg_req1_0", status: "incomplete", content: [{ type: "output_text", text: "a", annotations: [] }] },
    ],
  });
});

test("freeform and grouped tools get their own names back; ids are never empty nor twice the same", () => {
  const call = (name: string): NeutralPart => ({ kind: "tool_call", id: "", name, arguments: '{"input":"a\\nb"}' });
  const parts = [call("apply_patch"), call("mcp__a__b"), call("unknown")];
  const response = dialect.encodeAnswer(answerOf(parts, "tool_calls"), USAGE, { ...INFO, request: REQUEST });
  expect(response["output"]).toEqual([
    {
      id: "ctc_req1_0",
      type: "custom_tool_call",
      status: "completed",
      call_id: "call_req1_0",
      name: "apply_patch",
      input: "a\nb",
    },
    {
      id: "fc_req1_1",
      type: "function_call",
      status: "completed",
      call_id: "call_req1_1",
      name: "b",
      namespace: "mcp__a__",
      arguments: '{"input":"a\\nb"}',
    },
    {
      id: "fc_req1_2",
      type: "function_call",
      status: "completed",
      call_id: "call_req1_2",
      name: "unknown",
      arguments: '{"input":"a\\nb"}',
    },
  ]);
  const noObject = dialect.encodeAnswer(
    answerOf([{ kind: "tool_call", id: "c", name: "apply_patch", arguments: "raw" }], "stop"),
    USAGE,
    { ...INFO, request: REQUEST },
  );
  expect(noObject["output"]).toMatchObject([{ type: "custom_tool_call", input: "raw" }]);
});

test("sources, log probabilities, pictures and calls without arguments", () => {
  const citation = { url: "https://a", title: "A", quote: "" };
  const logprobs = { content: [{ token: "x", logprob: -1, bytes: [120], top_logprobs: [] }] };
  const response = checkGrammar(
    encodeStream([
      { kind: "start", id: "v" },
      { kind: "citation", choice: 0, citation: { ...citation, start: 0, end: 1 } },
      { kind: "text", choice: 0, text: "xy" },
      { kind: "logprobs", choice: 0, logprobs },
      { kind: "citation", choice: 0, citation },
      { kind: "text", choice: 1, text: "another choice" },
      { kind: "image", choice: 0, source: { kind: "base64", mimeType: "image/png", data: "QUJD" } },
      { kind: "image", choice: 0, source: { kind: "url", url: "https://b" } },
      { kind: "tool_call", choice: 0, index: 0, id: "c", name: "f" },
      { kind: "finish", choice: 0, reason: "tool_calls" },
    ]),
  );
  expect(response["output"]).toMatchObject([
    {
      content: [
        {
          text: "xy",
          annotations: [
            { start_index: 0, end_index: 1 },
            { type: "url_citation", url: "https://a", title: "A", start_index: 0, end_index: 2 },
          ],
          logprobs: logprobs.content,
        },
      ],
    },
    { type: "image_generation_call", status: "completed", result: "QUJD" },
    { content: [{ text: "![image](https://b)" }] },
    { type: "function_call", call_id: "c", arguments: "{}" },
  ]);
  expect(dialect.decodeAnswer(response)?.choices[0]).toMatchObject({
    logprobs,
    parts: [{ kind: "text" }, { kind: "image" }, { kind: "text" }, { arguments: "{}" }],
  });
});

test("a refusal with text is a complete answer; one that only breaks the text off is incomplete", () => {
  const endOf = (parts: NeutralPart[]) => dialect.encodeAnswer(answerOf(parts, "refusal"), NO_USAGE, INFO);
  expect(endOf([{ kind: "refusal", text: "I cannot." }])).toMatchObject({ status: "completed" });
  for (const parts of [[], [{ kind: "text" as const, text: "You take the" }]])
    expect(endOf(parts)).toMatchObject({ status: "incomplete", incomplete_details: { reason: "content_filter" } });
});

test("errors of the upstream are read wherever they stand", () => {
  const [found] = decodeStream(read("stream-failed.txt")).filter((event) => event.kind === "error");
  expect(dialect.readFailure(200, found?.text ?? "")).toMatchObject({
    kind: "rate",
    status: 429,
    isRetryable: true,
    message: "Rate limit reached. Try again in 2s.",
  });
  const failed = {
    type: "response.failed",
    response: { status: "failed", error: { code: "server_error", message: "Oops" } },
  };
  expect(dialect.readFailure(200, JSON.stringify(failed))).toMatchObject({ status: 502, message: "Oops" });
  const flat = { type: "error", code: "invalid_prompt", message: "Bad", param: null, sequence_number: 3 };
  expect(dialect.readFailure(200, JSON.stringify(flat))).toMatchObject({
    status: 400,
    isRetryable: false,
    message: "Bad",
  });
  expect(dialect.readFailure(401, '{"error":{"message":"no","type":"invalid_request_error"}}')).toMatchObject({
    kind: "auth",
    message: "no",
  });
  expect(dialect.isErrorBody({ error: { message: "x" } })).toBe(true);
  expect(dialect.isErrorBody(fixture("text.json"))).toBe(false);
  expect(JSON.parse(dialect.errorBody({ status: 400, message: "m", type: "t", code: "c", param: "p" }, "id"))).toEqual({
    error: { message: "m", type: "t", code: "c", param: "p" },
  });
});
