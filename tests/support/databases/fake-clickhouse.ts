/** Plays ClickHouse's HTTP interface where none is installed: the statements that the log is read and written with, on an SQLite in memory. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";

/** What SQLite writes in another way. */
const REWRITES: readonly (readonly [RegExp, string])[] = [
  [/"logs" final/g, '"logs"'],
  [/ like ('(?:[^']|'')*')/g, " like $1 escape '\\'"],
  [/\) in \(\(/g, ") in (values ("],
  [/ settings max_execution_time = \d+/g, ""],
  [/system\.(\w+)/g, "system_$1"],
  [/currentDatabase\(\)/g, "''"],
  [/\btable = /g, `"table" = `],
  [/\bActive\b/gi, "1 = 1"],
];

/** A literal's bytes as a text of SQLite. */
const textOf = (bytes: string): string =>
  `'${decodeURIComponent(bytes.replaceAll("%", "%25").replaceAll("\\x", "%")).replaceAll("'", "''")}'`;

const sqliteOf = (statement: string): string =>
  REWRITES.reduce(
    (text, [from, to]) => text.replaceAll(from, to),
    statement.replaceAll(/'([^']*)'/g, (_, bytes: string) => textOf(bytes)),
  );

/** Columns of a CREATE TABLE. */
const columnsOf = (statement: string): string[] =>
  (/\((.*)\) engine = /s.exec(statement)?.[1] ?? "").split(", ").map((column) => column.split(" ")[0] ?? "");

function openTables(): DatabaseSync {
  const tables = new DatabaseSync(":memory:");
  tables.exec("PRAGMA case_sensitive_like = 1");
  tables.function("lowerUTF8", (text) => String(text).toLowerCase());
  tables.function("version", () => "fake");
  tables.exec(
    "CREATE TABLE system_columns (database TEXT DEFAULT '', [table] TEXT, name TEXT, UNIQUE ([table], name))",
  );
  tables.exec("CREATE TABLE system_mutations (database TEXT, [table] TEXT, is_done INTEGER)");
  return tables;
}

function createTable(tables: DatabaseSync, statement: string): void {
  const name = /create table if not exists (\w+)/.exec(statement)?.[1] ?? "";
  if (tables.prepare("SELECT 1 FROM system_columns WHERE [table] = ?").get(name) !== undefined) return;
  const columns = columnsOf(statement);
  const key = columns.includes("created_at") ? ", PRIMARY KEY (created_at, id)" : "";
  tables.exec(`CREATE TABLE ${name} (${columns.join(", ")}${key})`);
  const add = tables.prepare("INSERT INTO system_columns ([table], name) VALUES (?, ?)");
  for (const column of columns) add.run(name, column);
  if (name === "logs")
    tables.exec(`CREATE VIEW system_parts AS SELECT '' AS database, 'logs' AS "table", CAST(created_at / 604800 AS TEXT) AS partition,
      COUNT(*) AS rows FROM logs GROUP BY created_at / 604800`);
}

function insert(tables: DatabaseSync, statement: string, lines: string): void {
  const [, table = "", names = ""] = /insert into (\w+) \(([^)]*)\)/.exec(statement) ?? [];
  const columns = names.split(", ");
  const add = tables.prepare(`INSERT OR REPLACE INTO ${table} VALUES (${columns.map(() => "?").join(", ")})`);
  for (const line of lines.split("\n").filter((text) => text !== "")) {
    const row = JSON.parse(line) as Record<string, string | number>;
    add.run(...columns.map((column) => row[column] ?? ""));
  }
}

function select(tables: DatabaseSync, statement: string): string {
  const query = tables.prepare(sqliteOf(statement.replace(/ format JSONCompact$/, "")));
  const rows = query.all();
  const meta = query.columns().map(({ name }) => ({ name, type: "UInt8" }));
  return JSON.stringify({ meta, data: rows.map((row) => Object.values(row)) });
}

/** Runs one statement, and gives the answer's body. */
function answerTo(tables: DatabaseSync, query: string, body: string): string {
  const statement = query === "" ? body : query;
  const dropped = /drop partition (\d+)/.exec(statement)?.[1];
  const before = /delete where created_at < (\d+)/.exec(statement)?.[1];
  if (statement.startsWith("select")) return select(tables, statement);
  if (statement.startsWith("create table")) createTable(tables, statement);
  else if (statement.startsWith("insert")) insert(tables, statement, body);
  else if (dropped !== undefined) tables.exec(`DELETE FROM logs WHERE created_at / 604800 = ${dropped}`);
  else if (before !== undefined) tables.exec(`DELETE FROM logs WHERE created_at < ${before}`);
  else if (!statement.startsWith("create database")) throw new Error(`Code: 62, ${statement.slice(0, 100)}`);
  return "";
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const bytes = await buffer(request);
  return (request.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes).toString("utf8");
}

/** Started on a port of its own. */
export async function startFakeClickhouse(): Promise<{ url: string; remove(): Promise<void> }> {
  const tables = openTables();
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const query = new URL(request.url ?? "", "http://localhost").searchParams.get("query") ?? "";
      try {
        response.end(answerTo(tables, query, body));
      } catch (error) {
        response.writeHead(500).end(`Code: 1, ${String(error)}`);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const remove = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    tables.close();
  };
  return { url: `clickhouse://default@127.0.0.1:${port}/default`, remove };
}
