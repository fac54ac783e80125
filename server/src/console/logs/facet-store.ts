/** Queries of the log's facets: sums of the hourly roll-up by one of its columns, and the newest failed calls. */
import { z } from "zod";
import type { LogFacet } from "../../../../contract/src/features/logs.ts";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import type { Database } from "../../db/database.ts";
import type { LogFilter } from "./filter.ts";
import { idsOf } from "./store.ts";
import { hourConditions } from "./totals.ts";

/** A value as text, and its calls. */
export interface Counted {
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
const READ_ERRORS = 2000;

/** Answered calls of the filter's hours, the values with most calls first. */
export async function hoursByField(
  database: Database,
  filter: LogFilter,
  field: Field,
  limit: number,
): Promise<Counted[]> {
  const column = HOUR_COLUMNS[field];
  const rows = await database.kysely
    .selectFrom("usage_hours")
    .select((builder) => [builder.ref(column).as("key"), builder.fn.sum<number>("requests").as("calls")])
    .where("hour", ">=", filter.start ?? 0)
    .where("hour", "<=", filter.end ?? Number.MAX_SAFE_INTEGER)
    .where((builder) => hourConditions(builder, filter))
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

/** The newest failed calls, by what the roll-up has of answered ones. */
const newestErrors = (database: Database, filter: LogFilter, limit: number) =>
  idsOf(database, errorsOf(filter))
    .orderBy("logs.created_at", "desc")
    .orderBy("logs.id", "desc")
    .limit(limit + 1);

/** What the roll-up cannot tell apart of answered calls is not asked of failed ones either: both are counted alike. */
const errorsOf = ({ lead: _lead, ...filter }: LogFilter): LogFilter => ({
  ...filter,
  type: LOG_TYPE.error,
  types: undefined,
  minTimeMs: undefined,
  minQuota: undefined,
  errorCode: undefined,
  hasError: undefined,
});

export async function errorsByField(database: Database, filter: LogFilter, field: Field): Promise<CountedErrors> {
  const rows = await newestErrors(database, filter, COUNTED_ERRORS)
    .select(`logs.${LOG_COLUMNS[field]} as key`)
    .execute();
  return {
    counted: counts(rows.slice(0, COUNTED_ERRORS).map(({ key }) => String(key))),
    isSample: rows.length > COUNTED_ERRORS,
  };
}

const failure = z.object({ error_code: z.string() });

function errorCodeOf(receipt: string): string {
  try {
    return failure.parse(JSON.parse(receipt)).error_code;
  } catch {
    return ""; // A row that another program wrote has no code.
  }
}

export async function errorsByCode(database: Database, filter: LogFilter): Promise<CountedErrors> {
  const rows = await newestErrors(database, filter, READ_ERRORS).select("logs.other").execute();
  return {
    counted: counts(rows.slice(0, READ_ERRORS).map(({ other }) => errorCodeOf(other))),
    isSample: rows.length > READ_ERRORS,
  };
}

/** Names by id, of those that exist; deleted ones too. */
export async function tokenNames(database: Database, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await database.kysely
    .selectFrom("tokens")
    .select(["id", "name"])
    .where("id", "in", [...ids])
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** The same of people. */
export async function userNames(database: Database, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await database.kysely
    .selectFrom("users")
    .select(["id", "username"])
    .where("id", "in", [...ids])
    .execute();
  return new Map(rows.map(({ id, username }) => [id, username]));
}
