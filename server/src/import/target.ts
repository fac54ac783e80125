/** The database that is filled: what stands in it already, the numbers that rows get, and the transaction of one page. */
import type { Insertable, Transaction } from "kysely";
import { sql } from "kysely";
import { type Opening, postOpenings } from "../billing/openings.ts";
import type { Database } from "../db/database.ts";
import { insertMany } from "../db/bulk.ts";
import { type Queries, insertReturningId, retryDeadlocks } from "../db/portable.ts";
import type { Schema } from "../db/schema.ts";
import type { Secrets } from "../db/secrets.ts";
import { bumpVersion } from "../db/versions.ts";

/** What an import works with. */
export interface Target {
  database: Database;
  secrets: Secrets;
  /** Names the source in ledger entries. */
  origin: string;
  /** Unix seconds of this run. */
  now: number;
  /** Nothing may be written. */
  isDryRun: boolean;
}

/** Tables whose rows have money, with the letter of their ledger entries. */
const MARKS = { users: "u", tokens: "t", channels: "c" } as const;
const ID_COLUMNS = { users: "user_id", tokens: "token_id", channels: "channel_id" } as const;
export type MoneyTable = keyof typeof MARKS;

/** Beginning of the ids of a source's ledger entries for one table. */
export const entryPrefix = (origin: string, table: MoneyTable): string => `opening:${origin}:${MARKS[table]}`;

export const entryIdOf = (origin: string, table: MoneyTable, sourceId: number): string =>
  `${entryPrefix(origin, table)}${sourceId}`;

/** The numbers that rows of a source have here, by their numbers there, of those that were brought. */
export async function knownIds(
  { origin }: Target,
  queries: Queries,
  { table, ids }: { table: MoneyTable; ids: readonly number[] },
): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map();
  const byEntry = new Map(ids.map((id) => [entryIdOf(origin, table, id), id]));
  const rows = await queries
    .selectFrom("ledger")
    .select(["entry_id", `${ID_COLUMNS[table]} as id`])
    .where("entry_id", "in", [...byEntry.keys()])
    .execute();
  return new Map(rows.map((row) => [byEntry.get(row.entry_id) ?? 0, Number(row.id)]));
}

/** Those of the numbers that rows of this database have. */
export async function takenIds(
  queries: Queries,
  table: MoneyTable | "redemptions" | "top_ups",
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  // Each of the tables has this column, which Kysely cannot say of one of five.
  const rows = await queries
    .selectFrom(table as "users")
    .select("id")
    .where("id", "in", [...ids])
    .execute();
  return new Set(rows.map(({ id }) => Number(id)));
}

/** What a row has in the other system; of one that was brought before, this alone is compared. */
export interface KnownRow {
  sourceId: number;
  /** By the number that the row has here. */
  opening: (id: number) => Opening;
}

/** A row that is to be inserted. */
export interface MoneyRow<Table extends MoneyTable> extends KnownRow {
  row: Omit<Insertable<Schema[Table]>, "id" | "changed_version">;
  /** More rows of its own, written in the same transaction. */
  alongside?: (transaction: Transaction<Schema>, id: number) => Promise<void>;
}

const isNew = <Table extends MoneyTable>(row: KnownRow | MoneyRow<Table>): row is MoneyRow<Table> => "row" in row;

interface Written {
  /** Number here by number there. */
  ids: ReadonlyMap<number, number>;
  /** Numbers there of the rows that were not here before. */
  brought: readonly number[];
}

/** Inserts the rows that have their own numbers at once, the others one by one behind the last number. */
async function insertRows<Table extends MoneyTable>(
  { database }: Target,
  transaction: Transaction<Schema>,
  { table, rows, changed_version }: { table: Table; rows: readonly MoneyRow<Table>[]; changed_version: number },
): Promise<Map<number, number>> {
  const taken = await takenIds(
    transaction,
    table,
    rows.map(({ sourceId }) => sourceId),
  );
  const ids = new Map<number, number>();
  const own = rows.filter(({ sourceId }) => !taken.has(sourceId));
  for (const { sourceId } of own) ids.set(sourceId, sourceId);
  const values = own.map(({ sourceId, row }) => ({ ...row, id: sourceId, changed_version }));
  // Kysely's insert types cannot express one table of three; `rows` are checked by MoneyRow.
  await insertMany(database.engine, transaction, {
    table: table as "users",
    rows: values as readonly object[] as readonly Insertable<Schema["users"]>[],
  });
  for (const { sourceId, row } of rows.filter((each) => taken.has(each.sourceId)))
    ids.set(
      sourceId,
      await insertReturningId(database, transaction, table as "users", {
        ...(row as Insertable<Schema["users"]>),
        changed_version,
      }),
    );
  return ids;
}

/**
 * Writes one page in one transaction: rows that are new, with what belongs to them, and the ledger entries of all. Killed at any point, the
 * page is there whole or not at all, and the books balance. In a dry run it only finds out which rows are new.
 */
export async function writePage<Table extends MoneyTable>(
  target: Target,
  table: Table,
  rows: readonly (KnownRow | MoneyRow<Table>)[],
): Promise<Written> {
  const ids = rows.map(({ sourceId }) => sourceId);
  if (target.isDryRun) {
    const known = await knownIds(target, target.database.kysely, { table, ids });
    return {
      ids: new Map(ids.map((id) => [id, known.get(id) ?? id])),
      brought: ids.filter((id) => !known.has(id)),
    };
  }
  return retryDeadlocks(() =>
    target.database.kysely.transaction().execute(async (transaction) => {
      // Taken first: of two imports at once one waits here, and finds the rows of the other.
      const changed_version = await bumpVersion(transaction, table);
      const known = await knownIds(target, transaction, { table, ids });
      const fresh = rows.filter((row) => isNew<Table>(row)).filter(({ sourceId }) => !known.has(sourceId));
      const made = await insertRows(target, transaction, { table, rows: fresh, changed_version });
      for (const { sourceId, alongside } of fresh) await alongside?.(transaction, made.get(sourceId) ?? 0);
      const all = new Map([...known, ...made]);
      const openings = rows.map((row) => row.opening(all.get(row.sourceId) ?? 0));
      await postOpenings({ engine: target.database.engine, transaction }, openings, target.now);
      return { ids: all, brought: [...made.keys()] };
    }),
  );
}

/**
 * The next number of each table follows the largest that is to come, so that what gets a number of its own, here or by a server meanwhile,
 * takes none of theirs. For a database that no import has filled yet.
 */
export async function reserveIds({ database }: Target, largestIds: ReadonlyMap<string, number>): Promise<void> {
  const { engine, kysely } = database;
  for (const [table, largest] of largestIds) {
    const { rows } = await sql<{
      last: number | string | null;
    }>`SELECT MAX(id) AS last FROM ${sql.table(table)}`.execute(kysely);
    const last = Math.max(largest, Number(rows[0]?.last ?? 0));
    if (last === 0) continue;
    if (engine === "postgres")
      await sql`SELECT setval(pg_get_serial_sequence(${table}, 'id'), ${sql.lit(last)})`.execute(kysely);
    else if (engine === "mysql")
      await sql`ALTER TABLE ${sql.table(table)} AUTO_INCREMENT = ${sql.lit(last + 1)}`.execute(kysely);
    else {
      await sql`DELETE FROM sqlite_sequence WHERE name = ${table}`.execute(kysely);
      await sql`INSERT INTO sqlite_sequence (name, seq) VALUES (${table}, ${sql.lit(last)})`.execute(kysely);
    }
  }
}
