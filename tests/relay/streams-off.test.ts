/** Streams of named models switched off by an override: the upstream is asked for one piece, and the client's stream is made of it. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { type TestRelay, newChannel, startTestRelay } from "../support/relay/harness.ts";

/** As docs/overrides.md has it. */
const conditions = [{ path: "model", mode: "full", value: "gpt-4o" }];
const STREAMS_OFF = {
  operations: [
    { mode: "set", path: "stream", value: false, conditions },
    { mode: "delete", path: "stream_options", conditions },
  ],
};

let upstream: FakeUpstream;
let relay: TestRelay;

beforeEach(async () => {
  upstream = await startFakeUpstream({
    plan: { text: "in one piece", usage: { prompt_tokens: 7, completion_tokens: 3 } },
  });
  relay = await startTestRelay();
  relay.world.channels.push(
    newChannel({ baseUrl: upstream.url, models: new Set(["gpt-4o", "gpt-4o-mini"]), paramOverride: STREAMS_OFF }),
  );
});

afterEach(async () => {
  await relay.close();
  await upstream.close();
});

const messages = [{ role: "user", content: "hello" }];
const asked = () => upstream.requests.map(({ json }) => [json?.["stream"], "stream_options" in (json ?? {})]);

test.each([
  [
    "/v1/chat/completions",
    { stream_options: { include_usage: true } },
    /"delta":\{[^}]*"content":"in one piece"[\s\S]*\[DONE\]/,
  ],
  ["/v1/messages", { max_tokens: 9 }, /text_delta[\s\S]*in one piece[\s\S]*message_stop/],
])("a stream at %s is made of an answer in one piece, and charged as one", async (path, more, words) => {
  const answer = await relay.post(path, { model: "gpt-4o", messages, stream: true, ...more });
  expect(answer.headers.get("content-type")).toContain("text/event-stream");
  expect(await answer.text()).toMatch(words);
  expect(asked()).toEqual([[false, false]]);
  expect(relay.billing.settlements).toMatchObject([{ promptTokens: 7, completionTokens: 3 }]);
});

test("other models of the channel are streamed as before", async () => {
  await (await relay.post("/v1/chat/completions", { model: "gpt-4o-mini", messages, stream: true })).text();
  expect(asked()[0]?.[0]).toBe(true);
});
