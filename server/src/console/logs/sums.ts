/** Sums of the calls that a filter finds, by stretches of time or by one field: answered calls from the roll-up and the edges' rows, failed ones from the newest of them. */
import { type Expression, sql } from "kysely";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import type { Database } from "../../db/database.ts";
import { newestFirst } from "../../db/log-order.ts";
import { asksFor, conditions, type LogFilter, only, timeConditions } from "./filter.ts";
import { idsOf } from "./store.ts";
import { hourConditions, type Range, splitRange } from "./totals.ts";

export interface CallSums {
  calls: number;
  errors: number;
  /** What the calls cost, in quota. */
  quota: number;
  /** Of calls whose receipts were read (answered.ts). */
  prompt_tokens: number;
  cached_tokens: number;
}

export type SumsByKey = Map<string, CallSums>;

/** The fields that the roll-up and the log both have: their columns in each. */
export const SUMMED_FIELDS = {
  model: { hours: "model", rows: "model_name" },
  token: { hours: "token_id", rows: "token_id" },
  user: { hours: "user_id", rows: "user_id" },
  channel: { hours: "channel_id", rows: "channel_id" },
  group: { hours: "group_name", rows: "group_name" },
} as const;
export type SummedField = keyof typeof SUMMED_FIELDS;

/** The key that calls are summed by. A stretch of time is named by its first second: `origin` and so many times `width` seconds. */
export type SummedBy = { field: SummedField } | { origin: number; width: number };

/** Failed calls that are counted, the newest ones. */
export const SUMMED_ERRORS = 10_000;
/** Values of a field that are read from the roll-up. */
const VALUES_READ = 1000;

const none = (): CallSums => ({ calls: 0, errors: 0, quota: 0, prompt_tokens: 0, cached_tokens: 0 });

/** Adds to the sums of a key. */
export function addTo(sums: SumsByKey, key: string, more: Partial<CallSums>): void {
  const known = sums.get(key) ?? none();
  sums.set(key, {
    calls: known.calls + (more.calls ?? 0),
    errors: known.errors + (more.errors ?? 0),
    quota: known.quota + (more.quota ?? 0),
    prompt_tokens: known.prompt_tokens + (more.prompt_tokens ?? 0),
    cached_tokens: known.cached_tokens + (more.cached_tokens ?? 0),
  });
}

/** The first second of the stretch that a time is in. */
export const stretchOf = (at: number, { origin, width }: { origin: number; width: number }): number =>
  at - ((at - origin) % width);

interface Summed {
  key: string | number;
  calls: number;
  quota: number;
}

const addAll = (sums: SumsByKey, rows: readonly Summed[]): void => {
  for (const { key, calls, quota } of rows) addTo(sums, String(key), { calls: Number(calls), quota: Number(quota) });
};

type Hours = NonNullable<ReturnType<typeof splitRange>["hours"]>;

function hoursOf(database: Database, filter: LogFilter, { from, below }: Hours, column: "hour" | HourColumn) {
  return database.kysely
    .selectFrom("usage_hours")
    .select(({ ref, fn }) => [
      ref(column).as("key"),
      fn.sum<number>("requests").as("calls"),
      fn.sum<number>("quota").as("quota"),
    ])
    .where("hour", ">=", from)
    .where("hour", "<", below ?? Number.MAX_SAFE_INTEGER)
    .where((builder) => hourConditions(database, builder, filter))
    .groupBy(column);
}

type HourColumn = (typeof SUMMED_FIELDS)[SummedField]["hours"];

/** The values with most calls and those with most spend; of the keys known from elsewhere also those beyond. */
async function valuesOfHours(
  database: Database,
  filter: LogFilter,
  hours: Hours,
  { column, sums }: { column: HourColumn; sums: SumsByKey },
): Promise<{ rows: Summed[]; isCut: boolean }> {
  const all = hoursOf(database, filter, hours, column);
  const byCalls = await all.orderBy("calls", "desc").limit(VALUES_READ).execute();
  if (byCalls.length < VALUES_READ) return { rows: byCalls, isCut: false };
  const byQuota = await all.orderBy("quota", "desc").limit(VALUES_READ).execute();
  const rows = new Map([...byCalls, ...byQuota].map((row) => [String(row.key), row]));
  const missing = [...sums.keys()].filter((key) => !rows.has(key)).slice(0, VALUES_READ);
  const isText = column === "model" || column === "group_name";
  const rest =
    missing.length === 0 ? [] : await all.where(column, "in", isText ? missing : missing.map(Number)).execute();
  return { rows: [...rows.values(), ...rest], isCut: true };
}

/** Rows of the log that are answered calls, by the key. */
async function addRows(database: Database, filter: LogFilter, by: SummedBy, sums: SumsByKey): Promise<void> {
  const calls = only(filter, LOG_TYPE.consumption);
  const { logs } = database;
  const rows = await logs.kysely
    .selectFrom("logs")
    .select(({ ref, fn }) => [
      keyOf(ref("logs.created_at"), by, (column) => ref(`logs.${column}`)).as("key"),
      fn.countAll<number>().as("calls"),
      fn.sum<number>("logs.quota").as("quota"),
    ])
    .where((builder) => conditions(logs, builder, calls))
    .where((builder) => timeConditions(builder, calls))
    .groupBy("key")
    .execute();
  addAll(sums, rows);
}

type RowColumn = (typeof SUMMED_FIELDS)[SummedField]["rows"];

function keyOf(
  time: Expression<number>,
  by: SummedBy,
  columnOf: (name: RowColumn) => Expression<string | number>,
): ReturnType<typeof sql<string | number>> {
  if ("field" in by) return sql<string | number>`${columnOf(SUMMED_FIELDS[by.field].rows)}`;
  // Written out: the same expression with two parameters would be two expressions to PostgreSQL.
  return sql<number>`${time} - ((${time} - ${sql.lit(by.origin)}) % ${sql.lit(by.width)})`;
}

/** Adds the answered calls of the filter, all of them from rows of the log. */
export async function addAnsweredRows(
  database: Database,
  filter: LogFilter,
  by: SummedBy,
  sums: SumsByKey,
): Promise<void> {
  if (asksFor(filter, LOG_TYPE.consumption)) await addRows(database, filter, by, sums);
}

/** Adds the answered calls of the filter, whole hours from the roll-up. Answers whether values of a field were left out. */
export async function addAnsweredHours(
  database: Database,
  filter: LogFilter,
  { by, now }: { by: SummedBy; now: number },
  sums: SumsByKey,
): Promise<boolean> {
  if (!asksFor(filter, LOG_TYPE.consumption)) return false;
  const range: Range = { start: filter.start, end: filter.end };
  const { hours, edges } = splitRange(range, now);
  for (const edge of edges) await addRows(database, { ...filter, ...edge }, by, sums);
  if (hours === undefined) return false;
  if ("field" in by) {
    const column = SUMMED_FIELDS[by.field].hours;
    const { rows, isCut } = await valuesOfHours(database, filter, hours, { column, sums });
    addAll(sums, rows);
    return isCut;
  }
  const rows = await hoursOf(database, filter, hours, "hour").execute();
  addAll(
    sums,
    rows.map((row) => ({ ...row, key: stretchOf(Number(row.key), by) })),
  );
  return false;
}

/** Adds the newest failed calls of the filter. Answers since when they were counted; 0 where all were. */
export async function addErrors(database: Database, filter: LogFilter, by: SummedBy, sums: SumsByKey): Promise<number> {
  if (!asksFor(filter, LOG_TYPE.error)) return 0;
  const errors = idsOf(database, only(filter, LOG_TYPE.error))
    .select("logs.created_at")
    .$if("field" in by, (query) =>
      query.select(`logs.${"field" in by ? SUMMED_FIELDS[by.field].rows : "model_name"} as value`),
    );
  const rows = await newestFirst(database.logs, errors, { limit: SUMMED_ERRORS + 1, end: filter.end });
  const counted = rows.slice(0, SUMMED_ERRORS);
  for (const { created_at, value } of counted)
    addTo(sums, String("field" in by ? value : stretchOf(created_at, by)), { errors: 1 });
  return rows.length > SUMMED_ERRORS ? (counted.at(-1)?.created_at ?? 0) : 0;
}
