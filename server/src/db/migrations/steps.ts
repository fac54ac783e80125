/** The steps of a migration: named, one statement each, and safe to repeat after a kill. */
import type { Engine } from "../database.ts";
import { quoteText } from "../session.ts";
import type { LockedSession } from "../session.ts";
import { columnDdl, indexDdl, indexName, quoteName, tableDdl } from "./columns.ts";
import type { Column, TableDefinition } from "./columns.ts";

export interface Step {
  name: string;
  /** Does its work unless it is already done. */
  run(session: LockedSession, engine: Engine): Promise<void>;
}

export interface Migration {
  /** Counts up from 1 without gaps; the database stores the last finished one. */
  id: number;
  name: string;
  steps: readonly Step[];
}

async function hasRow(session: LockedSession, sql: string): Promise<boolean> {
  return (await session.all(sql)).length > 0;
}

const mysqlIndex = (table: string, name: string): string =>
  `SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = '${table}' AND index_name = '${name}' LIMIT 1`;

/** Creates an index unless it exists. */
export function createIndex(table: string, columns: readonly string[]): Step {
  const name = indexName(table, columns);
  const run = async (session: LockedSession, engine: Engine) => {
    if (engine === "mysql" && (await hasRow(session, mysqlIndex(table, name)))) return;
    await session.run(indexDdl(engine, table, columns));
  };
  return { name: `create index ${name}`, run };
}

/** Adds a unique key to a table with rows, unless it exists. NULLs do not count as equal. */
export function createUniqueIndex(table: string, columns: readonly string[]): Step {
  const name = indexName(table, columns, "key");
  const run = async (session: LockedSession, engine: Engine) => {
    if (engine === "mysql" && (await hasRow(session, mysqlIndex(table, name)))) return;
    await session.run(indexDdl(engine, table, columns, { isUnique: true }));
  };
  return { name: `create unique index ${name}`, run };
}

/** Drops an index if it exists. */
export function dropIndex(table: string, columns: readonly string[]): Step {
  const name = indexName(table, columns);
  const run = async (session: LockedSession, engine: Engine) => {
    if (engine !== "mysql") return session.run(`DROP INDEX IF EXISTS ${quoteName(engine, name)}`);
    if (await hasRow(session, mysqlIndex(table, name)))
      await session.run(`DROP INDEX ${quoteName(engine, name)} ON ${quoteName(engine, table)}`);
  };
  return { name: `drop index ${name}`, run };
}

/** Drops a table with all its rows, if it exists. */
export const dropTable = (table: string): Step => ({
  name: `drop table ${table}`,
  run: (session, engine) => session.run(`DROP TABLE IF EXISTS ${quoteName(engine, table)}`),
});

/** Creates a table with its keys, then its indexes, one step each. */
export function createTable(table: TableDefinition): Step[] {
  const create: Step = {
    name: `create table ${table.name}`,
    run: (session, engine) => session.run(tableDdl(engine, table)),
  };
  return [create, ...(table.indexes ?? []).map((columns) => createIndex(table.name, columns))];
}

const COLUMN_LOOK_UP: Record<Engine, (table: string, column: string) => string> = {
  sqlite: (table, column) => `SELECT 1 FROM pragma_table_info('${table}') WHERE name = '${column}'`,
  postgres: (table, column) =>
    `SELECT 1 FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = '${table}' AND column_name = '${column}'`,
  mysql: (table, column) =>
    `SELECT 1 FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = '${table}' AND column_name = '${column}'`,
};

/** Adds a column unless it exists. One that is NOT NULL needs a default for existing rows. */
export function addColumn(table: string, name: string, column: Column): Step {
  const run = async (session: LockedSession, engine: Engine) => {
    if (await hasRow(session, COLUMN_LOOK_UP[engine](table, name))) return;
    await session.run(`ALTER TABLE ${quoteName(engine, table)} ADD COLUMN ${columnDdl(engine, name, column)}`);
  };
  return { name: `add column ${table}.${name}`, run };
}

/** Drops a column with all its values, if it exists. */
export function dropColumn(table: string, name: string): Step {
  const run = async (session: LockedSession, engine: Engine) => {
    if (!(await hasRow(session, COLUMN_LOOK_UP[engine](table, name)))) return;
    await session.run(`ALTER TABLE ${quoteName(engine, table)} DROP COLUMN ${quoteName(engine, name)}`);
  };
  return { name: `drop column ${table}.${name}`, run };
}

/** Renames a column unless that is done; `column` is its definition, which MySQL requires again. */
export function renameColumn(table: string, from: string, to: string, column: Column): Step {
  const run = async (session: LockedSession, engine: Engine) => {
    if (await hasRow(session, COLUMN_LOOK_UP[engine](table, to))) return;
    const change =
      engine === "mysql"
        ? `CHANGE ${quoteName(engine, from)} ${columnDdl(engine, to, column)}`
        : `RENAME COLUMN ${quoteName(engine, from)} TO ${quoteName(engine, to)}`;
    await session.run(`ALTER TABLE ${quoteName(engine, table)} ${change}`);
  };
  return { name: `rename column ${table}.${from} to ${to}`, run };
}

/** Inserts a row of text and numbers unless one with the same first value exists; that column must be its unique key. */
export function insertRow(table: string, row: Readonly<Record<string, string | number>>): Step {
  const literal = (value: string | number) => (typeof value === "number" ? String(value) : quoteText(value));
  const [key = "", first = ""] = Object.entries(row)[0] ?? [];
  const run = async (session: LockedSession, engine: Engine) => {
    if (
      await hasRow(
        session,
        `SELECT 1 FROM ${quoteName(engine, table)} WHERE ${quoteName(engine, key)} = ${literal(first)}`,
      )
    )
      return;
    const columns = Object.keys(row).map((name) => quoteName(engine, name));
    await session.run(
      `INSERT INTO ${quoteName(engine, table)} (${columns.join(", ")}) VALUES (${Object.values(row).map(literal).join(", ")})`,
    );
  };
  return { name: `insert ${table} ${first}`, run };
}
