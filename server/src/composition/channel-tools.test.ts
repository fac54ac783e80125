/** A channel's test against a real upstream: it asks what a call of that channel would ask, and tells what came back. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../../../tests/fake-upstream/fake-upstream.ts";
import { startHttpProxy } from "../../../tests/support/systems/proxies.ts";
import { parseOptions } from "../../../contract/src/options/options.ts";
import { createChannelTools } from "./channel-tools.ts";
import { loadProviders } from "../providers/registry.ts";
import { newChannel } from "../../../tests/support/relay/harness.ts";
import { type UpstreamClient, createUpstreamClient } from "../upstream/client.ts";

const KEY = "sk-upstream-secret-key";

let fake: FakeUpstream;
let client: UpstreamClient;
type Tools = ReturnType<typeof createChannelTools>;
let tools: Tools;

async function openTools(isPrivateAllowed: boolean): Promise<{ client: UpstreamClient; tools: Tools }> {
  const allowsPrivate = (): boolean => isPrivateAllowed;
  const opened = createUpstreamClient({ allowsPrivate, connectTimeoutMs: 5_000 });
  const options = {
    providers: await loadProviders(),
    upstream: opened,
    allowsPrivate,
    options: () => parseOptions(new Map()),
  };
  return { client: opened, tools: createChannelTools(options) };
}

beforeAll(async () => {
  fake = await startFakeUpstream({ key: KEY, models: ["gpt-4o", "gpt-4o-mini"] });
  ({ client, tools } = await openTools(true));
});
beforeEach(() => fake.reset());
afterAll(async () => {
  await client.close();
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

test("without a wanted model the channel's test model is asked, and an embedding model by its own operation", async () => {
  await tools.testChannel(channel({ testModel: "gpt-4o-mini" }), "", undefined);
  await tools.testChannel(channel({ testModel: "text-embedding-3-small" }), "", undefined);
  expect(fake.requests.map(({ path, json }) => [path, json?.["model"]])).toEqual([
    ["/v1/chat/completions", "gpt-4o-mini"],
    ["/v1/embeddings", "text-embedding-3-small"],
  ]);
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

test("a refusal is told with its status and without the key", async () => {
  fake.plan({ status: 401, error: { message: `Incorrect API key provided: ${KEY}`, code: "invalid_api_key" } });
  const result = await tools.testChannel(channel(), "gpt-4o", undefined);
  expect(result).toMatchObject({ isSuccess: false, failure: { kind: "auth", status: 401 } });
  expect(JSON.stringify(result)).not.toContain(KEY);
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
  await strict.client.close();
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

test("a refused connection says so, and an address that is not allowed too", async () => {
  const dead = channel({ baseUrl: "http://127.0.0.1:9" });
  expect(await tools.testChannel(dead, "gpt-4o", undefined)).toMatchObject({
    isSuccess: false,
    reason: { code: "connect", values: { reason: "ECONNREFUSED" } },
  });
  const strict = await openTools(false);
  expect(await strict.tools.testChannel(channel(), "gpt-4o", undefined)).toMatchObject({
    reason: { code: "address_refused", values: {} },
  });
  await strict.client.close();
});
