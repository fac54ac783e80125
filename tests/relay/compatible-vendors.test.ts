/** The compatible vendors through the relay, each as strict as its documentation: answers, streams, tools, pictures, vectors, usage and failures. */
import { readFileSync, readdirSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { DEFAULT_RATIOS, type ModelPrice } from "../../contract/src/pricing/pricing.ts";
import { providerRegistry } from "../../server/src/providers/registry.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { DEFAULT_TEXT } from "../fake-upstream/vendor.ts";
import { CLIENT_FORMATS, eventsIn, fieldsOf, listOf, wordsIn } from "../support/clients/client-formats.ts";
import { endOf, grammarFaults } from "../support/clients/stream-grammar.ts";
import { CALLS, type Deed, KEY, THOUGHT, WORDS, offeringOf, planOf } from "../support/providers/vendor-plans.ts";
import type { CompatibleVendor } from "../support/providers/compatible-vendor.ts";
import { PROVIDER_FIXTURES } from "../support/providers/fixtures.ts";
import { COMPATIBLE_VENDORS } from "../support/providers/vendors.ts";
import { pairsOf } from "../support/relay/answers.ts";
import { silence } from "../../server/src/relay/probe-questions.ts";
import {
  TEST_KEY,
  type TestRelay,
  newChannel,
  newWorld,
  startTestRelay,
  withOptions,
} from "../support/relay/harness.ts";

const PRICE: ModelPrice = { kind: "per_token", ...DEFAULT_RATIOS, ratio: "1", completionRatio: "4", cacheRatio: "0.1" };
const providers = providerRegistry();
/** Answers after the vendor's failure if the call is retried. */
const SECOND = { id: 99, name: "second", type: 1, priority: -1 };

let upstream: FakeUpstream;
let second: FakeUpstream;
let relay: TestRelay;
/** What the vendor's model does next. */
let deed: Deed;

beforeAll(async () => {
  [upstream, second] = await Promise.all([startFakeUpstream({ validates: false }), startFakeUpstream()]);
  relay = await startTestRelay({ world: newWorld({ prices: new Map() }), providers });
  withOptions(relay.world, { RetryTimes: 1 });
});
afterAll(async () => {
  await relay.close();
  await Promise.all([upstream.close(), second.close()]);
});
beforeEach(() => {
  deed = "words";
  relay.health.succeeded(1, performance.now());
  relay.billing.settlements = [];
  for (const each of [upstream, second]) each.reset();
});

/** Makes the vendor the only channel. */
function serve(vendor: CompatibleVendor): void {
  const channel = newChannel({ ...offeringOf(vendor, upstream.url), key: KEY });
  relay.world.channels = [channel];
  for (const model of channel.models) relay.world.prices.set(model, PRICE);
  upstream.plan((seen) => planOf(vendor, seen, deed));
}

const usageOf = (index = 0): unknown =>
  fieldsOf(JSON.parse(relay.billing.settlements[index]?.log?.other ?? "{}"))["usage"];

async function post(path: string, body: unknown): Promise<Record<string, unknown>> {
  const answer = await relay.post(path, body);
  const fields = fieldsOf(await answer.json());
  expect([answer.status, fields["error"] ?? undefined]).toEqual([200, undefined]);
  return fields;
}

/** Vendors with something, the name in front for the test's title. */
const those = (has: (vendor: CompatibleVendor) => boolean): [string, CompatibleVendor][] =>
  COMPATIBLE_VENDORS.filter(has).map((vendor) => [vendor.name, vendor]);

/** What clients of OpenAI may say and some vendor refuses. */
const ASKED = {
  messages: [
    { role: "developer", content: "Be brief." },
    { role: "user", content: "hello" },
  ],
  max_completion_tokens: 500,
  temperature: 0.5,
  presence_penalty: 0,
  seed: 7,
  user: "u-1",
  reasoning_effort: "none",
};

test.each(those(() => true))(
  "%s answers a client that says all it may, and is counted with its cache",
  async (_, vendor) => {
    serve(vendor);
    const answer = await post("/v1/chat/completions", { model: vendor.model, ...ASKED });
    expect(JSON.stringify(fieldsOf(listOf(answer["choices"])[0])["message"])).toContain(WORDS);
    expect(upstream.requests[0]?.path).toBe(vendor.chat);
    expect(usageOf()).toEqual(vendor.counted.usage);
  },
);

test.each(those(() => true))("%s streams, and is counted the same, asked for usage or not", async (_, vendor) => {
  serve(vendor);
  for (const more of [{ stream_options: { include_usage: true } }, {}]) {
    const body = { model: vendor.model, ...ASKED, ...more, stream: true };
    const text = await (await relay.post("/v1/chat/completions", body)).text();
    expect(text).toContain(WORDS);
    expect(text.trimEnd().endsWith("data: [DONE]")).toBe(true);
  }
  expect([usageOf(0), usageOf(1)]).toEqual([vendor.counted.usage, vendor.counted.usage]);
});

const clientPairs = pairsOf(CLIENT_FORMATS, COMPATIBLE_VENDORS);

test.each(clientPairs)("a client of %s is answered by %s, whole and as a stream", async (name, _, format, vendor) => {
  serve(vendor);
  const { model } = vendor;
  const whole = await post(format.path(model, false), format.body(model, false, "hello"));
  const answer = await relay.post(format.path(model, true), format.body(model, true, "hello"));
  const events = eventsIn(await answer.text());
  expect(endOf(format, events)).toBe("whole");
  const shown = JSON.stringify([whole, events]);
  expect(shown.split(WORDS).length).toBeGreaterThan(2);
  if (vendor.thinking !== undefined) expect(shown.split(THOUGHT).length).toBeGreaterThan(2);
  // If both speak one format, the vendor's own bytes pass through, content parts included.
  const served = {
    "openai-chat": vendor.chat,
    "openai-responses": vendor.responses,
    "anthropic-messages": vendor.anthropicMessages,
    gemini: vendor.gemini,
  };
  if (Object.entries(served).some(([format, path]) => format === name && path !== undefined)) return;
  expect(grammarFaults(format, events)).toEqual([]);
  expect(wordsIn(format, events).endsWith(WORDS) && format.wholeWords(whole).endsWith(WORDS)).toBe(true);
  expect([usageOf(0), usageOf(1)]).toEqual([vendor.counted.usage, vendor.counted.usage]);
});

const TOOL = {
  type: "function",
  function: { name: "get_weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
};

const withTools = those(({ takesTools }) => takesTools);

test.each(withTools)("%s calls tools of clients that keep neither its thinking nor its ids", async (_, vendor) => {
  serve(vendor);
  deed = CALLS;
  const { model } = vendor;
  const first = await post("/v1/chat/completions", { model, messages: ASKED.messages, tools: [TOOL] });
  const [call] = listOf(fieldsOf(fieldsOf(listOf(first["choices"])[0])["message"])["tool_calls"]).map(fieldsOf);
  expect(fieldsOf(call?.["function"])["name"]).toBe("get_weather");
  const id = "call_of_another_vendor_0001";
  const turns = [
    ...ASKED.messages,
    { role: "assistant", content: null, refusal: null, tool_calls: [{ ...call, id }] },
    { role: "tool", tool_call_id: id, content: "sunny" },
  ];
  const again = await post("/v1/chat/completions", { model, messages: turns, tools: [TOOL] });
  expect(JSON.stringify(again)).toContain(WORDS);
});

test.each(withTools)("%s calls tools of clients of Anthropic", async (_, vendor) => {
  serve(vendor);
  deed = CALLS;
  const tools = [{ name: "get_weather", input_schema: TOOL.function.parameters }];
  const user = { role: "user", content: "hello" };
  const fields = { model: vendor.model, max_tokens: 500, tools };
  const first = await post("/v1/messages", { ...fields, messages: [user] });
  const used = listOf(first["content"])
    .map(fieldsOf)
    .find(({ type }) => type === "tool_use");
  expect(used).toMatchObject({ name: "get_weather", input: { city: "Paris" } });
  const id = "toolu_01ofAnotherVendor";
  const turns = [
    user,
    { role: "assistant", content: [{ ...used, id }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "sunny" }] },
  ];
  expect(JSON.stringify(await post("/v1/messages", { ...fields, messages: turns }))).toContain(WORDS);
});

test.each(those(({ takesPictures }) => takesPictures))("%s is shown pictures", async (_, vendor) => {
  serve(vendor);
  const url = "data:image/png;base64,iVBORw0KGgo=";
  const content = [
    { type: "text", text: "What is this?" },
    { type: "image_url", image_url: { url } },
  ];
  await post("/v1/chat/completions", { model: vendor.model, messages: [{ role: "user", content }] });
  expect(JSON.stringify(upstream.requests[0]?.json)).toContain(url);
});

test.each(those(({ embeddings }) => embeddings !== undefined))("%s makes vectors", async (_, vendor) => {
  serve(vendor);
  const { embeddings } = vendor;
  const body = { model: embeddings?.model, input: ["a", "b"], encoding_format: "base64", user: "u-1", dimensions: 64 };
  expect(listOf((await post("/v1/embeddings", body))["data"])).toHaveLength(2);
  expect(upstream.requests[0]?.path).toBe(embeddings?.path);
  expect(relay.billing.settlements[0]?.promptTokens).toBeGreaterThan(0);
});

test.each(those(({ images }) => images !== undefined))("%s makes pictures", async (_, vendor) => {
  serve(vendor);
  const body = { model: vendor.images?.model, prompt: "a lake", n: 1, size: "1024x1024", quality: "standard" };
  expect(listOf((await post("/v1/images/generations", body))["data"])).toHaveLength(1);
  expect(upstream.requests[0]?.path).toBe(vendor.images?.path);
});

test.each(those(({ rerank }) => rerank !== undefined))("%s ranks documents", async (_, vendor) => {
  serve(vendor);
  const body = { model: vendor.rerank?.model, query: "what", documents: ["one", "two"] };
  expect(listOf((await post("/v1/rerank", body))["results"])).toHaveLength(2);
  expect(upstream.requests[0]?.path).toBe(vendor.rerank?.path);
});

test.each(those(({ completions }) => completions !== undefined))("%s completes a prompt", async (_, vendor) => {
  serve(vendor);
  const answer = await post("/v1/completions", { model: vendor.model, prompt: "def f(", suffix: ")" });
  expect(fieldsOf(listOf(answer["choices"])[0])["text"]).toBe(DEFAULT_TEXT);
  expect(upstream.requests[0]?.path).toBe(vendor.completions);
});

test.each(those(({ audio }) => audio === true))("%s speaks and listens", async (_, vendor) => {
  serve(vendor);
  const spoken = await relay.post("/v1/audio/speech", { model: vendor.model, input: "hello", voice: "alloy" });
  expect([spoken.status, (await spoken.arrayBuffer()).byteLength > 0]).toEqual([200, true]);
  for (const operation of ["transcriptions", "translations"]) {
    const body = new FormData();
    body.append("model", vendor.model);
    body.append("file", new Blob([new Uint8Array(silence(1))]), "file.wav");
    const headers = { authorization: `Bearer sk-${TEST_KEY}` };
    const heard = await fetch(`${relay.url}/v1/audio/${operation}`, { method: "POST", headers, body });
    expect([heard.status, typeof fieldsOf(await heard.json())["text"]]).toEqual([200, "string"]);
  }
  const paths = ["speech", "transcriptions", "translations"].map((operation) => `/v1/audio/${operation}`);
  expect(upstream.requests.map(({ path }) => path)).toEqual(paths);
});

test("each vendor's manifest offers what is tested here and no more", () => {
  for (const { name, type, besides = [], ...vendor } of COMPATIBLE_VENDORS) {
    const audio = vendor.audio === true ? ["speech", "transcriptions", "translations"] : [];
    const own = (["completions", "embeddings", "images", "rerank", "models"] as const).filter(
      (operation) => vendor[operation] !== undefined,
    );
    const offered = providers.byType(type)?.manifest.operations ?? [];
    expect([name, offered.toSorted()]).toEqual([name, ["chat", ...own, ...audio, ...besides].toSorted()]);
  }
});

test.each(those(({ models }) => models !== undefined))("%s lists its models", (_, vendor) => {
  const asked = { operation: "models", dialect: "openai-chat", path: "/v1/models", model: "" } as const;
  const channel = newChannel({ ...offeringOf(vendor, upstream.url), key: KEY });
  const list = providers.byType(vendor.type)?.endpoint(channel, { ...asked, isStream: false, headers: {} });
  expect(list?.url).toBe(`${upstream.url}${vendor.models}`);
});

const fixturesOf = ({ type }: CompatibleVendor): string =>
  `${PROVIDER_FIXTURES}${providers.byType(type)?.manifest.slug}`;
const failures = COMPATIBLE_VENDORS.flatMap((vendor) =>
  readdirSync(fixturesOf(vendor))
    .filter((name) => /^\d{3}-.*\.json$/.test(name))
    .map((name) => [vendor.name, name, vendor] as const),
);

test.each(failures)(
  "%s: %s goes to another channel where that can help, else the client reads it",
  async (_, name, vendor) => {
    serve(vendor);
    const rawBody = readFileSync(`${fixturesOf(vendor)}/${name}`, "utf8");
    const status = Number.parseInt(name, 10);
    const { kind = "", status: told = 0 } = providers.byType(vendor.type)?.failure(status, rawBody) ?? {};
    relay.world.channels.push(newChannel({ ...SECOND, baseUrl: second.url, models: new Set([vendor.model]) }));
    upstream.plan({ status, rawBody });
    const body = { model: vendor.model, messages: [{ role: "user", content: "hi" }] };
    const answer = await relay.post("/v1/chat/completions", body);
    // All statuses are retried with any message but these; refused content is not.
    const isOfStatus = kind !== "content" && ![400, 408, 504, 524].includes(told);
    const goesOn = isOfStatus || ["auth", "quota", "rate", "overloaded"].includes(kind);
    expect([upstream.count, second.requests.length]).toEqual([1, goesOn ? 1 : 0]);
    expect(answer.status).toBe(goesOn ? 200 : told);
    expect(await answer.text()).not.toContain(KEY);
  },
);

// The second recorded from OpenRouter, reduced: its choices say nothing of the error beside them.
test.each([
  ["an end of that name", { code: 502, message: "Provider disconnected" }, "error"],
  ["an error beside choices that go on", { code: 400, message: "Token limit reached" }, null],
])("what breaks off inside a stream by %s is an error to every client", async (_, error, reason) => {
  const [[, vendor] = []] = those(({ name }) => name === "OpenRouter");
  if (vendor === undefined) throw new Error("OpenRouter is not among the vendors");
  serve(vendor);
  const chunk = (choice: object, more: object = {}): string =>
    `data: ${JSON.stringify({ id: "g", object: "chat.completion.chunk", model: "m", ...more, choices: [choice] })}\n\n`;
  const broken = [
    chunk({ index: 0, delta: { content: WORDS }, finish_reason: null }),
    chunk({ index: 0, delta: { content: "" }, finish_reason: reason }, { error }),
    "data: [DONE]\n\n",
  ];
  // A server without the other formats: its chat completions are translated.
  upstream.plan(({ path }) =>
    path === vendor.chat ? { rawBody: broken } : { status: 404, rawBody: "404 page not found" },
  );
  for (const format of CLIENT_FORMATS) {
    const answer = await relay.post(format.path(vendor.model, true), format.body(vendor.model, true, "hello"));
    expect([format.name, endOf(format, eventsIn(await answer.text()))]).toEqual([format.name, "error"]);
  }
});
