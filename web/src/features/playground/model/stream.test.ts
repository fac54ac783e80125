/** Tests that an answer has the same message whatever pieces it comes in. */
import { expect, test } from "vitest";
import type { Message } from "./conversation.ts";
import { EventReader, failureOf, readEvent, thinkingApart, withDelta, tokensPerSecond } from "./stream.ts";

const empty: Message = { id: "m", role: "assistant", content: "", createAt: 1, status: "loading" };
const frame = (delta: object, more: object = {}) => `data: ${JSON.stringify({ choices: [{ delta }], ...more })}\n\n`;

/** The message that the pieces make. */
function written(pieces: readonly string[]): Message {
  const reader = new EventReader();
  const data = [...pieces.flatMap((piece) => reader.push(piece)), ...reader.push("", true)];
  return data
    .map(readEvent)
    .reduce((message, event) => (event.kind === "chunk" ? withDelta(message, event.delta) : message), empty);
}

const STREAM = [
  frame({ role: "assistant", content: "" }),
  frame({ reasoning_content: "Let me " }),
  frame({ reasoning_content: "see." }),
  ": ping\r\n\r\n",
  frame({ content: "Grüße " }),
  frame({ content: "aus Oslo" }),
  frame({ tool_calls: [{ index: 0, id: "c1", function: { name: "f", arguments: "" } }] }),
  frame({ tool_calls: [{ index: 0, function: { arguments: '{"a"' } }] }),
  frame({
    tool_calls: [
      { index: 0, function: { arguments: ":1}" } },
      { index: 1, id: "c2", function: { name: "g", arguments: "{}" } },
    ],
  }),
  frame({
    annotations: [
      { url_citation: { url: "https://a.example", title: "A" } },
      { url_citation: { url: "https://a.example" } },
    ],
  }),
  "data: [DONE]\n\n",
].join("");

test("a stream cut at any character gives the same message", () => {
  const whole = written([STREAM]);
  expect(whole).toMatchObject({
    content: "Grüße aus Oslo",
    reasoning: "Let me see.",
    toolCalls: [
      { id: "c1", name: "f", arguments: '{"a":1}' },
      { id: "c2", name: "g", arguments: "{}" },
    ],
    sources: [{ url: "https://a.example", title: "A" }],
    status: "incomplete",
  });
  for (let at = 1; at < STREAM.length; at += 7) expect(written([STREAM.slice(0, at), STREAM.slice(at)])).toEqual(whole);
});

test("it waits until the first word, thought or call", () => {
  expect(written([frame({ role: "assistant", content: "" })]).status).toBe("loading");
  expect(written([frame({ reasoning: "x" })]).status).toBe("incomplete");
});

test("usage, errors, the end, and what is no JSON", () => {
  expect(readEvent('{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}')).toMatchObject({
    usage: { promptTokens: 3, completionTokens: 4 },
  });
  expect(readEvent("[DONE]")).toEqual({ kind: "done" });
  const error = { message: "overloaded (request id: abc)", code: "upstream_error" };
  expect(readEvent(JSON.stringify({ error }))).toEqual({
    kind: "failure",
    failure: { message: "overloaded", code: "upstream_error", status: 200 },
  });
  expect(readEvent("{oops").kind).toBe("failure");
  expect(failureOf(401, { success: false, message: "Log in", code: "not_logged_in", error: {} })).toEqual({
    message: "Log in",
    code: "not_logged_in",
    status: 401,
  });
  expect(failureOf(502, undefined).message).toBe("HTTP 502");
});

test("words whose JSON is not what the format says are taken as none", () => {
  for (const odd of ["null", "1", "[]", '{"choices":"x"}', '{"choices":[{"delta":{"content":5,"tool_calls":"x"}}]}'])
    expect(written([`data: ${odd}\n\n`]).content).toBe("");
  expect(written([frame({ content: [{ type: "text", text: "in parts" }] })]).content).toBe("in parts");
});

test("thinking within the words is set apart, also before it ends", () => {
  expect(thinkingApart({ content: "<think>a\nb</think>\n\nc" })).toEqual({
    content: "c",
    reasoning: "a\nb",
    isOpen: false,
  });
  expect(thinkingApart({ content: "<think>a" })).toEqual({ content: "", reasoning: "a", isOpen: true });
  expect(thinkingApart({ content: "see <think>x</think>" }).content).toBe("see <think>x</think>");
});

test("tokens a second are counted from the first token on", () => {
  expect(tokensPerSecond({ firstTokenMs: 500, totalMs: 2500, completionTokens: 100 })).toBe(50);
  expect(tokensPerSecond({ firstTokenMs: 500, totalMs: 501, completionTokens: 100 })).toBeUndefined();
  expect(tokensPerSecond({ totalMs: 501, completionTokens: 100 })).toBeUndefined();
});
