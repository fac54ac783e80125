/** Loads rows into an empty database of any engine; one that a killed load left half full is emptied first. */
import { type InsertQueryBuilder, type Kysely, sql } from "kysely";
import type { Database } from "../db/database.ts";
import { MIGRATIONS, migrate } from "../db/migrations/migrate.ts";
import { ensureLogPartitions, hasLogPartitions, partitionDays } from "../db/log-partitions.ts";
import { RESTORING } from "../db/migrations/state.ts";
import type { TableRows, Value } from "./snapshot.ts";

/** A schema that is not known while this is compiled. */
type AnyQueries = Kysely<Record<string, Record<string, Value>>>;

/** Parameters of one statement; SQLite takes 32,766. */
const MAX_PARAMETERS = 20_000;
const SCHEMA_FACT = "schema";

const anyOf = ({ kysely }: Database): AnyQueries => kysely as unknown as AnyQueries; // tables are named by the archive

const stateOf = async ({ kysely }: Database): Promise<string> =>
  (await kysely.selectFrom("facts").select("value").where("name", "=", SCHEMA_FACT).executeTakeFirst())?.value ?? "";

const writeState = async ({ kysely }: Database, value: string): Promise<void> => {
  await kysely.updateTable("facts").set({ value }).where("name", "=", SCHEMA_FACT).execute();
};

/** Throws an Error of one line for a database that has accounts. */
async function refuseUsed({ kysely }: Database): Promise<void> {
  const { count } = await kysely
    .selectFrom("users")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  if (Number(count) > 0)
    throw new Error(`The database holds ${Number(count)} accounts already: a restore needs an empty one`);
}

async function insertRows(queries: AnyQueries, { table, rows }: TableRows): Promise<void> {
  const most = Math.max(1, Math.floor(MAX_PARAMETERS / table.columns.length));
  for (let from = 0; from < rows.length; from += most) {
    const values = rows
      .slice(from, from + most)
      .map((row) => Object.fromEntries(table.columns.map((column, index) => [column, row[index] ?? null])));
    await (queries.insertInto(table.name) as InsertQueryBuilder<Record<string, Record<string, Value>>, string, object>)
      .values(values)
      .execute();
  }
}

/** The partitions of the log's rows; a schema without partitions has one table for all. */
async function makeRoomFor(database: Database, { table, rows }: TableRows): Promise<void> {
  if (database.engine !== "postgres" || rows.length === 0 || !(await hasLogPartitions(database))) return;
  const at = table.columns.indexOf("created_at");
  const times = rows.map((row) => Number(row[at]));
  await ensureLogPartitions(database, times, partitionDays(0));
}

/** 0 for a table whose ids are no numbers, and for one without. Asked of the pages, since no index of a partitioned table begins with the id. */
function largestId({ table, rows }: TableRows): number {
  const at = table.columns.indexOf("id");
  return rows.reduce((most, row) => (typeof row[at] === "number" ? Math.max(most, row[at]) : most), 0);
}

/** The next id of a table follows the largest that was loaded. SQLite and MySQL see to it by themselves. */
async function advanceIds({ engine, kysely }: Database, largest: ReadonlyMap<string, number>): Promise<void> {
  if (engine !== "postgres") return;
  const { rows } = await sql<{ name: string }>`SELECT table_name AS name FROM information_schema.columns
    WHERE table_schema = current_schema() AND column_name = 'id' AND is_identity = 'YES'
    AND NOT (SELECT relispartition FROM pg_class WHERE oid = to_regclass(quote_ident(table_name)))`.execute(kysely);
  for (const { name } of rows)
    await sql`SELECT setval(pg_get_serial_sequence(${name}, 'id'), ${sql.lit((largest.get(name) ?? 0) + 1)}, false)`.execute(
      kysely,
    );
}

/**
 * Fills a database with the rows of another: makes the schema that they had, loads them, and migrates to this program's. While it works no
 * server starts on it; what was killed is begun again by the next call.
 * @param migration of the rows, as their archive says
 * @returns rows that were loaded
 * @throws an Error of one line where the database has accounts already, or the rows are of a newer version
 */
export async function loadRows(
  database: Database,
  migration: number,
  pages: AsyncIterable<TableRows>,
): Promise<number> {
  const latest = MIGRATIONS.at(-1)?.id ?? 0;
  if (migration > latest)
    throw new Error(`The rows are of a newer version (schema ${migration}, known here ${latest}): use that version`);
  const known = MIGRATIONS.filter(({ id }) => id <= migration);
  const isBegun = (await stateOf(database).catch(() => "")).startsWith(RESTORING);
  if (!isBegun) {
    await migrate(database, { migrations: known });
    await refuseUsed(database);
  }
  const done = `${migration}.${known.at(-1)?.steps.length ?? 0}`;
  await writeState(database, `${RESTORING} ${done}`);
  const begun = new Set<string>();
  const largest = new Map<string, number>();
  const queries = anyOf(database);
  let count = 0;
  for await (const { table, rows } of pages) {
    if (!begun.has(table.name)) await emptyTable(queries, table.name);
    begun.add(table.name);
    const kept =
      table.name === "facts" ? rows.filter((row) => row[table.columns.indexOf("name")] !== SCHEMA_FACT) : rows;
    if (table.name === "logs") await makeRoomFor(database, { table, rows });
    if (kept.length > 0) await insertRows(queries, { table, rows: kept });
    largest.set(table.name, Math.max(largest.get(table.name) ?? 0, largestId({ table, rows })));
    count += rows.length;
  }
  await advanceIds(database, largest);
  await writeState(database, done);
  await migrate(database);
  return count;
}

/** Its rows are those of the migrations, or of a load that was killed; the state of the load itself stays. */
async function emptyTable(queries: AnyQueries, table: string): Promise<void> {
  const all = queries.deleteFrom(table);
  await (table === "facts" ? all.where("name", "!=", SCHEMA_FACT) : all).execute();
}
