/** Vendors with a format of their own through the relay: official libraries, tools, pictures, thinking, usage, and each documented failure. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { DEFAULT_RATIOS, type ModelPrice } from "../../contract/src/pricing/pricing.ts";
import { providerRegistry } from "../../server/src/providers/registry.ts";
import { anthropic } from "../sdk/client-anthropic.ts";
import { gemini } from "../sdk/client-gemini.ts";
import { openAiChat, openAiResponses } from "../sdk/client-openai.ts";
import type { Client, Turn } from "../sdk/matrix.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { CLIENT_FORMATS, eventsIn, fieldsOf, listOf } from "../support/clients/client-formats.ts";
import { endOf, grammarFaults } from "../support/clients/stream-grammar.ts";
import {
  CALL,
  type OwnVendor,
  type RunningVendor,
  THOUGHT,
  WORDS,
  ownVendors,
} from "../support/providers/own-vendor.ts";
import {
  TEST_KEY,
  type TestRelay,
  newChannel,
  newWorld,
  startTestRelay,
  withOptions,
} from "../support/relay/harness.ts";

const PRICE: ModelPrice = { kind: "per_token", ...DEFAULT_RATIOS, ratio: "1", completionRatio: "4", cacheRatio: "0.1" };
const LIBRARIES: readonly Client[] = [openAiChat, openAiResponses, anthropic, gemini];
/** Answers after the vendor's failure if the call is retried. */
const SECOND = { id: 99, name: "second", type: 1, priority: -1 };
/** Failures whose status is passed on whatever they say. */
const RETRIED = /^(?:404|409|413|422)-/;
const GOES_ON: ReadonlySet<string> = new Set(["auth", "quota", "rate", "overloaded"]);

const vendors = await ownVendors();
const providers = providerRegistry();
const turn = (changes: Partial<Turn> = {}): Turn => ({ text: "What is the weather?", isStream: false, ...changes });

let relay: TestRelay;
let second: FakeUpstream;

beforeAll(async () => {
  relay = await startTestRelay({ world: newWorld({ prices: new Map() }), providers });
  second = await startFakeUpstream();
  withOptions(relay.world, { RetryTimes: 1 });
});
afterAll(async () => {
  await relay.close();
  await second.close();
});

describe.each(vendors.map((vendor) => [vendor.name, vendor] as const))("%s", (_name, vendor) => {
  let running: RunningVendor;
  const { model, type, key, other = "" } = vendor;
  beforeAll(async () => {
    running = await vendor.start();
  });
  afterAll(() => running.close());
  beforeEach(() => {
    relay.world.channels = [newChannel({ type, key, other, baseUrl: running.url, models: new Set([model]) })];
    relay.world.prices.set(model, PRICE);
    relay.billing.settlements = [];
    relay.billing.rows = [];
    relay.health.succeeded(1, performance.now());
    second.reset();
    Object.assign(running, { deed: "words", failing: undefined });
    running.seen.length = 0;
    running.complaints.length = 0;
  });

  const both = LIBRARIES.flatMap((client) => [false, true].map((isStream) => [client.name, isStream, client] as const));

  test.each(both)("answers %s (stream: %s) and is counted", async (_client, isStream, client) => {
    const reply = await client.open(relay.url, `sk-${TEST_KEY}`, model).ask(turn({ isStream }));
    expect([reply.text, running.complaints]).toEqual([WORDS, []]);
    expectCounted(vendor, relay);
  });

  test.each(CLIENT_FORMATS.map((format) => [format.name, format] as const))(
    "streams to %s by its grammar, with its end",
    async (_format, format) => {
      const answer = await relay.post(format.path(model, true), format.body(model, true, "hello"));
      const events = eventsIn(await answer.text());
      expect(endOf(format, events)).toBe("whole");
      expect(grammarFaults(format, events)).toEqual([]);
    },
  );

  test.each(vendor.takesTools ? both : [])(
    "calls a tool of %s (stream: %s) and reads its result",
    async (_client, isStream, client) => {
      running.deed = "call";
      const conversation = client.open(relay.url, `sk-${TEST_KEY}`, model);
      const first = await conversation.ask(turn({ isStream, offersTools: true }));
      expect(first.calls).toEqual([{ name: CALL.name, input: CALL.arguments }]);
      const last = await conversation.ask(turn({ isStream, offersTools: true, text: "", results: ["sunny"] }));
      expect([last.text, running.complaints]).toEqual([WORDS, []]);
      expect(running.seen.at(-1)?.body.toString()).toContain("sunny");
    },
  );

  test.each(vendor.takesPictures ? LIBRARIES.map((client) => [client.name, client] as const) : [])(
    "is shown a picture by %s",
    async (_client, client) => {
      const reply = await client.open(relay.url, `sk-${TEST_KEY}`, model).ask(turn({ hasImage: true }));
      expect([reply.text, running.complaints]).toEqual([WORDS, []]);
    },
  );

  test.each(vendor.thinks ? both : [])("shows its thinking to %s (stream: %s)", async (_client, isStream, client) => {
    const reply = await client.open(relay.url, `sk-${TEST_KEY}`, model).ask(turn({ isStream, thinks: true }));
    expect([reply.text, reply.thinking.includes(THOUGHT), running.complaints]).toEqual([WORDS, true, []]);
  });

  test.each(vendor.takesSchemas ? [openAiChat] : [])("is asked for the form of a schema by $name", async (client) => {
    await client.open(relay.url, `sk-${TEST_KEY}`, model).ask(turn({ isStructured: true }));
    expect([running.complaints, running.seen.at(-1)?.body.toString().includes("degrees")]).toEqual([[], true]);
  });

  test("gets every turn of a conversation and all of its instructions", async () => {
    const messages = [
      { role: "system", content: "first-instruction" },
      { role: "user", content: "first-question" },
      { role: "assistant", content: "first-answer" },
      { role: "system", content: "second-instruction" },
      { role: "user", content: "second-question" },
    ];
    const answer = await relay.post("/v1/chat/completions", { model, messages });
    expect([answer.status, running.complaints]).toEqual([200, []]);
    const sent = running.seen.at(-1)?.body.toString() ?? "";
    const said = messages.map(({ content }) => [content, sent.includes(content)]);
    expect(said).toEqual(messages.map(({ content }) => [content, true]));
  });

  test("does not get the caller's key, and its own key is in no answer", async () => {
    const answer = await relay.post("/v1/chat/completions", { model, messages: [{ role: "user", content: "hi" }] });
    expect(`${JSON.stringify([...answer.headers])}${await answer.text()}`).not.toContain(key);
    expect(JSON.stringify(running.seen.map(({ headers }) => headers))).not.toContain(TEST_KEY);
  });

  test.each(
    vendor.failures.flatMap(({ name, kind }, index) =>
      [false, true].map((isStream) => [name, kind, isStream, index] as const),
    ),
  )("%s is a failure of kind %s (stream: %s)", async (failure, kind, stream, index) => {
    const goesOn = GOES_ON.has(kind) || RETRIED.test(failure);
    relay.world.channels.push(newChannel({ ...SECOND, baseUrl: second.url, models: new Set([model]) }));
    running.failing = index;
    const body = { model, stream, messages: [{ role: "user", content: "hi" }] };
    const answer = await relay.post("/v1/chat/completions", body);
    const text = await answer.text();
    expect([answer.status === 200, text.includes(key)]).toEqual([goesOn, false]);
    const log = fieldsOf(JSON.parse((relay.billing.settlements[0]?.log ?? relay.billing.rows[0])?.other ?? "{}"));
    const [tried] = listOf(fieldsOf(log["admin_info"])["tried"]).map(fieldsOf);
    expect(String(tried?.["reason"]).split(":")[0]).toBe(kind);
  });
});

function expectCounted({ counted }: OwnVendor, { billing }: TestRelay): void {
  const [settlement] = billing.settlements;
  const { usage, estimated } = fieldsOf(JSON.parse(settlement?.log?.other ?? "{}"));
  if (counted === "estimated") expect(estimated).toBe(true);
  else expect(usage).toEqual(counted);
}

test("every provider with a format of its own is driven here", () => {
  const driven = new Set(vendors.map(({ type }) => type));
  const missing = providers.all.filter(
    ({ manifest, format }) => format !== undefined && manifest.operations.includes("chat") && !driven.has(manifest.id),
  );
  expect(missing.map(({ manifest }) => manifest.slug)).toEqual([]);
});
