/**
 * The dashboard's failures and latencies equal those of the log: after mixed calls in two processes, a graceful restart, and for logs of earlier
 * versions.
 */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  successShare,
  FAILURE_KINDS,
  failureKindOf,
  PERCENTILE_ERROR,
  permilleOf,
  type CallFigures,
} from "../../contract/src/call-figures.ts";
import type { CallReport, NamedFigures } from "../../contract/src/features/dashboard.ts";
import type { ModelFigures } from "../../contract/src/features/pricing.ts";
import { type ChannelModelsHealth, HEALTH_HOURS, type HealthPage } from "../../contract/src/features/health.ts";
import type { LogHistogram } from "../../contract/src/logs/sums.ts";
import type { LogStat } from "../../contract/src/features/logs.ts";
import { type RunningApp, startApp } from "../../server/src/app.ts";
import { receiptShorthand } from "../../server/src/billing/shorthand.ts";
import { CallCounts, addCounts } from "../../server/src/db/call-hours.ts";
import { type Database, openDatabase } from "../../server/src/db/database.ts";
import { callHoursFill } from "../../server/src/jobs/call-hours-fill.ts";
import { createLogger } from "../../server/src/observe/logger.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import type { Plan } from "../fake-upstream/plan.ts";
import { engines } from "../support/databases/databases.ts";
import { ROOT_PASSWORD, type TestClient } from "../support/systems/server.ts";
import { dataOf, loggedIn, makeSite, MODELS, type Person, type Site } from "../support/systems/site.ts";

/** What the upstream does, and whether the client asks for a stream. */
const CALLS: readonly { plan: Plan; isStream?: boolean; times?: number }[] = [
  { plan: {}, times: 4 },
  { plan: { headerDelayMs: 130 }, times: 3 },
  { plan: { chunkDelayMs: 60 }, isStream: true, times: 3 },
  { plan: { headerDelayMs: 90, chunkDelayMs: 20 }, isStream: true, times: 2 },
  { plan: { status: 500, error: { message: "no" } }, times: 2 },
  { plan: { status: 400, error: { message: "too long", code: "context_length_exceeded" } } },
  { plan: { status: 429, error: { message: "slow down" } }, times: 2 },
  { plan: { status: 401, error: { message: "key" } } },
  { plan: { status: 504, error: { message: "late" } } },
  { plan: { dropsRequest: "reset" } },
  { plan: { cutAtByte: 450, chunks: 40, text: "word ".repeat(40) }, isStream: true },
];
/** Of every kind that calls can have here. */
const KINDS_SEEN = ["key_refused", "rate_limited", "timeout", "upstream", "broken_off", "refused"];

interface LogCall {
  type: number;
  user_id: number;
  token_id: number;
  channel_id: number;
  created_at: number;
  model_name: string;
  use_time_ms: number;
  first_token_ms: number;
  is_stream: number;
  other: string;
}

/** What the log says of calls, counted row by row. */
function counted(rows: readonly LogCall[]) {
  const failures = Object.fromEntries(FAILURE_KINDS.map((kind) => [kind, 0]));
  const good: LogCall[] = [];
  for (const row of rows) {
    const { rule, status_code, error_code } = JSON.parse(receiptShorthand.read(row.other)) as Record<string, never>;
    const isBroken = /^(upstream|gateway)_broke_/.test(String(rule));
    if (row.type === 2 && !isBroken) good.push(row);
    else {
      const kind = isBroken ? "broken_off" : failureKindOf(Number(status_code), String(error_code));
      failures[kind] = (failures[kind] ?? 0) + 1;
    }
  }
  const sorted = (times: readonly number[]) => times.toSorted((a, b) => a - b);
  return {
    succeeded: good.length,
    failures,
    total: sorted(good.map(({ use_time_ms }) => use_time_ms)),
    firstToken: sorted(good.filter(({ is_stream }) => is_stream === 1).map(({ first_token_ms }) => first_token_ms)),
  };
}

const averageOf = (times: readonly number[]) =>
  times.length === 0 ? null : Math.round(times.reduce((sum, each) => sum + each, 0) / times.length);

function expectPercentile(read: number | null, times: readonly number[], share: number): void {
  if (times.length === 0) return expect(read).toBeNull();
  // Below the table's first bound all times are one.
  const exact = Math.max(50, times[Math.max(0, Math.ceil(times.length * share) - 1)] ?? 0);
  const distance = Math.max(read ?? 0, exact) / Math.min(read ?? 0, exact) - 1;
  expect(distance).toBeLessThanOrEqual(PERCENTILE_ERROR + 0.5 / exact);
}

function expectSame(figures: CallFigures | undefined, rows: readonly LogCall[], hasPercentiles = true): void {
  const wanted = counted(rows);
  expect(figures?.succeeded).toBe(wanted.succeeded);
  expect(figures?.failures).toEqual(wanted.failures);
  expect(figures?.failed).toBe(rows.length - wanted.succeeded);
  for (const [read, times] of [
    [figures?.total, wanted.total],
    [figures?.first_token, wanted.firstToken],
  ] as const) {
    expect(read?.count).toBe(times.length);
    if (!hasPercentiles) expect(read?.average_ms).toBe(averageOf(times));
    else
      for (const share of [0.5, 0.95] as const)
        expectPercentile((share === 0.5 ? read?.p50_ms : read?.p95_ms) ?? null, times, share);
  }
}

describe.each(await engines())("figures of calls on %s", (engine) => {
  let upstream: FakeUpstream;
  let site: Site;
  let apps: RunningApp[] = [];
  let database: Database;

  const start = () => {
    const config = { ...site.place.config, allowPrivateUpstreams: true };
    const webDirectory = join(config.dataDir, "no-web");
    return startApp(config, { logger: createLogger({ level: "silent" }), webDirectory });
  };
  const stop = async () => {
    for (const app of apps) await app.close();
    apps = [];
  };

  beforeAll(async () => {
    upstream = await startFakeUpstream();
    site = await makeSite(engine, { upstreamUrl: upstream.url, quotas: [10 ** 9, 10 ** 9] });
    // The embedded database has one process.
    apps = engine === "sqlite" ? [await start()] : [await start(), await start()];
    for (const [index, { plan, isStream = false, times = 1 }] of CALLS.entries())
      for (let time = 0; time < times; time++) await callOnce(index + time, plan, isStream);
    await stop();
    apps = [await start()];
    database = apps[0]?.foundation.database as Database;
  });
  afterAll(async () => {
    await stop();
    await site?.remove();
    await upstream?.close();
  });

  const callOnce = async (turn: number, plan: Plan, isStream: boolean) => {
    upstream.plan({ usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 }, ...plan });
    const person = site.people[turn % 2] as Person;
    const answer = await fetch(`${apps[turn % apps.length]?.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${person.key}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: turn % 3 === 0 ? MODELS.fixed : MODELS.counted,
        messages: [{ role: "user", content: "hello" }],
        stream: isStream,
      }),
    });
    await answer.text().catch(() => "cut");
  };

  const logRows = (): Promise<LogCall[]> =>
    database.kysely
      .selectFrom("logs")
      .select([
        "type",
        "user_id",
        "token_id",
        "channel_id",
        "created_at",
        "model_name",
        "use_time_ms",
        "first_token_ms",
      ])
      .select(["is_stream", "other"])
      .where("type", "in", [2, 5])
      .execute();
  const root = () => loggedIn(apps[0]?.url ?? "", "root", ROOT_PASSWORD);
  const report = (client: TestClient, path = "/api/data/calls?granularity=hour"): Promise<CallReport> =>
    dataOf(client.get(path));

  async function expectReportOfLog(): Promise<void> {
    const rows = await logRows();
    const client = await root();
    const data = await report(client);
    expectSame(data.totals, rows);
    const series = data.series;
    const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
    expect(sum(series.succeeded)).toBe(data.totals.succeeded);
    for (const kind of FAILURE_KINDS) expect(sum(series.failures[kind])).toBe(data.totals.failures[kind]);
    const named = (list: readonly NamedFigures[], name: string) => list.find((each) => each.name === name)?.figures;
    for (const model of [MODELS.fixed, MODELS.counted])
      expectSame(
        named(data.models, model),
        rows.filter(({ model_name }) => model_name === model),
      );
    expectSame(
      data.channels.find(({ id }) => id === site.channelId)?.figures,
      rows.filter(({ channel_id }) => channel_id === site.channelId),
    );
    const tokens = await dataOf<NamedFigures[]>(
      client.get(`/api/data/calls/tokens?start_timestamp=${Math.floor(Date.now() / 1000) - 86_400}`),
    );
    for (const { tokenId, userId, username } of site.people) {
      const own = rows.filter(({ user_id }) => user_id === userId);
      const token = tokens.find(({ id }) => id === tokenId);
      expect([token?.name, token?.username]).toEqual(["main", username]);
      expectSame(token?.figures, own, false);
    }
  }

  test("equal a count over the log by kind, model, channel and token, across processes and a graceful restart", async () => {
    const rows = await logRows();
    expect(rows).toHaveLength(CALLS.reduce((sum, { times = 1 }) => sum + times, 0));
    const seen = Object.entries(counted(rows).failures).flatMap(([kind, count]) => (count > 0 ? [kind] : []));
    expect(seen).toEqual(KINDS_SEEN);
    await expectReportOfLog();
  });

  test("are one figure on dashboard, log, health and the page of a model, to the millisecond", async () => {
    const client = await root();
    const log = await dataOf<LogStat>(client.get(`/api/log/stat?model_name=${MODELS.fixed}`));
    const { models } = await report(client);
    const health = await dataOf<ChannelModelsHealth>(client.get(`/api/channel/${site.channelId}/health?hours=24`));
    const onHealth = health.models.find(({ model }) => model === MODELS.fixed)?.figures;
    const onDashboard = models.find(({ name }) => name === MODELS.fixed)?.figures;
    for (const figures of [onDashboard, onHealth])
      for (const time of ["first_token", "total"] as const) {
        const { p50: p50_ms, p95: p95_ms, calls: count } = log[time === "total" ? "total_time" : time];
        expect(count).toBeGreaterThan(0);
        expect(figures?.[time]).toMatchObject({ p50_ms, p95_ms, count });
      }
    const page = await dataOf<ModelFigures>(client.get(`/api/pricing/model?model_name=${MODELS.fixed}`));
    const onPage = page.channels?.find(({ id }) => id === site.channelId)?.figures;
    expect(onPage).toEqual(onHealth);
    for (const times of [page.whole, { first_token: page.first_token.at(-1), total: page.total.at(-1) }])
      for (const time of ["first_token", "total"] as const) {
        const { p50_ms, p95_ms } = onDashboard?.[time] ?? {};
        expect(times[time]).toEqual({ p50_ms, p95_ms });
      }
    expect(page.whole.answered_permille).toBe(permilleOf(successShare(onDashboard as CallFigures) ?? Number.NaN));
  });

  test("are those of the log on the health page: in the row, in its cells, and in the stretch of the log that a cell opens", async () => {
    const client = await root();
    const rows = (await logRows()).filter(({ channel_id }) => channel_id === site.channelId);
    for (const hours of HEALTH_HOURS) {
      const { items, cell_seconds } = await dataOf<HealthPage>(client.get(`/api/channel/health?hours=${hours}`));
      const row = items.find(({ id }) => id === site.channelId);
      // No call was tried again here, so that attempts are calls.
      expectSame(row?.figures, rows);
      const cells = row?.cells ?? [];
      expect(cells.reduce((sum, { failed }) => sum + failed, 0)).toBe(row?.figures.failed);
      for (const { at, succeeded, failed, refused } of cells) {
        const end = at + cell_seconds - 1;
        const query = `channel=${site.channelId}&start_timestamp=${at}&end_timestamp=${end}`;
        const { bars } = await dataOf<LogHistogram>(client.get(`/api/log/histogram?${query}`));
        const logged = bars.reduce((sum, { calls, errors }) => sum + calls + errors, 0);
        expect([hours, logged]).toEqual([hours, succeeded + failed]);
        const wanted = counted(rows.filter(({ created_at }) => created_at >= at && created_at <= end));
        expect([succeeded, refused]).toEqual([wanted.succeeded, wanted.failures["refused"]]);
      }
    }
  });

  test("show a user their own calls alone", async () => {
    const rows = await logRows();
    const [person] = site.people as [Person];
    const own = rows.filter(({ user_id }) => user_id === person.userId);
    const data = await report(await loggedIn(apps[0]?.url ?? "", person.username), "/api/data/self/calls");
    expectSame(data.totals, own, false);
    expect(data.tokens.map(({ id }) => id)).toEqual([person.tokenId]);
    expect([data.models, data.channels]).toEqual([[], []]);
    const seenByRoot = await report(await root(), `/api/data/calls?username=${person.username}`);
    expect(seenByRoot.totals).toEqual(data.totals);
  });

  test("are made again from the log by a fill that is killed at any chunk and runs twice at once", async () => {
    await database.kysely.deleteFrom("call_hours").execute();
    await database.kysely.deleteFrom("token_call_hours").execute();
    const newest = await database.kysely
      .selectFrom("logs")
      .select(({ fn }) => fn.max("id").as("id"))
      .executeTakeFirstOrThrow();
    const setMark = (value: number) =>
      database.kysely
        .updateTable("facts")
        .set({ value: String(value) })
        .where("name", "=", "call_hours_fill")
        .execute();
    await setMark(Number(newest.id));
    const waiting = await report(await root());
    expect([waiting.is_counting, waiting.totals.succeeded]).toEqual([true, 0]);
    const dying = dyingIn(database);
    await expect(callHoursFill(dying, 7).job.run()).rejects.toThrow("killed");
    const parts = [callHoursFill(database, 7), callHoursFill(database, 7)];
    // Each may lose the other's chunk, and counts on where that ended.
    for (let mark = 1; mark > 0;) {
      await Promise.allSettled(parts.map(({ job }) => job.run()));
      const row = await database.kysely
        .selectFrom("facts")
        .select("value")
        .where("name", "=", "call_hours_fill")
        .executeTakeFirstOrThrow();
      mark = Number(row.value);
    }
    expect((await report(await root())).is_counting).toBe(false);
    await expectReportOfLog();
  });

  /** Dies in the middle of the second chunk's transaction. */
  function dyingIn(real: Database): Database {
    let transactions = 0;
    const transaction = () => ({
      execute: (work: (inner: unknown) => Promise<unknown>) =>
        real.kysely.transaction().execute(async (inner) => {
          const result = await work(inner);
          if ((transactions += 1) === 2) throw new Error("killed");
          return result;
        }),
    });
    const kysely = new Proxy(real.kysely, {
      get: (target, name) => {
        if (name === "transaction") return transaction;
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
    return { engine: real.engine, kysely } as Database;
  }

  test("of two processes that add to the same rows at once are all there", async () => {
    const { config } = site.place;
    const other = engine === "sqlite" ? database : await openDatabase(config);
    const place = { createdAt: 1_600_000_000, userId: 77, tokenId: 78, channelId: 79, model: "shared" };
    const add = async (into: Database) => {
      const counts = new CallCounts();
      for (let token = 0; token < 150; token++) counts.succeeded({ ...place, tokenId: token }, 100, 0);
      for (let attempt = 0; ; attempt++)
        try {
          return await into.kysely.transaction().execute((inner) => addCounts(into, inner, counts));
        } catch (error) {
          if (attempt === 9) throw error;
        }
    };
    await Promise.all(Array.from({ length: 20 }, (_, index) => add(index % 2 === 0 ? database : other)));
    const row = await database.kysely
      .selectFrom("call_hours")
      .select("succeeded")
      .where("model", "=", "shared")
      .executeTakeFirstOrThrow();
    const tokens = await database.kysely
      .selectFrom("token_call_hours")
      .select(["succeeded", "total_ms"])
      .where("user_id", "=", 77)
      .execute();
    expect(row.succeeded).toBe(20 * 150);
    expect(tokens).toHaveLength(150);
    expect(tokens.every(({ succeeded, total_ms }) => succeeded === 20 && total_ms === 2_000)).toBe(true);
    if (other !== database) await other.close();
  });
});
