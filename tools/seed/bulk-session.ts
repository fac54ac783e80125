/** One connection for bulk loads past the server, which must not run: durability and indexes wait until the end. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import type { Cell } from "../../server/src/billing/engines/cells.ts";
import type { Config } from "../../server/src/config.ts";

export interface BulkSession {
  run(statement: string, values?: readonly Cell[]): Promise<void>;
  all(statement: string): Promise<Record<string, unknown>[]>;
  /** `?` or `$1`, counted from 1. */
  mark(position: number): string;
  /** Names and statements of the indexes of a table that enforce nothing. */
  indexes(table: string): Promise<{ name: string; statement: string }[]>;
  /** What makes the loaded database like one that grew. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

const nameAndStatement = (row: Record<string, unknown>) => ({
  name: String(row["name"]),
  statement: String(row["statement"]),
});

function openFile(path: string): BulkSession {
  const database = new DatabaseSync(path);
  // A killed load breaks the file, which was empty before.
  database.exec("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -262144");
  const all = (statement: string) => Promise.resolve(database.prepare(statement).all());
  return {
    run: async (statement, values = []) => void database.prepare(statement).run(...values),
    all,
    mark: () => "?",
    async indexes(table) {
      const where = `type = 'index' AND tbl_name = '${table}' AND sql IS NOT NULL`;
      return (await all(`SELECT name, sql AS statement FROM sqlite_master WHERE ${where}`)).map(nameAndStatement);
    },
    // The server gathers no statistics of its own on SQLite, so neither does this.
    finish: async () => database.exec("PRAGMA journal_mode = WAL"),
    close: async () => database.close(),
  };
}

async function openServer(url: string): Promise<BulkSession> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("SET synchronous_commit = off; SET maintenance_work_mem = '512MB'; SET work_mem = '128MB'");
  const all = async (statement: string) => (await client.query<Record<string, unknown>>(statement)).rows;
  return {
    run: async (statement, values = []) => void (await client.query(statement, [...values])),
    all,
    mark: (position) => `$${position}`,
    async indexes(table) {
      const constraints = "SELECT conindid FROM pg_constraint WHERE conindid <> 0";
      const text = `SELECT c.relname AS name, replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') AS statement FROM pg_index i
        JOIN pg_class c ON c.oid = i.indexrelid
        WHERE i.indrelid = '${table}'::regclass AND NOT i.indisunique AND i.indexrelid NOT IN (${constraints})`;
      return (await all(text)).map(nameAndStatement);
    },
    // As autovacuum would have done by then.
    async finish() {
      for (const table of ["logs", "ledger", "usage_hours"]) await client.query(`VACUUM ANALYZE ${table}`);
    },
    close: () => client.end(),
  };
}

/** Connects to the database of the configuration. Throws on an engine without bulk loads. */
export async function openBulkSession(config: Config): Promise<BulkSession> {
  const { databaseUrl } = config;
  if (databaseUrl === undefined) return openFile(join(config.dataDir, "turnpike.db"));
  if (/^postgres(ql)?:/.test(databaseUrl)) return openServer(databaseUrl);
  throw new Error("busy-month is for SQLite and PostgreSQL");
}
