/** Tests of channel tests against a real upstream: they send what a call through the channel would send, and report the response. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { TestKind } from "../../../contract/src/channels/channel-tests.ts";
import { type FakeUpstream, startFakeUpstream } from "../../../tests/fake-upstream/fake-upstream.ts";
import { zenith } from "../../../tests/support/more-providers/zenith.ts";
import { startHttpVendor } from "../../../tests/support/providers/own-vendor.ts";
import { startHttpProxy } from "../../../tests/support/systems/proxies.ts";
import { createChannelTools } from "./channel-tools.ts";
import { providerRegistry } from "../providers/registry.ts";
import { type TestRelay, newChannel, startTestRelay } from "../../../tests/support/relay/harness.ts";
import { memoryTokens } from "../../../tests/support/relay/memory-stores.ts";

const KEY = "sk-upstream-secret-key";
let fake: FakeUpstream;
let relay: TestRelay;
type Tools = ReturnType<typeof createChannelTools>;
let tools: Tools;

async function openTools(allowsPrivate: boolean): Promise<{ relay: TestRelay; tools: Tools }> {
  const providers = providerRegistry();
  const opened = await startTestRelay({ providers, allowsPrivate });
  const { upstream, probe } = opened;
  const asked = { providers, upstream, probe, accessTokens: memoryTokens(), allowsPrivate: () => allowsPrivate };
  return { relay: opened, tools: createChannelTools(asked) };
}

beforeAll(async () => {
  fake = await startFakeUpstream({ key: KEY, models: ["gpt-4o", "gpt-4o-mini"] });
  ({ relay, tools } = await openTools(true));
});
beforeEach(() => fake.reset());
afterAll(async () => {
  await relay.close();
  await fake.close();
});

const channel = (changes: Parameters<typeof newChannel>[0] = {}) =>
  newChannel({ baseUrl: fake.url, key: KEY, ...changes });

test("a test sends the mapped model and the overridden parameters, as a call does", async () => {
  const tested = channel({
    modelMapping: { "gpt-4o": "gpt-4o-mini" },
    paramOverride: { temperature: 0.5, max_tokens: 3 },
  });
  const result = await tools.testChannel(tested, "gpt-4o", undefined);
  expect(result).toMatchObject({ isSuccess: true, model: "gpt-4o", message: "" });
  expect(result.promptTokens).toBeGreaterThan(0);
  expect(result.durationMs).toBeGreaterThan(0);
  expect(fake.requests[0]?.json).toMatchObject({
    model: "gpt-4o-mini",
    temperature: 0.5,
    max_tokens: 3,
  });
});

test("without a wanted model the channel's test model is asked, and without one the cheapest kind it has", async () => {
  await tools.testChannel(channel({ testModel: "gpt-4o-mini" }), "", undefined);
  const models = new Set(["dall-e-3", "tts-1", "text-embedding-3-small", "gpt-4o"]);
  await tools.testChannel(channel({ models }), "", undefined);
  await tools.testChannel(channel({ models: new Set(["dall-e-3", "text-embedding-3-small"]) }), "", undefined);
  expect(fake.requests.map(({ path, json }) => [path, json?.["model"]])).toEqual([
    ["/v1/chat/completions", "gpt-4o-mini"],
    ["/v1/chat/completions", "gpt-4o"],
    ["/v1/embeddings", "text-embedding-3-small"],
  ]);
});

test.each([
  ["gpt-4o", "/v1/chat/completions"],
  ["text-embedding-3-small", "/v1/embeddings"],
  ["rerank-v3.5", "/v1/rerank"],
  ["omni-moderation-latest", "/v1/moderations"],
  ["dall-e-3", "/v1/images/generations"],
  ["tts-1", "/v1/audio/speech"],
  ["whisper-1", "/v1/audio/transcriptions"],
])("%s is tested by what it is for", async (model, path) => {
  const result = await tools.testChannel(channel(), model, undefined);
  expect([result.message, result.isSuccess, fake.requests.map((seen) => seen.path)]).toEqual(["", true, [path]]);
});

test("what no short call can test, and what the channel's type does not serve, is said by a code", async () => {
  for (const model of ["sora-2", "gpt-realtime"])
    expect(await tools.testChannel(channel(), model, undefined)).toMatchObject({
      isSuccess: false,
      reason: { code: "no_test_for_model" },
    });
  expect(await tools.testChannel(channel({ models: new Set(["sora-2"]) }), "", undefined)).toMatchObject({
    reason: { code: "no_test_for_model" },
  });
  expect(await tools.testChannel(channel({ type: 14 }), "text-embedding-3-small", undefined)).toMatchObject({
    reason: { code: "operation_not_served", values: { operation: "embeddings" } },
  });
  expect(fake.count).toBe(0);
});

test.each([
  ["OpenAI", 1, "gpt-4o"],
  ["Anthropic", 14, "claude-sonnet-4-5"],
  ["Gemini", 24, "gemini-2.5-flash"],
])("streaming, a tool and a picture are each shown by a call of its own to %s", async (_, type, model) => {
  const tested = channel({ type });
  const test = (kind: TestKind) => tools.testChannel(tested, model, undefined, kind);
  expect(await test("stream")).toMatchObject({ isSuccess: true, message: "" });
  fake.next({ toolCalls: [{ name: "get_weather", arguments: '{"city":"Paris"}' }] });
  expect(await test("tools")).toMatchObject({ isSuccess: true, message: "" });
  const without = await test("tools");
  expect(without).toMatchObject({ isSuccess: false, reason: { code: "no_tool_call" } });
  // It answered all the same, and is paid for.
  expect(without.usage?.inputTokens).toBeGreaterThan(0);
  expect(await test("pictures")).toMatchObject({ isSuccess: true, message: "" });
  const sent = fake.requests.map(({ body, path }) => `${path} ${body.toString("utf8")}`);
  expect(sent[0]).toMatch(/stream/i);
  expect([sent[1]?.includes("get_weather"), sent[3]?.includes("iVBORw0KGgo")]).toEqual([true, true]);
});

test("an answer in one piece is no stream, and what is no conversation is tested for neither tools nor pictures", async () => {
  const whole = { id: "c-1", object: "chat.completion", created: 1, model: "gpt-4o" };
  const choices = [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }];
  fake.next({ rawBody: JSON.stringify({ ...whole, choices }), contentType: "application/json" });
  expect(await tools.testChannel(channel(), "gpt-4o", undefined, "stream")).toMatchObject({
    isSuccess: false,
    reason: { code: "not_streamed" },
  });
  for (const kind of ["stream", "tools", "pictures"] as const)
    expect(await tools.testChannel(channel(), "text-embedding-3-small", undefined, kind)).toMatchObject({
      isSuccess: false,
      reason: { code: "not_for_model" },
    });
  expect(await tools.testChannel(channel(), "sora-2", undefined, "tools")).toMatchObject({
    reason: { code: "no_test_for_model" },
  });
  expect(fake.count).toBe(1);
});

test("a name that looks like a pattern or a path is text", async () => {
  for (const model of ["gpt-4o[1m]", "a/b:free", "x*?(y)", "模型"])
    expect(await tools.testChannel(channel(), model, undefined)).toMatchObject({ isSuccess: true, model });
  expect(fake.requests.map(({ json }) => json?.["model"])).toEqual(["gpt-4o[1m]", "a/b:free", "x*?(y)", "模型"]);
});

test("a vendor with a format and tokens of its own is tested as it is called", async () => {
  const vendor = await startHttpVendor(({ path, headers, body }, response) => {
    const send = (value: object) => response.setHeader("content-type", "application/json").end(JSON.stringify(value));
    if (path.startsWith("/token")) return send({ token: "t-1" });
    if (headers["authorization"] !== "t-1") return send({ fault: "token_expired" });
    return send(path === "/speak" ? { audio: "00" } : { text: "hello", tokens: body.length });
  });
  const providers = providerRegistry([zenith]);
  const opened = await startTestRelay({ providers });
  const { upstream, probe } = opened;
  const own = createChannelTools({
    providers,
    upstream,
    probe,
    accessTokens: memoryTokens(),
    allowsPrivate: () => true,
  });
  const ofZenith = newChannel({ type: 4713, key: "id|secret-of-zenith", baseUrl: vendor.url });
  for (const model of ["zenith-1", "tts-1"])
    expect(await own.testChannel(ofZenith, model, undefined)).toMatchObject({ isSuccess: true, message: "" });
  const malformed = await own.testChannel({ ...ofZenith, key: "no-parts" }, "zenith-1", undefined);
  expect(malformed).toMatchObject({ isSuccess: false, failure: { kind: "auth" } });
  await opened.close();
  await vendor.close();
});

test("a test that takes too long is given up, with its call", async () => {
  fake.plan({ headerDelayMs: 60_000 });
  const result = tools.testChannel(channel(), "gpt-4o", AbortSignal.timeout(50));
  expect(await result).toMatchObject({ isSuccess: false });
});

test("every provider is asked in its own format, by the name behind a suffix", async () => {
  const asked = async (type: number, model: string): Promise<unknown[]> => {
    const result = await tools.testChannel(channel({ type }), model, undefined);
    const { path, json } = fake.requests.at(-1) ?? {};
    return [result.isSuccess, path, json?.["model"]];
  };
  expect(await asked(14, "claude-sonnet-4-5-thinking")).toEqual([true, "/v1/messages", "claude-sonnet-4-5"]);
  expect(fake.requests.at(-1)?.json).toMatchObject({ thinking: { type: "enabled" } });
  expect(await asked(24, "gemini-2.5-flash")).toEqual([
    true,
    "/v1beta/models/gemini-2.5-flash:generateContent",
    undefined,
  ]);
  expect(await asked(24, "gemini-embedding-001")).toEqual([
    true,
    "/v1beta/models/gemini-embedding-001:batchEmbedContents",
    undefined,
  ]);
});

test("a model that only Responses has is tested there", async () => {
  const message = "This model is only supported in v1/responses and not in v1/chat/completions.";
  fake.next({ status: 404, error: { message, param: "model" } });
  expect(await tools.testChannel(channel(), "gpt-5-pro", undefined)).toMatchObject({ isSuccess: true });
  expect(fake.requests.map(({ path }) => path)).toEqual(["/v1/chat/completions", "/v1/responses"]);
});

test("each vendor's list of models is read", async () => {
  const listed = (type: number): Promise<readonly string[]> =>
    tools.fetchUpstreamModels({ baseUrl: fake.url, type, key: KEY, other: "", openaiOrganization: "" } as never);
  for (const type of [1, 14, 24]) expect(await listed(type)).toEqual(["gpt-4o", "gpt-4o-mini"]);
  expect(fake.requests.map(({ path }) => path)).toEqual([
    "/v1/models",
    "/v1/models?limit=1000",
    "/v1beta/models?pageSize=1000",
  ]);
});

test("a list of models is asked for through the channel's proxy", async () => {
  const proxy = await startHttpProxy();
  const asked = { type: 1, baseUrl: fake.url, key: KEY, other: "", openaiOrganization: "" };
  await tools.fetchUpstreamModels(asked);
  expect(proxy.asked).toEqual([]);
  await tools.fetchUpstreamModels({ ...asked, proxy: `http://127.0.0.1:${proxy.port}` });
  expect(proxy.asked).toEqual([`GET ${fake.url}/v1/models`]);
  proxy.close();
});

test("a refusal is reported with its status and without the key", async () => {
  fake.plan({ status: 401, error: { message: `Incorrect API key provided: ${KEY}`, code: "invalid_api_key" } });
  const result = await tools.testChannel(channel(), "gpt-4o", undefined);
  expect(result).toMatchObject({ isSuccess: false, failure: { kind: "auth", status: 401 } });
  expect(JSON.stringify(result)).not.toContain(KEY);
});

test("the administrator who tests or asks for models reads the vendor's page of help, and neither key nor base URL", async () => {
  const help = "https://platform.openai.com/account/api-keys";
  fake.plan({
    status: 401,
    error: { message: `Incorrect API key provided: ${KEY}. Find yours at ${help}, not at ${fake.url}/v1`, code: "x" },
  });
  const words = `Incorrect API key provided: [key]. Find yours at ${help}, not at [address]`;
  const { reason } = await tools.testChannel(channel(), "gpt-4o", undefined);
  expect(reason).toEqual({ code: "upstream_status", values: { status: 401, message: words } });
  const listed = { type: 1, baseUrl: fake.url, key: KEY, other: "", openaiOrganization: "" };
  await expect(tools.fetchUpstreamModels(listed)).rejects.toMatchObject({ values: { message: words } });
});

test("a success that is no answer of the dialect fails the test", async () => {
  fake.plan({ rawBody: "<html>sign in</html>" });
  expect(await tools.testChannel(channel(), "gpt-4o", undefined)).toMatchObject({ isSuccess: false });
});

test("private addresses are refused before the test and on its socket unless they are allowed", async () => {
  const strict = await openTools(false);
  await expect(strict.tools.checkAddress(fake.url)).rejects.toMatchObject({ code: "address_refused" });
  expect(await strict.tools.testChannel(channel(), "gpt-4o", undefined)).toMatchObject({ isSuccess: false });
  expect(fake.count).toBe(0);
  await strict.relay.close();
});

test.each([
  [
    { status: 404, error: { message: "no such model" } },
    { code: "upstream_status", values: { status: 404, message: "no such model" } },
  ],
  [{ rawBody: "<html>hello</html>" }, { code: "unreadable_answer", values: {} }],
  [{ dropsRequest: "destroy" as const }, { code: "reset", values: {} }],
])("a failed test says why by a code with its values: %j", async (plan, reason) => {
  fake.next(plan);
  expect(await tools.testChannel(channel(), "gpt-4o", undefined)).toMatchObject({ isSuccess: false, reason });
});

test("a refused connection and an address that is not allowed are reported as such", async () => {
  const dead = channel({ baseUrl: "http://127.0.0.1:9" });
  expect(await tools.testChannel(dead, "gpt-4o", undefined)).toMatchObject({
    isSuccess: false,
    reason: { code: "connect", values: { reason: "ECONNREFUSED" } },
  });
  const strict = await openTools(false);
  expect(await strict.tools.testChannel(channel(), "gpt-4o", undefined)).toMatchObject({
    reason: { code: "address_refused", values: {} },
  });
  await strict.relay.close();
});
