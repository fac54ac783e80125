/** Service tiers: charged by the answer's tier, in every format and shape, if the channel allows tiers. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { parseOptions } from "../../contract/src/options/options.ts";
import { DEFAULT_RATIOS } from "../../contract/src/pricing/pricing.ts";
import { readChargeDetail } from "../../server/src/billing/charge-detail.ts";
import { reprice } from "../../server/src/billing/audit.ts";
import { type TestRelay, newChannel, newWorld, startTestRelay, withOptions } from "../support/relay/harness.ts";
import { chargeOfReceipt } from "../support/relay/receipts.ts";

let upstream: FakeUpstream;
let relay: TestRelay;

const MODEL = "m";
/** The second one speaks chat completions alone, whatever its clients speak. */
const [OPENAI, CUSTOM, GEMINI] = [1, 8, 24];

/** A model at 1 quota a token, so that a charge of 150 tokens is 100 times its ratio. */
async function start(type: number): Promise<void> {
  const world = newWorld();
  const setting = { allowsServiceTier: true };
  const baseUrl = type === CUSTOM ? `${upstream.url}/v1/chat/completions` : upstream.url;
  world.channels = [newChannel({ type, baseUrl, models: new Set([MODEL]), setting })];
  world.prices.set(MODEL, { kind: "per_token", ...DEFAULT_RATIOS, ratio: "1" });
  relay = await startTestRelay({ world });
}

beforeEach(async () => {
  upstream = await startFakeUpstream({ validates: false });
});

afterEach(async () => {
  await relay.close();
  await upstream.close();
});

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const named = (type: string, fields: object): string => `event: ${type}\n${event({ type, ...fields })}`;

const messages = [{ role: "user", content: "hi" }];
const contents = [{ role: "user", parts: [{ text: "hi" }] }];

/** The requests of every client's format. */
const CLIENTS = {
  chat: { path: () => "/v1/chat/completions", body: { model: MODEL, messages } },
  responses: { path: () => "/v1/responses", body: { model: MODEL, input: "hi" } },
  messages: { path: () => "/v1/messages", body: { model: MODEL, max_tokens: 9, messages } },
  gemini: {
    path: (isStream: boolean) =>
      `/v1beta/models/${MODEL}:${isStream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: { contents },
  },
} as const;
type Client = keyof typeof CLIENTS;

/** Where a tier may stand: members of a chunk or of an answer. */
const tiered = (tier: unknown): object => (tier === undefined ? {} : { service_tier: tier });

const CHAT_USAGE = { prompt_tokens: 100, completion_tokens: 50 };
const chatWhole = (tier: unknown): string =>
  JSON.stringify({
    id: "c",
    object: "chat.completion",
    metadata: { service_tier: "flex" },
    choices: [{ index: 0, message: { role: "assistant", content: '"service_tier":"flex"' }, finish_reason: "stop" }],
    usage: CHAT_USAGE,
    ...tiered(tier),
  });

/** Three chunks, of which any may have the tier: the first, the one with the finish, or the one with the usage. */
const chatStream = (tiers: readonly unknown[]): string => {
  const base = { id: "c", object: "chat.completion.chunk" };
  const delta = { role: "assistant", content: '"service_tier":"flex"' };
  return [
    event({ ...base, ...tiered(tiers[0]), choices: [{ index: 0, delta, finish_reason: null }] }),
    event({ ...base, ...tiered(tiers[1]), choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
    event({ ...base, choices: [], usage: CHAT_USAGE, ...tiered(tiers[2]) }),
    "data: [DONE]\n\n",
  ].join("");
};

const RESPONSE = {
  id: "resp_1",
  object: "response",
  status: "completed",
  metadata: { service_tier: "flex" },
  tools: [{ type: "function", name: "f", parameters: { properties: { service_tier: "flex" } } }],
  output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "hello", annotations: [] }] }],
};
const RESPONSE_USAGE = { input_tokens: 100, output_tokens: 50, total_tokens: 150 };
const responseWhole = (tier: unknown): string =>
  JSON.stringify({ ...RESPONSE, usage: RESPONSE_USAGE, ...tiered(tier) });
const responseStream = (first: unknown, last: unknown): string =>
  named("response.created", { response: { ...RESPONSE, status: "in_progress", output: [], ...tiered(first) } }) +
  named("response.output_item.added", { output_index: 0, item: { type: "message", content: [] } }) +
  named("response.output_text.delta", { output_index: 0, content_index: 0, delta: "hello" }) +
  named("response.completed", { response: { ...RESPONSE, usage: RESPONSE_USAGE, ...tiered(last) } });

const geminiPiece = (told: object): object => ({
  candidates: [{ content: { role: "model", parts: [{ text: "hello" }] }, finishReason: "STOP", index: 0 }],
  usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 50, totalTokenCount: 150, ...told },
});

const receiptOf = (): Record<string, unknown> => JSON.parse(relay.billing.rows.at(-1)?.other ?? "{}");
const chargeOf = (): number | undefined => relay.billing.settlements.at(-1)?.charge;

async function ask(client: Client, isStream: boolean): Promise<Response> {
  const { path, body } = CLIENTS[client];
  const stream = isStream && client !== "gemini" ? { stream: true } : {};
  const answer = await relay.post(path(isStream), { ...body, ...stream });
  await answer.clone().text();
  expect(answer.status).toBe(200);
  return answer;
}

const whole = (rawBody: string) => ({ rawBody, contentType: "application/json" });
const streamed = (rawBody: string | readonly string[]) => ({ rawBody, contentType: "text/event-stream" });

/** The reported tier, its surcharge and 100 times its ratio; the prices of a model of no vendor. */
const TIERS = [
  ["priority", "service_tier_priority", 300],
  ["fast", "service_tier_priority", 300],
  ["ultrafast", "service_tier_ultrafast", 900],
  ["flex", "service_tier_flex", 75],
  ["default", undefined, 150],
  ["scale", undefined, 150],
  ["auto", undefined, 150],
  [null, undefined, 150],
  [undefined, undefined, 150],
] as const;

describe("chat completions", () => {
  beforeEach(() => start(OPENAI));

  test.each(TIERS)("whole, in the tier %s: %s, %i quota", async (tier, surcharge, quota) => {
    upstream.plan(whole(chatWhole(tier)));
    await ask("chat", false);
    expect(chargeOf()).toBe(quota);
    const surcharges = receiptOf()["premiums"] as { premium: string }[] | undefined;
    expect(surcharges?.map((each) => each.premium)).toEqual(surcharge === undefined ? undefined : [surcharge]);
    expect(receiptOf()).not.toHaveProperty("warnings");
  });

  test.each([
    ["the first chunk", ["priority"]],
    ["the chunk with the finish", [undefined, "priority"]],
    ["the chunk with the usage", [undefined, undefined, "priority"]],
    ["every chunk", ["priority", "priority", "priority"]],
    ["several chunks, of which the last one counts", ["default", "flex", "priority"]],
    ["chunks before one without a word", ["priority", null, null]],
  ])("streamed, the tier in %s", async (_place, tiers) => {
    upstream.plan(streamed(chatStream(tiers)));
    await ask("chat", true);
    expect(chargeOf()).toBe(300);
  });

  test("a stream for a client that asked for none, and one piece for one that asked for a stream", async () => {
    upstream.plan(streamed(chatStream(["priority"])));
    await ask("chat", false);
    expect(chargeOf()).toBe(300);
    upstream.plan(whole(chatWhole("priority")));
    await ask("chat", true);
    expect(chargeOf()).toBe(300);
  });

  test("a stream that breaks off is charged by the tier it had named", async () => {
    const [first = ""] = chatStream(["priority"]).split("\n\n");
    upstream.plan({ ...streamed([`${first}\n\n`, ": nothing more\n\n"]), chunkDelayMs: 30 });
    const answer = await relay.post("/v1/chat/completions", { ...CLIENTS.chat.body, stream: true });
    await answer.text();
    expect(receiptOf()).toMatchObject({ premiums: [{ premium: "service_tier_priority", ratio: 2 }], estimated: true });
    expect(chargeOf()).toBe(chargeOfReceipt(relay.billing.rows.at(-1)?.other ?? ""));
  });

  test("the row, the ledger's detail and the receipt give one number", async () => {
    withOptions(relay.world, {
      PremiumRatios: parseOptions(new Map([["PremiumRatios", '{"service_tier_priority":{"*":1.818182}}']]))
        .PremiumRatios,
    });
    upstream.plan(whole(chatWhole("priority")));
    await ask("chat", false);
    const detail = readChargeDetail(relay.billing.settlements[0]?.detail ?? "");
    expect(chargeOf()).toBe(273);
    expect(detail && reprice(detail)).toBe(273);
    expect(chargeOfReceipt(relay.billing.rows[0]?.other ?? "")).toBe(273);
  });

  test("an unknown tier is charged at the plain price, and named", async () => {
    upstream.plan(whole(chatWhole("warp")));
    const answer = await ask("chat", false);
    expect(chargeOf()).toBe(150);
    const named = [expect.stringContaining('the tier "warp", which has no ratio: charged at the plain price')];
    expect(receiptOf()).toMatchObject({ warnings: named });
    expect(receiptOf()).not.toHaveProperty("premiums");
    expect(answer.headers.get("turnpike-warnings")).toContain('"warp"');
    upstream.plan(streamed(chatStream(["__proto__"])));
    await ask("chat", true);
    expect(receiptOf()).toMatchObject({ warnings: [expect.stringContaining('"__proto__"')] });
  });

  test("the channel's key is not in what is recorded of a tier", async () => {
    const [{ key } = { key: "" }] = relay.world.channels;
    upstream.plan(whole(chatWhole(key)));
    const answer = await ask("chat", false);
    expect(answer.headers.get("turnpike-warnings")).toContain("service_tier:");
    expect(answer.headers.get("turnpike-warnings")).not.toContain(key);
  });

  test("a channel that does not allow tiers is charged at the standard price, for any tier in its answers", async () => {
    relay.world.channels = relay.world.channels.map((channel) => ({ ...channel, setting: {} }));
    for (const tier of ["priority", "flex", "warp"]) {
      upstream.plan(whole(chatWhole(tier)));
      await ask("chat", false);
      upstream.plan(streamed(chatStream([tier, tier, tier])));
      await ask("chat", true);
    }
    expect(relay.billing.settlements.map(({ charge }) => charge)).toEqual([150, 150, 150, 150, 150, 150]);
    expect(receiptOf()).not.toHaveProperty("warnings");
  });
});

describe("chat completions for clients of another format", () => {
  beforeEach(() => start(CUSTOM));

  test.each(["responses", "messages", "gemini"] as const)("%s", async (client) => {
    upstream.plan(whole(chatWhole("priority")));
    await ask(client, false);
    upstream.plan(streamed(chatStream(["default", "flex"])));
    await ask(client, true);
    expect(relay.billing.settlements.map(({ charge }) => charge)).toEqual([300, 75]);
  });
});

test("a translated response says the tier that it was charged as, and not the one that was asked for", async () => {
  await start(CUSTOM);
  for (const [tier, told] of [
    ["priority", "priority"],
    ["default", "default"],
    [null, "default"],
  ] as const) {
    upstream.plan(whole(chatWhole(tier)));
    const answer = await relay.post("/v1/responses", { ...CLIENTS.responses.body, service_tier: "priority" });
    expect(await answer.json()).toMatchObject({ service_tier: told });
  }
  upstream.plan(streamed(chatStream(["flex"])));
  const body = { ...CLIENTS.responses.body, service_tier: "priority", stream: true };
  const text = await (await relay.post("/v1/responses", body)).text();
  expect(text.slice(text.indexOf("event: response.completed"))).toContain('"service_tier":"flex"');
});

describe("responses", () => {
  beforeEach(() => start(OPENAI));

  test.each(TIERS)("whole, in the tier %s: %s, %i quota", async (tier, _surcharge, quota) => {
    upstream.plan(whole(responseWhole(tier)));
    await ask("responses", false);
    expect(chargeOf()).toBe(quota);
  });

  test.each([
    ["auto", "priority", 300],
    ["priority", "default", 150],
    [undefined, "flex", 75],
    ["priority", undefined, 300],
  ])("streamed, first %s and in the end %s: %i quota", async (first, last, quota) => {
    upstream.plan(streamed(responseStream(first, last)));
    await ask("responses", true);
    expect(chargeOf()).toBe(quota);
  });

  test("a stream that breaks off is charged by the tier it began in", async () => {
    const text = responseStream("priority", "priority");
    const pieces = [text.slice(0, text.indexOf("event: response.completed")), ": nothing more\n\n"];
    upstream.plan({ ...streamed(pieces), chunkDelayMs: 30 });
    const answer = await relay.post("/v1/responses", { ...CLIENTS.responses.body, stream: true });
    await answer.text();
    expect(receiptOf()).toMatchObject({ premiums: [{ premium: "service_tier_priority" }] });
  });
});

describe("gemini", () => {
  beforeEach(() => start(GEMINI));

  const TOLD = [
    [{ serviceTier: "priority" }, {}, 300],
    [{ serviceTier: "SERVICE_TIER_FLEX" }, {}, 75],
    [{ trafficType: "ON_DEMAND_PRIORITY" }, {}, 300],
    [{ trafficType: "ON_DEMAND_FLEX" }, {}, 75],
    [{ trafficType: "ON_DEMAND" }, {}, 150],
    [{ trafficType: "PROVISIONED_THROUGHPUT" }, {}, 150],
    [{ trafficType: "TRAFFIC_TYPE_UNSPECIFIED" }, {}, 150],
    [{ serviceTier: "standard" }, {}, 150],
    [{}, { "x-gemini-service-tier": "priority" }, 300],
    [{}, { "x-gemini-service-tier": "standard" }, 150],
    [{ serviceTier: "standard" }, { "x-gemini-service-tier": "priority" }, 150],
    [{}, {}, 150],
  ] as const;

  test.each(TOLD)("%j with the headers %j: %i quota", async (told, headers, quota) => {
    upstream.plan({ ...whole(JSON.stringify(geminiPiece(told))), headers });
    await ask("gemini", false);
    upstream.plan({ ...streamed(event(geminiPiece(told))), headers });
    await ask("gemini", true);
    upstream.plan({ ...streamed(event(geminiPiece(told))), headers });
    await ask("chat", true);
    expect(relay.billing.settlements.map(({ charge }) => charge)).toEqual([quota, quota, quota]);
    expect(receiptOf()).not.toHaveProperty("warnings");
  });
});
