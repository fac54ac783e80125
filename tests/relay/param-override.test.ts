/** A channel's parameter override through the relay: what reaches the upstream, what the caller reads, and what is noted. */
import { beforeEach, describe, expect, test } from "vitest";
import type { FakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { TEST_KEY, type TestRelay, newChannel, withOptions } from "../support/relay/harness.ts";
import { CHAT, chat, operations, otherOf, overrideScene, messages } from "../support/relay/overrides.ts";

const scene = overrideScene();
const { channels } = scene;
let upstream: FakeUpstream;
let relay: TestRelay;
beforeEach(() => ({ upstream, relay } = scene.started()));

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
  const headers: Record<string, unknown> = { ...upstream.requests[0]?.headers };
  expect(headers).toMatchObject({ "x-team": "red", "x-key": "k-sk-upstream-secret-key", "x-trace": "t-1" });
  expect(headers["user-agent"]).toBeUndefined();
  expect(headers["x-other"]).toBeUndefined();
  expect(headers["authorization"]).toBe("Bearer sk-upstream-secret-key");
  expect(JSON.stringify(headers)).not.toContain(TEST_KEY);
  expect(JSON.stringify(headers)).not.toContain("session=s");
});

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
