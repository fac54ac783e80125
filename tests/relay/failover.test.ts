/** Failover: which failure is retried on another channel and which is the client's; what is sent to the upstream byte by byte. */
import { newFault } from "../../server/src/upstream/fault.ts";
import { failureOf } from "../../server/src/relay/attempt/failures.ts";
import { type AddressInfo, createServer } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import type { Plan } from "../fake-upstream/plan.ts";
import { ChannelHealth } from "../../server/src/channels/health.ts";
import { type TestRelay, newChannel, newWorld, startTestRelay, withOptions } from "../support/relay/harness.ts";

let first: FakeUpstream;
let second: FakeUpstream;
let relay: TestRelay;

beforeEach(async () => {
  first = await startFakeUpstream();
  second = await startFakeUpstream({ plan: { text: "from the second" } });
  // Long enough that no answer comes too late because this machine is busy.
  relay = await startTestRelay({ timeouts: { firstByteMs: 1_500, firstByteStreamMs: 1_500 } });
  relay.world.channels.push(
    newChannel({ id: 1, name: "first", baseUrl: first.url, priority: 10 }),
    newChannel({ id: 2, name: "second", baseUrl: second.url, priority: 5 }),
  );
  withOptions(relay.world, { RetryTimes: 3 });
});

afterEach(async () => {
  await relay.close();
  await first.close();
  await second.close();
});

const chat = { model: "gpt-4o", messages: [{ role: "user", content: "hello" }] };
interface Envelope {
  error: { message: string; type: string; code: string };
}
const receipt = () =>
  JSON.parse(relay.billing.rows.at(-1)?.other ?? "{}") as {
    admin_info: {
      use_channel: number[];
      tried: { id: number; status: number; reason: string }[];
      skipped: { id: number; code: string }[];
    };
  };

/** Status the client gets, and whether the second channel was asked. */
const CASES: readonly (readonly [name: string, plan: Plan, status: number, failsOver: boolean])[] = [
  ["400", { status: 400, error: { message: "bad" } }, 400, false],
  ["401", { status: 401, error: { message: "no key", code: "invalid_api_key" } }, 200, true],
  ["403", { status: 403, error: { message: "no" } }, 200, true],
  ["404", { status: 404, error: { message: "no model" } }, 200, true],
  ["413", { status: 413, error: { message: "large" } }, 200, true],
  ["422", { status: 422, error: { message: "odd" } }, 200, true],
  ["429", { status: 429, error: { message: "slow down" } }, 200, true],
  ["500", { status: 500, error: { message: "oops" } }, 200, true],
  ["503 without a body", { status: 503, rawBody: "" }, 200, true],
  [
    "307, which is not followed",
    { status: 307, headers: { location: "http://169.254.169.254/" }, rawBody: "" },
    200,
    true,
  ],
  ["200 with an error", { error: { message: "hidden", code: 500 } }, 200, true],
  ["200 with nonsense", { rawBody: "<html>" }, 200, true],
  ["no answer in time", { neverAnswers: true }, 504, false],
  ["a connection closed before the answer", { dropsRequest: "destroy" }, 502, false],
  ["a connection reset before the answer", { dropsRequest: "reset" }, 502, false],
  ["an answer broken off", { cutAtByte: 40 }, 502, false],
];

test.each(CASES)("%s", async (_name, plan, status, failsOver) => {
  first.plan(plan);
  const answer = await relay.post("/v1/chat/completions", chat);
  const text = await answer.text();
  expect([answer.status, second.count]).toEqual([status, failsOver ? 1 : 0]);
  if (failsOver) expect(text).toContain("from the second");
  else expect((JSON.parse(text) as Envelope).error.message).toMatch(status === 400 ? /^bad$/ : /request id/);
  expect(first.count).toBe(1);
  expect(relay.billing.held).toBe(0);
  expect(relay.billing.settlements).toHaveLength(failsOver ? 1 : 0);
  expect(receipt().admin_info.use_channel).toEqual(failsOver ? [1, 2] : [1]);
  expect(relay.billing.rows.at(-1)?.type).toBe(failsOver ? 2 : 5);
});

test.each(CASES.filter(([, , , failsOver]) => failsOver))("streamed: %s", async (_name, plan) => {
  first.plan(plan);
  const answer = await relay.post("/v1/chat/completions", { ...chat, stream: true });
  const text = await answer.text();
  expect([answer.status, second.count, text.endsWith("data: [DONE]\n\n")]).toEqual([200, 1, true]);
});

test("a first-byte timeout fails over only if the option allows it", async () => {
  first.plan({ neverAnswers: true });
  withOptions(relay.world, { RetryAfterTimeoutEnabled: true });
  expect((await relay.post("/v1/chat/completions", chat)).status).toBe(200);
  expect(receipt().admin_info.tried[0]).toMatchObject({ id: 1, status: 0, reason: expect.stringContaining("timeout") });
});

test("a refused connection fails over, and alone is 502 without the address", async () => {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", () => resolve()));
  const port = (closed.address() as AddressInfo).port;
  await new Promise<void>((resolve) => closed.close(() => resolve()));
  relay.world.channels[0] = newChannel({ id: 1, priority: 10, baseUrl: `http://127.0.0.1:${port}` });
  expect((await relay.post("/v1/chat/completions", chat)).status).toBe(200);
  relay.world.channels.pop();
  const answer = await relay.post("/v1/chat/completions", chat);
  const text = await answer.text();
  expect([answer.status, (JSON.parse(text) as Envelope).error.code]).toEqual([502, "upstream_unreachable"]);
  expect(text).not.toContain(String(port));
});

test("each channel is tried once, tiers in order, RetryTimes in all", async () => {
  first.plan({ status: 500 });
  second.plan({ status: 500 });
  relay.world.channels.push(
    newChannel({ id: 3, name: "third", baseUrl: first.url, priority: 10 }),
    newChannel({ id: 4, baseUrl: second.url, priority: 1 }),
  );
  const answer = await relay.post("/v1/chat/completions", chat);
  expect(answer.status).toBe(500);
  const { tried } = receipt().admin_info;
  expect(
    tried
      .slice(0, 2)
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual([1, 3]);
  expect(tried.slice(2).map(({ id }) => id)).toEqual([2, 4]);
  withOptions(relay.world, { RetryTimes: 0 });
  await relay.post("/v1/chat/completions", chat);
  expect(receipt().admin_info.tried).toHaveLength(1);
});

test("chance inside a tier follows the weights, smoothed by 10", async () => {
  relay.world.channels = [
    newChannel({ id: 1, baseUrl: first.url, weight: 80 }),
    newChannel({ id: 2, baseUrl: second.url, weight: 0 }),
  ];
  // Every chance of two hundred once, so that no luck of the draw is in the count.
  let draws = 0;
  vi.spyOn(Math, "random").mockImplementation(() => (((draws += 1) * 77) % 200) / 200);
  for (let index = 0; index < 200; index += 1)
    await relay.post("/v1/chat/completions", chat).then((answer) => answer.text());
  expect([draws >= 200, first.count, second.count]).toEqual([true, 180, 20]);
});

test("a channel that cannot serve the call is skipped, with the reason in the receipt", async () => {
  relay.world.channels[0] = newChannel({ id: 1, type: 999, priority: 10, baseUrl: first.url });
  await relay.post("/v1/chat/completions", chat);
  expect(receipt().admin_info).toMatchObject({
    use_channel: [2],
    skipped: [{ id: 1, code: "unknown_channel_type" }],
  });
});

test("a channel cools down after failures in a row, is probed, and works again", async () => {
  await relay.close();
  relay = await startTestRelay({
    world: relay.world,
    health: new ChannelHealth({ failures: 2, openMs: 1_000, maxOpenMs: 1_000 }),
  });
  first.plan({ status: 500 });
  for (let index = 0; index < 4; index += 1) await relay.post("/v1/chat/completions", chat);
  expect(first.count).toBe(2);
  expect(receipt().admin_info.skipped).toMatchObject([{ id: 1, code: "resting" }]);
  first.plan({});
  const countAfterCall = async (): Promise<number> => {
    await relay.post("/v1/chat/completions", chat);
    return first.count;
  };
  await expect.poll(countAfterCall).toBe(3);
  expect(await countAfterCall()).toBe(4);
});

test("a channel whose streams break off again and again cools down too", async () => {
  await relay.close();
  relay = await startTestRelay({
    world: relay.world,
    health: new ChannelHealth({ failures: 2, openMs: 60_000, maxOpenMs: 60_000 }),
  });
  first.plan({ text: "some words that were delivered", chunks: 5, chunkDelayMs: 20, cutAtByte: 900 });
  for (let index = 0; index < 2; index += 1)
    expect(await (await relay.post("/v1/chat/completions", { ...chat, stream: true })).text()).toContain(
      "upstream_broken",
    );
  expect(await (await relay.post("/v1/chat/completions", chat)).text()).toContain("from the second");
  expect([first.count, second.count]).toEqual([2, 1]);
});

test("a lone channel is asked while it cools down", async () => {
  await relay.close();
  const world = newWorld({ channels: [newChannel({ baseUrl: first.url })] });
  relay = await startTestRelay({
    world,
    health: new ChannelHealth({ failures: 1, openMs: 60_000, maxOpenMs: 60_000 }),
  });
  first.next({ status: 500 });
  expect((await relay.post("/v1/chat/completions", chat)).status).toBe(500);
  expect((await relay.post("/v1/chat/completions", chat)).status).toBe(200);
});

test("a refused key switches the channel off where both switches are on", async () => {
  first.plan({ status: 401, error: { message: "Incorrect API key sk-abcdefghijkl", code: "invalid_api_key" } });
  await relay.post("/v1/chat/completions", chat);
  expect(relay.disabled).toEqual([]);
  withOptions(relay.world, { AutomaticDisableChannelEnabled: true });
  await relay.post("/v1/chat/completions", chat);
  expect(relay.disabled).toEqual([{ id: 1, reason: "status 401: Incorrect API key [key]" }]);
  relay.world.channels[0] = newChannel({ id: 1, priority: 10, baseUrl: first.url, autoBan: false });
  await relay.post("/v1/chat/completions", chat);
  expect(relay.disabled).toHaveLength(1);
});

test.each([
  ["as it is", JSON.stringify({ ...chat, messages: [{ role: "Permission denied", content: "x" }] }), {}],
  ["escaped", '{"model":"gpt-4o","messages":[{"role":"\\u0050ermission\\u0020denied","content":"x"}]}', {}],
  ["in a header", JSON.stringify(chat), { "x-beta": "permission DENIED" }],
])("a keyword that the client wrote %s and the upstream repeats disables nothing", async (_name, body, headers) => {
  withOptions(relay.world, { AutomaticDisableChannelEnabled: true });
  const plan = { status: 400, error: { message: "Invalid value: 'Permission denied'. Supported values are: 'user'." } };
  first.next(plan, plan);
  await relay.post("/v1/chat/completions", body, headers);
  expect(relay.disabled).toEqual([]);
  await relay.post("/v1/chat/completions", chat);
  expect(relay.disabled).toMatchObject([{ id: 1, reason: expect.stringContaining('"permission denied"') }]);
});

test.each([
  ["connect_timeout", "upstream_timeout", true],
  ["connect", "upstream_unreachable", true],
  ["first_byte_timeout", "upstream_timeout", false],
] as const)("%s is reported as %s, and another channel is tried: %s", (kind, code, isRetryable) => {
  expect(failureOf(newFault(kind), false)).toMatchObject({ code, isRetryable, status: 0 });
});

test("a key of the channel that its upstream refuses is no fault of the client's own key", async () => {
  const refusal = { status: 401, error: { message: "Incorrect API key provided", code: "invalid_api_key" } };
  relay.world.channels = [newChannel({ baseUrl: first.url })];
  first.plan(refusal);
  const answer = await relay.post("/v1/chat/completions", chat);
  expect([answer.status, await answer.text()]).toEqual([502, expect.stringContaining('"channel_key_refused"')]);
  relay.world.channels = [newChannel({ baseUrl: first.url, statusCodeMapping: { 401: 401 } })];
  expect((await relay.post("/v1/chat/completions", chat)).status).toBe(401);
});

test("statuses are mapped for the client; a mapping decides nothing else", async () => {
  relay.world.channels = [newChannel({ baseUrl: first.url, statusCodeMapping: { 400: 418, 404: 401 } })];
  withOptions(relay.world, { AutomaticDisableChannelEnabled: true });
  first.next({ status: 400, error: { message: "bad" } }, { status: 404, error: { message: "none" } });
  expect((await relay.post("/v1/chat/completions", chat)).status).toBe(418);
  expect((await relay.post("/v1/chat/completions", chat)).status).toBe(401);
  expect(relay.disabled).toEqual([]);
});

test.each([
  ["an OpenAI client", "/v1/chat/completions", chat, 600],
  ["an OpenAI client", "/v1/chat/completions", chat, 999],
  ["an Anthropic client", "/v1/messages", { ...chat, max_tokens: 5 }, 799],
  ["a Gemini client", "/v1beta/models/gpt-4o:generateContent", { contents: [{ parts: [{ text: "hello" }] }] }, 999],
])("%s of %s gets 502 if the upstream's status is none of HTTP", async (_name, path, body, status) => {
  relay.world.channels = [newChannel({ baseUrl: first.url })];
  const words = '{"error":{"message":"odd"}}';
  first.plan({ rawHttp: `HTTP/1.1 ${status} Odd\r\ncontent-length: ${words.length}\r\n\r\n${words}` });
  const answer = await relay.post(path, body);
  expect([answer.status, await answer.text()]).toEqual([502, expect.stringContaining("odd")]);
  expect(receipt().admin_info.tried[0]).toMatchObject({ status });
});

test("a 429 of the last channel says saturated and passes Retry-After on", async () => {
  relay.world.channels.pop();
  first.plan({ status: 429, error: { message: "org org-secret1234 over its limit" }, headers: { "retry-after": "7" } });
  const answer = await relay.post("/v1/chat/completions", chat);
  const text = await answer.text();
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "7"]);
  expect(text).toContain("saturated");
  expect(text).not.toContain("org-secret");
});

const GOLDEN =
  '{ "z_unknown" : {"a":[1.0,1e400,"\\u00e9"]} ,"model":"gpt-4o",\n "messages" : [ {"role":"user","content":"h\\u00e9 é"} ], "temperature":1.0, "seed":12345678901234567890, "z_unknown":2 }';

test("a body that needs no change is forwarded byte for byte", async () => {
  await relay.post("/v1/chat/completions", GOLDEN);
  expect(first.requests[0]?.body.toString()).toBe(GOLDEN);
  await relay.post("/v1/chat/completions?x=1&y=%20", GOLDEN);
  expect(first.requests[1]?.path).toBe("/v1/chat/completions?x=1&y=%20");
});

test("mapping, override and stream_options change their fields and no other byte", async () => {
  relay.world.channels[0] = newChannel({
    id: 1,
    priority: 10,
    baseUrl: first.url,
    modelMapping: { "gpt-4o": "middle", middle: "gpt-4o-mini" },
    paramOverride: { temperature: 0.5, top_k: 3 },
  });
  await relay.post("/v1/chat/completions", GOLDEN);
  expect(first.requests[0]?.body.toString()).toBe(
    GOLDEN.replace('"gpt-4o"', '"gpt-4o-mini"')
      .replace('"temperature":1.0', '"temperature":0.5')
      .replace('"z_unknown":2 }', '"z_unknown":2,"top_k":3 }'),
  );
  await relay
    .post("/v1/chat/completions", GOLDEN.replace('"model"', '"stream":true,"model"'))
    .then((answer) => answer.text());
  expect(first.requests[1]?.body.toString()).toContain(
    '"z_unknown":2,"stream_options":{"include_usage":true},"top_k":3 }',
  );
});

test("a mapping in a circle is an error, a name mapped to itself is not", async () => {
  relay.world.channels = [newChannel({ baseUrl: first.url, modelMapping: { "gpt-4o": "a", a: "b", b: "gpt-4o" } })];
  const answer = await relay.post("/v1/chat/completions", chat);
  expect([answer.status, ((await answer.json()) as Envelope).error.code]).toEqual([
    500,
    "model_mapping_contains_cycle",
  ]);
  relay.world.channels = [newChannel({ baseUrl: first.url, modelMapping: { "gpt-4o": "a", a: "a" } })];
  expect((await relay.post("/v1/chat/completions", chat)).status).toBe(200);
  expect(first.requests[0]?.json?.["model"]).toBe("a");
});

test("pass-through sends the client's body although mapping and override are set", async () => {
  withOptions(relay.world, { "global.pass_through_request_enabled": true });
  relay.world.channels = [
    newChannel({ baseUrl: first.url, modelMapping: { "gpt-4o": "other" }, paramOverride: { temperature: 0.1 } }),
  ];
  await relay.post("/v1/chat/completions", GOLDEN);
  expect(first.requests[0]?.body.toString()).toBe(GOLDEN);
});

test("reasoning models get the fields they take, with a warning to the client", async () => {
  relay.world.channels = [newChannel({ baseUrl: first.url, models: new Set(["o3-mini"]) })];
  const answer = await relay.post("/v1/chat/completions", {
    ...chat,
    model: "o3-mini",
    max_tokens: 50,
    temperature: 0.2,
  });
  expect(answer.status).toBe(200);
  expect(first.requests[0]?.json).toMatchObject({ max_completion_tokens: 50 });
  expect(first.requests[0]?.json).not.toHaveProperty("temperature");
  expect(answer.headers.get("turnpike-warnings")).toContain("temperature");
});

test("a Gemini client's temperature 0 is dropped for a reasoning model, with a warning to the client", async () => {
  relay.world.channels = [newChannel({ baseUrl: first.url, models: new Set(["o3-mini"]) })];
  const answer = await relay.post("/v1beta/models/o3-mini:generateContent", {
    contents: [{ role: "user", parts: [{ text: "hi" }] }],
    generationConfig: { temperature: 0, topP: 1 },
  });
  expect(answer.status).toBe(200);
  expect(first.requests[0]?.json).toMatchObject({ model: "o3-mini" });
  for (const name of ["temperature", "top_p"]) expect(first.requests[0]?.json).not.toHaveProperty(name);
  expect(answer.headers.get("turnpike-warnings")).toContain("generationConfig.temperature");
});

test("a private upstream is refused before a byte is sent, unless allowed", async () => {
  const guarded = await startTestRelay({ allowsPrivate: false });
  guarded.world.channels.push(
    newChannel({ baseUrl: first.url }),
    newChannel({ id: 2, baseUrl: first.url.replace("127.0.0.1", "localhost") }),
  );
  withOptions(guarded.world, { RetryTimes: 3 });
  const answer = await guarded.post("/v1/chat/completions", chat);
  expect([answer.status, ((await answer.json()) as Envelope).error.code, first.count]).toEqual([
    502,
    "upstream_unreachable",
    0,
  ]);
  const other = JSON.parse(guarded.billing.rows.at(-1)?.other ?? "{}") as {
    admin_info: { tried: { reason: string }[] };
  };
  expect(other.admin_info.tried.map(({ reason }) => reason)).toEqual([
    expect.stringContaining("AllowPrivateUpstreamsEnabled"),
    expect.stringContaining("AllowPrivateUpstreamsEnabled"),
  ]);
  await guarded.close();
});

const SLOW_DOWN = 'data: {"error":{"message":"slow down","type":"rate_limit_error","code":"429"}}\n\n';

test.each<[string, Plan]>([
  ["an error event and its connection left open", { rawBody: [SLOW_DOWN, ": nothing\n\n"], chunkDelayMs: 500 }],
  ["an error event", { rawBody: [SLOW_DOWN], chunkDelayMs: 0 }],
  ["a status, and a page without an end", { status: 429, rawBody: "slow down ".repeat(20_000) }],
])("a stream in whose place comes %s is one try, whose reason is the vendor's", async (_what, plan) => {
  first.plan(plan);
  withOptions(relay.world, { RetryTimes: 1 });
  const answer = await relay.post("/v1/chat/completions", { ...chat, stream: true });
  expect([answer.status, (await answer.text()).endsWith("[DONE]\n\n"), second.count]).toEqual([200, true, 1]);
  const { tried } = receipt().admin_info;
  expect(tried.map(({ id, reason }) => [id, reason.split(":")[0]])).toEqual([
    [1, "rate"],
    [2, ""],
  ]);
});
