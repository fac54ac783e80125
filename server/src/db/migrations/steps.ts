/** The steps of a migration: named, one statement each, and safe to repeat after a kill. */
import type { Engine } from "../database.ts";
import { quoteText } from "../session.ts";
import type { LockedSession } from "../session.ts";
import { columnDdl, indexDdl, indexName, quoteName, tableDdl } from "./columns.ts";
import type { Column, TableDefinition } from "./columns.ts";

export interface Step {
  name: string;
  /** The table that it changes: a database of the log's own has the steps of that table alone. */
  table?: string;
  /** The rows that it reads or writes; absent where its time does not depend on how many rows there are. */
  work?: StepWork;
  /** Does its work unless it is already done. */
  run(session: LockedSession, engine: Engine): Promise<void>;
}

/** `index` builds one, `rewrite` writes each row, `read` reads each. */
export interface StepWork {
  kind: "index" | "rewrite" | "read";
  table: string;
  /** Where only some engines do it; all if absent. */
  engines?: readonly Engine[];
}

export interface Migration {
  /** Counts up from 1 without gaps; the database stores the last finished one. */
  id: number;
  name: string;
  steps: readonly Step[];
  /**
   * Absent for an additive migration: every program that ran before it still runs on the schema after it. One that drops, renames or
   * narrows, or moves data away, has the least schema (number of the last migration) that a program must know to run on it: where the
   * program stopped to use a column with schema 43, and this drops it, 43.
   */
  minimumSchema?: number;
}

async function hasRow(session: LockedSession, sql: string): Promise<boolean> {
  return (await session.all(sql)).length > 0;
}

const mysqlIndex = (table: string, name: string): string =>
  `SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = '${table}' AND index_name = '${name}' LIMIT 1`;

/** Its row says whether an index was finished: one whose building was ended stays, is used by no query, and has to be made anew. */
const postgresIndex = (name: string): string =>
  `SELECT indisvalid AS is_valid FROM pg_index WHERE indexrelid = to_regclass('"${name}"')`;

/** The tables that hold the rows of a partitioned one, or are partitioned again; not those that have the index, as one gets that is made while it is built. */
const partitionsWithout = (table: string, index: string): string =>
  `SELECT c.relname AS name FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid WHERE h.inhparent = to_regclass('"${table}"')
    AND NOT EXISTS (SELECT 1 FROM pg_inherits own JOIN pg_index i ON i.indexrelid = own.inhrelid
      WHERE own.inhparent = to_regclass('"${index}"') AND i.indrelid = c.oid)`;

const isPartitioned = (table: string): string =>
  `SELECT 1 FROM pg_class WHERE oid = to_regclass('"${table}"') AND relkind = 'p'`;

interface IndexParts {
  table: string;
  columns: readonly string[];
  name: string;
  isUnique: boolean;
}

/** On PostgreSQL. The index of a partitioned table is one of each partition: each is built beside its writers, and then attached. */
async function buildOnPostgres(session: LockedSession, { table, columns, name, isUnique }: IndexParts): Promise<void> {
  const [found] = await session.all(postgresIndex(name));
  if (found?.["is_valid"] === true) return;
  if (!(await hasRow(session, isPartitioned(table)))) {
    if (found !== undefined) await session.run(`DROP INDEX CONCURRENTLY ${quoteName("postgres", name)}`);
    return session.run(indexDdl("postgres", table, columns, { isUnique, isOnline: true, name }));
  }
  // No partition is left whose index would make it valid: those that lacked one are gone.
  if (found !== undefined && !(await hasRow(session, partitionsWithout(table, name))))
    await session.run(`DROP INDEX ${quoteName("postgres", name)}`);
  await session.run(indexDdl("postgres", table, columns, { isUnique, isOfPartitions: true, name }));
  for (const { name: each } of await session.all(partitionsWithout(table, name))) {
    const partition = String(each);
    const part = indexName(partition, columns, isUnique ? "part_key" : "part");
    await buildOnPostgres(session, { table: partition, columns, name: part, isUnique });
    await session.run(`ALTER INDEX ${quoteName("postgres", name)} ATTACH PARTITION ${quoteName("postgres", part)}`);
  }
}

/** On a table that calls use: no writer waits while it is built, on servers. The embedded database has one process, which is migrating. */
async function buildIndex(session: LockedSession, engine: Engine, index: IndexParts): Promise<void> {
  const { table, columns, name, isUnique } = index;
  if (engine === "postgres") return buildOnPostgres(session, index);
  if (engine === "mysql" && (await hasRow(session, mysqlIndex(table, name)))) return;
  await session.run(indexDdl(engine, table, columns, { isUnique, isOnline: true }));
}

/** Creates an index on a table with rows unless it exists; reads and writes of the table go on meanwhile. */
export function createIndex(table: string, columns: readonly string[]): Step {
  const name = indexName(table, columns);
  return {
    name: `create index ${name}`,
    table,
    work: { kind: "index", table },
    run: (session, engine) => buildIndex(session, engine, { table, columns, name, isUnique: false }),
  };
}

/** Adds a unique key to a table with rows, unless it exists. NULLs do not count as equal. */
export function createUniqueIndex(table: string, columns: readonly string[]): Step {
  const name = indexName(table, columns, "key");
  return {
    name: `create unique index ${name}`,
    table,
    work: { kind: "index", table },
    run: (session, engine) => buildIndex(session, engine, { table, columns, name, isUnique: true }),
  };
}

/** An index of a table that was created a step before, and that nothing uses yet. */
function createFirstIndex(table: string, columns: readonly string[]): Step {
  const name = indexName(table, columns);
  const run = async (session: LockedSession, engine: Engine) => {
    if (engine === "mysql" && (await hasRow(session, mysqlIndex(table, name)))) return;
    await session.run(indexDdl(engine, table, columns));
  };
  return { name: `create index ${name}`, table, run };
}

/** Drops an index if it exists. */
export function dropIndex(table: string, columns: readonly string[]): Step {
  const name = indexName(table, columns);
  const run = async (session: LockedSession, engine: Engine) => {
    if (engine !== "mysql") return session.run(`DROP INDEX IF EXISTS ${quoteName(engine, name)}`);
    if (await hasRow(session, mysqlIndex(table, name)))
      await session.run(`DROP INDEX ${quoteName(engine, name)} ON ${quoteName(engine, table)}`);
  };
  return { name: `drop index ${name}`, table, run };
}

/** Drops a table with all its rows, if it exists. */
export const dropTable = (table: string): Step => ({
  name: `drop table ${table}`,
  table,
  run: (session, engine) => session.run(`DROP TABLE IF EXISTS ${quoteName(engine, table)}`),
});

/** Creates a table with its keys, then its indexes, one step each. */
export function createTable(table: TableDefinition): Step[] {
  const create: Step = {
    name: `create table ${table.name}`,
    table: table.name,
    run: (session, engine) => session.run(tableDdl(engine, table)),
  };
  return [create, ...(table.indexes ?? []).map((columns) => createFirstIndex(table.name, columns))];
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
  // SQLite tries the CHECK of a text on every row.
  const read: StepWork = { kind: "read", table, engines: ["sqlite"] };
  return { name: `add column ${table}.${name}`, table, ...(column.kind === "text" ? { work: read } : {}), run };
}

/** Drops a column with all its values, if it exists. */
export function dropColumn(table: string, name: string): Step {
  const run = async (session: LockedSession, engine: Engine) => {
    if (!(await hasRow(session, COLUMN_LOOK_UP[engine](table, name)))) return;
    await session.run(`ALTER TABLE ${quoteName(engine, table)} DROP COLUMN ${quoteName(engine, name)}`);
  };
  return { name: `drop column ${table}.${name}`, table, work: { kind: "rewrite", table, engines: ["sqlite"] }, run };
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
  return { name: `rename column ${table}.${from} to ${to}`, table, run };
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
  return { name: `insert ${table} ${first}`, table, run };
}
