/** Tests of context-length errors: every vendor's wording is recognised, with its numbers, and written in that of each format. */
import { expect, test } from "vitest";
import { contextOverflowOf, overflowSentence } from "./context-overflow.ts";

const read = (message: string, code = "") => contextOverflowOf({ code, message });

test.each([
  // docs.claude.com/en/api/errors; recorded by the libraries' users (anthropics/anthropic-sdk-python issues).
  ["prompt is too long: 208310 tokens > 200000 maximum", { asked: 208_310, most: 200_000 }],
  ["input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length", {}],
  // platform.openai.com/docs/guides/error-codes.
  [
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130,123 tokens. Please reduce the length of the messages.",
    { asked: 130_123, most: 128_000 },
  ],
  ["Your input exceeds the context window of this model. Please adjust your input and try again.", {}],
  // ai.google.dev/gemini-api/docs/troubleshooting.
  [
    "The input token count (1048990) exceeds the maximum number of tokens allowed (1048576).",
    { asked: 1_048_990, most: 1_048_576 },
  ],
  ["The input token count exceeds the maximum number of tokens allowed 1048576.", {}],
])("%s", (message, found) => {
  expect(read(message)).toEqual(found);
});

test("a code alone is enough, and other refusals are none", () => {
  expect(read("Too much.", "context_length_exceeded")).toEqual({});
  expect(read("max_tokens is too large: 900000")).toBeUndefined();
  expect(read("prompt is empty", "invalid_request_error")).toBeUndefined();
});

test("each format has its sentence, with the upstream's where the numbers are not known", () => {
  const known = { asked: 9, most: 5 };
  expect(overflowSentence("openai-chat", known)).toBe(overflowSentence("openai-responses", known));
  expect(overflowSentence("openai-chat", known)).toBe(
    "This model's maximum context length is 5 tokens. However, your messages resulted in 9 tokens.",
  );
  expect(overflowSentence("anthropic-messages", known)).toBe("prompt is too long: 9 tokens > 5 maximum");
  expect(overflowSentence("gemini", known)).toBe(
    "The input token count (9) exceeds the maximum number of tokens allowed (5).",
  );
  expect(overflowSentence("anthropic-messages", {}, "Too much.")).toBe("prompt is too long: Too much.");
  expect(read(overflowSentence("openai-chat", {}, "x"))).toEqual({});
  expect(read(overflowSentence("gemini", {}))).toEqual({});
});
