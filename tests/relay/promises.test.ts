/** Requests for data residency or privacy go to a channel of a format that supports them, else are refused by name. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { type TestRelay, newChannel, startTestRelay } from "../support/relay/harness.ts";

let upstream: FakeUpstream;
let relay: TestRelay;

const [OPENAI, CLAUDE, GEMINI] = [1, 14, 24];

beforeEach(async () => {
  upstream = await startFakeUpstream();
  relay = await startTestRelay();
});

afterEach(async () => {
  await relay.close();
  await upstream.close();
});

/** Channels in the order in which they are tried. */
function use(...types: readonly number[]): void {
  relay.world.channels = types.map((type, index) =>
    newChannel({ id: type, name: `type ${type}`, type, baseUrl: upstream.url, priority: -index }),
  );
}

const messages = [{ role: "user", content: "hi" }];
const CHAT = { model: "gpt-4o", messages };
const CLAUDE_CALL = { ...CHAT, max_tokens: 9 };
const GEMINI_PATH = "/v1beta/models/gpt-4o:generateContent";
const contents = [{ role: "user", parts: [{ text: "hi" }] }];

const ASKED = [
  ["/v1/messages", { ...CLAUDE_CALL, inference_geo: "us" }, "inference_geo", [OPENAI, GEMINI], CLAUDE],
  ["/v1/messages", { ...CLAUDE_CALL, inference_geo: "eu", stream: true }, "inference_geo", [OPENAI], CLAUDE],
  ["/v1/chat/completions", { ...CHAT, provider: { zdr: true } }, "provider.zdr", [CLAUDE, GEMINI], OPENAI],
  [
    "/v1/chat/completions",
    { ...CHAT, stream: true, provider: { data_collection: "deny", order: ["a"] } },
    "provider.data_collection",
    [GEMINI],
    OPENAI,
  ],
  [
    "/v1/responses",
    { model: "gpt-4o", input: "hi", providerOptions: { gateway: { zeroDataRetention: true } } },
    "providerOptions.gateway.zeroDataRetention",
    [CLAUDE],
    OPENAI,
  ],
] as const;

describe.each(ASKED)("%s with %j", (path, body, field, without, type) => {
  test(`is refused for its ${field} if no channel supports it`, async () => {
    use(...without);
    const answer = await relay.post(path, body);
    expect(answer.status).toBe(400);
    const { error } = (await answer.json()) as { error: { message: string } };
    expect(error.message).toContain(`${field}: asks for a promise`);
    expect([upstream.count, relay.billing.held, relay.billing.settlements]).toEqual([0, 0, []]);
  });

  test("goes to a channel that has, past those that have none", async () => {
    await upstream.close();
    upstream = await startFakeUpstream({ validates: false });
    use(...without, type);
    const answer = await relay.post(path, body);
    expect(answer.status).toBe(200);
    await answer.text();
    expect(upstream.requests.map(({ json }) => json)).toEqual([expect.objectContaining(body)]);
    const { admin_info: info } = JSON.parse(relay.billing.rows[0]?.other ?? "{}") as { admin_info: unknown };
    expect(info).toMatchObject({
      use_channel: [type],
      skipped: without.map((id) => ({ id, code: "untranslatable", values: { field } })),
    });
  });
});

test.each([
  ["/v1/messages", { ...CLAUDE_CALL, inference_geo: "global" }, OPENAI],
  ["/v1/messages", { ...CLAUDE_CALL, inference_geo: null }, GEMINI],
  ["/v1/chat/completions", { ...CHAT, store: false }, CLAUDE],
  ["/v1/responses", { model: "gpt-4o", input: "hi", store: false }, CLAUDE],
  [GEMINI_PATH, { contents, store: false }, CLAUDE],
  [GEMINI_PATH, { contents, store: false }, OPENAI],
] as const)("%s with %j loses nothing with type %i, without a warning", async (path, body, type) => {
  use(type);
  const answer = await relay.post(path, body);
  expect([answer.status, answer.headers.get("turnpike-warnings")]).toEqual([200, null]);
});

test("OpenRouter's other fields are a warning, like fields that the format lacks", async () => {
  use(CLAUDE);
  const answer = await relay.post("/v1/chat/completions", { ...CHAT, provider: { zdr: false, order: ["a"] } });
  expect([answer.status, answer.headers.get("turnpike-warnings")]).toEqual([
    200,
    expect.stringContaining("provider: has no place"),
  ]);
});

test.each([
  ["/v1/chat/completions", CHAT],
  ["/v1/responses", { model: "gpt-4o", input: "hi" }],
] as const)("%s: a request not to store is sent to Google, which stores by default", async (path, body) => {
  use(GEMINI);
  await relay.post(path, { ...body, store: false });
  await relay.post(path, body);
  expect(upstream.requests[0]?.json).toMatchObject({ store: false });
  expect(upstream.requests[1]?.json).not.toHaveProperty("store");
});

test("a conversation that Google was asked to store is stored nowhere else, with a warning", async () => {
  use(CLAUDE);
  const answer = await relay.post(GEMINI_PATH, { contents, store: true });
  expect(answer.headers.get("turnpike-warnings")).toContain("store: has no place");
});
