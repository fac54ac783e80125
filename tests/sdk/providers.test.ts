/** The official libraries and the coding agents through every provider with chat: text, streams, pictures, and tools over two turns. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { DEFAULT_RATIOS, type ModelPrice } from "../../contract/src/pricing/pricing.ts";
import { providerRegistry } from "../../server/src/providers/registry.ts";
import { type ChatVendor, type RunningChat, chatVendors, compatibleChats } from "../support/providers/chat-vendors.ts";
import { CALLS, WORDS } from "../support/providers/vendor-plans.ts";
import { TEST_KEY, type TestRelay, newChannel, newWorld, startTestRelay } from "../support/relay/harness.ts";
import { type Agent, type AgentReply, claudeCode, codex, codexLite, geminiCli } from "./agents.ts";
import { anthropic } from "./client-anthropic.ts";
import { gemini } from "./client-gemini.ts";
import { openAiChat, openAiResponses } from "./client-openai.ts";
import { PIXEL, type Turn, UPSTREAMS } from "./matrix.ts";

const LIBRARIES = [openAiChat, openAiResponses, anthropic, gemini] as const;
const AGENTS = [claudeCode, codex, codexLite, geminiCli] as const;
const PRICE: ModelPrice = { kind: "per_token", ...DEFAULT_RATIOS, ratio: "1", completionRatio: "4" };
const providers = providerRegistry();
const vendors = await chatVendors();

let relay: TestRelay;
let running: RunningChat;

beforeAll(async () => {
  relay = await startTestRelay({ world: newWorld({ prices: new Map() }), providers });
});
afterAll(() => relay.close());

/** Makes the vendor the only channel of the describe it is called in. */
function serve(vendor: ChatVendor): void {
  beforeAll(async () => {
    running = await vendor.start();
    relay.world.channels = [newChannel(running.channel)];
    for (const model of [vendor.model, vendor.thinker]) relay.world.prices.set(model, PRICE);
  });
  afterAll(() => running.close());
  beforeEach(() => {
    relay.health.succeeded(1, performance.now());
    relay.billing.settlements = [];
    running.calls([]);
  });
}

const titled = (those: readonly ChatVendor[]): (readonly [string, ChatVendor])[] =>
  those.map((vendor) => [vendor.name, vendor] as const);
const turn = (changes: Partial<Turn>): Turn => ({ text: "What is the weather?", isStream: false, ...changes });

// Vendors with a format of their own are driven by the libraries in tests/relay/own-vendors.test.ts.
describe.each(titled(compatibleChats))("%s", (_name, vendor) => {
  serve(vendor);

  test.each(LIBRARIES)("serves $name", async (client) => {
    for (const isStream of [false, true]) {
      const open = () => client.open(relay.url, `sk-${TEST_KEY}`, vendor.model);
      expect((await open().ask(turn({ isStream }))).text).toBe(WORDS);
      if (vendor.takesPictures) {
        expect((await open().ask(turn({ isStream, hasImage: true }))).text).toBe(WORDS);
        expect(running.sent().at(-1)).toContain(PIXEL);
      }
      if (!vendor.takesTools) continue;
      running.calls(CALLS);
      const conversation = open();
      const { calls } = await conversation.ask(turn({ isStream, offersTools: true }));
      expect(calls).toEqual([{ name: "get_weather", input: { city: "Paris" } }]);
      const last = await conversation.ask(turn({ isStream, offersTools: true, text: "", results: ["sunny"] }));
      expect(last.text).toBe(WORDS);
      expect(running.sent().at(-1)).toContain("sunny");
      running.calls([]);
    }
  });
});

async function ask(agent: Agent, model: string, body: Record<string, unknown>): Promise<AgentReply> {
  const headers = { "content-type": "application/json", ...agent.headers(`sk-${TEST_KEY}`) };
  const answer = await fetch(relay.url + agent.path(model), { method: "POST", headers, body: JSON.stringify(body) });
  const text = await answer.text();
  expect([answer.status, text]).toEqual([200, expect.any(String)]);
  return agent.read(text, body);
}

/** What one answer of the vendor's fake calls: all of the agent's plan, or one call after the other. */
const roundsOf = ({ plan }: Agent, { mostCalls }: ChatVendor): (readonly Agent["plan"][number][])[] =>
  mostCalls === 1 ? plan.map((call) => [call]) : [plan];

describe.each(titled(vendors.filter(({ takesTools }) => takesTools)))("%s", (_name, vendor) => {
  serve(vendor);

  test.each(AGENTS)("has its calls answered by $name", async (agent) => {
    for (const round of roundsOf(agent, vendor)) {
      running.calls(round);
      const request = agent.first(vendor.thinker);
      const reply = await ask(agent, vendor.thinker, request);
      expect(reply.calls).toEqual(round.map(({ seen }) => seen));
      const results = round.map((_, index) => `result ${index}`);
      const last = await ask(agent, vendor.thinker, reply.next(results));
      expect([last.text, last.calls]).toEqual([WORDS, []]);
      for (const result of results) expect(running.sent().at(-1)).toContain(result);
    }
    expect(relay.billing.settlements).toHaveLength(2 * roundsOf(agent, vendor).length);
  });
});

test("every provider that chats is driven, here or as a format's own vendor", () => {
  const driven = new Set([...vendors, ...UPSTREAMS].map(({ type }) => type));
  const missing = providers.all.filter(
    ({ manifest }) => manifest.operations.includes("chat") && manifest.isRetired !== true && !driven.has(manifest.id),
  );
  expect(missing.map(({ manifest }) => manifest.slug)).toEqual([]);
});
