/** Queries behind the page of a model: what was counted of its calls by hour and by channel, and what one user spent on it. */
import { sql } from "kysely";
import { TIME_BUCKETS } from "../../../../contract/src/call-figures.ts";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import { CALL_COLUMNS, COUNT_AT } from "../../db/call-hours.ts";
import type { Database } from "../../db/database.ts";
import { newestFirst, newestReceipts } from "../../db/log-order.ts";
import { unindexed } from "../../db/portable.ts";
import type { ReceiptRow } from "../kit/cached-tokens.ts";

/** First seconds of the first and the last hour. */
export interface Hours {
  first: number;
  last: number;
}

const HOUR = 3600;

/** Whole hours that end with the one under way. @param now Unix seconds */
export const lastHours = (now: number, hours: number): Hours => {
  const last = Math.floor(now / HOUR) * HOUR;
  return { first: last - (hours - 1) * HOUR, last };
};

/** Sums come as text or null on some engines. */
const countsOf = (row: Readonly<Record<string, unknown>>): number[] =>
  CALL_COLUMNS.map((column) => Number(row[column] ?? 0));

const sums = (columns = CALL_COLUMNS) =>
  columns.map((column) => sql<number | null>`sum(${sql.ref(column)})`.as(column));

const callsOf = ({ kysely }: Database, model: string, { first, last }: Hours) =>
  kysely.selectFrom("call_hours").where("model", "=", model).where("hour", ">=", first).where("hour", "<=", last);

/** Everybody's calls of a model by hour, oldest first. */
export async function modelCallsByHour(database: Database, model: string, hours: Hours) {
  const rows = await callsOf(database, model, hours)
    .select("hour")
    .select(sums())
    .groupBy("hour")
    .orderBy("hour")
    .execute();
  return rows.map((row) => ({ hour: row.hour, counts: countsOf(row) }));
}

/** The same by the id of the channel. */
export async function modelCallsByChannel(
  database: Database,
  model: string,
  hours: Hours,
): Promise<Map<number, number[]>> {
  const rows = await callsOf(database, model, hours)
    .select("channel_id")
    .select(sums())
    .groupBy("channel_id")
    .execute();
  return new Map(rows.map((row) => [row.channel_id, countsOf(row)]));
}

const FIRST_TOKEN_COLUMNS = CALL_COLUMNS.slice(COUNT_AT.firstToken, COUNT_AT.firstToken + TIME_BUCKETS);

/** How often each bucket has a time until the first token, by model. */
export async function firstTokensByModel({ kysely }: Database, { first, last }: Hours): Promise<Map<string, number[]>> {
  const rows = await kysely
    .selectFrom("call_hours")
    .select("model")
    .select(sums(FIRST_TOKEN_COLUMNS))
    .where("hour", ">=", first)
    .where("hour", "<=", last)
    .groupBy("model")
    .execute();
  return new Map(rows.map((row) => [row.model, FIRST_TOKEN_COLUMNS.map((column) => Number(row[column] ?? 0))]));
}

/** How many calls of each model were answered. */
export async function answeredByModel({ kysely }: Database, { first, last }: Hours): Promise<Map<string, number>> {
  const rows = await kysely
    .selectFrom("call_hours")
    .select("model")
    .select(({ fn }) => fn.sum<number | null>("succeeded").as("answered"))
    .where("hour", ">=", first)
    .where("hour", "<=", last)
    .groupBy("model")
    .execute();
  return new Map(rows.map((row) => [row.model, Number(row.answered ?? 0)]));
}

/** What calls of a model cost one user, in quota, with how many they were and their tokens. */
export async function spendOfUser({ kysely }: Database, userId: number, model: string, { first, last }: Hours) {
  const row = await kysely
    .selectFrom("usage_hours")
    .select(({ fn }) => [
      fn.sum<number | null>("quota").as("quota"),
      fn.sum<number | null>("requests").as("requests"),
      fn.sum<number | null>("prompt_tokens").as("prompt_tokens"),
      fn.sum<number | null>("completion_tokens").as("completion_tokens"),
    ])
    .where("user_id", "=", userId)
    .where("hour", ">=", first)
    .where("hour", "<=", last)
    .where("model", "=", model)
    .executeTakeFirstOrThrow();
  return {
    quota: Number(row.quota ?? 0),
    requests: Number(row.requests ?? 0),
    prompt_tokens: Number(row.prompt_tokens ?? 0),
    completion_tokens: Number(row.completion_tokens ?? 0),
  };
}

/** Entries of an index that are gone along for the newest calls of a model: of a user with many others they may reach less far than asked for. */
const ENTRIES = 50_000;

/**
 * The newest answered calls of a model, newest first, with `since` (Unix seconds) as far back as was looked.
 * @param of `userId`: whose calls; everybody's where undefined
 * @param asked `limit` rows at most, none from before `since`
 */
export async function newestCalls(
  { logs }: Pick<Database, "logs">,
  { model, userId }: { model: string; userId: number | undefined },
  asked: { since: number; limit: number },
): Promise<{ rows: (ReceiptRow & { created_at: number })[]; since: number }> {
  const entries = logs.kysely
    .selectFrom("logs")
    .where("logs.created_at", ">=", asked.since)
    .$if(userId === undefined, (query) => query.where("logs.model_name", "=", model))
    .$if(userId !== undefined, (query) => query.where("logs.user_id", "=", userId ?? 0));
  const last = await newestFirst(logs, entries.select("logs.created_at"), { limit: 1, offset: ENTRIES - 1 });
  const since = last[0]?.created_at ?? asked.since;
  const calls = entries
    .select("logs.id")
    .where("logs.created_at", ">=", since)
    .where(({ eb, ref }) => eb(unindexed(logs, ref("logs.type")), "=", LOG_TYPE.consumption))
    // An expression, for SQLite would take the model's index with its calls of everybody.
    .$if(userId !== undefined, (query) => query.where(sql`concat(logs.model_name, '')`, "=", model));
  const rows = await newestReceipts(logs, calls, { limit: asked.limit });
  return { rows, since: rows.length < asked.limit ? since : (rows.at(-1)?.created_at ?? since) };
}

/** Until when no call goes to each of these channels (Unix milliseconds), the latest of all processes. */
export async function coolingChannels(
  { kysely }: Database,
  channelIds: readonly number[],
  nowMs: number,
): Promise<Map<number, number>> {
  if (channelIds.length === 0) return new Map();
  const rows = await kysely
    .selectFrom("open_breakers")
    .select("channel_id")
    .select(({ fn }) => fn.max<number>("open_until_ms").as("until_ms"))
    .where("channel_id", "in", [...channelIds])
    .where("key_id", "=", 0)
    .where("open_until_ms", ">", nowMs)
    .groupBy("channel_id")
    .execute();
  return new Map(rows.map((row) => [row.channel_id, Number(row.until_ms)]));
}
