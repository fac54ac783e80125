/** The relay on real engines: one set of promises on SQLite, PostgreSQL and MySQL/MariaDB, each with and without Redis. */
import { join } from "node:path";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TokenRow } from "../../contract/src/features/tokens.ts";
import { type RunningApp, startApp } from "../../server/src/app.ts";
import { receiptShorthand } from "../../server/src/billing/shorthand.ts";
import { createLogger } from "../../server/src/observe/logger.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { engines } from "../support/databases/databases.ts";
import { type OwnEngine, canStart, startRedis } from "../support/databases/own-engines.ts";
import { until } from "../support/systems/processes.ts";
import { ROOT_PASSWORD, TestClient } from "../support/systems/server.ts";
import {
  type TestLedger,
  MODELS,
  type Person,
  type Site,
  countedPrice,
  dataOf,
  loggedIn,
  makeSite,
  openTestLedger,
} from "../support/systems/site.ts";

const USAGE = { prompt_tokens: 101, completion_tokens: 7, total_tokens: 108 };
const CHARGE = countedPrice(USAGE.prompt_tokens, USAGE.completion_tokens);
const QUOTA = 1_000_000;
const CHAT = { model: MODELS.counted, messages: [{ role: "user" as const, content: "hello" }] };
const modes = ["without Redis", ...(canStart("redis-server") ? ["with Redis"] : [])];
const scenes = (await engines()).flatMap((engine) => modes.map((mode) => ({ engine, mode })));

let redis: OwnEngine | undefined;
beforeAll(async () => {
  if (modes.length > 1) redis = await startRedis();
});
afterAll(() => redis?.remove());

describe.each(scenes)("relay on $engine $mode", ({ engine, mode }) => {
  let upstream: FakeUpstream;
  let site: Site;
  let app: RunningApp;
  let books: TestLedger;
  let person: Person;

  beforeAll(async () => {
    upstream = await startFakeUpstream({ plan: { usage: USAGE, text: "one two three", chunks: 3 } });
    site = await makeSite(engine, {
      upstreamUrl: upstream.url,
      quotas: [QUOTA, 0],
      options: { RetryTimes: "2" },
    });
    const { config } = site.place;
    app = await startApp(
      { ...config, allowPrivateUpstreams: true, redisUrl: mode === "with Redis" ? redis?.url : undefined },
      { logger: createLogger({ level: "silent" }), webDirectory: join(config.dataDir, "no-web") },
    );
    console.log(`engine ${engine}, server version ${app.foundation.database.version}, ${mode}`);
    books = await openTestLedger(site);
    [person] = site.people as [Person];
  });
  afterAll(async () => {
    await app?.close();
    await books?.close();
    await site?.remove();
    await upstream?.close();
  });

  const post = (body: unknown, headers: Record<string, string> = { authorization: `Bearer ${person.key}` }) =>
    fetch(`${app.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });

  /** The one row a query returns, its numbers as numbers with any driver. */
  async function numbers(query: string): Promise<Record<string, number>> {
    const rows = await books.rows(query);
    expect(rows).toHaveLength(1);
    return Object.fromEntries(Object.entries(rows[0] ?? {}).map(([name, value]) => [name, Number(value)]));
  }
  const sums = async () => ({
    user: await numbers(`SELECT quota, held, used_quota, request_count FROM users WHERE id = ${person.userId}`),
    token: await numbers(`SELECT used_quota FROM tokens WHERE id = ${person.tokenId}`),
    channel:
      await numbers(`SELECT used_quota + (SELECT COALESCE(SUM(used), 0) FROM channel_usage WHERE channel_id = channels.id) AS used_quota
      FROM channels WHERE id = ${site.channelId}`),
    hours: await numbers(
      `SELECT SUM(requests) AS requests, SUM(quota) AS quota, SUM(prompt_tokens) AS prompt, SUM(completion_tokens) AS completion FROM usage_hours WHERE user_id = ${person.userId}`,
    ),
  });

  test("a call's charge is the same number in ledger, usage log, balance, token, channel and roll-up", async () => {
    const answer = await post(CHAT);
    expect(answer.status).toBe(200);
    await answer.text();
    const requestId = String(answer.headers.get("x-request-id"));
    expect(
      await numbers(`SELECT used_delta, quota_delta FROM ledger WHERE kind = 'charge' AND entry_id = '${requestId}'`),
    ).toEqual({ used_delta: CHARGE, quota_delta: -CHARGE });
    expect(
      await numbers(
        `SELECT quota, prompt_tokens, completion_tokens FROM logs WHERE type = 2 AND request_id = '${requestId}'`,
      ),
    ).toEqual({ quota: CHARGE, prompt_tokens: 101, completion_tokens: 7 });
    expect(await sums()).toEqual({
      user: { quota: QUOTA - CHARGE, held: 0, used_quota: CHARGE, request_count: 1 },
      token: { used_quota: CHARGE },
      channel: { used_quota: CHARGE },
      hours: { requests: 1, quota: CHARGE, prompt: 101, completion: 7 },
    });
  });

  test("a repeat with the same Idempotency-Key gets the same bytes and is charged once, also side by side", async () => {
    const headers = { authorization: `Bearer ${person.key}`, "idempotency-key": "order 66" };
    const before = await sums();
    const answers = await Promise.all(Array.from({ length: 6 }, () => post(CHAT, headers)));
    const bodies = await Promise.all(answers.map((answer) => answer.text()));
    const made = answers.findIndex(({ status, headers: its }) => status === 200 && !its.has("idempotent-replayed"));
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    const again = await post(CHAT, headers);
    expect([again.status, again.headers.get("idempotent-replayed"), again.headers.get("x-request-id")]).toEqual([
      200,
      "true",
      answers[made]?.headers.get("x-request-id"),
    ]);
    expect(await again.text()).toBe(bodies[made]);
    expect((await post({ ...CHAT, temperature: 1 }, headers)).status).toBe(422);
    expect((await sums()).user).toEqual({
      quota: (before.user["quota"] ?? 0) - CHARGE,
      held: 0,
      used_quota: (before.user["used_quota"] ?? 0) + CHARGE,
      request_count: (before.user["request_count"] ?? 0) + 1,
    });
  });

  test("the official SDK reads a stream, an answer, embeddings and models", async () => {
    const client = new OpenAI({ apiKey: person.key, baseURL: `${app.url}/v1`, maxRetries: 0 });
    const before = await sums();
    const stream = await client.chat.completions.create({
      ...CHAT,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = "";
    let usage: unknown;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      usage = chunk.usage ?? usage;
    }
    expect({ text, usage }).toEqual({ text: "one two three", usage: USAGE });
    const whole = await client.chat.completions.create(CHAT);
    expect(whole.choices[0]?.message.content).toBe("one two three");
    const input = { model: MODELS.counted, input: ["a", "b"], encoding_format: "float" as const };
    expect((await client.embeddings.create(input)).data).toHaveLength(2);
    const models = await client.models.list();
    expect(models.data.map(({ id }) => id)).toEqual([MODELS.counted, MODELS.fixed, MODELS.inSight]);
    expect((await client.models.retrieve(MODELS.fixed)).id).toBe(MODELS.fixed);
    expect((await sums()).user).toEqual({
      quota: (before.user["quota"] ?? 0) - 3 * CHARGE,
      held: 0,
      used_quota: (before.user["used_quota"] ?? 0) + 3 * CHARGE,
      request_count: (before.user["request_count"] ?? 0) + 3,
    });
  });

  test("every form of the key is taken, and what is no key or may not call is refused by its status", async () => {
    const bare = person.key.slice(3);
    const forms = [
      { authorization: `Bearer ${bare}` },
      { "x-api-key": person.key },
      { "api-key": person.key },
      { "x-goog-api-key": bare },
    ];
    for (const form of forms) expect((await post(CHAT, form)).status).toBe(200);
    const owner = await loggedIn(app.url, person.username);
    const keyOf = async (fields: object): Promise<string> => {
      const form = { name: "other", unlimited_quota: true, expired_time: -1, ...fields };
      const { id, key } = await dataOf<TokenRow>(owner.post("/api/token", form));
      if ("status" in fields) await dataOf(owner.put("/api/token?status_only=true", { id, status: fields.status }));
      return `Bearer sk-${key}`;
    };
    const reached = upstream.count;
    const refusals = [
      { body: CHAT, key: "", status: 401 },
      { body: CHAT, key: `Bearer ${person.key}x`, status: 401 },
      { body: CHAT, key: await keyOf({ status: 2 }), status: 401 },
      { body: CHAT, key: await keyOf({ allow_ips: "192.0.2.0/24" }), status: 403 },
      { body: CHAT, key: await keyOf({ model_limits_enabled: true, model_limits: MODELS.fixed }), status: 403 },
      { body: CHAT, key: await keyOf({ unlimited_quota: false, remain_quota: 1 }), status: 403 },
      { body: CHAT, key: `Bearer ${site.people[1]?.key}`, status: 403 },
      { body: { ...CHAT, model: "unknown-model" }, key: `Bearer ${person.key}`, status: 404 },
      { body: { model: MODELS.counted }, key: `Bearer ${person.key}`, status: 400 },
    ];
    for (const { body, key, status } of refusals) {
      const answer = await post(body, { authorization: key });
      expect({ status: answer.status, body }).toEqual({ status, body });
      expect(await answer.json()).toMatchObject({ error: { message: expect.any(String), code: expect.any(String) } });
    }
    expect(upstream.count).toBe(reached);
  });

  test("a failing channel is followed by the next tier's, and the receipt names both", async () => {
    const broken = await startFakeUpstream({ plan: { status: 500, error: { message: "out of order" } } });
    const root = new TestClient(app.url);
    await dataOf(root.login("root", ROOT_PASSWORD));
    const form = { type: 1, name: "broken", key: "sk-broken-0123456789abcdef", base_url: broken.url };
    const more = { models: MODELS.counted, groups: ["default"], priority: 10, auto_ban: 0 };
    const [brokenId = 0] = await dataOf<number[]>(root.post("/api/channel", { ...form, ...more }));
    try {
      await until(() => app.foundation.snapshot.channelById(brokenId) !== undefined, "the channel in force");
      const answer = await post(CHAT);
      expect(answer.status).toBe(200);
      await answer.text();
      expect(broken.count).toBe(1);
      const query = `SELECT other FROM logs WHERE request_id = '${answer.headers.get("x-request-id")}'`;
      const stored = String((await books.rows(query))[0]?.["other"]);
      const other = JSON.parse(receiptShorthand.read(stored)) as Record<string, unknown>;
      expect(other["admin_info"]).toMatchObject({ use_channel: [brokenId, site.channelId] });
    } finally {
      await dataOf(root.send("DELETE", `/api/channel/${brokenId}`));
      await broken.close();
    }
  });

  test("at the end nothing is held and the audit finds no wrong unit", async () => {
    await until(async () => (await numbers("SELECT COUNT(*) AS total FROM holds"))["total"] === 0, "no open holds");
    const { faults, repricedCharges } = await books.audit();
    expect(faults).toEqual([]);
    expect(repricedCharges).toBeGreaterThanOrEqual(9);
  });
});
