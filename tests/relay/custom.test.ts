/** The custom provider through the relay: every call goes to the one address that the operator typed, with the model in it. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type RunningVendor, WORDS, startHttpVendor } from "../support/providers/own-vendor.ts";
import { type TestRelay, newChannel, startTestRelay } from "../support/relay/harness.ts";

const USAGE = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
const ANSWERS: Readonly<Record<string, object>> = {
  messages: { choices: [{ index: 0, message: { role: "assistant", content: WORDS }, finish_reason: "stop" }] },
  prompt: { choices: [{ index: 0, text: WORDS, finish_reason: "stop" }] },
  input: { data: [{ object: "embedding", index: 0, embedding: [1, 2] }] },
};

let vendor: RunningVendor;
let relay: TestRelay;

beforeAll(async () => {
  vendor = await startHttpVendor(({ body }, response) => {
    const asked = JSON.parse(body.toString()) as Record<string, unknown>;
    const [, answer = {}] = Object.entries(ANSWERS).find(([field]) => asked[field] !== undefined) ?? [];
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ id: "c-1", object: "answer", ...answer, usage: USAGE }));
  });
  relay = await startTestRelay();
  relay.world.channels = [
    newChannel({ type: 8, key: "key-of-the-custom-one", baseUrl: `${vendor.url}/deployments/{model}/run?v=3` }),
  ];
});
afterAll(async () => {
  await relay.close();
  await vendor.close();
});
beforeEach(() => {
  vendor.seen.length = 0;
  relay.billing.settlements = [];
});

test.each([
  ["/v1/chat/completions", { messages: [{ role: "user", content: "hi" }] }, WORDS],
  ["/v1/completions", { prompt: "hi" }, WORDS],
  ["/v1/embeddings", { input: "hi" }, "[1,2]"],
])("%s goes to the address as it stands", async (path, body, expected) => {
  const answer = await relay.post(path, { model: "gpt-4o", ...body });
  expect([answer.status, (await answer.text()).includes(expected)]).toEqual([200, true]);
  const [settlement] = relay.billing.settlements;
  expect(settlement).toMatchObject({ promptTokens: 5 });
  expect(vendor.seen.map((seen) => [seen.path, seen.headers["authorization"]])).toEqual([
    ["/deployments/gpt-4o/run?v=3", "Bearer key-of-the-custom-one"],
  ]);
});
