/** Lists of models as agents read them: what a model costs its caller, tags, Codex's form; and counts of tokens where no upstream counts. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import {
  TEST_KEY,
  type TestRelay,
  newChannel,
  newWorld,
  startTestRelay,
  withOptions,
} from "../support/relay/harness.ts";

const ANTHROPIC = 14;
let upstream: FakeUpstream;
let relay: TestRelay;

beforeAll(async () => {
  upstream = await startFakeUpstream({ validates: false });
  relay = await startTestRelay({ world: newWorld() });
});
afterAll(async () => {
  await relay.close();
  await upstream.close();
});
beforeEach(() => {
  upstream.reset();
  relay.billing.settlements = [];
  relay.world.channels = [newChannel({ baseUrl: upstream.url })];
});

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(relay.url + path, { headers: { authorization: `Bearer sk-${TEST_KEY}`, ...headers } });

interface Listed {
  data: { id: string; pricing?: Record<string, string>; supported_parameters?: string[] }[];
  models?: unknown[];
}

test("a listed model says what it costs the caller, in the group of the key", async () => {
  relay.world.groupRatios = new Map([["default", "0.5"]]);
  const { data } = (await (await get("/v1/models")).json()) as Listed;
  // 1.25 quota a token in, 4 times that out, half of it in this group; 500,000 quota are a dollar.
  expect(data.find(({ id }) => id === "gpt-4o")?.pricing).toEqual({
    prompt: "0.00000125",
    completion: "0.000005",
    request: "0",
    input_cache_read: "0.00000125",
  });
  relay.world.prices.delete("gpt-4o-mini");
  const again = (await (await get("/v1/models")).json()) as Listed;
  expect(again.data.find(({ id }) => id === "gpt-4o-mini")).not.toHaveProperty("pricing");
  relay.world = Object.assign(relay.world, newWorld());
});

test("a listed model says which parameters it takes, where that is known", async () => {
  relay.world.channels = [newChannel({ baseUrl: upstream.url, models: new Set(["gpt-4o", "o3", "our-own-model"]) })];
  const { data } = (await (await get("/v1/models")).json()) as Listed;
  const taken = new Map(data.map(({ id, supported_parameters }) => [id, supported_parameters]));
  expect(taken.get("gpt-4o")).toEqual(expect.arrayContaining(["tools", "temperature", "structured_outputs"]));
  expect(taken.get("o3")).toContain("reasoning");
  expect(taken.get("o3")).not.toContain("temperature");
  expect(taken.get("our-own-model")).toBeUndefined();
});

test("a list has a tag, and is not sent again to who has it", async () => {
  const first = await get("/v1/models");
  const tag = first.headers.get("etag") ?? "";
  expect(tag).toMatch(/^"[\w-]+"$/);
  const known = await get("/v1/models", { "if-none-match": `"other", W/${tag}` });
  expect([known.status, await known.text()]).toEqual([304, ""]);
  relay.world.channels = [newChannel({ baseUrl: upstream.url, models: new Set(["gpt-4o"]) })];
  expect((await get("/v1/models", { "if-none-match": tag })).status).toBe(200);
});

test("Claude Code, which waits three seconds for a thousand models, has them in Anthropic's form within 100 ms", async () => {
  const models = Array.from({ length: 1_000 }, (_, index) => `claude-model-${String(index).padStart(4, "0")}`);
  relay.world.channels = [newChannel({ type: ANTHROPIC, baseUrl: upstream.url, models: new Set(models) })];
  const times: number[] = [];
  for (let run = 0; run < 10; run += 1) {
    const startMs = performance.now();
    const answer = await get("/v1/models?limit=1000", { "anthropic-version": "2023-06-01" });
    const list = (await answer.json()) as { data: { id: string }[]; has_more: boolean };
    times.push(performance.now() - startMs);
    expect([list.data.map(({ id }) => id), list.has_more]).toEqual([models, false]);
  }
  // The machine may have other work in any one of them.
  expect(Math.min(...times)).toBeLessThan(100);
});

test.each([
  ["an upstream of OpenAI's", 1],
  ["an upstream of its own format", ANTHROPIC],
])(
  "a name of Claude's for another model is listed in Anthropic's form and served to its clients by %s",
  async (_, type) => {
    const [name, model] = ["claude-of-the-house", "gpt-4o-mini"];
    const models = new Set([name]);
    relay.world.channels = [newChannel({ type, baseUrl: upstream.url, models, modelMapping: { [name]: model } })];
    relay.world.prices.set(name, { kind: "per_call", price: "0.001" });
    const list = (await (await get("/v1/models?limit=1000", { "anthropic-version": "2023-06-01" })).json()) as Listed;
    expect(list.data).toMatchObject([{ type: "model", id: name, display_name: expect.any(String) }]);
    const messages = [{ role: "user", content: "hi" }];
    const answer = await relay.post("/v1/messages", { model: name, max_tokens: 50, messages });
    expect([answer.status, await answer.json()]).toEqual([
      200,
      expect.objectContaining({
        type: "message",
        role: "assistant",
        content: [expect.objectContaining({ type: "text" })],
      }),
    ]);
    expect(upstream.requests.at(-1)?.json).toMatchObject({ model });
  },
);

test("Codex finds the list it decodes, beside everybody's", async () => {
  const list = (await (await get("/v1/models?client_version=0.171.0")).json()) as Listed;
  expect([list.models, list.data.length]).toEqual([[], 2]);
  expect(await (await get("/v1/models")).json()).not.toHaveProperty("models");
});

test("tokens of a Responses call are counted before it is sent, for nothing, and named an estimate", async () => {
  const answer = await relay.post("/v1/responses/input_tokens", {
    model: "gpt-4o",
    input: "Count these words, please.",
  });
  const count = (await answer.json()) as { object: string; input_tokens: number };
  expect([answer.status, count.object]).toEqual([200, "response.input_tokens"]);
  expect(count.input_tokens).toBeGreaterThan(3);
  expect(answer.headers.get("turnpike-warnings")).toContain("estimate");
  expect([upstream.requests.length, relay.billing.settlements.length]).toEqual([0, 0]);
});

test("an upstream of Anthropic's format that does not count leaves the count to us", async () => {
  relay.world.channels = [newChannel({ type: ANTHROPIC, baseUrl: upstream.url })];
  upstream.plan({ status: 404, error: { message: "no such address" } });
  const body = { model: "gpt-4o", messages: [{ role: "user", content: "Count these words, please." }] };
  const answer = await relay.post("/v1/messages/count_tokens", body);
  expect([answer.status, upstream.requests.length]).toEqual([200, 1]);
  expect((await answer.json()) as object).toEqual({ input_tokens: expect.any(Number) as number });
  expect(answer.headers.get("turnpike-warnings")).toContain("estimate");
  expect([relay.billing.settlements.length, relay.billing.holds.size]).toEqual([0, 0]);
});

test.each([
  ["/v1beta/files", "GET"],
  ["/v1beta/cachedContents", "POST"],
  ["/v1/interactions", "POST"],
  ["/upload/v1beta/files?uploadType=resumable", "POST"],
])("Google's %s, which is not served, says so in Google's envelope", async (path, method) => {
  const answer = await fetch(relay.url + path, { method, headers: { "x-goog-api-key": `sk-${TEST_KEY}` } });
  expect(answer.status).toBe(501);
  expect(await answer.json()).toMatchObject({ error: { code: 501, message: expect.any(String) as string } });
});

test("a model with a day of retirement says so in lists and on its calls, and goes on past it", async () => {
  const days = { "gpt-4o": "2020-12-31", "gpt-4o-mini": "2040-01-01" };
  withOptions(relay.world, { ModelRetirementDates: days });
  const { data } = (await (await get("/v1/models")).json()) as { data: { id: string; expiration_date?: string }[] };
  expect(data.map(({ id, expiration_date: day }) => [id, day])).toEqual(Object.entries(days));
  const { data: ofAnthropic } = (await (await get("/v1/models", { "anthropic-version": "2023-06-01" })).json()) as {
    data: object[];
  };
  expect(ofAnthropic[0]).toMatchObject({
    deprecated_at: "2020-11-01T00:00:00Z",
    retires_at: "2020-12-31T00:00:00Z",
  });
  const messages = [{ role: "user", content: "hi" }];
  for (const stream of [false, true]) {
    const answer = await relay.post("/v1/chat/completions", { model: "gpt-4o", messages, stream });
    await answer.text();
    expect([answer.status, answer.headers.get("deprecation"), answer.headers.get("sunset")]).toEqual([
      200,
      "@1604188800",
      "Thu, 31 Dec 2020 00:00:00 GMT",
    ]);
  }
  upstream.next({ status: 400, error: { message: "no" } });
  const refused = await relay.post("/v1/chat/completions", { model: "gpt-4o", messages });
  expect([refused.status, refused.headers.has("sunset")]).toEqual([400, true]);
  withOptions(relay.world, { ModelRetirementDates: {} });
  const staying = await relay.post("/v1/chat/completions", { model: "gpt-4o", messages });
  expect([staying.headers.has("deprecation"), staying.headers.has("sunset")]).toEqual([false, false]);
});
