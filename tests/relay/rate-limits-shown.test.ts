/** Rate limits as clients read them, each in its vendor's headers; and the short wait before a call is refused. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createMemoryCache } from "../../server/src/cache/memory.ts";
import { WebSocket } from "ws";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import {
  TEST_KEY,
  type TestRelay,
  newChannel,
  newWorld,
  startTestRelay,
  until,
  withOptions,
} from "../support/relay/harness.ts";

const MESSAGES = [{ role: "user", content: "hello" }];
const OPENAI = ["/v1/chat/completions", { model: "gpt-4o", messages: MESSAGES }] as const;
const RESPONSES = ["/v1/responses", { model: "gpt-4o", input: "hello", store: false }] as const;
const ANTHROPIC = ["/v1/messages", { model: "gpt-4o", max_tokens: 9, messages: MESSAGES }] as const;
const GEMINI = [
  "/v1beta/models/gpt-4o:generateContent",
  { contents: [{ role: "user", parts: [{ text: "hello" }] }] },
] as const;
const LIMITED = {
  ModelRequestRateLimitEnabled: true,
  ModelRequestRateLimitCount: 0,
  ModelRequestRateLimitSuccessCount: 2,
};
let upstream: FakeUpstream;
let relay: TestRelay;
let nowMs = 1_800_000_000_000;

beforeEach(async () => {
  upstream = await startFakeUpstream({ validates: false });
  nowMs = 1_800_000_000_000;
  relay = await startTestRelay({
    world: newWorld(),
    cache: createMemoryCache({ clock: () => nowMs }),
    limitWaitMs: 2_000,
  });
  relay.world.channels = [newChannel({ baseUrl: upstream.url })];
});
afterEach(async () => {
  await relay.close();
  await upstream.close();
});

const ask = async ([path, body]: readonly [string, object], more: object = {}) => {
  const answer = await relay.post(path, { ...body, ...more });
  await answer.clone().text();
  return answer;
};
const shown = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => /ratelimit-/.test(name) && !name.startsWith("access-")));

describe("what is left of a limit", () => {
  test.each([
    ["OpenAI's words", OPENAI],
    ["OpenAI's words of Responses", RESPONSES],
  ])("is in %s, of answers, streams and refusals", async (_name, call) => {
    // What an upstream says of its own limits is not ours.
    upstream.plan({ headers: { "x-ratelimit-limit-requests": "9000", "x-ratelimit-remaining-tokens": "5" } });
    expect(shown(await ask(call))).toEqual({});
    withOptions(relay.world, LIMITED);
    const first = await ask(call);
    expect(shown(first)).toEqual({
      "x-ratelimit-limit-requests": "2",
      "x-ratelimit-remaining-requests": "1",
      "x-ratelimit-reset-requests": "1m1s",
    });
    expect(first.headers.get("access-control-expose-headers")).toContain("X-RateLimit-Remaining-Requests");
    nowMs += 30_000;
    expect(shown(await ask(call, { stream: true }))["x-ratelimit-remaining-requests"]).toBe("0");
    const refused = await ask(call);
    expect([refused.status, shown(refused)]).toEqual([
      429,
      {
        "x-ratelimit-limit-requests": "2",
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "1m1s",
      },
    ]);
    expect(refused.headers.get("retry-after")).toBe("31");
  });

  test("is in Anthropic's words with a moment", async () => {
    withOptions(relay.world, LIMITED);
    const beforeMs = Date.now();
    const { "anthropic-ratelimit-requests-reset": reset = "", ...counts } = shown(await ask(ANTHROPIC));
    expect(counts).toEqual({
      "anthropic-ratelimit-requests-limit": "2",
      "anthropic-ratelimit-requests-remaining": "1",
    });
    expect(reset).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(Date.parse(reset) - beforeMs).toBeGreaterThan(59_000);
    expect(Date.parse(reset) - beforeMs).toBeLessThan(80_000);
  });

  test("is with a refusal alone where the vendor is Google", async () => {
    withOptions(relay.world, LIMITED);
    expect(shown(await ask(GEMINI))).toEqual({});
    await ask(GEMINI);
    const refused = await ask(GEMINI);
    const { error } = (await refused.json()) as { error: { status: string; details: object[] } };
    expect([refused.status, error.status, shown(refused)]).toEqual([429, "RESOURCE_EXHAUSTED", {}]);
    expect(error.details[0]).toEqual({ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "61s" });
  });

  test("is of the tighter of two limits, and of the group's own", async () => {
    withOptions(relay.world, { ...LIMITED, ModelRequestRateLimitCount: 10, ModelRequestRateLimitSuccessCount: 4 });
    expect(shown(await ask(OPENAI))).toMatchObject({ "x-ratelimit-limit-requests": "4" });
    withOptions(relay.world, { ModelRequestRateLimitCount: 2 });
    expect(shown(await ask(OPENAI))).toMatchObject({
      "x-ratelimit-limit-requests": "2",
      "x-ratelimit-remaining-requests": "0",
    });
    withOptions(relay.world, { ModelRequestRateLimitGroup: { default: [0, 50] } });
    expect(shown(await ask(OPENAI))).toMatchObject({ "x-ratelimit-limit-requests": "50" });
  });

  test("is left out of the frames of a socket, which have no heads", async () => {
    withOptions(relay.world, LIMITED);
    const headers = { authorization: `Bearer sk-${TEST_KEY}` };
    const socket = new WebSocket(`${relay.url.replace("http", "ws")}/v1/responses`, { headers });
    const types: string[] = [];
    socket.on("message", (data) => types.push((JSON.parse((data as Buffer).toString()) as { type: string }).type));
    socket.on("open", () => socket.send(JSON.stringify({ type: "response.create", ...RESPONSES[1] })));
    await until(() => types.includes("response.completed") || types.includes("error"));
    expect(types).toContain("response.completed");
    socket.close();
  });
});

describe("a limit that lets a call in within two seconds", () => {
  test("of calls in a window is waited for", async () => {
    withOptions(relay.world, LIMITED);
    await ask(OPENAI);
    await ask(OPENAI);
    nowMs += 60_000;
    // The slot of the first calls ends in a second.
    const waiting = ask(OPENAI);
    await new Promise((resolve) => setImmediate(resolve));
    nowMs += 1_000;
    expect([(await waiting).status, upstream.count]).toEqual([200, 3]);
  });

  test("of open calls is waited for, and refuses where none ends", async () => {
    withOptions(relay.world, { TokenConcurrencyLimit: 1 });
    const end = Promise.withResolvers<void>();
    upstream.next({ beforeHead: end.promise });
    const running = ask(OPENAI);
    await until(() => upstream.count === 1);
    const startMs = performance.now();
    expect((await ask(OPENAI)).status).toBe(429);
    expect(performance.now() - startMs).toBeGreaterThan(1_900);
    const waiting = ask(OPENAI);
    end.resolve();
    expect([(await running).status, (await waiting).status]).toEqual([200, 200]);
  });

  test("is not waited for by more than 32 calls of a user, and by none whose client left", async () => {
    withOptions(relay.world, { TokenConcurrencyLimit: 1 });
    const end = Promise.withResolvers<void>();
    upstream.next({ beforeHead: end.promise });
    const running = ask(OPENAI);
    await until(() => upstream.count === 1);
    const leaving = new AbortController();
    const asked = Array.from({ length: 32 }, () =>
      fetch(relay.url + OPENAI[0], {
        method: "POST",
        headers: { authorization: `Bearer sk-${TEST_KEY}` },
        body: JSON.stringify(OPENAI[1]),
        signal: leaving.signal,
      }).catch(() => undefined),
    );
    await until(() => relay.metrics.openCalls === 33);
    const startMs = performance.now();
    expect((await ask(OPENAI)).status).toBe(429);
    expect(performance.now() - startMs).toBeLessThan(1_500);
    leaving.abort();
    await Promise.all(asked);
    await until(() => relay.metrics.openCalls === 1);
    const waiting = ask(OPENAI);
    end.resolve();
    expect([(await running).status, (await waiting).status]).toEqual([200, 200]);
    expect(upstream.count).toBe(2);
  });
});
