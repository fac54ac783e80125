/** Call statistics as columns of call_hours and token_call_hours: counted in memory, and added to the stored values. */
import { sql } from "kysely";
import type { Transaction } from "kysely";
import { FAILURE_KINDS, type FailureKind, TIME_BUCKETS, timeBucketOf } from "../../../contract/src/call-figures.ts";
import { storableCut } from "../util/text.ts";
import type { Database } from "./database.ts";
import type { CallHourTable, TokenCallHourTable } from "./call-hour-tables.ts";
import type { Schema } from "./schema.ts";

type CallColumn = Exclude<keyof CallHourTable, "hour" | "channel_id" | "model">;
type TokenColumn = Exclude<keyof TokenCallHourTable, "hour" | "user_id" | "token_id">;

const bucketColumns = <Of extends "first_token" | "total">(of: Of): CallColumn[] =>
  Array.from({ length: TIME_BUCKETS }, (_, bucket) => `${of}_${String(bucket).padStart(2, "0")}` as CallColumn);

const COUNT_COLUMNS = ["succeeded", ...FAILURE_KINDS.map((kind) => `failed_${kind}` as const)] as const;
/** Columns of call_hours in the order of the counts. */
export const CALL_COLUMNS: readonly CallColumn[] = [
  ...COUNT_COLUMNS,
  ...bucketColumns("first_token"),
  ...bucketColumns("total"),
  ...FAILURE_KINDS.map((kind) => `retried_${kind}` as const),
];
export const TOKEN_COLUMNS: readonly TokenColumn[] = [
  ...COUNT_COLUMNS,
  "first_token_count",
  "first_token_ms",
  "total_ms",
];

const placesFrom = (first: number): Readonly<Record<FailureKind, number>> =>
  Object.fromEntries(FAILURE_KINDS.map((kind, index) => [kind, first + index])) as Record<FailureKind, number>;

/** The index of each count in a row. */
export const COUNT_AT = {
  succeeded: 0,
  failed: placesFrom(1),
  retried: placesFrom(COUNT_COLUMNS.length + 2 * TIME_BUCKETS),
  firstToken: COUNT_COLUMNS.length,
  total: COUNT_COLUMNS.length + TIME_BUCKETS,
  tokenFirstCount: COUNT_COLUMNS.length,
  tokenFirstMs: COUNT_COLUMNS.length + 1,
  tokenTotalMs: COUNT_COLUMNS.length + 2,
} as const;

const HOUR = 3600;

/** The user, channel and model of a call, and when it began (Unix seconds). */
export interface CountedPlace {
  readonly createdAt: number;
  readonly userId: number;
  readonly tokenId: number;
  readonly channelId: number;
  readonly model: string;
}

type Counts = Float64Array;
/** Counts by hour, then by two names, in nested maps without composite keys. */
type Hours<Second> = Map<number, Map<number, Map<Second, Counts>>>;

function countsIn<Second>(
  hours: Hours<Second>,
  hour: number,
  first: number,
  second: Second,
  columns: readonly string[],
): Counts {
  let inHour = hours.get(hour);
  if (inHour === undefined) hours.set(hour, (inHour = new Map<number, Map<Second, Counts>>()));
  let inFirst = inHour.get(first);
  if (inFirst === undefined) inHour.set(first, (inFirst = new Map<Second, Counts>()));
  let counts = inFirst.get(second);
  if (counts === undefined) inFirst.set(second, (counts = new Float64Array(columns.length)));
  return counts;
}

function addInto(counts: Counts, more: Counts): void {
  for (let index = 0; index < counts.length; index++) counts[index] = (counts[index] ?? 0) + (more[index] ?? 0);
}

const raise = (counts: Counts, index: number, by = 1): void => void (counts[index] = (counts[index] ?? 0) + by);

/** Rows in the order of their keys, so that two processes that write the same ones cannot deadlock. */
function* rowsOf<Second extends string | number>(hours: Hours<Second>): Generator<[number, number, Second, Counts]> {
  const sorted = <Key extends string | number, Value>(map: Map<Key, Value>) =>
    [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [hour, firsts] of sorted(hours))
    for (const [first, seconds] of sorted(firsts))
      for (const [second, counts] of sorted(seconds)) yield [hour, first, second, counts];
}

/** PostgreSQL refuses the zero character and halves of surrogate pairs in text; the column takes 255 characters. */
const storableModel = (model: string): string => storableCut(model, 255);

/** The counts of a process that are not stored yet. */
export class CallCounts {
  readonly #calls: Hours<string> = new Map();
  readonly #tokens: Hours<number> = new Map();

  get isEmpty(): boolean {
    return this.#calls.size === 0 && this.#tokens.size === 0;
  }

  /** `firstTokenMs` is 0 if nothing was streamed; a call of less than a millisecond counts too. */
  succeeded({ createdAt, userId, tokenId, channelId, model }: CountedPlace, totalMs: number, firstTokenMs: number) {
    const hour = createdAt - (createdAt % HOUR);
    const calls = countsIn(this.#calls, hour, channelId, model, CALL_COLUMNS);
    const token = countsIn(this.#tokens, hour, userId, tokenId, TOKEN_COLUMNS);
    raise(calls, COUNT_AT.succeeded);
    raise(token, COUNT_AT.succeeded);
    raise(calls, COUNT_AT.total + timeBucketOf(totalMs));
    raise(token, COUNT_AT.tokenTotalMs, totalMs);
    if (firstTokenMs <= 0) return;
    raise(calls, COUNT_AT.firstToken + timeBucketOf(firstTokenMs));
    raise(token, COUNT_AT.tokenFirstCount);
    raise(token, COUNT_AT.tokenFirstMs, firstTokenMs);
  }

  failed({ createdAt, userId, tokenId, channelId, model }: CountedPlace, kind: FailureKind): void {
    const hour = createdAt - (createdAt % HOUR);
    raise(countsIn(this.#calls, hour, channelId, model, CALL_COLUMNS), COUNT_AT.failed[kind]);
    raise(countsIn(this.#tokens, hour, userId, tokenId, TOKEN_COLUMNS), COUNT_AT.failed[kind]);
  }

  /** A failed attempt that was retried elsewhere. */
  retried({ createdAt, channelId, model }: Pick<CountedPlace, "createdAt" | "channelId" | "model">, kind: FailureKind) {
    const hour = createdAt - (createdAt % HOUR);
    raise(countsIn(this.#calls, hour, channelId, model, CALL_COLUMNS), COUNT_AT.retried[kind]);
  }

  /** Adds the counts of another object. */
  add(others: CallCounts): void {
    for (const [hour, channelId, model, counts] of rowsOf(others.#calls))
      addInto(countsIn(this.#calls, hour, channelId, model, CALL_COLUMNS), counts);
    for (const [hour, userId, tokenId, counts] of rowsOf(others.#tokens))
      addInto(countsIn(this.#tokens, hour, userId, tokenId, TOKEN_COLUMNS), counts);
  }

  /** The same counts in parts of at most `rows` rows, so that transactions stay short. */
  *parts(rows: number): Generator<CallCounts> {
    let part = new CallCounts();
    let size = 0;
    const grown = function* (): Generator<CallCounts> {
      if ((size += 1) < rows) return;
      yield part;
      part = new CallCounts();
      size = 0;
    };
    for (const [hour, channelId, model, counts] of rowsOf(this.#calls)) {
      addInto(countsIn(part.#calls, hour, channelId, model, CALL_COLUMNS), counts);
      yield* grown();
    }
    for (const [hour, userId, tokenId, counts] of rowsOf(this.#tokens)) {
      addInto(countsIn(part.#tokens, hour, userId, tokenId, TOKEN_COLUMNS), counts);
      yield* grown();
    }
    if (size > 0) yield part;
  }

  callRows(): CallHourTable[] {
    return Array.from(
      rowsOf(this.#calls),
      ([hour, channel_id, model, counts]) =>
        ({ hour, channel_id, model: storableModel(model), ...named(CALL_COLUMNS, counts) }) as CallHourTable,
    );
  }

  tokenRows(): TokenCallHourTable[] {
    return Array.from(
      rowsOf(this.#tokens),
      ([hour, user_id, token_id, counts]) =>
        ({ hour, user_id, token_id, ...named(TOKEN_COLUMNS, counts) }) as TokenCallHourTable,
    );
  }
}

const named = <Column extends string>(columns: readonly Column[], counts: Counts): Record<Column, number> =>
  Object.fromEntries(columns.map((column, index) => [column, counts[index] ?? 0])) as Record<Column, number>;

/** Rows of one statement: databases limit the number of bound values. */
const ROWS_AT_ONCE = 100;

type On = Pick<Database, "engine">;

async function addRows(
  { engine }: On,
  transaction: Transaction<Schema>,
  table: "call_hours" | "token_call_hours",
  rows: readonly (CallHourTable | TokenCallHourTable)[],
  keys: readonly string[],
  columns: readonly string[],
): Promise<void> {
  const there = (column: string) => sql.ref(`${table}.${column}`);
  const added = (column: string) =>
    engine === "mysql" ? sql`values(${sql.ref(column)})` : sql.ref(`excluded.${column}`);
  const sums = Object.fromEntries(columns.map((column) => [column, sql<number>`${there(column)} + ${added(column)}`]));
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    // Both tables are written alike; the rows are typed by the callers.
    const insert = transaction
      .insertInto(table as "token_call_hours")
      .values(rows.slice(start, start + ROWS_AT_ONCE) as TokenCallHourTable[]);
    if (engine === "mysql") await insert.onDuplicateKeyUpdate(sums).execute();
    else
      await insert.onConflict((conflict) => conflict.columns(keys as unknown as ["hour"]).doUpdateSet(sums)).execute();
  }
}

/** Adds counts to the stored ones, inside the caller's transaction: counts of other processes are kept. */
export async function addCounts(database: On, transaction: Transaction<Schema>, counts: CallCounts): Promise<void> {
  const calls = counts.callRows();
  await addRows(database, transaction, "call_hours", calls, ["hour", "channel_id", "model"], CALL_COLUMNS);
  const tokens = counts.tokenRows();
  await addRows(database, transaction, "token_call_hours", tokens, ["hour", "user_id", "token_id"], TOKEN_COLUMNS);
}
