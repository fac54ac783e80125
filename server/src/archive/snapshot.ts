/** Reads every table of a database as it stands at one moment, while others write: on SQLite, PostgreSQL and MySQL alike. */
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { PoolConnection } from "mysql2/promise";
import type { Config } from "../config.ts";
import { sqliteFile } from "../db/data-dir.ts";
import { type Database, type Engine, openDatabase } from "../db/database.ts";
import { quoteName } from "../db/migrations/columns.ts";

/** Every column is one of the kinds of db/migrations/columns.ts. */
export type Value = string | number | null;

export interface Table {
  name: string;
  columns: readonly string[];
  /** Columns of the primary key, in its order. */
  key: readonly string[];
}

export interface TableRows {
  table: Table;
  rows: readonly (readonly Value[])[];
}

export interface Snapshot {
  engine: Engine;
  tables: readonly Table[];
  /** Runs one SELECT of one's own; its placeholders are `?`. */
  select: Select;
  /** Rows of one table at the moment of the snapshot. */
  count(table: string): Promise<number>;
  /** A value of the table `facts`; undefined where there is none. */
  fact(name: string): Promise<string | undefined>;
  /** All rows, table by table, at most PAGE_ROWS at once; one without rows comes too. */
  rows(): AsyncGenerator<TableRows>;
  close(): Promise<void>;
}

const PAGE_ROWS = 1_000;

/** Runs one SELECT; rows as lists of their columns' values. */
type Select = (text: string, values: readonly Value[]) => Promise<Value[][]>;

interface Reader {
  engine: Engine;
  select: Select;
  close(): Promise<void>;
}

/** Beside a running server: a read transaction of SQLite in WAL mode sees one moment, and blocks no writes. */
function readFile(path: string): Reader {
  if (!existsSync(path)) throw new Error(`There is no database at ${path}`);
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  database.exec("BEGIN");
  const select: Select = async (text, values) => {
    const statement = database.prepare(text);
    statement.setReturnArrays(true);
    return statement.all(...values) as unknown as Value[][]; // the rows are lists, as asked
  };
  return { engine: "sqlite", select, close: async () => database.close() };
}

/** `?` as PostgreSQL numbers them. */
function numbered(text: string): string {
  let count = 0;
  return text.replaceAll("?", () => `$${(count += 1)}`);
}

async function readPostgres({ postgres }: Database, close: () => Promise<void>): Promise<Reader> {
  const client = await postgres?.connect();
  if (client === undefined) throw new Error("This is no PostgreSQL database");
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  // What reads the rows may be slower than the server's own patience.
  for (const name of ["statement_timeout", "idle_in_transaction_session_timeout"])
    await client.query(`SET LOCAL ${name} = 0`);
  // One connection takes one statement at a time, however many are asked side by side.
  let last: Promise<unknown> = Promise.resolve();
  return {
    engine: "postgres",
    async select(text, values) {
      const statement = { text: numbered(text), values: [...values], rowMode: "array" as const };
      const asked = last.then(() => client.query(statement));
      last = asked.catch(() => undefined); // the caller gets the failure
      return (await asked).rows as Value[][];
    },
    async close() {
      client.release(true);
      await close();
    },
  };
}

async function readMysql({ mysql }: Database, close: () => Promise<void>): Promise<Reader> {
  const connection: PoolConnection | undefined = await mysql?.promise().getConnection();
  if (connection === undefined) throw new Error("This is no MySQL database");
  await connection.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
  await connection.query("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
  return {
    engine: "mysql",
    async select(text, values) {
      const [rows] = await connection.query({ sql: text, values: [...values], rowsAsArray: true });
      return rows as Value[][];
    },
    async close() {
      connection.destroy();
      await close();
    },
  };
}

async function openReader(config: Config): Promise<Reader> {
  if (config.databaseUrl === undefined) return readFile(sqliteFile(config.dataDir));
  const database = await openDatabase(config);
  const close = () => database.close();
  try {
    return await (database.engine === "postgres" ? readPostgres(database, close) : readMysql(database, close));
  } catch (error) {
    await close();
    throw error;
  }
}

/** Names of tables with their columns in order, and of those of the primary key. */
const CATALOG: Readonly<Record<Engine, { columns: string; keys: string }>> = {
  sqlite: {
    columns: `SELECT tables.name, columns.name FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
      WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%' ORDER BY tables.name, columns.cid`,
    keys: `SELECT tables.name, columns.name FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
      WHERE tables.type = 'table' AND columns.pk > 0 ORDER BY tables.name, columns.pk`,
  },
  postgres: {
    // The rows of a partition come with its table, and the column era is of the move into partitions alone.
    columns: `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()
      AND NOT (SELECT relispartition FROM pg_class WHERE oid = to_regclass(quote_ident(table_name)))
      AND NOT (table_name = 'logs' AND column_name = 'era') ORDER BY table_name, ordinal_position`,
    keys: `SELECT keys.table_name, keys.column_name FROM information_schema.key_column_usage AS keys
      JOIN information_schema.table_constraints AS rules USING (constraint_schema, constraint_name, table_name)
      WHERE rules.constraint_type = 'PRIMARY KEY' AND keys.table_schema = current_schema()
      ORDER BY keys.table_name, keys.ordinal_position`,
  },
  mysql: {
    columns: `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = DATABASE()
      ORDER BY table_name, ordinal_position`,
    keys: `SELECT table_name, column_name FROM information_schema.key_column_usage
      WHERE table_schema = DATABASE() AND constraint_name = 'PRIMARY' ORDER BY table_name, ordinal_position`,
  },
};

/** While rows of the log are moved into partitions on PostgreSQL, each part of it has the key, and the whole has none. */
const KEYS_OF_PARTS: Readonly<Record<string, readonly string[]>> = { logs: ["created_at", "id"] };

const byTable = (rows: readonly Value[][]): ReadonlyMap<string, readonly string[]> =>
  new Map(
    [...Map.groupBy(rows, ([table]) => String(table))].map(([table, each]) => [
      table,
      each.map(([, name]) => String(name)),
    ]),
  );

async function tablesOf({ engine, select }: Reader): Promise<Table[]> {
  const columns = byTable(await select(CATALOG[engine].columns, []));
  const keys = byTable(await select(CATALOG[engine].keys, []));
  return [...columns].map(([name, all]) => ({ name, columns: all, key: keys.get(name) ?? KEYS_OF_PARTS[name] ?? all }));
}

/** Page by page in the order of the primary key, so that no page is read twice and none is skipped. */
async function* pagesOf({ engine, select }: Reader, table: Table): AsyncGenerator<TableRows> {
  const quoted = (names: readonly string[]): string => names.map((name) => quoteName(engine, name)).join(", ");
  const key = quoted(table.key);
  const at = table.key.map((name) => table.columns.indexOf(name));
  const from = `SELECT ${quoted(table.columns)} FROM ${quoteName(engine, table.name)}`;
  const end = `ORDER BY ${key} LIMIT ${PAGE_ROWS}`;
  let rows = await select(`${from} ${end}`, []);
  for (;;) {
    yield { table, rows };
    if (rows.length < PAGE_ROWS) return;
    const last = rows.at(-1) ?? [];
    const after = `(${key}) > (${table.key.map(() => "?").join(", ")})`;
    rows = await select(
      `${from} WHERE ${after} ${end}`,
      at.map((index) => last[index] ?? null),
    );
  }
}

/**
 * Opens a snapshot, which has to be closed.
 * @throws an Error of one line where the database cannot be opened
 */
export async function openSnapshot(config: Config): Promise<Snapshot> {
  const reader = await openReader(config);
  try {
    const tables = await tablesOf(reader);
    const { engine, select } = reader;
    return {
      engine,
      tables,
      select,
      count: async (table) => Number((await select(`SELECT COUNT(*) FROM ${quoteName(engine, table)}`, []))[0]?.[0]),
      async fact(name) {
        const value = (await select("SELECT value FROM facts WHERE name = ?", [name]))[0]?.[0];
        return typeof value === "string" ? value : undefined;
      },
      async *rows() {
        for (const table of tables) yield* pagesOf(reader, table);
      },
      close: () => reader.close(),
    };
  } catch (error) {
    await reader.close();
    throw error;
  }
}
