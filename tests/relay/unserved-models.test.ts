/** Models that no channel may be asked for: 404 for a name that no channel of the key's groups has, 503 where one is only disabled. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import {
  TEST_KEY,
  type TestRelay,
  newChannel,
  newToken,
  newUser,
  startTestRelay,
  withOptions,
} from "../support/relay/harness.ts";

let upstream: FakeUpstream;
let relay: TestRelay;

beforeEach(async () => {
  upstream = await startFakeUpstream();
  relay = await startTestRelay();
  relay.world.channels.push(newChannel({ baseUrl: upstream.url }));
});

afterEach(async () => {
  await relay.close();
  await upstream.close();
});

const messages = [{ role: "user", content: "hello" }];

/** Asks for the model in chat completions: the status, and the code of the error. */
async function refusal(): Promise<[status: number, code: string]> {
  const answer = await relay.post("/v1/chat/completions", { model: UNSERVED, messages });
  const { error } = (await answer.json()) as { error: { code: string } };
  return [answer.status, error.code];
}

const UNSERVED = "of-others";
const UNSERVED_CALLS: readonly (readonly [operation: string, path: string, body: object | FormData])[] = [
  ["chat", "/v1/chat/completions", { model: UNSERVED, messages }],
  ["messages", "/v1/messages", { model: UNSERVED, messages, max_tokens: 5 }],
  ["responses", "/v1/responses", { model: UNSERVED, input: "hello" }],
  ["Gemini", `/v1beta/models/${UNSERVED}:generateContent`, { contents: [{ parts: [{ text: "hello" }] }] }],
  ["completions", "/v1/completions", { model: UNSERVED, prompt: "hello" }],
  ["embeddings", "/v1/embeddings", { model: UNSERVED, input: "hello" }],
  ["images", "/v1/images/generations", { model: UNSERVED, prompt: "a cat" }],
  ["speech", "/v1/audio/speech", { model: UNSERVED, input: "hello", voice: "alloy" }],
  ["moderations", "/v1/moderations", { model: UNSERVED, input: "hello" }],
  ["rerank", "/v1/rerank", { model: UNSERVED, query: "hello", documents: ["a"] }],
];

test.each(UNSERVED_CALLS)("a model that only other groups have does not exist for %s", async (_name, path, body) => {
  const answers = [];
  const channels = relay.world.channels.length;
  for (const groupNames of [[], ["vip"]]) {
    if (groupNames.length > 0)
      relay.world.channels.push(newChannel({ id: 7, groupNames, models: new Set([UNSERVED]) }));
    const answer = await relay.post(path, body);
    answers.push([answer.status, (await answer.text()).replaceAll(/req-test-\d+/g, "")]);
  }
  // To the letter what is said of a name that no channel has.
  expect(answers[1]).toEqual(answers[0]);
  expect(answers[0]).toEqual([404, expect.stringMatching(/model_not_found|not_found_error|NOT_FOUND/)]);
  relay.world.channels.splice(channels);
  relay.world.channels.push(newChannel({ id: 7, status: 3, models: new Set([UNSERVED]) }));
  const off = await relay.post(path, body);
  expect([off.status, await off.text()]).toEqual([503, expect.stringMatching(/model_not_found|UNAVAILABLE/)]);
  expect(upstream.count).toBe(0);
});

test("a model that does not exist has a row, as one whose channels are disabled has; their codes differ there alone", async () => {
  expect(await refusal()).toEqual([404, "model_not_found"]);
  relay.world.channels.push(newChannel({ id: 7, status: 2, models: new Set([UNSERVED]) }));
  expect(await refusal()).toEqual([503, "model_not_found"]);
  const codes = relay.billing.rows.map(({ other }) => (JSON.parse(other) as { error_code: string }).error_code);
  expect(codes).toEqual(["model_not_found", "no_available_channel"]);
});

test("a token of the group auto finds a model's disabled channel in any of its groups", async () => {
  relay.world.tokens.set(TEST_KEY, newToken({ groupName: "auto" }));
  relay.world.users[0] = newUser({ groupName: "vip" });
  withOptions(relay.world, { AutoGroups: ["default", "vip"] });
  relay.world.channels.push(newChannel({ id: 7, status: 3, groupNames: ["vip"], models: new Set([UNSERVED]) }));
  expect(await refusal()).toEqual([503, "model_not_found"]);
  withOptions(relay.world, { AutoGroups: ["default"] });
  expect(await refusal()).toEqual([404, "model_not_found"]);
});
