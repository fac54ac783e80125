/** Admission: key forms, checks in their order, status codes, envelopes, limits. */
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { keyParts } from "../../server/src/relay/admission/authenticate.ts";
import { createClientAddress } from "../../server/src/relay/admission/caller.ts";
import {
  TEST_KEY,
  type TestRelay,
  newChannel,
  newToken,
  newUser,
  startTestRelay,
  until,
  withOptions,
} from "../support/relay/harness.ts";

let upstream: FakeUpstream;
let relay: TestRelay;

beforeEach(async () => {
  upstream = await startFakeUpstream();
  relay = await startTestRelay({ limits: { bodyBytes: 20_000 } });
  relay.world.channels.push(newChannel({ baseUrl: upstream.url }));
});

afterEach(async () => {
  await relay.close();
  await upstream.close();
});

const chat = { model: "gpt-4o", messages: [{ role: "user", content: "hello" }] };
const withToken = (changes: Parameters<typeof newToken>[0]): void =>
  void relay.world.tokens.set(TEST_KEY, newToken(changes));

interface Envelope {
  error: { message: string; type: string; code: string | null; param: string | null };
}

/** Posts and expects the envelope; nothing may reach the upstream, be held or charged. */
async function refused(
  status: number,
  code: string,
  body: unknown = chat,
  headers?: Record<string, string>,
): Promise<Envelope["error"]> {
  const answer = await relay.post("/v1/chat/completions", body, headers);
  const { error } = (await answer.json()) as Envelope;
  expect([answer.status, error.code]).toEqual([status, code]);
  expect(error.message).toMatch(/\(request id: req-test-\d+\)$/);
  expect(error.message).not.toContain(TEST_KEY.slice(0, 8));
  expect(error).toHaveProperty("param");
  expect([upstream.count, relay.billing.settlements.length, relay.billing.held]).toEqual([0, 0, 0]);
  return error;
}

test("one sk- is stripped, and a channel is read behind the key", () => {
  expect(keyParts("Bearer sk-abc")).toEqual({ key: "abc", channel: undefined });
  expect(keyParts("sk-sk")).toEqual({ key: "sk", channel: undefined });
  expect(keyParts("Bearer skabc")).toEqual({ key: "skabc", channel: undefined });
  expect(keyParts("bearer  sk-abc-12-x")).toEqual({ key: "abc", channel: "12" });
  expect(keyParts("")).toEqual({ key: "", channel: undefined });
});

test.each([
  ["authorization", `Bearer sk-${TEST_KEY}`],
  ["authorization", `bearer ${TEST_KEY}`],
  ["authorization", `sk-${TEST_KEY}`],
  ["x-api-key", `sk-${TEST_KEY}`],
  ["api-key", `sk-${TEST_KEY}`],
  ["sec-websocket-protocol", `realtime, openai-insecure-api-key.sk-${TEST_KEY}`],
])("a key in %s as %s is taken", async (name, value) => {
  const answer = await fetch(`${relay.url}/v1/models`, { headers: { [name]: value } });
  expect(answer.status).toBe(200);
});

test("no key, a wrong key and a key of a deleted user are 401", async () => {
  await refused(401, "key_missing", chat, { authorization: "" });
  await refused(401, "key_invalid", chat, { authorization: "Bearer sk-wrong" });
  relay.world.users[0] = newUser({ isDeleted: true });
  await refused(401, "key_invalid");
});

test.each([
  [{ status: 4 }, "key_exhausted"],
  [{ status: 3 }, "key_expired"],
  [{ status: 2 }, "key_disabled"],
  [{ expiredTime: 1_000_000 }, "key_expired"],
] as const)("a token with %o is 401 %s", async (changes, code) => {
  withToken(changes);
  await refused(401, code);
});

test("a banned user is 403", async () => {
  relay.world.users[0] = newUser({ status: 2 });
  await refused(403, "user_banned");
});

test("only administrators choose a channel, and only one that exists and is enabled", async () => {
  const as = (suffix: string) => ({ authorization: `Bearer sk-${TEST_KEY}-${suffix}` });
  await refused(403, "channel_choice_forbidden", chat, as("1"));
  relay.world.users[0] = newUser({ role: 10 });
  await refused(400, "channel_choice_invalid", chat, as("x"));
  await refused(400, "channel_choice_invalid", chat, as("99"));
  relay.world.channels.push(
    newChannel({ id: 2, status: 2, baseUrl: upstream.url }),
    newChannel({ id: 3, baseUrl: upstream.url, models: new Set() }),
  );
  await refused(403, "channel_choice_disabled", chat, as("2"));
  expect((await relay.post("/v1/chat/completions", chat, as("3"))).status).toBe(200);
  expect(relay.billing.settlements[0]?.channelId).toBe(3);
});

test("an address outside the token's list is 403 on every path", async () => {
  withToken({ isAddressAllowed: (address) => address === "10.9.8.7" });
  await refused(403, "address_not_allowed");
  const models = await fetch(`${relay.url}/v1/models`, { headers: { authorization: `Bearer ${TEST_KEY}` } });
  expect(models.status).toBe(403);
});

test("X-Forwarded-For is believed from trusted proxies only, right to left", () => {
  const request = (peer: string, forwarded?: string) =>
    ({ socket: { remoteAddress: peer }, headers: { "x-forwarded-for": forwarded } }) as never;
  const nobody = createClientAddress([]);
  const some = createClientAddress(["10.0.0.0/8", "::1"]);
  expect(nobody(request("10.0.0.1", "1.2.3.4"))).toBe("10.0.0.1");
  expect(some(request("10.0.0.1", "6.6.6.6, 1.2.3.4, 10.0.0.2"))).toBe("1.2.3.4");
  expect(some(request("::ffff:10.0.0.1", "1.2.3.4"))).toBe("1.2.3.4");
  expect(some(request("9.9.9.9", "1.2.3.4"))).toBe("9.9.9.9");
  expect(some(request("::1", "nonsense"))).toBe("::1");
  expect(some(request("::1", "10.0.0.5"))).toBe("10.0.0.5");
  // A proxy that writes ports, or unreadable entries, lets no client choose its own address.
  expect(some(request("10.0.0.1", "6.6.6.6, 1.2.3.4:5678"))).toBe("1.2.3.4");
  expect(some(request("10.0.0.1", "6.6.6.6, [2001:db8::1]:443, 10.0.0.2:80"))).toBe("2001:db8::1");
  expect(some(request("10.0.0.1", "6.6.6.6, unknown"))).toBe("10.0.0.1");
  expect(some(request("", "6.6.6.6"))).toBe("");
});

test("models outside the token's list are 403, unknown ones 404, unpriced ones 400", async () => {
  withToken({ modelLimits: new Set(["gpt-4o-mini"]) });
  expect((await refused(403, "model_not_allowed")).message).toContain("gpt-4o");
  withToken({});
  await refused(404, "model_not_found", { ...chat, model: "nothing" });
  relay.world.prices.delete("gpt-4o");
  await refused(400, "model_price_error");
});

test("an unpriced model passes in self-use mode or by the user's own setting", async () => {
  relay.world.prices.delete("gpt-4o");
  withOptions(relay.world, { SelfUseModeEnabled: true });
  expect((await relay.post("/v1/chat/completions", chat)).status).toBe(200);
  withOptions(relay.world, { SelfUseModeEnabled: false });
  relay.world.users[0] = newUser({ acceptsUnpricedModels: true });
  expect((await relay.post("/v1/chat/completions", chat)).status).toBe(200);
});

test("a token's group has to be usable by its owner and to exist; its ratio is charged", async () => {
  withToken({ groupName: "vip" });
  await refused(403, "group_not_allowed");
  relay.world.users[0] = newUser({ groupName: "vip" });
  relay.world.groupRatios.delete("vip");
  await refused(403, "group_unknown");
  relay.world.groupRatios.set("vip", "0.5");
  relay.world.channels[0] = newChannel({ baseUrl: upstream.url, groupNames: ["vip"] });
  upstream.plan({ usage: { prompt_tokens: 1000, completion_tokens: 0, total_tokens: 1000 }, text: "" });
  await relay.post("/v1/chat/completions", chat);
  expect(relay.billing.settlements[0]).toMatchObject({ charge: 625, groupName: "vip" });
});

test("rate limits count calls and successes of a user, with Retry-After", async () => {
  withOptions(relay.world, {
    ModelRequestRateLimitEnabled: true,
    ModelRequestRateLimitCount: 2,
    ModelRequestRateLimitSuccessCount: 10,
  });
  expect((await relay.post("/v1/chat/completions", chat)).status).toBe(200);
  expect((await relay.post("/v1/chat/completions", chat)).status).toBe(200);
  const third = await relay.post("/v1/chat/completions", chat);
  expect([third.status, third.headers.get("retry-after")]).toEqual([429, expect.stringMatching(/^6[01]$/)]);
  withOptions(relay.world, { ModelRequestRateLimitGroup: { default: [0, 2] } });
  expect((await relay.post("/v1/chat/completions", chat)).status).toBe(429);
  withOptions(relay.world, { ModelRequestRateLimitGroup: { default: [0, 3] } });
  expect((await relay.post("/v1/chat/completions", chat)).status).toBe(200);
});

test("sensitive words are found in messages, also behind escapes, and nowhere else", async () => {
  withOptions(relay.world, { SensitiveWords: ["Forbidden", "禁词"] });
  const say = (content: string) => JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content }] });
  await refused(400, "sensitive_words_detected", say("this is FORBIDDEN here"));
  await refused(400, "sensitive_words_detected", say("有禁词吗"));
  await refused(400, "sensitive_words_detected", say("hidden").replace("hidden", "forb\\u0069dden"));
  expect((await relay.post("/v1/chat/completions", { ...chat, user: "forbidden" })).status).toBe(200);
  withOptions(relay.world, { CheckSensitiveEnabled: false });
  expect((await relay.post("/v1/chat/completions", say("forbidden"))).status).toBe(200);
});

test("a balance that does not reach is 403, unavailable books are 503", async () => {
  relay.billing.balance = 0;
  await refused(403, "insufficient_user_quota");
  relay.billing.isHealthy = false;
  await refused(503, "books_unavailable");
});

test.each([
  ["{", 400, "invalid_json"],
  ["[]", 400, "invalid_json"],
  [`{"model":"gpt-4o","messages":${"[".repeat(64)}${"]".repeat(64)}}`, 400, "json_too_deep"],
  ['{"messages":[]}', 400, "model_missing"],
  ['{"model":"gpt-4o"}', 400, "messages_missing"],
  [`{"model":"${"m".repeat(256)}","messages":[]}`, 400, "model_too_long"],
  ['{"model":"gpt-4o","messages":[],"n":129}', 400, "choices_invalid"],
  ['{"model":"gpt-4o","messages":[],"n":1e300}', 400, "choices_invalid"],
  ['{"model":"gpt-4o","messages":[],"max_tokens":2000000000}', 400, "max_tokens_invalid"],
  [JSON.stringify({ ...chat, pad: "x".repeat(20_000) }), 413, "body_too_large"],
])("a bad body (%#) is %i %s", async (body, status, code) => {
  await refused(status, code, body);
});

test("a compressed body is read, a bomb is 413, a broken one 400", async () => {
  const send = (body: Buffer, encoding = "gzip") =>
    fetch(`${relay.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${TEST_KEY}`, "content-encoding": encoding },
      body: new Uint8Array(body),
    });
  expect((await send(gzipSync(JSON.stringify(chat)))).status).toBe(200);
  expect((await send(gzipSync(JSON.stringify({ ...chat, pad: "x".repeat(1_000_000) })))).status).toBe(413);
  expect((await send(Buffer.from("not gzip"))).status).toBe(400);
  expect((await send(Buffer.from("{}"), "rot13")).status).toBe(400);
});

test.each([
  ["GET", "/v1/nothing", 404, "invalid_url"],
  ["POST", "/v1/assistants", 501, "api_not_implemented"],
  ["GET", "/v1/files", 501, "api_not_implemented"],
  ["GET", "/v1/chat/completions/chatcmpl-1", 501, "api_not_implemented"],
  ["POST", "/v1/skills", 501, "api_not_implemented"],
  ["POST", "/v1/chatkit/sessions", 501, "api_not_implemented"],
  ["GET", "/v1/agents", 501, "api_not_implemented"],
  ["POST", "/v1/content_provenance_checks", 501, "api_not_implemented"],
  ["GET", "/v1/chat/completions", 405, "method_not_allowed"],
  ["POST", `/v1/chat/completions?${"x".repeat(9000)}`, 414, "url_too_long"],
])("%s %s is %i", async (method, path, status, code) => {
  const answer = await fetch(relay.url + path, { method });
  expect([answer.status, ((await answer.json()) as Envelope).error.code]).toEqual([status, code]);
});

test("an Anthropic client reads of what is not served in its own envelope", async () => {
  const answer = await fetch(`${relay.url}/v1/files`, { headers: { "anthropic-version": "2023-06-01" } });
  expect([answer.status, await answer.json()]).toMatchObject([501, { type: "error", error: { type: "api_error" } }]);
});

test.each([
  ["DELETE", "/v1/chat/completions", "POST, OPTIONS"],
  ["GET", "/v1/messages", "POST, OPTIONS"],
  ["GET", "/v1beta/models/gpt-4o:generateContent", "POST, OPTIONS"],
  ["HEAD", "/v1/chat/completions", "POST, OPTIONS"],
  ["POST", "/v1/models", "GET, HEAD, OPTIONS"],
  ["POST", "/v1/realtime", "GET, HEAD, OPTIONS"],
])("%s %s is 405 and names the methods that are taken", async (method, path, allowed) => {
  const answer = await fetch(relay.url + path, { method });
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, allowed]);
});

test.each(["constructor", "toString", "hasOwnProperty", "__proto__", "nothing"])(
  "a method %s of a Gemini model is 501: what every object has is no method",
  async (method) => {
    const answer = await fetch(`${relay.url}/v1beta/models/gpt-4o:${method}`, { method: "POST", body: "{}" });
    expect([answer.status, await answer.json()]).toEqual([501, { error: expect.objectContaining({ code: 501 }) }]);
  },
);

test.each([[["words"]], [12_345], [{ text: "words" }], [true], [null]])("speech of %o is 400", async (input) => {
  relay.world.channels[0] = newChannel({ baseUrl: upstream.url, models: new Set(["tts-1"]) });
  const answer = await relay.post("/v1/audio/speech", { model: "tts-1", voice: "alloy", input });
  expect([answer.status, ((await answer.json()) as Envelope).error.code, upstream.count]).toEqual([
    400,
    "input_not_text",
    0,
  ]);
});

test("a slash at the end of a path is no part of it, here and at the upstream", async () => {
  expect((await relay.post("/v1/chat/completions/?x=1", chat)).status).toBe(200);
  expect(upstream.requests[0]?.path).toBe("/v1/chat/completions?x=1");
});

test("a browser's preflight is answered, and answers may be read from any origin", async () => {
  const preflight = await fetch(`${relay.url}/v1/chat/completions`, { method: "OPTIONS" });
  expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
  const answer = await relay.post("/v1/chat/completions", chat);
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
});

test("a small refused body keeps the connection usable", async () => {
  const socket = connect(Number(new URL(relay.url).port), "127.0.0.1");
  const body = JSON.stringify(chat);
  const request = (key: string): string =>
    `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  let received = "";
  socket.on("data", (part) => void (received += part.toString()));
  socket.write(request("wrong"));
  await until(() => received.includes('"error"'));
  socket.write(request(TEST_KEY));
  await until(() => received.includes("HTTP/1.1 200"));
  socket.destroy();
  expect(received).toMatch(/^HTTP\/1.1 401[\s\S]*HTTP\/1.1 200/);
});

test("models are listed as OpenAI lists them, one by one too", async () => {
  const get = async (path: string) => {
    const answer = await fetch(relay.url + path, { headers: { authorization: `Bearer ${TEST_KEY}` } });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const { body } = await get("/v1/models");
  expect(body).toMatchObject({
    object: "list",
    data: [{ id: "gpt-4o", object: "model", owned_by: "openai" }, { id: "gpt-4o-mini" }],
  });
  expect((await get("/v1/models/gpt-4o")).body).toMatchObject({ id: "gpt-4o", object: "model" });
  expect(await get("/v1/models/nothing")).toMatchObject({
    status: 404,
    body: { error: { code: "model_not_found", param: "model" } },
  });
  withToken({ modelLimits: new Set(["b", "a"]) });
  expect(((await get("/v1/models")).body["data"] as { id: string }[]).map(({ id }) => id)).toEqual(["a", "b"]);
});

test("the head of a list is had without it", async () => {
  const head = await fetch(`${relay.url}/v1/models`, {
    method: "HEAD",
    headers: { authorization: `Bearer ${TEST_KEY}` },
  });
  expect([head.status, Number(head.headers.get("content-length")) > 0, await head.text()]).toEqual([200, true, ""]);
  expect((await fetch(`${relay.url}/v1/models`, { method: "HEAD" })).status).toBe(401);
});

test("the billing pages of older clients show the token or the user, in USD or quota", async () => {
  const get = async (path: string) =>
    (await (await fetch(relay.url + path, { headers: { authorization: `Bearer ${TEST_KEY}` } })).json()) as Record<
      string,
      unknown
    >;
  withToken({ isUnlimited: false });
  expect(await get("/dashboard/billing/subscription")).toMatchObject({
    object: "billing_subscription",
    hard_limit_usd: 3,
    soft_limit_usd: 3,
    system_hard_limit_usd: 3,
    has_payment_method: true,
    access_until: 0,
  });
  expect(await get("/v1/dashboard/billing/usage?start_date=2026-01-01")).toEqual({ object: "list", total_usage: 100 });
  withToken({ isUnlimited: true, expiredTime: 4_000_000_000 });
  expect(await get("/v1/dashboard/billing/subscription")).toMatchObject({
    hard_limit_usd: 100_000_000,
    access_until: 4_000_000_000,
  });
  withOptions(relay.world, { DisplayTokenStatEnabled: false, DisplayInCurrencyEnabled: false });
  expect(await get("/dashboard/billing/usage")).toEqual({ object: "list", total_usage: 25_000_000 });
});

test("a body that stops arriving is 408, and memory that is used up is 503", async () => {
  await relay.close();
  relay = await startTestRelay({ world: relay.world, bodyPauseMs: 100, limits: { sseBudgetBytes: 2000 } });
  const socket = connect(Number(new URL(relay.url).port), "127.0.0.1");
  let received = "";
  socket.on("data", (part) => void (received += part.toString()));
  socket.on("error", () => undefined);
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TEST_KEY}\r\nContent-Length: 500\r\n\r\n{"model"`,
  );
  await until(() => received.includes("body_too_slow"));
  expect(received).toMatch(/^HTTP\/1.1 408/);
  socket.destroy();
  await refused(503, "over_capacity", { ...chat, pad: "x".repeat(3000) });
  expect((await relay.post("/v1/chat/completions", chat)).status).toBe(200);
});
