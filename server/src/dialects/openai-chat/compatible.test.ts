/** Deviations of compatible vendors from OpenAI's chat completions: usage, broken answers and errors. */
import { describe, expect, test } from "vitest";
import { readFailure, withKind } from "../neutral/failure.ts";
import { decodeAnswer } from "./answer.ts";
import { isErrorBody } from "./errors.ts";
import { decodeRequest } from "./request-decode.ts";
import { createDecoder } from "./stream/decoder.ts";
import { StreamTap } from "./stream/passthrough.ts";
import { normaliseUsage } from "./usage.ts";

describe("usage", () => {
  test("xAI's reasoning is beside the completion, as only its total says", () => {
    const counted = { prompt_tokens: 37, completion_tokens: 530, completion_tokens_details: { reasoning_tokens: 233 } };
    expect(normaliseUsage({ ...counted, total_tokens: 800 })?.usage).toMatchObject({
      outputTokens: 763,
      reasoningTokens: 233,
    });
    expect(normaliseUsage({ ...counted, total_tokens: 567 })?.usage).toMatchObject({
      outputTokens: 530,
      reasoningTokens: 233,
    });
    expect(normaliseUsage(counted)?.usage.outputTokens).toBe(530);
  });

  test("a cache is counted where Moonshot and Alibaba count it", () => {
    const counted = { prompt_tokens: 100, completion_tokens: 1 };
    expect(normaliseUsage({ ...counted, cached_tokens: 64 })?.usage.cacheReadTokens).toBe(64);
    const details = { cached_tokens: 0, cache_creation_input_tokens: 90, cache_type: "ephemeral" };
    expect(normaliseUsage({ ...counted, prompt_tokens_details: details })?.usage).toMatchObject({
      cacheReadTokens: 0,
      cacheWriteTokens: 90,
    });
  });
});

test("thinking in parts of the content is thinking, whole and in a stream; usage inside a choice is usage", () => {
  const content = [
    { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
    { type: "text", text: "42" },
  ];
  const whole = decodeAnswer({ id: "i", choices: [{ message: { content }, finish_reason: "stop" }] });
  expect(whole?.choices[0]?.parts).toMatchObject([
    { kind: "reasoning", text: "hm" },
    { kind: "text", text: "42" },
  ]);
  const usage = { prompt_tokens: 3, completion_tokens: 2 };
  const last = { index: 0, delta: { content }, finish_reason: "stop", usage };
  const events = createDecoder().push("", JSON.stringify({ id: "i", choices: [last], usage: null }));
  expect(events).toMatchObject([
    { kind: "start" },
    { kind: "reasoning", text: "hm" },
    { kind: "signature" },
    { kind: "text", text: "42" },
    { kind: "finish", reason: "stop" },
    { kind: "usage", raw: usage },
  ]);
});

test("a client sends such parts back, also to another vendor: its thinking is not part of the text", () => {
  const thought = { type: "thinking", thinking: [{ type: "text", text: "hm" }] };
  const said = { type: "text", text: "42" };
  const conversation = (role: string, content: readonly object[]) => ({
    model: "m",
    messages: [
      { role: "user", content: "hi" },
      { role, content },
    ],
  });
  const path = { model: "m", isStream: false };
  const { messages } = decodeRequest(conversation("assistant", [thought, said]), path);
  expect(messages[1]?.parts).toMatchObject([
    { kind: "reasoning", text: "hm" },
    { kind: "text", text: "42" },
  ]);
  expect(() => decodeRequest(conversation("assistant", [thought, { type: "video" }]), path)).toThrow(
    "messages[1].content[1].type",
  );
  expect(() => decodeRequest(conversation("user", [thought]), path)).toThrow("messages[1].content[0].type");
});

describe("an answer that breaks off", () => {
  const chunk = (word: string, error?: object) => ({
    id: "i",
    ...(error === undefined ? {} : { error }),
    choices: [{ index: 0, delta: { content: "" }, finish_reason: word }],
  });
  const own = { code: 502, message: "Provider disconnected" };

  test.each(["error", "network_error", "insufficient_system_resource"])("by %s is an error, not an end", (word) => {
    const data = JSON.stringify(chunk(word));
    const [event] = createDecoder().push("", data);
    expect(event).toMatchObject({ kind: "error" });
    const tap = new StreamTap();
    expect(tap.classify(`data: ${data}\n\n`)).toBe("error");
    expect(readFailure(200, tap.errorText)).toMatchObject({ kind: "overloaded", isRetryable: true, code: word });
    expect(isErrorBody({ choices: [{ message: { content: "half" }, finish_reason: word }] })).toBe(true);
  });

  test("has the vendor's message if there is one", () => {
    const data = JSON.stringify(chunk("error", own));
    expect(createDecoder().push("", data)).toEqual([{ kind: "error", text: JSON.stringify({ error: own }) }]);
    const tap = new StreamTap();
    tap.classify(`data: ${data}\n\n`);
    expect(readFailure(200, tap.errorText)).toMatchObject({ status: 502, message: own.message });
  });

  test("by its model's length is one that was too long; others end as they say", () => {
    const finish = (word: string) =>
      decodeAnswer({ id: "i", choices: [{ message: { content: "x" }, finish_reason: word }] })?.choices[0]?.finish;
    expect(["model_length", "stop", "sensitive"].map(finish)).toEqual(["length", "stop", "content_filter"]);
    expect(new StreamTap().classify(`data: ${JSON.stringify(chunk("stop"))}\n\n`)).toBe("finish");
    expect(isErrorBody({ choices: [{ message: { content: "x" }, finish_reason: "stop" }] })).toBe(false);
  });
});

describe("a failure", () => {
  test("without an envelope is read all the same, and names the field at fault", () => {
    expect(readFailure(400, '{"code":20012,"message":"no such model","data":null}')).toMatchObject({
      message: "no such model",
      code: "20012",
    });
    const faults = '[{"loc":["body","user"],"msg":"not permitted"},{"msg":"and more"},{"loc":7}]';
    for (const body of [`{"detail":${faults}}`, `{"message":{"detail":${faults}}}`, `{"message":${faults}}`])
      expect(readFailure(422, body).message).toBe("body.user: not permitted; and more");
  });

  test("has the kind its code or type stands for", () => {
    const failed = (status: number, error: object) =>
      withKind(readFailure(status, JSON.stringify({ error })), { "1113": "quota", content_filter: "content" });
    expect(failed(429, { code: "1113" })).toMatchObject({ kind: "quota", isRetryable: true });
    expect(failed(500, { type: "content_filter" })).toMatchObject({ kind: "content", isRetryable: false });
    expect(failed(400, { type: "toString" })).toMatchObject({ kind: "invalid", isRetryable: false });
  });
});
