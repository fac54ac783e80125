/** Shutdown: what is still open after the grace time ends with an error event, or 503 if nothing was sent; what was delivered is charged. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { type TestRelay, newChannel, startTestRelay, until } from "../support/relay/harness.ts";

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

const chat = { model: "gpt-4o", messages: [{ role: "user", content: "hello" }] };
const never = new Promise<void>(() => undefined);

test("a stream in its middle ends with an error event, and is charged for what was delivered", async () => {
  upstream.plan({
    text: "some words",
    chunks: 2,
    beforeFrame: (frame) => (frame.includes("ords") ? never : Promise.resolve()),
  });
  const answer = await relay.post("/v1/chat/completions", { ...chat, stream: true });
  const reader = answer.body?.getReader();
  let text = Buffer.from((await reader?.read())?.value ?? []).toString();
  relay.stop();
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
    text += Buffer.from(part.value).toString();
  expect(text).toContain('"code":"server_stopping"');
  expect(text).not.toContain("[DONE]");
  await until(() => relay.billing.settlements.length === 1);
  expect(relay.billing.settlements[0]?.charge).toBeGreaterThan(0);
  expect(relay.billing.held).toBe(0);
  await until(() => upstream.requests[0]?.wasAborted === true);
});

test.each([
  ["a stream whose head has not come", { neverAnswers: true }, true],
  ["an answer in one piece", { neverAnswers: true }, false],
  ["half an answer in one piece", { cutAtByte: 20, cutBy: "halt" as const }, false],
])("%s is 503, blames no channel, and costs nothing", async (_what, plan, isStream) => {
  upstream.plan(plan);
  const waiting = relay.post("/v1/chat/completions", { ...chat, stream: isStream });
  await until(() => upstream.count === 1);
  relay.stop();
  const answer = await waiting;
  expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining("server_stopping")]);
  expect([relay.billing.settlements.length, relay.billing.held, relay.health.hasRecords]).toEqual([0, 0, false]);
});
