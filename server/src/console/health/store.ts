/** Queries of the health page: sums of call_hours by channel and model, and what processes told of their circuit breakers. */
import { sql } from "kysely";
import { FAILURE_KINDS } from "../../../../contract/src/call-figures.ts";
import { CALL_COLUMNS } from "../../db/call-hours.ts";
import type { Database } from "../../db/database.ts";

export interface ChannelSum {
  channelId: number;
  succeeded: number;
  failed: number;
}

const failedColumn = sql.raw<number>(FAILURE_KINDS.map((kind) => `failed_${kind} + retried_${kind}`).join(" + "));

/** Answers and failures of every channel since an hour (Unix seconds): two sums, for their order. */
export async function sumsByChannel({ kysely }: Database, since: number): Promise<ChannelSum[]> {
  const rows = await kysely
    .selectFrom("call_hours")
    .select("channel_id")
    .select(({ fn }) => fn.sum<number>("succeeded").as("succeeded"))
    .select(sql<number>`sum(${failedColumn})`.as("failed"))
    .where("hour", ">=", since)
    .groupBy("channel_id")
    .execute();
  return rows.map((row) => ({
    channelId: row.channel_id,
    succeeded: Number(row.succeeded),
    failed: Number(row.failed),
  }));
}

export interface RouteCounts {
  channelId: number;
  model: string;
  /** In the order of CALL_COLUMNS. */
  counts: readonly number[];
}

/** Everything that is counted of these channels since an hour (Unix seconds), by model. */
export async function countsOfChannels(
  { kysely }: Database,
  since: number,
  channelIds: readonly number[],
): Promise<RouteCounts[]> {
  if (channelIds.length === 0) return [];
  const rows = await kysely
    .selectFrom("call_hours")
    .select(["channel_id", "model"])
    .select(CALL_COLUMNS.map((column) => sql<number | null>`sum(${sql.ref(column)})`.as(column)))
    .where("hour", ">=", since)
    .where("channel_id", "in", channelIds)
    .groupBy(["channel_id", "model"])
    .execute();
  return rows.map((row) => ({
    channelId: row.channel_id,
    model: row.model,
    // Sums come as text or null on some engines.
    counts: CALL_COLUMNS.map((column) => Number(row[column] ?? 0)),
  }));
}

export interface ToldBreaker {
  channelId: number;
  reason: string;
  untilMs: number;
  /** "" where it is the whole channel's. */
  keyMark: string;
}

/** What is open in some process now (Unix milliseconds). */
export async function openBreakers({ kysely }: Database, nowMs: number): Promise<ToldBreaker[]> {
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
