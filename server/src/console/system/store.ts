/** Queries of the system page about the database itself: size, tables, leases and the outbox, on every engine. */
import { sql } from "kysely";
import { TABLES_MOST } from "../../../../contract/src/features/system.ts";
import type { Database, Engine } from "../../db/database.ts";

const BYTES: Readonly<Record<Engine, string>> = {
  sqlite: "SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()",
  postgres: "SELECT pg_database_size(current_database()) AS bytes",
  mysql:
    "SELECT SUM(data_length + index_length) AS bytes FROM information_schema.tables WHERE table_schema = DATABASE()",
};

/** With their indexes. */
const TABLES: Readonly<Record<Engine, string>> = {
  sqlite: `SELECT objects.tbl_name AS name, SUM(stat.pgsize) AS bytes FROM dbstat AS stat JOIN sqlite_master AS objects
    ON objects.name = stat.name WHERE stat.aggregate = 1 GROUP BY objects.tbl_name`,
  postgres: `SELECT coalesce(pg_partition_root(oid)::regclass::text, relname) AS name, sum(pg_total_relation_size(oid)) AS bytes
    FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace GROUP BY 1`,
  mysql: `SELECT table_name AS name, data_length + index_length AS bytes FROM information_schema.tables
    WHERE table_schema = DATABASE()`,
};

/** Size of the whole database in bytes. */
export async function databaseBytes({ kysely, engine }: Database): Promise<number> {
  const { rows } = await sql<{ bytes: number | string }>`${sql.raw(BYTES[engine])}`.execute(kysely);
  return Number(rows[0]?.bytes ?? 0);
}

/** The largest tables, in bytes. SQLite reads all its pages for this. */
export async function tableSizes({ questions, engine }: Database): Promise<{ name: string; bytes: number }[]> {
  const query = sql<{
    name: string;
    bytes: number | string;
  }>`SELECT name, bytes FROM (${sql.raw(TABLES[engine])}) AS sizes
    ORDER BY bytes DESC, name LIMIT ${sql.lit(TABLES_MOST)}`;
  const { rows } = await query.execute(questions.kysely);
  return rows.map(({ name, bytes }) => ({ name, bytes: Number(bytes) }));
}

/** Who holds the lease of each job. @param now Unix seconds */
export async function leaders({ kysely }: Database, now: number): Promise<ReadonlyMap<string, string>> {
  const rows = await kysely.selectFrom("leases").select(["name", "holder"]).where("expires_time", ">", now).execute();
  return new Map(rows.map(({ name, holder }) => [name, holder]));
}

/** Messages that wait or have failed. */
export async function outboxFacts({ kysely }: Database) {
  const rows = await kysely
    .selectFrom("outbox")
    .select(["status"])
    .select(({ fn }) => [fn.countAll<number>().as("count"), fn.min("created_time").as("oldest")])
    .where("status", "!=", "sent")
    .groupBy("status")
    .execute();
  const of = (status: string) => rows.find((row) => row.status === status);
  return {
    waiting: Number(of("waiting")?.count ?? 0),
    failed: Number(of("failed")?.count ?? 0),
    oldest_time: Number(of("waiting")?.oldest ?? 0),
  };
}
