/** The values that occur in a range, with how many calls each has: answered calls from the roll-up, failed ones from the newest of them. */
import { z } from "zod";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import type { LogFacet, LogFacets } from "../../../../contract/src/logs/sums.ts";
import type { Database } from "../../db/database.ts";
import { newestFirst } from "../../db/log-order.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { tokenNamesOf, usernamesOf } from "../kit/lists.ts";
import { type LogFilter, type LogQuery, resolveFilter } from "./filter.ts";
import { idsOf } from "./store.ts";
import { hourConditions } from "./totals.ts";

/** A value as text, and its calls. */
interface Counted {
  key: string;
  calls: number;
}

type Field = Exclude<LogFacet, "error_code">;

const HOUR_COLUMNS = {
  model: "model",
  token: "token_id",
  user: "user_id",
  channel: "channel_id",
  group: "group_name",
} as const;
const LOG_COLUMNS = {
  model: "model_name",
  token: "token_id",
  user: "user_id",
  channel: "channel_id",
  group: "group_name",
} as const;

/** Failed calls that are counted by what an index has of them. */
const COUNTED_ERRORS = 10_000;
/** The same where their receipts have to be read. */
export const READ_ERRORS = 2000;

/** Answered calls of the filter's hours, the values with most calls first. */
async function hoursByField(database: Database, filter: LogFilter, field: Field, limit: number): Promise<Counted[]> {
  const column = HOUR_COLUMNS[field];
  const rows = await database.kysely
    .selectFrom("usage_hours")
    .select((builder) => [builder.ref(column).as("key"), builder.fn.sum<number>("requests").as("calls")])
    .where("hour", ">=", filter.start ?? 0)
    .where("hour", "<=", filter.end ?? Number.MAX_SAFE_INTEGER)
    .where((builder) => hourConditions(database, builder, filter))
    .groupBy(column)
    .orderBy("calls", "desc")
    .limit(limit)
    .execute();
  return rows.map(({ key, calls }) => ({ key: String(key), calls: Number(calls) }));
}

const counts = (keys: readonly string[]): Counted[] => {
  const calls = new Map<string, number>();
  for (const key of keys) calls.set(key, (calls.get(key) ?? 0) + 1);
  return [...calls].map(([key, count]) => ({ key, calls: count }));
};

interface CountedErrors {
  counted: Counted[];
  /** There are more failed calls than were looked at. */
  isSample: boolean;
}

/** The failed calls, by what the roll-up has of answered ones. */
const errorIds = (database: Database, filter: LogFilter) => idsOf(database, errorsOf(filter));

/** Fields that the roll-up lacks for answered calls are not read of failed ones either: both are counted alike. */
const errorsOf = ({ lead: _lead, ...filter }: LogFilter): LogFilter => ({
  ...filter,
  type: LOG_TYPE.error,
  types: undefined,
  minTimeMs: undefined,
  minQuota: undefined,
  errorCode: undefined,
  client: undefined,
  hasError: undefined,
});

export async function errorsByField(database: Database, filter: LogFilter, field: Field): Promise<CountedErrors> {
  const errors = errorIds(database, filter).select(`logs.${LOG_COLUMNS[field]} as key`);
  const rows = await newestFirst(database.logs, errors, { limit: COUNTED_ERRORS + 1, end: filter.end });
  return {
    counted: counts(rows.slice(0, COUNTED_ERRORS).map(({ key }) => String(key))),
    isSample: rows.length > COUNTED_ERRORS,
  };
}

const failure = z.object({ error_code: z.string() });

/** The code in a receipt; "" where there is none. */
export function errorCodeOf(receipt: string): string {
  try {
    return failure.parse(JSON.parse(receipt)).error_code;
  } catch {
    return ""; // A row that another program wrote has no code.
  }
}

export async function errorsByCode(database: Database, filter: LogFilter): Promise<CountedErrors> {
  const errors = errorIds(database, filter).select("logs.other");
  const rows = await newestFirst(database.logs, errors, { limit: READ_ERRORS + 1, end: filter.end });
  return {
    counted: counts(rows.slice(0, READ_ERRORS).map(({ other }) => errorCodeOf(other))),
    isSample: rows.length > READ_ERRORS,
  };
}

type FacetContext = Pick<ConsoleContext, "database" | "snapshot" | "clock">;

const HOUR_S = 3600;
/** Hours further back are not counted. */
const LONGEST_S = 92 * 86_400;
/** Values that are given. */
const FACET_VALUES = 100;

/** The filter that a field is chosen for: its own value must not hide the others. */
const OWN_FILTER = {
  model: "modelName",
  token: "tokenName",
  user: "username",
  channel: "channelId",
  group: "group",
  error_code: "errorCode",
} as const satisfies Record<LogFacet, keyof LogQuery>;

/** The whole hours that the range touches, at most the newest 92 days of it. */
function rangeOf({ start = 0, end }: LogQuery, now: number): { start: number; end: number } {
  const last = end === undefined || end <= 0 ? now : Math.min(end, now);
  const since = Math.max(start, last - LONGEST_S);
  return { start: Math.floor(since / HOUR_S) * HOUR_S, end: last };
}

/** Sums of both, most calls first. */
function merged(parts: readonly (readonly Counted[])[]): Counted[] {
  const calls = new Map<string, number>();
  for (const { key, calls: more } of parts.flat())
    if (key !== "" && key !== "0") calls.set(key, (calls.get(key) ?? 0) + more);
  return [...calls]
    .map(([key, count]) => ({ key, calls: count }))
    .toSorted((a, b) => b.calls - a.calls || (a.key < b.key ? -1 : 1));
}

/** People and tokens are counted by id and filtered by name. */
async function named(database: Database, field: LogFacet, counted: readonly Counted[]): Promise<Counted[]> {
  const read = field === "token" ? tokenNamesOf : field === "user" ? usernamesOf : undefined;
  if (read === undefined) return [...counted];
  const names = await read(
    database.kysely,
    counted.map(({ key }) => Number(key)),
  );
  return merged([counted.map(({ key, calls }) => ({ key: names.get(Number(key)) ?? "", calls }))]);
}

/** Throws nothing of its own; a name without an account gives no values. */
export async function listFacets(context: FacetContext, query: LogQuery, field: LogFacet): Promise<LogFacets> {
  const { database } = context;
  const range = rangeOf(query, nowSeconds(context.clock));
  const own = OWN_FILTER[field];
  const filter = await resolveFilter(database, { ...query, [own]: undefined, requestId: undefined, ...range });
  if (filter === undefined) return { values: [], is_cut: false, is_sample: false, since: range.start };
  const errors = await (field === "error_code"
    ? errorsByCode(database, filter)
    : errorsByField(database, filter, field));
  const answered = field === "error_code" ? [] : await hoursByField(database, filter, field, FACET_VALUES + 1);
  const all = merged([answered, errors.counted]);
  const values = await named(database, field, all.slice(0, FACET_VALUES));
  return {
    values: values.map(({ key, calls }) => ({
      value: key,
      name: field === "channel" ? (context.snapshot.channelById(Number(key))?.name ?? "") : "",
      calls,
    })),
    is_cut: all.length > FACET_VALUES,
    is_sample: errors.isSample,
    since: range.start,
  };
}
