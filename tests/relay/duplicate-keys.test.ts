/** Ambiguous bodies (duplicate keys and the like): each is a 400 that names the field, before anything is sent, held or charged. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { ChannelHealth } from "../../server/src/channels/health.ts";
import { TEST_KEY, type TestRelay, newChannel, newWorld, startTestRelay } from "../support/relay/harness.ts";

const MODELS = new Set(["gpt-4o", "claude-sonnet-4-5"]);

let upstream: FakeUpstream;
let relay: TestRelay;

beforeEach(async () => {
  upstream = await startFakeUpstream();
  const world = newWorld({ channels: [newChannel({ baseUrl: upstream.url, models: new Set(["gpt-4o"]) })] });
  world.channels.push(newChannel({ id: 2, type: 14, baseUrl: upstream.url, models: new Set(["claude-sonnet-4-5"]) }));
  for (const model of MODELS) world.prices.set(model, world.prices.get("gpt-4o") ?? { kind: "per_call", price: "1" });
  relay = await startTestRelay({ world });
});

afterEach(async () => {
  await relay.close();
  await upstream.close();
});

async function refused(
  body: string | Uint8Array<ArrayBuffer>,
): Promise<{ code: string; param: string | null; message: string }> {
  const headers = { authorization: `Bearer sk-${TEST_KEY}`, "content-type": "application/json" };
  const answer = await fetch(`${relay.url}/v1/chat/completions`, { method: "POST", headers, body });
  const { error } = (await answer.json()) as { error: { code: string; param: string | null; message: string } };
  expect(answer.status).toBe(400);
  expect([upstream.count, relay.billing.settlements.length, relay.billing.held]).toEqual([0, 0, 0]);
  return error;
}

const chat = (more: string, model = "gpt-4o"): string =>
  `{"model":"${model}",${more}"messages":[{"role":"user","content":"hi"}]}`;

test.each([
  ["model", '"model":"o1-pro",'],
  ["model", '"mod\\u0065l":"o1-pro",'],
  ["messages", '"messages":[],'],
  ["n", '"n":1,"n":100,'],
  ["service_tier", '"service_tier":"priority","service_tier":"default",'],
])("%s twice", async (param, more) => {
  expect(await refused(chat(more))).toMatchObject({ code: "ambiguous_field", param });
});

test.each([
  ["MODEL", '"MODEL":"o1-pro",'],
  ["Model", '"Model":"o1-pro",'],
  ["N", '"N":100,'],
  ["ſtream", '"ſtream":true,'],
  ["max_to\u212Aens", '"max_to\u212Aens":9,'],
  ["Service_Tier", '"Service_Tier":"priority",'],
  ["SPEED", '"SPEED":"fast",'],
  ["generationconfig", '"generationconfig":{},'],
  ["GenerationConfig", '"GenerationConfig":{},'],
])("%s, which readers without an eye for case take for a field of ours", async (param, more) => {
  expect(await refused(chat(more))).toMatchObject({ code: "ambiguous_field", param });
});

test("other names may have any letters and stand twice, for nothing here depends on them", async () => {
  const body = chat('"X-Trace":1,"väriant":2,"X-Trace":3,');
  expect((await relay.post("/v1/chat/completions", body)).status).toBe(200);
  expect(upstream.requests[0]?.body.toString()).toBe(body);
});

test("a value that is no UTF-8 is named, not replaced", async () => {
  const text = Buffer.from(chat('"user":"@",'));
  text[text.indexOf("@")] = 0xc3;
  expect(await refused(new Uint8Array(text))).toMatchObject({
    code: "invalid_json",
    param: "user",
    message: expect.stringMatching(/'user' is not valid UTF-8/),
  });
});

test("a body with more fields than any request has is refused", async () => {
  const many = Array.from({ length: 5_000 }, (_, index) => `"f${index}":1,`).join("");
  const error = await refused(chat(many));
  expect(error).toMatchObject({ code: "invalid_json", message: expect.stringMatching(/more than 4096 fields/) });
});

describe("JSON that is broken inside a field", () => {
  test.each([
    ["tools", '"tools":[{"type":"function",}],'],
    ["temperature", '"temperature":NaN,'],
    ["max_tokens", '"max_tokens":0x10,'],
    ["metadata", '"metadata":{"a":"line\nbreak"},'],
  ])("%s is named by a channel of another format", async (param, more) => {
    const error = await refused(chat(more, "claude-sonnet-4-5"));
    expect(error).toMatchObject({ code: "invalid_json", param });
    expect(error.message).toContain(`'${param}' is not valid JSON`);
  });

  test("and by a quirk that has to look inside", async () => {
    relay.world.channels[0] = newChannel({ baseUrl: upstream.url, models: new Set(["o3-mini"]) });
    expect(await refused(chat('"stop":["a",],', "o3-mini"))).toMatchObject({ code: "invalid_json", param: "stop" });
  });

  test("and by the gateway's own request for usage, which goes into the stream's options", async () => {
    const error = await refused(chat('"stream":true,"stream_options":{"include_obfuscation" false},'));
    expect(error).toMatchObject({ code: "invalid_json", param: "stream_options" });
  });

  test("says nothing of the channel: one that is being probed is free for the next call", async () => {
    const health = new ChannelHealth({ failures: 1, openMs: 1, halfOpenMs: 60_000 });
    const { world } = relay;
    await relay.close();
    relay = await startTestRelay({ world, health });
    health.failed(2, { nowMs: performance.now() });
    await new Promise((resolve) => setTimeout(resolve, 5));
    await refused(chat('"stop":["a",],', "claude-sonnet-4-5"));
    expect(health.openReason(2, performance.now())).toBeUndefined();
  });
});
