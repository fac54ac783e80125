/** Totals of consumption: whole hours from the roll-up, the two edges from rows of the log, the last minute from rows alone. */
import type { ExpressionBuilder } from "kysely";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import type { Database } from "../../db/database.ts";
import type { Schema } from "../../db/schema.ts";
import type { LogFilter } from "./filter.ts";
import { asksFor, conditions, matches, readsRows, timeConditions } from "./filter.ts";

const HOUR = 3600;

/** Seconds of a range, both ends inclusive; an open end is undefined. */
export interface Range {
  start: number | undefined;
  end: number | undefined;
}

export interface SplitRange {
  /** Hours (their first second) from `from` on and below `below`; undefined where the range has no whole hour. */
  hours: { from: number; below: number | undefined } | undefined;
  /** The rest of the range, to be summed from rows. */
  edges: readonly Range[];
}

/** Cuts a range into whole hours and edges. An end that is not over yet (`now`) counts as open: nothing is younger. */
export function splitRange(range: Range, now: number): SplitRange {
  const start = range.start ?? 0;
  const end = range.end === undefined || range.end >= now ? undefined : range.end;
  const from = Math.ceil(start / HOUR) * HOUR;
  const below = end === undefined ? undefined : Math.floor((end + 1) / HOUR) * HOUR;
  if (below !== undefined && from >= below) return { hours: undefined, edges: [range] };
  const before = start < from ? [{ start, end: from - 1 }] : [];
  const after = below !== undefined && end !== undefined && below <= end ? [{ start: below, end }] : [];
  return { hours: { from, below }, edges: [...before, ...after] };
}

/** Conditions of a filter on the roll-up, as far as it knows what is asked for, and but for the times. */
export function hourConditions(
  database: Database,
  builder: ExpressionBuilder<Schema, "usage_hours">,
  filter: LogFilter,
) {
  const { userId, ownerIds, tokenIds, modelName, group, channelId } = filter;
  const all = [
    ...(userId === undefined ? [] : [builder("user_id", "=", userId)]),
    ...(ownerIds === undefined ? [] : [builder("user_id", "in", [...ownerIds])]),
    ...(tokenIds === undefined ? [] : [builder("token_id", "in", [...tokenIds])]),
    ...(channelId === undefined ? [] : [builder("channel_id", "=", channelId)]),
    ...(group === undefined ? [] : [matches(database, builder.ref("group_name"), group)]),
    ...(modelName === undefined ? [] : [matches(database, builder.ref("model"), modelName)]),
  ];
  return builder.and(all);
}

/** Whether the roll-up knows all that the filter asks for: names of deleted tokens, single calls and their times it does not. */
export const isInRollUp = (filter: LogFilter): boolean => !readsRows(filter) && filter.requestId === undefined;

async function quotaOfHours(
  database: Database,
  filter: LogFilter,
  hours: { from: number; below: number | undefined },
): Promise<number> {
  const base = database.kysely
    .selectFrom("usage_hours")
    .select((builder) => builder.fn.sum<number | null>("quota").as("quota"))
    .where("hour", ">=", hours.from)
    .where((builder) => hourConditions(database, builder, filter));
  const row = await (hours.below === undefined ? base : base.where("hour", "<", hours.below)).executeTakeFirst();
  return Number(row?.quota ?? 0);
}

async function sumsOfRows(database: Database, filter: LogFilter, range: Range, type: number) {
  const calls: LogFilter = { ...filter, ...range, type };
  const { logs } = database;
  const row = await logs.kysely
    .selectFrom("logs")
    .select(({ fn }) => [
      fn.sum<number | null>("quota").as("quota"),
      fn.sum<number | null>("prompt_tokens").as("prompt"),
      fn.sum<number | null>("completion_tokens").as("completion"),
      fn.countAll<number>().as("requests"),
    ])
    .where((builder) => conditions(logs, builder, calls))
    .where((builder) => timeConditions(builder, calls))
    .executeTakeFirstOrThrow();
  const tokens = Number(row.prompt ?? 0) + Number(row.completion ?? 0);
  return { quota: Number(row.quota ?? 0), requests: Number(row.requests), tokens };
}

/** Quota that calls used in the filter's range, 0 where the filter asks for no answered calls. `now` in Unix seconds. */
export async function quotaUsed(database: Database, filter: LogFilter, now: number): Promise<number> {
  if (!asksFor(filter, LOG_TYPE.consumption)) return 0;
  const range = { start: filter.start, end: filter.end };
  const { hours, edges } = isInRollUp(filter) ? splitRange(range, now) : { hours: undefined, edges: [range] };
  const parts = [
    ...(hours === undefined ? [] : [quotaOfHours(database, filter, hours)]),
    ...edges.map(async (edge) => (await sumsOfRows(database, filter, edge, LOG_TYPE.consumption)).quota),
  ];
  return (await Promise.all(parts)).reduce((sum, part) => sum + part, 0);
}

/**
 * Answered calls and their tokens in the 60 seconds before `now`, whatever range the filter has; failed calls where it asks for those
 * alone, and nothing where it asks for no calls.
 */
export async function lastMinute(
  database: Database,
  filter: LogFilter,
  now: number,
): Promise<{ rpm: number; tpm: number }> {
  const type = [LOG_TYPE.consumption, LOG_TYPE.error].find((wanted) => asksFor(filter, wanted));
  if (type === undefined) return { rpm: 0, tpm: 0 };
  const { requests, tokens } = await sumsOfRows(database, filter, { start: now - 60, end: undefined }, type);
  return { rpm: requests, tpm: tokens };
}
