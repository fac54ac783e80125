/** Queries of call statistics: sums over call_hours and token_call_hours. */
import { sql } from "kysely";
import { FAILURE_KINDS } from "../../../../contract/src/call-figures.ts";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import type { OwnFirstSteps } from "../../../../contract/src/features/dashboard.ts";
import { CALL_COLUMNS, TOKEN_COLUMNS } from "../../db/call-hours.ts";
import type { Database } from "../../db/database.ts";
import type { HourRange } from "./buckets.ts";

/** Numbers in the order of CALL_COLUMNS or TOKEN_COLUMNS. */
export type Counts = readonly number[];

export interface HourCounts {
  hour: number;
  counts: Counts;
}

/** Sums come as text or null on some engines. */
const countsOf = (row: Readonly<Record<string, unknown>>, columns: readonly string[]): Counts =>
  columns.map((column) => Number(row[column] ?? 0));

const sumsOf = (columns: readonly string[]) =>
  columns.map((column) => sql<number | null>`sum(${sql.ref(column)})`.as(column));

/** Sums of all users' calls by hour. */
export async function callsByHour({ kysely }: Database, { first, last }: HourRange): Promise<HourCounts[]> {
  const rows = await kysely
    .selectFrom("call_hours")
    .select("hour")
    .select(sumsOf(CALL_COLUMNS))
    .where("hour", ">=", first)
    .where("hour", "<=", last)
    .groupBy("hour")
    .orderBy("hour")
    .execute();
  return rows.map((row) => ({ hour: row.hour, counts: countsOf(row, CALL_COLUMNS) }));
}

export interface RouteCounts {
  channelId: number;
  model: string;
  counts: Counts;
}

/** Sums of all users' calls by channel and model. */
export async function callsByRoute({ kysely }: Database, { first, last }: HourRange): Promise<RouteCounts[]> {
  const rows = await kysely
    .selectFrom("call_hours")
    .select(["channel_id", "model"])
    .select(sumsOf(CALL_COLUMNS))
    .where("hour", ">=", first)
    .where("hour", "<=", last)
    .groupBy(["channel_id", "model"])
    .execute();
  return rows.map((row) => ({
    channelId: row.channel_id,
    model: row.model,
    counts: countsOf(row, CALL_COLUMNS),
  }));
}

/** Sums of one user's calls by hour. */
export async function userCallsByHour(
  { kysely }: Database,
  { first, last }: HourRange,
  userId: number,
): Promise<HourCounts[]> {
  const rows = await kysely
    .selectFrom("token_call_hours")
    .select("hour")
    .select(sumsOf(TOKEN_COLUMNS))
    .where("user_id", "=", userId)
    .where("hour", ">=", first)
    .where("hour", "<=", last)
    .groupBy("hour")
    .orderBy("hour")
    .execute();
  return rows.map((row) => ({ hour: row.hour, counts: countsOf(row, TOKEN_COLUMNS) }));
}

export interface TokenCounts {
  userId: number;
  tokenId: number;
  counts: Counts;
}

export interface TokenRank {
  userId: number;
  tokenId: number;
  succeeded: number;
  failed: number;
}

const failedColumn = sql.raw<number>(FAILURE_KINDS.map((kind) => `failed_${kind}`).join(" + "));

/** Calls and failures of all users' tokens: two sums, since there are very many rows. */
export async function tokenRanks({ kysely }: Database, { first, last }: HourRange): Promise<TokenRank[]> {
  const rows = await kysely
    .selectFrom("token_call_hours")
    .select(["user_id", "token_id"])
    .select(({ fn }) => fn.sum<number>("succeeded").as("succeeded"))
    .select(sql<number>`sum(${failedColumn})`.as("failed"))
    .where("hour", ">=", first)
    .where("hour", "<=", last)
    .groupBy(["user_id", "token_id"])
    .execute();
  return rows.map((row) => ({
    userId: row.user_id,
    tokenId: row.token_id,
    succeeded: Number(row.succeeded),
    failed: Number(row.failed),
  }));
}

/** Sums by token of these users. */
export async function callsByToken(
  { kysely }: Database,
  { first, last }: HourRange,
  userIds: readonly number[],
): Promise<TokenCounts[]> {
  if (userIds.length === 0) return [];
  const rows = await kysely
    .selectFrom("token_call_hours")
    .select(["user_id", "token_id"])
    .select(sumsOf(TOKEN_COLUMNS))
    .where("user_id", "in", [...userIds])
    .where("hour", ">=", first)
    .where("hour", "<=", last)
    .groupBy(["user_id", "token_id"])
    .execute();
  return rows.map((row) => ({
    userId: row.user_id,
    tokenId: row.token_id,
    counts: countsOf(row, TOKEN_COLUMNS),
  }));
}

/** True if calls were counted at or before `hour`: of all users, or of one. */
export async function isCountedSince({ kysely }: Database, hour: number, userId: number | undefined): Promise<boolean> {
  const row =
    userId === undefined
      ? await kysely.selectFrom("call_hours").select("hour").where("hour", "<=", hour).limit(1).executeTakeFirst()
      : await kysely
          .selectFrom("token_call_hours")
          .select("hour")
          .where("user_id", "=", userId)
          .where("hour", "<=", hour)
          .limit(1)
          .executeTakeFirst();
  return row !== undefined;
}

/** True while earlier calls are being counted (jobs/call-hours-fill.ts). */
export async function isFilling({ kysely }: Database): Promise<boolean> {
  const row = await kysely.selectFrom("facts").select("value").where("name", "=", "call_hours_fill").executeTakeFirst();
  return Number(row?.value ?? 0) > 0;
}

/** Whether any token exists, and whether a call ever succeeded; calls that are not counted yet are looked up in the log. */
export async function firstFacts({ kysely }: Database): Promise<{ hasToken: boolean; hasCall: boolean }> {
  const token = await kysely
    .selectFrom("tokens")
    .select("id")
    .where("deleted_at", "is", null)
    .limit(1)
    .executeTakeFirst();
  const charged = await kysely.selectFrom("usage_hours").select("hour").limit(1).executeTakeFirst();
  const logged =
    charged ??
    (await kysely.selectFrom("logs").select("id").where("type", "=", LOG_TYPE.consumption).limit(1).executeTakeFirst());
  return { hasToken: token !== undefined, hasCall: logged !== undefined };
}

/** Which first steps of a user are done; nothing is for one that is not there. */
export async function ownFacts({ kysely }: Database, userId: number): Promise<OwnFirstSteps> {
  const user = await kysely
    .selectFrom("users")
    .select(["quota", "used_quota", "request_count"])
    .where("id", "=", userId)
    .executeTakeFirst();
  const token = await kysely
    .selectFrom("tokens")
    .select("id")
    .where("user_id", "=", userId)
    .where("deleted_at", "is", null)
    .limit(1)
    .executeTakeFirst();
  return {
    has_balance: user !== undefined && (user.quota > 0 || user.used_quota > 0),
    has_token: token !== undefined,
    has_call: user !== undefined && user.request_count > 0,
  };
}
