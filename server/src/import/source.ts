/** Reads another gateway's database as it stands at one moment, while it goes on working: every cell as text, table by table, on three engines. */
import { DatabaseSync } from "node:sqlite";
import type { Engine } from "../db/database.ts";
import { quoteName } from "../db/migrations/columns.ts";
import type { SourceAddress } from "./address.ts";

/** A cell as text, whatever its type: the programs and engines disagree about types. */
export type SourceRow = Readonly<Record<string, string | null>>;

export interface Source {
  engine: Engine;
  /** Tables with their columns. */
  tables: ReadonlyMap<string, readonly string[]>;
  count(table: string): Promise<number>;
  /**
   * All rows; in the order of `key`, which no two rows share, at most PAGE_ROWS at once, where the table has such a column (`id` by default).
   * @param columns with the key; all where absent
   */
  pages(table: string, key?: string, columns?: readonly string[]): AsyncGenerator<readonly SourceRow[]>;
  /** Rows whose whole number `column` is from `from` and before `before`, with some of their columns; in the order of `id`, at most PAGE_ROWS at once. */
  between(table: string, wanted: Between): Promise<{ total: number; pages: AsyncGenerator<readonly SourceRow[]> }>;
  /** @param after stands for the one `?` of the text */
  select(text: string, after?: string): Promise<readonly SourceRow[]>;
  close(): Promise<void>;
}

export interface Between {
  columns: readonly string[];
  column: string;
  from: number;
  before: number;
}

/** As many as one transaction writes: each waits for the disk once. */
const PAGE_ROWS = 3_000;
const CONNECT_TIMEOUT_MS = 10_000;

type Select = (text: string, after?: string) => Promise<readonly SourceRow[]>;

interface Reader {
  select: Select;
  close(): Promise<void>;
}

function cellText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

type Cells = Record<string, unknown>;

/** Makes a text of each cell that is none yet, in the rows as they are: a copy of each would take as long as reading it. */
function textRows(rows: readonly Cells[]): readonly SourceRow[] {
  const names = Object.keys(rows[0] ?? {});
  for (const row of rows)
    for (const name of names) {
      const value = row[name];
      if (typeof value !== "string" && value !== null) row[name] = cellText(value);
    }
  return rows as readonly SourceRow[];
}

function readFile(path: string): Reader {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
  database.exec("BEGIN");
  return readerOf(database);
}

function readerOf(database: DatabaseSync): Reader {
  return {
    async select(text, after) {
      const statement = database.prepare(text);
      statement.setReadBigInts(true);
      return textRows(after === undefined ? statement.all() : statement.all(after));
    },
    close: async () => database.close(),
  };
}

type ServerAddress = Exclude<SourceAddress, { engine: "sqlite" }>;

async function readPostgres({
  host,
  port,
  user,
  password,
  database,
  isEncrypted,
  isVerified,
}: ServerAddress): Promise<Reader> {
  const { default: pg } = await import("pg");
  const types = { getTypeParser: () => (value: unknown) => value };
  const client = new pg.Client({
    host,
    port,
    user,
    password,
    database,
    types,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    ...(isEncrypted ? { ssl: { rejectUnauthorized: isVerified } } : {}),
  });
  // A lost connection also fails the statement that waits for it.
  client.on("error", () => undefined);
  await client.connect();
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  for (const name of ["statement_timeout", "idle_in_transaction_session_timeout"])
    await client.query(`SET LOCAL ${name} = 0`);
  // Pages come in the order of the key. A planner without statistics would sort all rows behind the last one for each page.
  for (const name of ["enable_sort", "enable_bitmapscan"]) await client.query(`SET LOCAL ${name} = off`);
  return {
    async select(text, after) {
      const { rows } = await client.query<Cells>(text.replace("?", "$1"), after === undefined ? [] : [after]);
      return textRows(rows);
    },
    close: () => client.end(),
  };
}

async function readMysql({
  host,
  port,
  user,
  password,
  database,
  isEncrypted,
  isVerified,
}: ServerAddress): Promise<Reader> {
  const { createConnection } = await import("mysql2/promise");
  const connection = await createConnection({
    host,
    port,
    user,
    password,
    database,
    connectTimeout: CONNECT_TIMEOUT_MS,
    charset: "utf8mb4",
    dateStrings: true,
    supportBigNumbers: true,
    bigNumberStrings: true,
    ...(isEncrypted ? { ssl: { rejectUnauthorized: isVerified } } : {}),
  });
  connection.on("error", () => undefined);
  // Hosts that end what is idle for a minute would end the snapshot while pages are written.
  await connection.query("SET SESSION wait_timeout = 86400");
  await connection.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
  await connection.query("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
  return {
    async select(text, after) {
      const [rows] = await connection.query(text, after === undefined ? [] : [after]);
      return textRows(rows as Cells[]);
    },
    close: async () => connection.destroy(),
  };
}

async function openReader(address: SourceAddress): Promise<Reader> {
  try {
    if (address.engine === "sqlite") return readFile(address.path);
    return await (address.engine === "postgres" ? readPostgres(address) : readMysql(address));
  } catch (error) {
    const reason = error instanceof Error ? error.message || String(error.cause ?? error.name) : String(error);
    throw new Error(`The database at ${address.place} cannot be opened: ${reason.replaceAll("\n", " ")}`, {
      cause: error,
    });
  }
}

const CATALOG: Readonly<Record<Engine, string>> = {
  sqlite: `SELECT tables.name AS table_name, columns.name AS column_name FROM sqlite_master AS tables,
    pragma_table_info(tables.name) AS columns WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%'
    ORDER BY tables.name, columns.cid`,
  postgres: `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()
    ORDER BY table_name, ordinal_position`,
  mysql: `SELECT table_name AS table_name, column_name AS column_name FROM information_schema.columns
    WHERE table_schema = DATABASE() ORDER BY table_name, ordinal_position`,
};

/**
 * Columns as a page reads them. SQLite writes whole numbers as texts itself: as JavaScript's bigints they took half of the time of reading.
 */
function cellsOf(engine: Engine, columns: readonly string[]): string {
  const names = columns.map((name) => quoteName(engine, name));
  if (engine !== "sqlite") return names.join(", ");
  return names
    .map((name) => `CASE typeof(${name}) WHEN 'integer' THEN CAST(${name} AS TEXT) ELSE ${name} END AS ${name}`)
    .join(", ");
}

/** Looks for the numbers of the first and the last row first, so that no page looks through the rows outside. */
async function between(select: Select, engine: Engine, table: string, { columns, column, from, before }: Between) {
  const quoted = (name: string): string => quoteName(engine, name);
  const id = quoted("id");
  const isIn = (value: string): string => `${value} >= ${Math.trunc(from)} AND ${value} < ${Math.trunc(before)}`;
  const [ends] = await select(
    `SELECT MIN(${id}) AS first, MAX(${id}) AS last, COUNT(*) AS total FROM ${quoted(table)} WHERE ${isIn(quoted(column))}`,
  );
  const total = Number(ends?.["total"] ?? 0);
  const [first, last] = [BigInt(ends?.["first"] ?? 0), BigInt(ends?.["last"] ?? 0)];
  async function* pages(): AsyncGenerator<readonly SourceRow[]> {
    // The sum keeps an index of the column out: by it each page would sort all rows of the span.
    const text = `SELECT ${cellsOf(engine, columns)} FROM ${quoted(table)}
      WHERE ${id} > ? AND ${id} <= ${last} AND ${isIn(`(${quoted(column)} + 0)`)} ORDER BY ${quoted(table)}.${id} LIMIT ${PAGE_ROWS}`;
    let rows = total === 0 ? [] : await select(text, String(first - 1n));
    while (rows.length > 0) {
      yield rows;
      rows = rows.length < PAGE_ROWS ? [] : await select(text, rows.at(-1)?.["id"] ?? "");
    }
  }
  return { total, pages: pages() };
}

/**
 * Opens the database for reading, in one transaction that writes nothing; it has to be closed.
 * @throws an Error of one line where it cannot be opened
 */
export async function openSource(address: SourceAddress): Promise<Source> {
  return sourceOf(address.engine, await openReader(address));
}

/** A SQLite database of this process's own as a source; `close` closes it. */
export const sourceIn = (database: DatabaseSync): Promise<Source> => sourceOf("sqlite", readerOf(database));

async function sourceOf(engine: Engine, { select, close }: Reader): Promise<Source> {
  const quoted = (name: string): string => quoteName(engine, name);
  try {
    const cells = await select(CATALOG[engine]);
    const tables = new Map(
      [...Map.groupBy(cells, (row) => row["table_name"] ?? "")].map(([name, rows]) => [
        name,
        rows.map((row) => row["column_name"] ?? ""),
      ]),
    );
    return {
      engine,
      tables,
      count: async (table) => Number((await select(`SELECT COUNT(*) AS total FROM ${quoted(table)}`))[0]?.["total"]),
      async *pages(table, key = "id", columns) {
        const all = `SELECT ${cellsOf(engine, columns ?? tables.get(table) ?? [])} FROM ${quoted(table)}`;
        if (tables.get(table)?.includes(key) !== true) return yield await select(all);
        // By the column, not by the text that is read of it.
        const end = `ORDER BY ${quoted(table)}.${quoted(key)} LIMIT ${PAGE_ROWS}`;
        let rows = await select(`${all} ${end}`);
        while (rows.length > 0) {
          yield rows;
          if (rows.length < PAGE_ROWS) return;
          rows = await select(`${all} WHERE ${quoted(key)} > ? ${end}`, rows.at(-1)?.[key] ?? "");
        }
      },
      between: (table, wanted) => between(select, engine, table, wanted),
      select,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
