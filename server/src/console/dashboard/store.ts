/** Queries of the dashboard: sums over the hourly roll-up, the last minute from the log, balances. */
import { sql } from "kysely";
import type { ExpressionBuilder, Selectable } from "kysely";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import { ADJUSTMENT_KINDS } from "../../billing/billing.ts";
import type { Database } from "../../db/database.ts";
import { contains, unindexed } from "../../db/portable.ts";
import type { Schema, UserTable } from "../../db/schema.ts";
import { DAY, type HourRange } from "./buckets.ts";
import type { Adjustment, CostedSums, HourSum } from "./shape.ts";

/** Whose usage and when; `userId` undefined for all users. */
export interface Slice extends HourRange {
  userId: number | undefined;
}

type Hours = ExpressionBuilder<Schema, "usage_hours">;

const sums = ({ fn }: Hours) => [
  fn.sum<number | null>("requests").as("requests"),
  fn.sum<number | null>("quota").as("quota"),
  fn.sum<number | null>("prompt_tokens").as("prompt_tokens"),
  fn.sum<number | null>("completion_tokens").as("completion_tokens"),
  fn.sum<number | null>("costed_quota").as("costed_quota"),
  fn.sum<number | null>("cost").as("cost"),
];

/** Sums come as text or null on some engines. */
const sumsOf = (row: { [Name in keyof CostedSums]: number | null }): CostedSums => ({
  requests: Number(row.requests ?? 0),
  quota: Number(row.quota ?? 0),
  prompt_tokens: Number(row.prompt_tokens ?? 0),
  completion_tokens: Number(row.completion_tokens ?? 0),
  costed_quota: Number(row.costed_quota ?? 0),
  cost: Number(row.cost ?? 0),
});

function within(builder: Hours, { first, last, userId }: Slice) {
  const all = [builder("usage_hours.hour", ">=", first), builder("usage_hours.hour", "<=", last)];
  return builder.and(userId === undefined ? all : [...all, builder("usage_hours.user_id", "=", userId)]);
}

/** The first and the last hour of a slice that have usage; undefined where none has. */
export async function usedHours(database: Database, slice: Slice): Promise<HourRange | undefined> {
  const edge = (order: "asc" | "desc") =>
    database.kysely
      .selectFrom("usage_hours")
      .select("hour")
      .where((builder) => within(builder, slice))
      .orderBy("hour", order)
      .limit(1)
      .executeTakeFirst();
  const first = await edge("asc");
  const last = first === undefined ? undefined : await edge("desc");
  return first === undefined || last === undefined ? undefined : { first: first.hour, last: last.hour };
}

/** One row for each hour and model that has usage, oldest first. */
export async function sumsByHour(database: Database, slice: Slice): Promise<HourSum[]> {
  const rows = await database.kysely
    .selectFrom("usage_hours")
    .select(["hour", "model"])
    .select(sums)
    .where((builder) => within(builder, slice))
    .groupBy(["hour", "model"])
    .orderBy("hour")
    .orderBy("model")
    .execute();
  return rows.map((row) => ({ hour: row.hour, model: row.model, ...sumsOf(row) }));
}

/** One row for each hour that has usage, all models together, oldest first. */
export async function sumsPerHour(database: Database, slice: Slice): Promise<HourSum[]> {
  const rows = await database.kysely
    .selectFrom("usage_hours")
    .select("hour")
    .select(sums)
    .where((builder) => within(builder, slice))
    .groupBy("hour")
    .orderBy("hour")
    .execute();
  return rows.map((row) => ({ hour: row.hour, model: "", ...sumsOf(row) }));
}

export async function sumsOfSlice(database: Database, slice: Slice): Promise<CostedSums> {
  const row = await database.kysely
    .selectFrom("usage_hours")
    .select(sums)
    .where((builder) => within(builder, slice))
    .executeTakeFirstOrThrow();
  return sumsOf(row);
}

export interface IdSums extends CostedSums {
  id: number;
}

export interface UserDaySum extends IdSums {
  /** First second of a day in UTC. */
  day: number;
}

/** One row for each user and day with usage. */
export async function sumsByUserDay(database: Database, slice: Slice): Promise<UserDaySum[]> {
  const day = sql<number>`hour - hour % ${sql.lit(DAY)}`;
  const rows = await database.kysely
    .selectFrom("usage_hours")
    .select(["user_id as id", day.as("day")])
    .select(sums)
    .where((builder) => within(builder, slice))
    .groupBy(["user_id", day])
    .execute();
  return rows.map((row) => ({ id: row.id, day: row.day, ...sumsOf(row) }));
}

export interface ChannelHourSum extends HourSum {
  channelId: number;
}

/** One row for each hour, model and channel that has usage, oldest first: on SQLite in the order in which the rows lie. */
export async function sumsByChannelHour(database: Database, slice: Slice): Promise<ChannelHourSum[]> {
  const rows = await database.kysely
    .selectFrom("usage_hours")
    .select(["hour", "model", "channel_id"])
    .select(sums)
    .where((builder) => within(builder, slice))
    .groupBy(["hour", "model", "channel_id"])
    .orderBy("hour")
    .orderBy("model")
    .orderBy("channel_id")
    .execute();
  return rows.map((row) => ({ hour: row.hour, model: row.model, channelId: row.channel_id, ...sumsOf(row) }));
}

/** Ids of users whose name contains `keyword`. */
export async function userIdsLike(database: Database, keyword: string): Promise<Set<number>> {
  const rows = await database.kysely
    .selectFrom("users")
    .select("id")
    .where(({ ref }) => contains(database, ref("username"), keyword))
    .execute();
  return new Set(rows.map(({ id }) => id));
}

export async function userIdOf(database: Database, username: string): Promise<number | undefined> {
  const row = await database.kysely
    .selectFrom("users")
    .select("id")
    .where("username", "=", username)
    .executeTakeFirst();
  return row?.id;
}

/** Calls and tokens since `since` (Unix seconds), from rows of the log. */
export async function callsSince(
  database: Database,
  since: number,
  userId: number | undefined,
): Promise<{ rpm: number; tpm: number }> {
  const { logs } = database;
  const base = logs.kysely
    .selectFrom("logs")
    .select(({ fn }) => [
      fn.countAll<number>().as("calls"),
      fn.sum<number | null>("prompt_tokens").as("prompt"),
      fn.sum<number | null>("completion_tokens").as("completion"),
    ])
    .where("created_at", ">=", since)
    // Keeps the index by type away: there are more calls than calls of a minute.
    .where((builder) => builder(unindexed(logs, builder.ref("type")), "=", LOG_TYPE.consumption));
  const mine = userId === undefined ? base : base.where("user_id", "=", userId);
  const row = await mine.executeTakeFirstOrThrow();
  return { rpm: Number(row.calls), tpm: Number(row.prompt ?? 0) + Number(row.completion ?? 0) };
}

export type Account = Pick<Selectable<UserTable>, "quota" | "used_quota" | "request_count">;

/**
 * One user's balance and counters, or the sums of all. Calls of deleted users stay in the counters, as they stay in the log and its totals;
 * their balances are not counted.
 */
export async function accountOf(database: Database, userId: number | undefined): Promise<Account> {
  const base = database.kysely
    .selectFrom("users")
    .select(({ fn, eb }) => [
      fn.sum<number | null>(eb.case().when("deleted_at", "is", null).then(eb.ref("quota")).else(0).end()).as("quota"),
      fn.sum<number | null>("used_quota").as("used_quota"),
      fn.sum<number | null>("request_count").as("request_count"),
    ]);
  const row = await (userId === undefined ? base : base.where("id", "=", userId)).executeTakeFirstOrThrow();
  return {
    quota: Number(row.quota ?? 0),
    used_quota: Number(row.used_quota ?? 0),
    request_count: Number(row.request_count ?? 0),
  };
}

/** Adjustments since `since` (Unix seconds) that changed a balance (top-ups, corrections), of all users or one; `limit` at most. */
export async function creditsSince(
  database: Database,
  since: number,
  userId: number | undefined,
  limit: number,
): Promise<Adjustment[]> {
  const all = database.kysely
    .selectFrom("ledger")
    .select(["created_at", "quota_delta"])
    .where("kind", "in", ADJUSTMENT_KINDS)
    .where("created_at", ">=", since)
    .where("quota_delta", "!=", 0)
    .limit(limit);
  const rows = await (userId === undefined ? all : all.where("user_id", "=", userId)).execute();
  return rows.map(({ created_at, quota_delta }) => ({ time: created_at, delta: quota_delta }));
}
