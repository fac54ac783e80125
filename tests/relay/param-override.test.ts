/** A channel's parameter override through the relay: what reaches the upstream, what the caller reads, and what is held, charged and noted. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DEFAULT_RATIOS, type ModelPrice } from "../../contract/src/pricing/pricing.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import {
  TEST_KEY,
  type TestRelay,
  newChannel,
  newWorld,
  startTestRelay,
  withOptions,
} from "../support/relay/harness.ts";

const perToken: ModelPrice = { kind: "per_token", ratio: "1", ...DEFAULT_RATIOS };
const MODELS = new Map<string, ModelPrice>([
  ["gpt-4o", perToken],
  ["claude-sonnet-4-6", perToken],
  ["gemini-2.5-flash", perToken],
  ["dall-e-3", { kind: "per_call", price: "0.04" }],
  ["whisper-1", { kind: "per_call", price: "0.01" }],
]);

let upstream: FakeUpstream;
let relay: TestRelay;

beforeEach(async () => {
  upstream = await startFakeUpstream({ validates: false });
  relay = await startTestRelay({ world: newWorld({ prices: new Map(MODELS) }) });
});

afterEach(async () => {
  await relay.close();
  await upstream.close();
});

const TYPES: Readonly<Record<string, number>> = { "claude-sonnet-4-6": 14, "gemini-2.5-flash": 24 };

/** One channel for each model, or those that are given. */
function channels(paramOverride: Record<string, unknown>, ...more: Parameters<typeof newChannel>[0][]): void {
  const first = [...MODELS.keys()].map((model, index) =>
    newChannel({
      id: index + 1,
      name: `of ${model}`,
      type: TYPES[model] ?? 1,
      baseUrl: upstream.url,
      models: new Set([model]),
      priority: 10,
      paramOverride,
    }),
  );
  relay.world.channels = [...first, ...more.map((each) => newChannel({ baseUrl: upstream.url, ...each }))];
}

const operations = (...list: object[]) => ({ operations: list });
const messages = [{ role: "user", content: "hi" }];
const CHAT = "/v1/chat/completions";
const chat = { model: "gpt-4o", messages, max_tokens: 60 };

const FORMATS = [
  [
    CHAT,
    chat,
    "max_tokens",
    "messages.-1.content",
    { ...chat, max_tokens: undefined, messages: [{ role: "user", content: "hi END" }] },
  ],
  [
    "/v1/responses",
    { model: "gpt-4o", input: "hi", max_output_tokens: 60 },
    "max_output_tokens",
    "input",
    { model: "gpt-4o", input: "hi END" },
  ],
  [
    "/v1/messages",
    { model: "claude-sonnet-4-6", messages, max_tokens: 60, top_k: 5 },
    "top_k",
    "messages.*.content",
    { model: "claude-sonnet-4-6", messages: [{ role: "user", content: "hi END" }], max_tokens: 60 },
  ],
  [
    "/v1beta/models/gemini-2.5-flash:generateContent",
    { contents: [{ role: "user", parts: [{ text: "hi" }] }], generationConfig: { maxOutputTokens: 60 } },
    "generationConfig.maxOutputTokens",
    "contents.0.parts.0.text",
    { contents: [{ role: "user", parts: [{ text: "hi END" }] }], generationConfig: {} },
  ],
] as const;

test.each(FORMATS)(
  "%s: the client's own format goes out with what the operations made of it",
  async (path, body, bound, text, sent) => {
    channels({
      seed: 7,
      ...operations(
        { mode: "delete", path: bound },
        { mode: "append", path: text, value: " END" },
        {
          mode: "set",
          path: "late",
          value: true,
          conditions: [{ path: "original_model", mode: "full", value: "nothing" }],
        },
      ),
    });
    expect((await relay.post(path, body)).status).toBe(200);
    expect(upstream.requests[0]?.json).toEqual({ ...JSON.parse(JSON.stringify(sent)), seed: 7 });
  },
);

test("operations see the upstream's format where the call is translated into it", async () => {
  channels(
    operations(
      { mode: "set", path: "system.0.text", value: "Be kind." },
      { mode: "set", path: "max_tokens", value: 9 },
    ),
  );
  relay.world.channels = relay.world.channels.map((each) => ({
    ...each,
    models: new Set([...each.models, "claude-sonnet-4-6"]),
  }));
  const asked = { model: "claude-sonnet-4-6", messages: [{ role: "system", content: "Be brief." }, ...messages] };
  relay.world.channels = relay.world.channels.filter(({ type }) => type === 14);
  expect((await relay.post(CHAT, asked)).status).toBe(200);
  const sent = upstream.requests[0]?.json ?? {};
  expect([sent["max_tokens"], JSON.stringify(sent["system"])]).toEqual([9, expect.stringContaining("Be kind.")]);
});

test("conditions read the model, the path, the caller's headers, and how the last try ended", async () => {
  const when = (path: string, value: unknown, mode = "full") => ({
    mode: "set",
    path: `saw.${path.replaceAll(".", "_")}`,
    value: true,
    conditions: [{ path, mode, value }],
  });
  const paramOverride = operations(
    when("upstream_model", "mapped"),
    when("original_model", "gpt-4o"),
    when("request_path", CHAT),
    when("request_headers.x-team", "red"),
    when("request_headers.authorization", "", "contains"),
    when("retry.is_retry", true),
    when("retry_index", 1),
    when("last_error.status_code", 500, "gte"),
    when("is_channel_test", false),
  );
  relay.world.channels = [
    newChannel({ id: 1, baseUrl: upstream.url, priority: 9 }),
    newChannel({ id: 2, baseUrl: upstream.url, paramOverride, modelMapping: { "gpt-4o": "mapped" } }),
  ];
  withOptions(relay.world, { RetryTimes: 1 });
  upstream.next({ status: 500, error: { message: "down" } });
  expect((await relay.post(`${CHAT}?key=x`, chat, { "x-team": "red" })).status).toBe(200);
  expect(upstream.requests[1]?.json?.["saw"]).toEqual({
    upstream_model: true,
    original_model: true,
    request_path: true,
    "request_headers_x-team": true,
    retry_is_retry: true,
    retry_index: true,
    last_error_status_code: true,
    is_channel_test: true,
  });
});

test("headers are set, left out and passed; the caller's key never is", async () => {
  channels(
    operations(
      { mode: "set_header", path: "X-Team", value: "red" },
      { mode: "set_header", path: "X-Key", value: "k-{api_key}" },
      { mode: "delete_header", path: "User-Agent" },
      { mode: "pass_headers", value: "x-trace" },
    ),
  );
  await relay.post(CHAT, chat, { "x-trace": "t-1", "x-other": "o", cookie: "session=s" });
  const { headers } = upstream.requests[0] ?? { headers: {} };
  expect(headers).toMatchObject({ "x-team": "red", "x-key": "k-sk-upstream-secret-key", "x-trace": "t-1" });
  expect(headers["user-agent"]).toBeUndefined();
  expect(headers["x-other"]).toBeUndefined();
  expect(headers["authorization"]).toBe("Bearer sk-upstream-secret-key");
  expect(JSON.stringify(headers)).not.toContain(TEST_KEY);
  expect(JSON.stringify(headers)).not.toContain("session=s");
});

const otherOf = (row: { other: string } | undefined) =>
  JSON.parse(row?.other ?? "{}") as { admin_info: Record<string, unknown>; upstream_model_name?: string };

test("the receipt tells administrators modes and paths, and no value", async () => {
  channels({
    top_p: 0.123456,
    ...operations(
      { mode: "set", path: "user", value: "somebody-secret" },
      { mode: "move", from: "max_tokens", to: "max_completion_tokens" },
      { mode: "set_header", path: "X-Team", value: "team-secret" },
      { mode: "set", path: "never", value: 1, conditions: [{ path: "none", mode: "full", value: 1 }] },
    ),
  });
  await relay.post(CHAT, chat);
  const [row] = relay.billing.rows;
  const { admin_info } = otherOf(row);
  expect(admin_info["overrides"]).toEqual([
    "set top_p",
    "set user",
    "move max_tokens -> max_completion_tokens",
    "set_header X-Team",
  ]);
  expect(row?.other).not.toContain("secret");
  expect(row?.other).not.toContain("0.123456");
});

describe("return_error", () => {
  const refuse = (more: object = {}) =>
    operations({
      mode: "return_error",
      value: { message: "Not here.", status_code: 451, code: "blocked", type: "policy_error", ...more },
      conditions: [{ path: "temperature", mode: "gt", value: 1 }],
    });

  test.each([
    [
      CHAT,
      { ...chat, temperature: 2 },
      { error: { message: expect.stringContaining("Not here."), code: "blocked", type: "policy_error" } },
    ],
    [
      "/v1/messages",
      { model: "claude-sonnet-4-6", messages, max_tokens: 60, temperature: 2 },
      { type: "error", error: { message: expect.stringContaining("Not here.") } },
    ],
    ["/v1/responses", { model: "gpt-4o", input: "hi", temperature: 2 }, { error: { code: "blocked" } }],
  ])(
    "%s: the caller reads it in the words of the format, and nothing is held or charged",
    async (path, body, envelope) => {
      channels(refuse());
      const answer = await relay.post(path, body);
      expect(answer.status).toBe(451);
      expect(await answer.json()).toMatchObject(envelope);
      expect([upstream.count, relay.billing.held, relay.billing.settlements.length]).toEqual([0, 0, 0]);
      expect(relay.billing.voids).toBe(1);
    },
  );

  test("its row in the log names channel, code and rule", async () => {
    channels(refuse());
    await relay.post(CHAT, { ...chat, temperature: 2 });
    const [row] = relay.billing.rows;
    expect(row).toMatchObject({ type: 5, channelId: 1, content: "Not here.", quota: 0 });
    expect(otherOf(row)).toMatchObject({
      error_code: "blocked",
      status_code: 451,
      admin_info: {
        overrides: ["return_error"],
        tried: [{ id: 1, status: 451, reason: "param_override: return_error" }],
      },
    });
  });

  test("other calls go on, and with skip_retry false other channels are asked", async () => {
    channels(refuse({ skip_retry: false }), { id: 9, name: "open", models: new Set(["gpt-4o"]), priority: 1 });
    withOptions(relay.world, { RetryTimes: 1 });
    expect((await relay.post(CHAT, { ...chat, temperature: 0.5 })).status).toBe(200);
    expect((await relay.post(CHAT, { ...chat, temperature: 2 })).status).toBe(200);
    expect(relay.billing.rows.map(({ channelId }) => channelId)).toEqual([1, 9]);
    relay.world.channels = relay.world.channels.filter(({ id }) => id !== 9);
    expect((await relay.post(CHAT, { ...chat, temperature: 2 })).status).toBe(451);
  });
});

test("a rule that does not fit a call ends it: the next channel is not asked, and administrators read why", async () => {
  const rule = { mode: "set", path: "x", value: 1, conditions: [{ path: "max_tokens", mode: "gt", value: 100 }] };
  channels(operations(rule), { id: 9, models: new Set(["gpt-4o"]), priority: 1 });
  withOptions(relay.world, { RetryTimes: 3 });
  const answer = await relay.post(CHAT, { ...chat, max_tokens: "60" });
  expect([answer.status, upstream.count, relay.billing.held]).toEqual([500, 0, 0]);
  expect(JSON.stringify(await answer.json())).toContain("param_override_failed");
  expect(otherOf(relay.billing.rows[0]).admin_info["tried"]).toMatchObject([
    {
      id: 1,
      reason: "param_override: operations[0] (set): the condition on max_tokens: text cannot be compared with a number",
    },
  ]);
});

test("rules that were stored unread end the call as well: none is passed by", async () => {
  channels(operations({ mode: "forbid_everything" }));
  expect((await relay.post(CHAT, chat)).status).toBe(500);
  expect(upstream.count).toBe(0);
});

describe("what is held and charged follows the body that is sent", () => {
  /** Covers the call as the client sent it, and no more. */
  const SMALL = 200;

  test.each([
    ["a plain field", { max_tokens: 50_000 }],
    ["an operation", operations({ mode: "set", path: "max_tokens", value: 50_000 })],
    ["more answers", { n: 100 }],
    ["more answers by an operation", operations({ mode: "set", path: "n", value: 100 })],
    ["longer input", operations({ mode: "append", path: "messages.0.content", value: "word ".repeat(2_000) })],
    ["a tool that has a price", operations({ mode: "set", path: "web_search_options", value: {} })],
  ])("%s: a balance that covers the client's request alone is not enough", async (_name, paramOverride) => {
    channels({});
    relay.billing.balance = SMALL;
    expect((await relay.post(CHAT, chat)).status).toBe(200);
    channels(paramOverride);
    relay.billing.balance = SMALL;
    const refused = await relay.post(CHAT, chat);
    expect([refused.status, upstream.count, relay.billing.held]).toEqual([403, 1, 0]);
    expect(JSON.stringify(await refused.json())).toContain("insufficient_user_quota");
    relay.billing.balance = 10_000_000;
    expect((await relay.post(CHAT, chat)).status).toBe(200);
    expect(relay.billing.held).toBe(0);
  });

  test("the hold grows while the call is under way, and all of it is given back", async () => {
    channels({ max_tokens: 50_000 });
    let held = 0;
    upstream.plan(() => {
      held = relay.billing.held;
      return {};
    });
    await relay.post(CHAT, chat);
    // The model itself writes no more.
    expect(held).toBeGreaterThanOrEqual(16_384);
    expect(relay.billing.held).toBe(0);
  });

  test("a smaller bound holds no less than what was held to let the call in", async () => {
    channels({ max_tokens: 1 });
    let held = 0;
    upstream.plan(() => {
      held = relay.billing.held;
      return {};
    });
    await relay.post(CHAT, chat);
    expect(held).toBeGreaterThanOrEqual(60);
  });

  test.each([
    ["a plain field", { n: 3 }],
    ["an operation", operations({ mode: "set", path: "n", value: 3 })],
  ])("pictures that %s asked for are charged", async (_name, paramOverride) => {
    channels(paramOverride);
    const answer = await relay.post("/v1/images/generations", { model: "dall-e-3", prompt: "a cat" });
    expect(answer.status).toBe(200);
    expect(((await answer.json()) as { data: unknown[] }).data).toHaveLength(3);
    expect(relay.billing.settlements[0]?.charge).toBe(60_000);
  });

  test("more pictures than any call may ask for are refused, whoever asks", async () => {
    channels({ n: 11 });
    expect((await relay.post("/v1/images/generations", { model: "dall-e-3", prompt: "a cat" })).status).toBe(400);
    expect(upstream.count).toBe(0);
  });

  test("a model in the body changes what is asked for, not what is paid: the price is that of the client's model", async () => {
    channels(operations({ mode: "set", path: "model", value: "other-model" }));
    upstream.plan({ usage: { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 } });
    await relay.post(CHAT, chat);
    expect(upstream.requests[0]?.json?.["model"]).toBe("other-model");
    expect(relay.billing.settlements[0]).toMatchObject({ model: "gpt-4o", charge: 150 });
    expect(otherOf(relay.billing.rows[0])).toMatchObject({ is_model_mapped: true, upstream_model_name: "other-model" });
  });

  test("an answer without a count is estimated by what was sent", async () => {
    channels(operations({ mode: "append", path: "messages.0.content", value: " word".repeat(500) }));
    upstream.plan({ usage: null });
    await relay.post(CHAT, chat);
    expect(relay.billing.settlements[0]?.promptTokens).toBeGreaterThan(400);
  });
});

test("a form goes on as it came: its headers and errors have rules, its fields do not, and the receipt says so", async () => {
  channels(
    operations(
      { mode: "set", path: "language", value: "de" },
      {
        mode: "set_header",
        path: "X-Model",
        value: "w",
        conditions: [{ path: "model", mode: "full", value: "whisper-1" }],
      },
    ),
  );
  const form = new FormData();
  form.set("model", "whisper-1");
  form.set("file", new Blob([new Uint8Array(100)], { type: "audio/mpeg" }), "a.mp3");
  const answer = await fetch(`${relay.url}/v1/audio/transcriptions`, {
    method: "POST",
    headers: { authorization: `Bearer sk-${TEST_KEY}` },
    body: form,
  });
  expect(answer.status).toBe(200);
  expect(upstream.requests[0]?.headers["x-model"]).toBe("w");
  expect(upstream.requests[0]?.body.toString("latin1")).not.toContain("language");
  expect(otherOf(relay.billing.rows[0]).admin_info["overrides"]).toEqual([
    "set_header X-Model",
    "1 left out: the body goes on as it came",
  ]);
});

test("a test of a channel goes by its rules, and says which refuses it", async () => {
  const test = { path: "is_channel_test", mode: "full", value: true };
  channels(operations({ mode: "set", path: "tested", value: 1, conditions: [test] }));
  const [channel] = relay.world.channels;
  expect(await relay.probe(channel as never, "gpt-4o")).toMatchObject({ kind: "answered" });
  expect(upstream.requests[0]?.json).toMatchObject({ tested: 1 });
  channels(operations({ mode: "return_error", value: "closed for tests" }));
  expect(await relay.probe(relay.world.channels[0] as never, "gpt-4o")).toEqual({
    kind: "not_expressible",
    message: "closed for tests",
  });
});
