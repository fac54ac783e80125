/** Queries of channel health: sums over call_hours by channel, model and cell, open circuit breakers, and the newest failed calls of the log. */
import { sql } from "kysely";
import { FAILURE_KINDS, isJudged, type Outcomes } from "../../../../contract/src/call-figures.ts";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import type { HealthCells } from "../../../../contract/src/features/health.ts";
import { CALL_COLUMNS } from "../../db/call-hours.ts";
import type { Database } from "../../db/database.ts";
import { newestFirst } from "../../db/log-order.ts";
import { atPlaces } from "../../db/log-partitions.ts";

/** Attempts, failed ones after which another channel was asked among them. */
const attemptsFailed = sql.raw<number>(FAILURE_KINDS.map((kind) => `failed_${kind} + retried_${kind}`).join(" + "));
const attemptsRefused = sql.raw<number>("failed_refused + retried_refused");
/** Calls as their callers saw them. */
const callsFailed = sql.raw<number>(FAILURE_KINDS.map((kind) => `failed_${kind}`).join(" + "));

export interface ChannelOutcomes extends Outcomes {
  channelId: number;
}

/** Attempts of every channel in the hours from `from` on and below `below` (Unix seconds): their outcomes alone, without times. */
export async function outcomesByChannel(
  { kysely }: Database,
  from: number,
  below = Number.MAX_SAFE_INTEGER,
): Promise<ChannelOutcomes[]> {
  const rows = await kysely
    .selectFrom("call_hours")
    .select("channel_id")
    .select(({ fn }) => fn.sum<number>("succeeded").as("succeeded"))
    .select(sql<number>`sum(${attemptsFailed})`.as("failed"))
    .select(sql<number>`sum(${attemptsRefused})`.as("refused"))
    .where("hour", ">=", from)
    .where("hour", "<", below)
    .groupBy("channel_id")
    .execute();
  return rows.map(({ channel_id, succeeded, failed, refused }) => ({
    channelId: channel_id,
    succeeded: Number(succeeded),
    failed: Number(failed),
    refused: Number(refused),
  }));
}

export interface ModelOutcomes extends Outcomes {
  model: string;
}

/**
 * Calls of every model from `from` on and below `below` (Unix seconds) that a channel was tried for. What the gateway refuses before is
 * left out: by limits of their own, and by models that their group lacks, callers could make a model look broken that is well.
 */
export async function outcomesByModel({ kysely }: Database, from: number, below: number): Promise<ModelOutcomes[]> {
  const rows = await kysely
    .selectFrom("call_hours")
    .select("model")
    .select(({ fn }) => [
      fn.sum<number>("succeeded").as("succeeded"),
      fn.sum<number>("failed_refused").as("refused"),
      sql<number>`sum(${callsFailed})`.as("failed"),
    ])
    .where("hour", ">=", from)
    .where("hour", "<", below)
    .where("channel_id", ">", 0)
    .groupBy("model")
    .execute();
  return rows.map(({ model, succeeded, failed, refused }) => ({
    model,
    succeeded: Number(succeeded),
    failed: Number(failed),
    refused: Number(refused),
  }));
}

const HOUR_S = 3600;

/**
 * Outcomes of the hour under way by a key, with those of the hour before where it has too few calls to judge.
 * @param now Unix seconds
 * @param read gives the outcomes of a stretch of hours
 */
export async function recentOutcomes<Key, Row extends Outcomes>(
  now: number,
  keyOf: (row: Row) => Key,
  read: (from: number, below: number) => Promise<readonly Row[]>,
): Promise<Map<Key, Outcomes>> {
  const hour = Math.floor(now / HOUR_S) * HOUR_S;
  const recent = new Map<Key, Outcomes>((await read(hour, hour + HOUR_S)).map((row) => [keyOf(row), row]));
  for (const row of await read(hour - HOUR_S, hour)) {
    const known = recent.get(keyOf(row));
    if (known === undefined || !isJudged(known)) recent.set(keyOf(row), known === undefined ? row : summed(known, row));
  }
  return recent;
}

/** Both together. */
export const summed = (one: Outcomes, other: Outcomes): Outcomes => ({
  succeeded: one.succeeded + other.succeeded,
  failed: one.failed + other.failed,
  refused: one.refused + other.refused,
});

export interface CellCounts {
  /** Of a channel, or a model's name. */
  key: number | string;
  /** The cell's first second. */
  at: number;
  /** In the order of CALL_COLUMNS. */
  counts: readonly number[];
}

/** Everything that is counted of these channels, by cell and channel or model. A query for each cell: no reader behind it waits for all. */
export async function countsByCell(
  { kysely }: Database,
  { start, width, count }: HealthCells,
  column: "channel_id" | "model",
  channelIds: readonly number[],
): Promise<CellCounts[]> {
  const found: CellCounts[] = [];
  if (channelIds.length === 0) return found;
  for (let at = start; at < start + count * width; at += width) {
    const rows = await kysely
      .selectFrom("call_hours")
      .select(({ ref }) => ref(column).as("key"))
      .select(CALL_COLUMNS.map((each) => sql<number | null>`sum(${sql.ref(each)})`.as(each)))
      .where("hour", ">=", at)
      .where("hour", "<", at + width)
      .where("channel_id", "in", channelIds)
      .groupBy(column)
      .execute();
    // Sums come as text or null on some engines.
    for (const row of rows)
      found.push({ key: row.key, at, counts: CALL_COLUMNS.map((each) => Number(row[each] ?? 0)) });
  }
  return found;
}

/** An open circuit breaker as one process reports it. */
export interface BreakerReport {
  channelId: number;
  reason: string;
  untilMs: number;
  /** "" where it is the whole channel's. */
  keyMark: string;
}

/** Breakers that are open in some process now (Unix milliseconds). */
export async function openBreakers({ kysely }: Database, nowMs: number): Promise<BreakerReport[]> {
  const rows = await kysely
    .selectFrom("open_breakers")
    .leftJoin("channel_keys", "channel_keys.id", "open_breakers.key_id")
    .select(["open_breakers.channel_id", "open_breakers.reason", "open_until_ms", "key_mark", "key_id"])
    .where("open_until_ms", ">", nowMs)
    .orderBy("key_id")
    .execute();
  return rows.map((row) => ({
    channelId: row.channel_id,
    reason: row.reason,
    untilMs: Number(row.open_until_ms),
    keyMark: row.key_id === 0 ? "" : (row.key_mark ?? `#${row.key_id}`),
  }));
}

/** Failed calls that are looked through, the newest ones. */
const FAILURES_READ = 2000;

/** The newest failed call of each of these channels since a time (Unix seconds), among the newest 2,000 of all: found along one index, and only then read. */
export async function newestFailures({ logs }: Database, since: number, channelIds: readonly number[]) {
  if (channelIds.length === 0) return [];
  const failures = logs.kysely
    .selectFrom("logs")
    .select(["id", "channel_id", "created_at"])
    .where("type", "=", LOG_TYPE.error)
    .where("created_at", ">=", since);
  const newest = await newestFirst(logs, failures, { limit: FAILURES_READ });
  const wanted = new Set(channelIds);
  const found = new Map<number, (typeof newest)[number]>();
  for (const row of newest)
    if (wanted.has(row.channel_id) && !found.has(row.channel_id)) found.set(row.channel_id, row);
  if (found.size === 0) return [];
  return logs.kysely
    .selectFrom("logs")
    .select(["channel_id", "created_at", "content", "other"])
    .where(atPlaces(logs, [...found.values()]))
    .execute();
}
