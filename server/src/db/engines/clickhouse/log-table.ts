/** The table of the log on ClickHouse: how it is made, filled and emptied. Its rows are known by time and id, and one that came twice is read once. */
import { setTimeout as delay } from "node:timers/promises";
import type { Insertable } from "kysely";
import type { LogTable } from "../../schema.ts";
import { type ClickhouseClient, ClickhouseError } from "./client.ts";
import { literal } from "./literals.ts";

export const LOG_TABLE = "logs";
const OWNER_TABLE = "log_owner";
/** Each partition costs every question without a range some time, and retention is in days: a week is between. */
const WEEK_SECONDS = 604_800;
/** Partitions of one insert: it refuses more than 100 (`max_partitions_per_insert_block`). */
const MOST_WEEKS = 100;

/** Every column of the log with its type. Types and engine are those that version 18.16 has too. */
export const LOG_COLUMN_TYPES: Readonly<Record<keyof LogTable, "Int64" | "Int32" | "String">> = {
  id: "Int64",
  request_id: "String",
  created_at: "Int64",
  type: "Int32",
  user_id: "Int64",
  username: "String",
  token_id: "Int64",
  token_name: "String",
  channel_id: "Int64",
  model_name: "String",
  group_name: "String",
  quota: "Int64",
  prompt_tokens: "Int64",
  completion_tokens: "Int64",
  use_time_ms: "Int64",
  first_token_ms: "Int64",
  is_stream: "Int32",
  ip: "String",
  content: "String",
  other: "String",
};
const COLUMN_NAMES = Object.keys(LOG_COLUMN_TYPES);

/** DUPLICATE_COLUMN of clickhouse.com/docs: another process has added it. */
const DUPLICATE_COLUMN = 44;
/** A mutation writes the rows of a week anew. */
const MUTATION_MS = 600_000;
const MUTATION_POLL_MS = 50;

/** A partition: the first second of it and the first behind it, in Unix seconds. */
interface LogWeek {
  name: string;
  from: number;
  to: number;
}

/** What is done to the log on ClickHouse beside reading it. Every method rejects as the client's do. */
export interface ClickhouseLog {
  /** Columns of this program that the table lacks: all of them where there is no table. */
  missingColumns(): Promise<string[]>;
  /** Makes the table, or adds what it lacks. */
  prepare(): Promise<void>;
  /** Makes an installation the owner where there is none yet. @param id letters and digits @returns the owner's */
  claim(id: string): Promise<string>;
  /** A row that is there already is read once, however often it is written. */
  insert(rows: readonly Insertable<LogTable>[]): Promise<void>;
  /** Weeks that have rows, the oldest first; their times in Unix seconds. */
  weeks(): Promise<LogWeek[]>;
  dropWeek(week: LogWeek): Promise<void>;
  /** Deletes rows older than `before` (Unix seconds) and waits until they are gone. */
  deleteBefore(before: number): Promise<void>;
}

/**
 * ReplacingMergeTree drops what has the same order within a partition when it merges, and FINAL reads it so before that.
 */
const CREATE = `create table if not exists ${LOG_TABLE} (${Object.entries(LOG_COLUMN_TYPES)
  .map((column) => column.join(" "))
  .join(", ")}) engine = ReplacingMergeTree partition by intDiv(created_at, ${WEEK_SECONDS}) order by (created_at, id)`;

const columnsOf = (table: string): string =>
  `select name from system.columns where database = currentDatabase() and table = ${literal(table)}`;

async function addColumn(client: ClickhouseClient, name: string, type: string): Promise<void> {
  try {
    await client.run(`alter table ${LOG_TABLE} add column ${name} ${type}`);
  } catch (error) {
    if (!(error instanceof ClickhouseError) || error.number !== DUPLICATE_COLUMN) throw error;
  }
}

const namesIn = async (client: ClickhouseClient, table: string): Promise<string[]> =>
  (await client.select(columnsOf(table))).map((row) => String(row["name"]));

/** Pieces of rows in the order of time, each of no more partitions than one insert may have. */
function* byWeeks(rows: readonly Insertable<LogTable>[]): Generator<Insertable<LogTable>[]> {
  let piece: Insertable<LogTable>[] = [];
  const weeks = new Set<number>();
  for (const row of rows) {
    weeks.add(Math.floor(row.created_at / WEEK_SECONDS));
    if (weeks.size > MOST_WEEKS) {
      yield piece;
      piece = [];
      weeks.clear();
      weeks.add(Math.floor(row.created_at / WEEK_SECONDS));
    }
    piece.push(row);
  }
  if (piece.length > 0) yield piece;
}

/** Mutations run in the background, and say so here: clickhouse.com/docs/operations/system-tables/mutations. */
async function untilMutated(client: ClickhouseClient): Promise<void> {
  const statement = `select count() as left from system.mutations
    where database = currentDatabase() and table = ${literal(LOG_TABLE)} and is_done = 0`;
  const end = performance.now() + MUTATION_MS;
  for (let wait = MUTATION_POLL_MS; ; wait = Math.min(wait * 2, 1_000)) {
    const [row] = await client.select(statement);
    if (Number(row?.["left"] ?? 0) === 0) return;
    if (performance.now() > end) throw new Error("ClickHouse goes on deleting rows of the log in the background");
    await delay(wait);
  }
}

export function clickhouseLog(client: ClickhouseClient): ClickhouseLog {
  const missingColumns = async () => {
    const there = new Set(await namesIn(client, LOG_TABLE));
    return COLUMN_NAMES.filter((name) => !there.has(name));
  };
  return {
    missingColumns,
    async prepare() {
      await client.run(CREATE);
      const types: Readonly<Record<string, string>> = LOG_COLUMN_TYPES;
      for (const name of await missingColumns()) await addColumn(client, name, types[name] ?? "String");
    },
    async claim(id) {
      if (/\W/.test(id)) throw new Error("The id of this installation has other characters than letters and digits");
      // There are no unique keys here. But of two that create a table one does, and its column says which.
      await client.run(
        `create table if not exists ${OWNER_TABLE} (of_${id} Int64) engine = MergeTree order by tuple()`,
      );
      return (await namesIn(client, OWNER_TABLE)).join().replace(/^of_/, "");
    },
    async insert(rows) {
      for (const piece of byWeeks(rows))
        await client.insert(LOG_TABLE, COLUMN_NAMES, piece.map((row) => `${JSON.stringify(row)}\n`).join(""));
    },
    async weeks() {
      const found = await client.select(`select distinct partition from system.parts
        where active and database = currentDatabase() and table = ${literal(LOG_TABLE)}`);
      const weeks = found.map((row) => Number(row["partition"])).toSorted((a, b) => a - b);
      return weeks.map((week) => ({ name: String(week), from: week * WEEK_SECONDS, to: (week + 1) * WEEK_SECONDS }));
    },
    dropWeek: ({ name }) => client.run(`alter table ${LOG_TABLE} drop partition ${literal(Number(name))}`),
    async deleteBefore(before) {
      await client.run(`alter table ${LOG_TABLE} delete where created_at < ${literal(before)}`);
      await untilMutated(client);
    },
  };
}
