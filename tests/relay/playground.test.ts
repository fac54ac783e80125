/** The playground's calls: a session in place of a token, a group of the user's choice, otherwise a chat call like any. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startFakeUpstream, type FakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { AppError } from "../../contract/src/errors.ts";
import type { ConsoleSession } from "../../server/src/relay/call/context.ts";
import { type TestRelay, newChannel, newUser, startTestRelay, until, withOptions } from "../support/relay/harness.ts";
import { MemoryBilling } from "../support/relay/memory-billing.ts";

const USAGE = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
/** (100 + 10 x 4) x 1.25 */
const CHARGE = 175;

let upstream: FakeUpstream;
let relay: TestRelay;
let session: ConsoleSession | AppError;

beforeEach(async () => {
  upstream = await startFakeUpstream({ key: "sk-upstream-secret-key", plan: { text: "hello", usage: USAGE } });
  session = { userId: 1, isBrowser: true };
  relay = await startTestRelay({ sessionOf: async () => found(session) });
  relay.world.users[0] = newUser({ groupName: "vip" });
  const groupNames = ["default", "vip"];
  relay.world.channels.push(newChannel({ baseUrl: upstream.url, groupNames }));
});
afterEach(async () => {
  await relay.close();
  await upstream.close();
});

function found(each: ConsoleSession | AppError): ConsoleSession {
  if (each instanceof AppError) throw each;
  return each;
}

const MESSAGES = [{ role: "user", content: "hi" }];
const ask = (fields: object = {}, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${relay.url}/pg/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "gpt-4o", messages: MESSAGES, ...fields }),
  });

interface Refused {
  success?: boolean;
  message?: string;
  code?: string;
  error: { code: string; type: string; message: string; param: string | null };
}
const refused = async (answer: Promise<Response>): Promise<Refused & { status: number }> => {
  const response = await answer;
  return { status: response.status, ...((await response.json()) as Refused) };
};

const askAt = (path: string, fields: object): Promise<Response> =>
  fetch(`${relay.url}/pg/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ group: "default", ...fields }),
  });

describe("what the playground and the studio make beside words", () => {
  test.each([
    ["images/generations", "dall-e-3", { prompt: "a cat", size: "1024x1024" }],
    ["audio/speech", "tts-1", { input: "Good morning.", voice: "alloy" }],
    ["embeddings", "text-embedding-3-small", { input: "a cat" }],
  ])("%s goes out without the page's group, and is the person's charge under no token", async (path, model, fields) => {
    relay.world.channels[0] = newChannel({
      baseUrl: upstream.url,
      groupNames: ["default", "vip"],
      models: new Set([model]),
    });
    relay.world.prices.set(model, { kind: "per_call", price: "0.01" });
    const answer = await askAt(path, { model, ...fields });
    expect(answer.status).toBe(200);
    await answer.arrayBuffer();
    expect(upstream.requests.map((seen) => [seen.path, JSON.parse(seen.body.toString()) as unknown])).toEqual([
      [`/v1/${path}`, { model, ...fields }],
    ]);
    expect(relay.billing.settlements).toMatchObject([{ userId: 1, tokenId: 0, groupName: "default" }]);
    expect(relay.billing.rows).toMatchObject([{ tokenName: "playground-default", modelName: model }]);
  });

  test("nothing is made without a session, by a form, or in a group that is not the person's", async () => {
    const form = new FormData();
    form.set("prompt", "a cat");
    const byForm = await fetch(`${relay.url}/pg/video/generations`, { method: "POST", body: form });
    expect(byForm.status).toBe(400);
    const stranger = { model: "dall-e-3", prompt: "a cat", group: "others" };
    expect(await refused(askAt("images/generations", stranger))).toMatchObject({
      status: 403,
      error: { code: "group_not_allowed" },
    });
    session = new AppError("not_logged_in");
    for (const path of ["images/generations", "audio/speech", "mj/submit/imagine", "video/generations"])
      expect(await refused(askAt(path, { prompt: "a cat" }))).toMatchObject({ status: 401, code: "not_logged_in" });
    expect(upstream.count).toBe(0);
  });

  test("only what the studio hands over has an address there", async () => {
    for (const path of ["mj/submit/describe", "mj/insight-face/swap", "suno/fetch", "videos"])
      expect((await askAt(path, {})).status).toBe(404);
  });
});

describe("a call", () => {
  test("is answered in one piece, charged to the user and to no token, and logged under its group", async () => {
    const answer = await ask({ group: "default" });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ choices: [{ message: { content: "hello" } }] });
    expect(relay.billing.settlements).toMatchObject([
      { userId: 1, tokenId: 0, isTokenLimited: false, charge: CHARGE, groupName: "default" },
    ]);
    expect(relay.billing.rows).toMatchObject([
      { type: 2, tokenId: 0, tokenName: "playground-default", username: "alice", modelName: "gpt-4o", quota: CHARGE },
    ]);
    expect(relay.billing.holds.size).toBe(0);
  });

  test("is streamed with events and their end", async () => {
    const answer = await ask({ stream: true, group: "default" });
    expect(answer.headers.get("content-type")).toContain("text/event-stream");
    const text = await answer.text();
    expect(text).toContain('"delta":{');
    expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
    expect(relay.billing.settlements[0]?.charge).toBe(CHARGE);
  });

  test("without a group is in the user's own, at its ratio", async () => {
    await (await ask({ group: "" })).text();
    await (await ask()).text();
    expect(relay.billing.rows.map((row) => [row.tokenName, row.groupName, row.quota])).toEqual([
      ["playground-vip", "vip", 88],
      ["playground-vip", "vip", 88],
    ]);
  });

  test("goes upstream as a chat call without the page's own fields, everything else unchanged", async () => {
    const more = { max_tokens: 0, temperature: 0, seed: 7.0, user: "ü" };
    await (await ask({ group: "default", ...more })).text();
    await (await ask({ group: "default", max_tokens: 9 })).text();
    expect(upstream.requests.map(({ path }) => path)).toEqual(["/v1/chat/completions", "/v1/chat/completions"]);
    const [first, second] = upstream.requests.map(({ body }) => body.toString());
    expect(first).toBe(`{"model":"gpt-4o","messages":${JSON.stringify(MESSAGES)},"temperature":0,"seed":7,"user":"ü"}`);
    expect(JSON.parse(second ?? "")).toEqual({ model: "gpt-4o", messages: MESSAGES, max_tokens: 9 });
  });

  test("counts among the model requests of its user", async () => {
    withOptions(relay.world, { ModelRequestRateLimitEnabled: true, ModelRequestRateLimitSuccessCount: 1 });
    await (await ask()).text();
    expect(await refused(ask())).toMatchObject({ status: 429, error: { code: "rate_limit_exceeded" } });
  });

  test("counts as open for its user alone", async () => {
    withOptions(relay.world, { TokenConcurrencyLimit: 1 });
    relay.world.users.push(newUser({ id: 2 }));
    upstream.plan({ neverAnswers: true });
    const controller = new AbortController();
    const waiting = fetch(`${relay.url}/pg/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model: "gpt-4o", messages: MESSAGES }),
      signal: controller.signal,
    }).catch(() => undefined);
    await until(() => upstream.count === 1);
    expect(await refused(ask())).toMatchObject({ status: 429, error: { code: "concurrency_exceeded" } });
    upstream.plan({ text: "hello" });
    session = { userId: 2, isBrowser: true };
    expect((await ask()).status).toBe(200);
    controller.abort();
    await waiting;
    session = { userId: 1, isBrowser: true };
    await until(() => relay.billing.holds.size === 0);
    expect((await ask()).status).toBe(200);
  });

  test("has no Idempotency-Key: no user gets another user's answer", async () => {
    relay.world.users.push(newUser({ id: 2 }));
    for (const userId of [1, 2]) {
      session = { userId, isBrowser: true };
      const answer = await ask({}, { "idempotency-key": "same" });
      expect([answer.status, answer.headers.get("idempotent-replayed")]).toEqual([200, null]);
      await answer.text();
    }
    expect(relay.billing.settlements).toHaveLength(2);
  });

  test("that no channel answers costs nothing and is logged", async () => {
    upstream.plan({ status: 500 });
    expect((await ask()).status).toBe(500);
    expect(relay.billing.holds.size).toBe(0);
    await until(() => relay.billing.rows.length === 1);
    expect(relay.billing.rows).toMatchObject([{ type: 5, tokenName: "playground-vip", quota: 0 }]);
  });
});

describe("a refusal", () => {
  test.each([
    ["no session", "not_logged_in", 401, "authentication_error"],
    ["another person's id in the header", "user_header_missing", 401, "authentication_error"],
    ["a banned person", "user_banned", 403, "permission_error"],
    ["another site", "cross_site", 403, "permission_error"],
    ["too many calls of an address", "too_many_requests", 429, "rate_limit_error"],
  ] as const)("for %s has the console's envelope and the API's", async (_name, code, status, type) => {
    session = new AppError(code);
    const refusal = await refused(ask());
    expect(refusal).toMatchObject({ status, success: false, code, error: { code, type } });
    expect(refusal.message).toBe(session.message);
    expect(refusal.error.message).toContain(session.message);
    expect(upstream.count).toBe(0);
  });

  test("for an access token says what to use", async () => {
    session = { userId: 1, isBrowser: false };
    expect(await refused(ask())).toMatchObject({ status: 400, error: { code: "access_token_not_supported" } });
  });

  test("for a deleted user is the one for no session", async () => {
    session = { userId: 99, isBrowser: true };
    expect(await refused(ask())).toMatchObject({ status: 401, success: false, code: "not_logged_in" });
  });

  test.each([
    ["no model", { model: "" }, 400, "model_required"],
    ["no messages", { messages: undefined }, 400, "messages_missing"],
    ["a group that is not theirs", { group: "default2" }, 403, "group_not_allowed"],
    ["a group that is no text", { group: 7 }, 403, "group_not_allowed"],
    ["a model nobody offers", { model: "other" }, 404, "model_not_found"],
  ])("for %s is the API's", async (_name, fields, status, code) => {
    expect(await refused(ask(fields))).toMatchObject({ status, error: { code } });
    expect(upstream.count).toBe(0);
    expect(relay.billing.holds.size).toBe(0);
  });

  test("for a balance that does not reach is the API's", async () => {
    await relay.close();
    relay = await startTestRelay({ billing: new MemoryBilling(1), sessionOf: async () => found(session) });
    relay.world.channels.push(newChannel({ baseUrl: upstream.url }));
    expect(await refused(ask())).toMatchObject({ status: 403, error: { code: "insufficient_user_quota" } });
  });

  test("for another method or address is the API's", async () => {
    const at = (path: string, method: string): Promise<Response> => fetch(relay.url + path, { method });
    expect(await refused(at("/pg/chat/completions", "GET"))).toMatchObject({ status: 405 });
    expect(await refused(at("/pg/other", "POST"))).toMatchObject({ status: 404, error: { code: "invalid_url" } });
  });
});
