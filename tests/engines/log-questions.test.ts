/** Tests that the console's log queries have the same answer wherever the log is: pages, filters, sums, bars, groups, values, exports and look-ups, on every engine of a log's own. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { receiptShorthand } from "../../server/src/billing/shorthand.ts";
import { newestFailures } from "../../server/src/console/health/store.ts";
import { rowsInChunks } from "../../server/src/console/logs/export.ts";
import { addByClient, addCached } from "../../server/src/console/logs/answered.ts";
import { errorsByCode, errorsByField } from "../../server/src/console/logs/facets.ts";
import { ALL, type LogFilter } from "../../server/src/console/logs/filter.ts";
import { boundedFilter, idsBetween } from "../../server/src/console/logs/scan-window.ts";
import {
  countLogs,
  countOlder,
  findByRequest,
  findLogs,
  findTimes,
  readPage,
  withLead,
} from "../../server/src/console/logs/store.ts";
import { addAnsweredRows, addErrors, type SummedBy, type SumsByKey } from "../../server/src/console/logs/sums.ts";
import { lastMinute } from "../../server/src/console/logs/totals.ts";
import { readAuditRows } from "../../server/src/console/options/history.ts";
import { newestCalls } from "../../server/src/console/pricing/store.ts";
import { callsSince } from "../../server/src/console/dashboard/store.ts";
import { type Database, openDatabase } from "../../server/src/db/database.ts";
import { withLogDatabase } from "../../server/src/db/log-database.ts";
import { migrate } from "../../server/src/db/migrations/migrate.ts";
import { logDeliveryJob } from "../../server/src/jobs/log-delivery.ts";
import { createLogger } from "../../server/src/observe/logger.ts";
import { createTestPlace, enginesHere, type TestPlace } from "../support/databases/databases.ts";
import { createLogPlace, type LogPlace } from "../support/databases/log-places.ts";
import { SAMPLE_ROWS } from "./columns.ts";

const HOUR = 3_600;
const NOW = Math.floor(Date.now() / 1000 / HOUR) * HOUR;
const ROWS = 900;
const logger = createLogger({ level: "silent" });
const here = await enginesHere();
const ENGINES = (["postgres", "mysql", "clickhouse"] as const).filter(
  (engine) => engine === "clickhouse" || here.includes(engine),
);

/** Texts that end a literal, a pattern or a line somewhere. */
const ODD = [
  "it's",
  'a "b"',
  "back\\slash",
  "50%_off",
  "line\nend",
  "ü 😀",
  "x' or '1'='1",
  "\\'; --",
  "!",
  "{p:String}",
];
const pick = <Item>(list: readonly Item[], index: number): Item => list[index % list.length] as Item;

const timeText = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 19).replaceAll(/\D/g, "");

function receiptOf(index: number, type: number): string {
  const failed = type === 5 ? { error_code: pick(["rate_limited", "no_channel", "it's_%"], index) } : {};
  const tried = [1, 2]
    .slice(0, 1 + (index % 2))
    .map((id) => ({ id, name: "x", upstream_request_id: `up-${index % 40}` }));
  const text = JSON.stringify({
    ...failed,
    client: pick(["codex", "curl", "a_b"], index),
    usage: { cacheReadTokens: Math.floor(index / 2) },
    admin_info: { use_channel: tried.map(({ id }) => id), tried },
  });
  return type === 2 ? receiptShorthand.write(text) : text;
}

function rowAt(index: number) {
  const type = index % 10 === 0 ? 5 : index % 17 === 0 ? 3 : 2;
  // Dense in the last hour, and thin over the hundred days before.
  const created_at = index < 300 ? NOW - index : NOW - 2 * HOUR - (index - 300) * 4 * HOUR - (index % 7);
  return {
    ...SAMPLE_ROWS.logs,
    request_id: `${timeText(created_at)}000random-${index}`,
    created_at,
    type,
    user_id: index % 5,
    username: `name-${index % 5}`,
    token_id: index % 7,
    token_name: pick(ODD, index),
    channel_id: index % 3,
    model_name: pick(["gpt-4o", "GPT-4o-mini", "claude_4", ...ODD], index),
    group_name: pick(["default", "vip", "it's"], index),
    quota: index * 11,
    prompt_tokens: index,
    completion_tokens: index * 2,
    use_time_ms: index * 13,
    first_token_ms: index,
    is_stream: (index % 2) as 0 | 1,
    content: pick(ODD, index + 1),
    other: type === 3 ? '{"event":{"code":"option_changed","values":{"option":"A","to":"b"}}}' : receiptOf(index, type),
  };
}

const FILTERS: Readonly<Record<string, Partial<LogFilter>>> = {
  all: {},
  "one user": { userId: 3 },
  "a user's tokens": { userId: 3, tokenIds: [1, 2, 3] },
  "several owners": { ownerIds: [1, 2], tokenIds: [1, 4] },
  "a channel and a type": { channelId: 2, type: 5 },
  "several types": { types: [3, 5] },
  "a model": { modelName: "gpt-4o" },
  "a pattern of models": { modelName: "GPT%" },
  "a pattern with an underscore": { modelName: "claude_%" },
  "a pattern with a backslash": { modelName: "%back\\%" },
  "a pattern with an exclamation mark": { modelName: "%!%" },
  "a group with a quote": { group: "it's" },
  "a token's name": { tokenName: "x' or '1'='1" },
  "a token's name with braces": { tokenName: "{p:String}" },
  "a pattern of names": { username: "NAME-%" },
  slow: { minTimeMs: 5_000 },
  dear: { minQuota: 4_000, type: 2 },
  "an error code": { errorCode: "it's_%" },
  "a program": { client: "a_b" },
  "with an error": { hasError: true },
  "an upstream's id": { upstreamRequestId: "up-7" },
  "a request": { requestId: rowAt(450).request_id },
  "a request that is none": { requestId: "nothing" },
  "a range": { start: NOW - 40 * 24 * HOUR, end: NOW - 20 * 24 * HOUR },
  "an end alone": { end: NOW - 100, userId: 1 },
};

const BY: readonly SummedBy[] = [
  { field: "model" },
  { field: "user" },
  { field: "token" },
  { field: "channel" },
  { field: "group" },
  { origin: NOW - 90 * 24 * HOUR, width: 24 * HOUR },
  { origin: NOW - 7, width: 60 },
];

const sorted = <Value>(sums: ReadonlyMap<string, Value>) => [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1));

async function exported(database: Database, filter: LogFilter): Promise<number[]> {
  const ids: number[] = [];
  for await (const rows of rowsInChunks(database, filter)) ids.push(...rows.map(({ id }) => id));
  return ids;
}

/** All that is asked with a filter. */
async function answersTo(database: Database, filter: LogFilter): Promise<Record<string, unknown>> {
  const led = await withLead(database, filter);
  const first = await findLogs(database, led, 0, 20);
  const [place] = first.slice(-1);
  const sums = await Promise.all(
    BY.map(async (by) => {
      const map: SumsByKey = new Map();
      await addAnsweredRows(database, led, by, map);
      const since = await addErrors(database, led, by, map);
      return { since, sums: sorted(map) };
    }),
  );
  const [byModel, byClient]: [SumsByKey, SumsByKey] = [new Map(), new Map()];
  await addAnsweredRows(database, led, { field: "model" }, byModel);
  const cachedSince = await addCached(database, led, "model", byModel);
  const clientsSince = await addByClient(database, led, byClient);
  return {
    first,
    cached: { cachedSince, clientsSince, byModel: sorted(byModel), byClient: sorted(byClient) },
    next: await readPage(database, idsBetween(database, led, place, undefined), { limit: 20, end: place?.created_at }),
    deep: (await findLogs(database, led, 100, 50)).map(({ id }) => id),
    count: await countLogs(database, led),
    capped: await countLogs(database, led, 10),
    times: await findTimes(database, led, 30),
    bounded: (await boundedFilter(database, led, { rows: 100, entries: 200 })).searchedSince,
    exported: await exported(database, led),
    minute: await lastMinute(database, led, NOW),
    codes: (await errorsByCode(database, led)).counted.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    models: (await errorsByField(database, led, "model")).counted.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    sums,
  };
}

describe.each(ENGINES)("the log on %s", { timeout: 120_000 }, (engine) => {
  const places: TestPlace[] = [];
  let logPlace: LogPlace;
  let plain: Database;
  let apart: Database;

  /** An embedded database with the rows. */
  async function open(): Promise<{ place: TestPlace; main: Database }> {
    const place = await createTestPlace("sqlite");
    places.push(place);
    const main = await openDatabase(place.config);
    await migrate(main);
    const rows = Array.from({ length: ROWS }, (_, index) => rowAt(index)).toReversed();
    for (let from = 0; from < ROWS; from += 100)
      await main.kysely
        .insertInto("logs")
        .values(rows.slice(from, from + 100))
        .execute();
    return { place, main };
  }

  beforeAll(async () => {
    ({ main: plain } = await open());
    logPlace = await createLogPlace(engine);
    const { place, main } = await open();
    apart = await withLogDatabase({ ...place.config, logDatabaseUrl: logPlace.url }, main, { logger });
    await logDeliveryJob(apart, () => 0).run();
  });
  afterAll(async () => {
    await plain.close();
    await apart.close();
    await logPlace.remove();
    for (const place of places) await place.remove();
  });

  test("no row waits, and each is there once", async () => {
    expect(await apart.kysely.selectFrom("logs").select("id").execute()).toEqual([]);
    expect(await countLogs(apart, ALL)).toBe(ROWS);
  });

  test.each(Object.keys(FILTERS))("%s: the same answers as in the main database", async (name) => {
    const filter = { ...ALL, ...FILTERS[name] };
    const expected = await answersTo(plain, filter);
    expect(expected["count"] === 0).toBe(name === "a request that is none");
    expect(await answersTo(apart, filter)).toEqual(expected);
    // As plain users ask.
    expect(await findLogs(apart.questions, filter, 0, 20)).toEqual(expected["first"]);
  });

  test("the newest calls of a model, of one user and of all, are the same", async () => {
    for (const [limit, userId] of [
      [5, undefined],
      [5, 1],
      [400, 1],
    ] as const) {
      const ask = (database: Database) =>
        newestCalls(database, { model: "gpt-4o", userId }, { since: NOW - 30 * 24 * HOUR, limit });
      const expected = await ask(plain);
      expect(expected.rows.length).toBeGreaterThan(0);
      expect(await ask(apart)).toEqual(expected);
    }
  });

  test("receipts, failures, the administrators' log and the last minute are the same", async () => {
    const { request_id } = rowAt(333);
    for (const [user, id] of [
      [3, request_id],
      [2, request_id],
      [3, "x' or '1'='1"],
    ] as const)
      expect(await findByRequest(apart, user, id)).toEqual(await findByRequest(plain, user, id));
    expect((await findByRequest(apart, 3, request_id))?.quota).toBe(3_663);
    const failures = async (database: Database) =>
      (await newestFailures(database, NOW - HOUR, [0, 1, 2])).toSorted((a, b) => a.channel_id - b.channel_id);
    expect(await failures(apart)).toEqual(await failures(plain));
    const history = (database: Database) => readAuditRows(database, "A", ["option_changed"], 10);
    expect(await history(apart)).toEqual(await history(plain));
    expect(await callsSince(apart, NOW - 60, 1)).toEqual(await callsSince(plain, NOW - 60, 1));
    expect(await countOlder(apart, NOW - HOUR)).toEqual(await countOlder(plain, NOW - HOUR));
  });
});
