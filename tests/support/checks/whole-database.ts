/** The whole content of a database as one text, for tests of what must not be stored. */
import type { Engine } from "../../../server/src/db/database.ts";

type Rows = readonly Readonly<Record<string, unknown>>[];

const TABLES: Readonly<Record<Engine, string>> = {
  sqlite: "SELECT name AS name FROM sqlite_master WHERE type = 'table'",
  postgres:
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_name NOT LIKE 'logs_%'",
  mysql: "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()",
};

const cellText = (value: unknown): string => (Buffer.isBuffer(value) ? value.toString("latin1") : String(value));

/** Every cell of every table; `rows` answers a query. */
export async function wholeDatabase(
  engine: Engine,
  rows: (query: string) => Promise<Rows>,
): Promise<{ tables: number; bytes: Buffer }> {
  const tables = (await rows(TABLES[engine])).map(({ name }) => String(name));
  const texts: string[] = [];
  for (const table of tables) {
    const found = await rows(`SELECT * FROM ${table}`);
    texts.push(...found.map((row) => Object.values(row).map(cellText).join("\n")));
  }
  return { tables: tables.length, bytes: Buffer.from(texts.join("\n")) };
}
