/** The target database of an import: its existing rows, the numbers of new ones, and the transaction of one page. */
import type { Insertable, Transaction } from "kysely";
import { sql } from "kysely";
import { openedColumns, type Opening, postFirstOpenings, postOpenings } from "../billing/openings.ts";
import type { Database } from "../db/database.ts";
import { insertMany } from "../db/bulk.ts";
import { type Queries, affectedRows, insertReturningId, retryDeadlocks, upsert } from "../db/portable.ts";
import type { Schema } from "../db/schema.ts";
import type { Secrets } from "../db/secrets.ts";
import { bumpVersion } from "../db/versions.ts";

/** The context of an import. */
export interface Target {
  database: Database;
  secrets: Secrets;
  /** Names the source in ledger entries. */
  origin: string;
  /** Unix seconds of this run. */
  now: number;
  /** Nothing may be written. */
  isDryRun: boolean;
  /** Names this run of the import; each has another. */
  run: string;
}

/** The pages of indexes that rows come to in no order are read again and again: SQLite keeps 2 MB of them by itself. */
const CACHE_KB = 26_000;
/** A page that many transactions write is copied to the file once a checkpoint: 260 MB of the write-ahead log, in place of 65. */
const CHECKPOINT_PAGES = 64_000;

/** Lets the embedded database keep more of itself in memory and in its log, for as long as this process has it. */
export async function enlargeCache({ database: { engine, kysely } }: Target): Promise<void> {
  if (engine !== "sqlite") return;
  await sql.raw(`PRAGMA cache_size = -${CACHE_KB}`).execute(kysely);
  await sql.raw(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`).execute(kysely);
}

/** Fact that names the run which writes. */
const RUN_FACT = "import_run";

/** Makes this run the one that writes. */
export async function beginRun({ database, run }: Target, transaction: Transaction<Schema>): Promise<void> {
  await upsert(database, transaction, "facts", { name: RUN_FACT, value: run }, ["name"], { value: run });
}

/**
 * Keeps every other import waiting until the transaction ends. The lock of the import can be lost with its connection: so each transaction sees for itself
 * that no other has begun, which lets it take for granted what it found before.
 * @throws an Error of one line where one has
 */
export async function holdRun({ run }: Target, transaction: Transaction<Schema>): Promise<void> {
  const held = await transaction
    .updateTable("facts")
    .set({ value: run })
    .where("name", "=", RUN_FACT)
    .where("value", "=", run)
    .executeTakeFirstOrThrow();
  if (affectedRows(held) !== 1) throw new Error("Another import has begun to write into this database: this one ends");
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
async function knownIds(
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

/** The rows of a page that this database has already, by the numbers there. */
export interface Here {
  /** Numbers here of those that an import brought. */
  known(queries: Queries, ids: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /** Those of the numbers that rows here have. */
  taken(queries: Queries, ids: readonly number[]): Promise<ReadonlySet<number>>;
}

/**
 * Looks each page up, but for the first import of a database: nothing was brought before it, and what gets a number here meanwhile gets none of theirs
 * (`reserveIds`), so that the few rows that stood there already are all that can be met.
 */
export async function hereOf(target: Target, table: MoneyTable, isFirst: boolean): Promise<Here> {
  if (!isFirst)
    return {
      known: (queries, ids) => knownIds(target, queries, { table, ids }),
      taken: (queries, ids) => takenIds(queries, table, ids),
    };
  // Each of the tables has this column, which Kysely cannot say of one of three.
  const rows = await target.database.kysely
    .selectFrom(table as "users")
    .select("id")
    .execute();
  const before = new Set(rows.map(({ id }) => Number(id)));
  return {
    known: async () => new Map(),
    taken: async (_queries, ids) => (before.size === 0 ? before : new Set(ids.filter((id) => before.has(id)))),
  };
}

/** The balance of a row in the other system; of one brought before, this alone is compared. */
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
  { table, rows, taken, changed_version }: Page<Table> & { changed_version: number },
): Promise<Map<number, number>> {
  const ids = new Map<number, number>();
  // The opening says the same whatever number the row gets.
  const valuesOf = ({ row, opening }: MoneyRow<Table>) => ({
    ...row,
    ...openedColumns(table, opening(0)),
    changed_version,
  });
  const own = rows.filter(({ sourceId }) => !taken.has(sourceId));
  for (const { sourceId } of own) ids.set(sourceId, sourceId);
  const values = own.map((each) => ({ ...valuesOf(each), id: each.sourceId }));
  // Kysely's insert types cannot express one table of three; `rows` are checked by MoneyRow.
  await insertMany(database.engine, transaction, {
    table: table as "users",
    rows: values as readonly object[] as readonly Insertable<Schema["users"]>[],
  });
  for (const each of rows.filter(({ sourceId }) => taken.has(sourceId)))
    ids.set(
      each.sourceId,
      await insertReturningId(database, transaction, table as "users", valuesOf(each) as Insertable<Schema["users"]>),
    );
  return ids;
}

interface Page<Table extends MoneyTable> {
  table: Table;
  rows: readonly MoneyRow<Table>[];
  taken: ReadonlySet<number>;
}

/**
 * Writes one page in one transaction: rows that are new, with what belongs to them, and the ledger entries of all. Killed at any point, the
 * page is there whole or not at all, and the books balance. In a dry run it writes nothing.
 * @param known numbers here of those of the rows that are here, by their numbers there
 * @throws an Error of one line where another import has begun meanwhile
 */
export async function writePage<Table extends MoneyTable>(
  target: Target,
  { table, here, known }: { table: Table; here: Here; known: ReadonlyMap<number, number> },
  rows: readonly (KnownRow | MoneyRow<Table>)[],
): Promise<Written> {
  const fresh = rows.filter((row) => isNew<Table>(row));
  const ids = fresh.map(({ sourceId }) => sourceId);
  if (target.isDryRun) return { ids: new Map(rows.map(({ sourceId: id }) => [id, known.get(id) ?? id])), brought: ids };
  return retryDeadlocks(() =>
    target.database.kysely.transaction().execute(async (transaction) => {
      await holdRun(target, transaction);
      const changed_version = await bumpVersion(transaction, table);
      const taken = await here.taken(transaction, ids);
      const made = await insertRows(target, transaction, { table, rows: fresh, taken, changed_version });
      for (const { sourceId, alongside } of fresh) await alongside?.(transaction, made.get(sourceId) ?? 0);
      const on = { engine: target.database.engine, transaction };
      const idOf = (id: number): number => made.get(id) ?? known.get(id) ?? 0;
      const openingOf = (row: KnownRow) => row.opening(idOf(row.sourceId));
      await postFirstOpenings(on, { table, openings: fresh.map(openingOf), createdAt: target.now });
      await postOpenings(on, rows.filter((row) => !isNew<Table>(row)).map(openingOf), target.now);
      return { ids: new Map([...known, ...made]), brought: [...made.keys()] };
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
