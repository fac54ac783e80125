/** A token limit that is too large is refused under the name of the field that the client sent it in. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestRelay, startTestRelay } from "../support/relay/harness.ts";

const LARGE = 2_000_000_000;
const chat = { model: "gpt-4o", messages: [{ role: "user", content: "hi" }] };
let relay: TestRelay;

beforeAll(async () => {
  relay = await startTestRelay();
});
afterAll(() => relay.close());

test.each([
  ["/v1/chat/completions", { ...chat, max_tokens: LARGE }, "max_tokens"],
  ["/v1/chat/completions", { ...chat, max_completion_tokens: LARGE }, "max_completion_tokens"],
  ["/v1/chat/completions", { ...chat, max_tokens: 5, max_completion_tokens: LARGE }, "max_completion_tokens"],
  ["/v1/chat/completions", { ...chat, max_tokens: LARGE, max_completion_tokens: 5 }, "max_tokens"],
  ["/v1/responses", { model: "gpt-4o", input: "hi", max_output_tokens: LARGE }, "max_output_tokens"],
])("%s %j names %s", async (path, body, param) => {
  const answer = await relay.post(path, body);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: { code: "max_tokens_invalid", param } });
});
