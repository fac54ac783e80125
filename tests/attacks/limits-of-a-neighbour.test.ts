/** Attack: another installation on the same Redis uses up this one's limits. Also: every unavailable response has a Retry-After. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { RelayError } from "../../server/src/relay/call/relay-error.ts";
import { AppError } from "../../contract/src/errors.ts";
import { callChat } from "../support/clients/calls.ts";
import { engines } from "../support/databases/databases.ts";
import { type OwnEngine, canStart, startRedis } from "../support/databases/own-engines.ts";
import { type UpstreamProcess, startServer, startUpstream } from "../support/systems/processes.ts";
import { MODELS, makeSite } from "../support/systems/site.ts";

const LIMIT = 6;
const OPTIONS = {
  ModelRequestRateLimitEnabled: "true",
  ModelRequestRateLimitDurationMinutes: "60",
  ModelRequestRateLimitCount: String(LIMIT),
  ModelRequestRateLimitSuccessCount: String(LIMIT),
};

let upstream: UpstreamProcess;
let redis: OwnEngine | undefined;

beforeAll(async () => {
  upstream = await startUpstream();
  if (canStart("redis-server")) redis = await startRedis();
});
afterAll(() => Promise.all([upstream.end(), redis?.remove()]));

test.skipIf(!canStart("redis-server")).each(await engines())(
  "an installation on %s beside another one of the same users",
  { timeout: 120_000 },
  async (engine) => {
    const statuses: number[][] = [];
    const ids: number[] = [];
    for (const each of [engine, "sqlite"] as const) {
      const site = await makeSite(each, { upstreamUrl: upstream.url, quotas: [10 ** 9], options: OPTIONS });
      const server = await startServer({ ...site.env, REDIS_URL: redis?.url ?? "" });
      const { key = "", userId = 0 } = site.people[0] ?? {};
      ids.push(userId);
      const found: number[] = [];
      for (let at = 0; at <= LIMIT; at += 1)
        found.push((await callChat(server.url, key, { model: MODELS.fixed, isStream: false })).status);
      statuses.push(found);
      expect(await server.end()).toEqual({ code: 0, signal: null });
      await site.remove();
    }
    const own = [...Array.from({ length: LIMIT }, () => 200), 429];
    expect(ids[0]).toBe(ids[1]);
    expect(statuses).toEqual([own, own]);
  },
);

test("every unavailable response says when to retry", () => {
  for (const error of [
    new RelayError("books_unavailable"),
    new RelayError("no_available_channel"),
    new RelayError("idempotency_unavailable"),
    new RelayError("server_stopping"),
    new RelayError("upstream_failed", { status: 503, retryAfterSeconds: 0 }),
    new AppError("database_unavailable"),
  ])
    expect([error.status, error.retryAfterSeconds]).toEqual([503, 5]);
  expect(new RelayError("over_capacity", { retryAfterSeconds: 1 }).retryAfterSeconds).toBe(1);
  expect(new AppError("internal").retryAfterSeconds).toBe(0);
});
