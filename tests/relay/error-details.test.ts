/** Details of upstream errors for the client: whose limit it was and for how long, what the model wrote, and which are not retried elsewhere. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { type TestRelay, newChannel, startTestRelay, withOptions } from "../support/relay/harness.ts";

let first: FakeUpstream;
let second: FakeUpstream;
let relay: TestRelay;

beforeEach(async () => {
  first = await startFakeUpstream();
  second = await startFakeUpstream({ plan: { text: "from the second" } });
  relay = await startTestRelay();
  relay.world.channels.push(
    newChannel({ id: 1, baseUrl: first.url, priority: 10 }),
    newChannel({ id: 2, baseUrl: second.url, priority: 5 }),
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

// platform.openai.com/docs/guides/error-codes/api-errors: 429, insufficient_quota.
test("an account without credit is not called saturated", async () => {
  relay.world.channels.pop();
  first.plan({ status: 429, error: { message: "m", type: "insufficient_quota", code: "insufficient_quota" } });
  const answer = await relay.post("/v1/chat/completions", chat);
  const { error } = (await answer.json()) as Envelope;
  expect([answer.status, error.type, error.code]).toEqual([429, "insufficient_quota", "insufficient_quota"]);
  expect(error.message).toContain("no credit left");
  expect(error.message).not.toContain("saturated");
});

// platform.openai.com/docs/guides/error-codes: 429, requests too quickly.
test("a vendor's page of help is kept for administrators alone, beside the channel that was tried", async () => {
  relay.world.channels.pop();
  const help = "https://platform.openai.com/account/limits";
  const message = `Rate limit of ${first.url}/v1. Visit ${help} to learn more.`;
  first.plan({ status: 400, error: { message, type: "invalid_request_error" } });
  const answer = await relay.post("/v1/chat/completions", chat);
  expect(((await answer.json()) as Envelope).error.message).toContain(
    "Rate limit of [address] Visit [address] to learn more.",
  );
  const row = relay.billing.rows.at(-1);
  expect(row?.content).not.toContain("platform.openai.com");
  const { admin_info: info, ...shared } = JSON.parse(row?.other ?? "{}") as { admin_info: { tried: object[] } };
  expect(JSON.stringify(shared)).not.toContain("platform.openai.com");
  expect(info.tried).toMatchObject([{ reason: `invalid: Rate limit of [address] Visit ${help} to learn more.` }]);
});

// Recorded from Groq as the first event of a stream, reduced.
test.each([false, true])(
  "an error in a success keeps its own status and is not carried on (stream: %s)",
  async (stream) => {
    const generation = "<function=f>";
    const error = { message: "bad call", type: "invalid_request_error", code: "tool_use_failed", status_code: 400 };
    const body = JSON.stringify({ error: { ...error, failed_generation: generation } });
    first.plan(
      stream ? { rawBody: `data: ${body}\n\n`, headers: { "content-type": "text/event-stream" } } : { rawBody: body },
    );
    const answer = await relay.post("/v1/chat/completions", { ...chat, stream });
    expect([answer.status, second.count]).toEqual([400, 0]);
    expect(await answer.json()).toMatchObject({ error: { code: "tool_use_failed", failed_generation: generation } });
  },
);

// openrouter.ai/docs/api/reference/errors-and-debugging: moderation errors.
test("what OpenRouter's moderation flags goes to no other channel", async () => {
  relay.world.channels[0] = newChannel({ id: 1, type: 20, baseUrl: first.url, priority: 10 });
  const metadata = { reasons: ["violence"], flagged_input: "hello" };
  first.plan({ status: 403, rawBody: JSON.stringify({ error: { code: 403, message: "flagged", metadata } }) });
  const answer = await relay.post("/v1/chat/completions", chat);
  expect([answer.status, second.count]).toEqual([403, 0]);
});

const RPC = "type.googleapis.com/google.rpc";
/** As Gemini answers a free project's limit of a day (ai.google.dev/gemini-api/docs/rate-limits). */
const LIMITED = {
  error: {
    code: 429,
    message: "You exceeded your current quota.",
    status: "RESOURCE_EXHAUSTED",
    details: [
      {
        "@type": `${RPC}.QuotaFailure`,
        violations: [
          {
            quotaMetric: "generativelanguage.googleapis.com/generate_content_free_tier_requests",
            quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier",
            quotaDimensions: { location: "global", model: "gemini-of-the-operator" },
            quotaValue: "250",
          },
        ],
      },
      { "@type": `${RPC}.Help`, links: [{ url: "https://ai.google.dev/gemini-api/docs/rate-limits" }] },
      { "@type": `${RPC}.RetryInfo`, retryDelay: "34.5s" },
    ],
  },
};

test("Gemini's limits say when to ask again, and which they were to clients of its format", async () => {
  relay.world.channels = [newChannel({ id: 1, type: 24, baseUrl: first.url })];
  first.plan({ status: 429, rawBody: JSON.stringify(LIMITED) });
  const contents = [{ role: "user", parts: [{ text: "hi" }] }];
  const own = await relay.post("/v1beta/models/gpt-4o:generateContent", { contents });
  const body = await own.text();
  expect([own.status, own.headers.get("retry-after")]).toEqual([429, "35"]);
  const [quota] = LIMITED.error.details[0]?.violations ?? [];
  const violations = [{ quotaMetric: quota?.quotaMetric, quotaId: quota?.quotaId }];
  expect((JSON.parse(body) as { error: { details: unknown[] } }).error.details).toEqual([
    { "@type": `${RPC}.RetryInfo`, retryDelay: "34.5s" },
    { "@type": `${RPC}.QuotaFailure`, violations },
    expect.objectContaining({ "@type": `${RPC}.RequestInfo` }),
  ]);
  expect(body).not.toContain("gemini-of-the-operator");
});

test("clients of another format get Gemini's wait as a header alone", async () => {
  relay.world.channels = [newChannel({ id: 1, type: 24, baseUrl: first.url })];
  first.plan({ status: 429, rawBody: JSON.stringify(LIMITED) });
  const other = await relay.post("/v1/chat/completions", chat);
  expect([other.status, other.headers.get("retry-after")]).toEqual([429, "35"]);
  expect(await other.text()).not.toContain("quotaId");
});

const EMPTY = { usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 }, modelVersion: "m", responseId: "r" };

test.each([
  ["another format", "/v1/chat/completions", chat],
  ["its own", "/v1beta/models/gpt-4o:generateContent", { contents: [{ role: "user", parts: [{ text: "hi" }] }] }],
])(
  "an answer of Gemini without candidates is asked for elsewhere and costs nothing (client of %s)",
  async (_, path, body) => {
    relay.world.channels[0] = newChannel({ id: 1, type: 24, baseUrl: first.url, priority: 10 });
    first.plan({ rawBody: JSON.stringify(EMPTY) });
    const answer = await relay.post(path, body);
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("from the second")]);
    relay.world.channels.pop();
    first.plan({ rawBody: JSON.stringify(EMPTY) });
    const settled = relay.billing.settlements.length;
    const alone = await relay.post(path, body);
    expect([alone.status, relay.billing.settlements.length - settled]).toEqual([502, 0]);
  },
);

test.each([
  "Country, region, or territory not supported",
  "Project does not have access to model gpt-4o",
  "Your organization must be verified to use the model o3.",
  "The user location is not supported, see the policies of this project.",
])("what a vendor refuses with 403 reaches the client where it names no account: %s", async (message) => {
  relay.world.channels.pop();
  first.plan({ status: 403, error: { message, code: "unsupported_country_region_territory" } });
  for (const [path, body] of [
    ["/v1/chat/completions", chat],
    ["/v1/messages", { ...chat, max_tokens: 5 }],
    ["/v1beta/models/gpt-4o:generateContent", { contents: [{ parts: [{ text: "hello" }] }] }],
  ] as const) {
    const answer = await relay.post(path, body);
    expect([answer.status, await answer.text()]).toEqual([502, expect.stringContaining(message)]);
  }
  const row = JSON.parse(relay.billing.rows.at(-1)?.other ?? "{}") as { error_code: string };
  expect(row.error_code).toBe("channel_access_refused");
});

test.each([
  ["a name", "Organization acme is not allowed to use this model"],
  ["a quoted name", "Project 'my-company' does not have access to model gpt-4o"],
  ["an id", "Project proj_abcdefgh12345678 does not have access"],
  ["a number", "The API has not been used in 123456789012 before or it is disabled"],
  ["a project's number", "The API is disabled in project 4711, enable it"],
  ["an address", "jane@example.com may not do that"],
  ["AWS's form", "arn:aws:iam::1:user/jane is not authorized to perform that"],
  ["no words", ""],
])("what names the operator's account stays with the operator: %s", async (_what, message) => {
  relay.world.channels.pop();
  first.plan(message === "" ? { status: 403, rawBody: "" } : { status: 403, error: { message } });
  const answer = await relay.post("/v1/chat/completions", chat);
  const { error } = (await answer.json()) as Envelope;
  expect([answer.status, error.code]).toEqual([502, "channel_key_refused"]);
  if (message !== "") expect(error.message).not.toContain(message.slice(0, 20));
});

test("a refused key with 401 keeps its words, and a mapped 403 has them", async () => {
  relay.world.channels = [newChannel({ baseUrl: first.url, statusCodeMapping: { 403: 403 } })];
  first.next(
    { status: 401, error: { message: "No such thing here" } },
    { status: 403, error: { message: "Not here" } },
  );
  const refused = await relay.post("/v1/chat/completions", chat);
  expect([refused.status, await refused.text()]).toEqual([502, expect.not.stringContaining("No such thing")]);
  const mapped = await relay.post("/v1/chat/completions", chat);
  expect([mapped.status, await mapped.text()]).toEqual([403, expect.stringContaining("Not here")]);
});
