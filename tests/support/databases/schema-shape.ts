/** What a database's schema allows programs to write, read from the database itself, and what of that a change takes away. */
import { sql } from "kysely";
import type { Database, Engine } from "../../../server/src/db/database.ts";

interface ColumnShape {
  type: string;
  /** Most characters; 0 for a type without a length. */
  length: number;
  isNullable: boolean;
  /** An insert may omit it. */
  hasDefault: boolean;
}

export interface TableShape {
  columns: Readonly<Record<string, ColumnShape>>;
  /** Columns of each unique key, with commas between. */
  unique: readonly string[];
}

export type SchemaShape = Readonly<Record<string, TableShape>>;

interface ColumnRow {
  tableName: string;
  columnName: string;
  type: string;
  isNullable: number | boolean;
  hasDefault: number | boolean;
}

const COLUMNS: Readonly<Record<Engine, string>> = {
  sqlite: `SELECT m.name AS "tableName", c.name AS "columnName", c.type AS "type", c."notnull" = 0 AND c.pk = 0 AS "isNullable",
    c.dflt_value IS NOT NULL OR (c.pk = 1 AND c.type = 'INTEGER') AS "hasDefault"
    FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!'`,
  postgres: `SELECT table_name AS "tableName", column_name AS "columnName",
    data_type || COALESCE('(' || character_maximum_length || ')', '') AS "type", is_nullable = 'YES' AS "isNullable",
    column_default IS NOT NULL OR is_identity = 'YES' AS "hasDefault"
    FROM information_schema.columns WHERE table_schema = current_schema()
    AND NOT (SELECT relispartition FROM pg_class WHERE oid = to_regclass(quote_ident(table_name)))`,
  mysql: `SELECT table_name AS tableName, column_name AS columnName, column_type AS type, is_nullable = 'YES' AS isNullable,
    column_default IS NOT NULL OR extra LIKE '%auto_increment%' AS hasDefault
    FROM information_schema.columns WHERE table_schema = DATABASE()`,
};

const UNIQUE: Readonly<Record<Engine, string>> = {
  sqlite: `SELECT m.name AS "tableName", group_concat(i.name) AS "keyColumns" FROM sqlite_master m
    JOIN pragma_index_list(m.name) l JOIN pragma_index_info(l.name) i WHERE m.type = 'table' AND l."unique" = 1 GROUP BY m.name, l.name`,
  postgres: `SELECT c.relname AS "tableName", string_agg(a.attname, ',' ORDER BY array_position(i.indkey::int[], a.attnum::int)) AS "keyColumns"
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey)
    WHERE i.indisunique AND NOT c.relispartition AND c.relnamespace = current_schema()::regnamespace GROUP BY c.relname, i.indexrelid`,
  mysql: `SELECT table_name AS tableName, GROUP_CONCAT(column_name ORDER BY seq_in_index) AS keyColumns
    FROM information_schema.statistics WHERE table_schema = DATABASE() AND non_unique = 0 GROUP BY table_name, index_name`,
};

export async function shapeOf({ kysely, engine }: Database): Promise<SchemaShape> {
  const columns = (await sql.raw<ColumnRow>(COLUMNS[engine]).execute(kysely)).rows;
  const keys = (await sql.raw<{ tableName: string; keyColumns: string }>(UNIQUE[engine]).execute(kysely)).rows;
  const tables: Record<string, { columns: Record<string, ColumnShape>; unique: string[] }> = {};
  for (const { tableName, columnName, type, isNullable, hasDefault } of columns) {
    const [, name = type, length = "0"] = /^([^(]+)\((\d+)\)$/.exec(type) ?? [];
    tables[tableName] ??= { columns: {}, unique: [] };
    tables[tableName].columns[columnName] = {
      type: name.toLowerCase(),
      length: Number(length),
      isNullable: Boolean(isNullable),
      hasDefault: Boolean(hasDefault),
    };
  }
  // Their order is of no account to what a row may hold, nor to a program that names them all.
  for (const { tableName, keyColumns } of keys) tables[tableName]?.unique.push(keyColumns.split(",").sort().join(","));
  return tables;
}

function columnBreaks(name: string, before: ColumnShape, after: ColumnShape | undefined): string[] {
  if (after === undefined) return [`${name} is gone`];
  const found: string[] = [];
  if (after.type !== before.type) found.push(`${name} was ${before.type} and is ${after.type}`);
  if (after.length < before.length) found.push(`${name} takes ${after.length} characters instead of ${before.length}`);
  if (before.isNullable && !after.isNullable) found.push(`${name} takes no NULL any more`);
  if (before.hasDefault && !after.hasDefault && !after.isNullable) found.push(`${name} has no default any more`);
  return found;
}

/** A row that a program writes without a new column has its default there: with NULL it is equal to no other. */
const admitsOldRows = (key: string, before: TableShape, after: TableShape): boolean =>
  key.split(",").some((column) => before.columns[column] === undefined && after.columns[column]?.isNullable === true);

/** Keys that no statement of any version names. Each key of a partitioned table has the column that its partitions are of. */
const WIDENED: ReadonlySet<string> = new Set(["logs id"]);

/** Rows that differ in some columns differ in more of them, too. */
const isWider = (key: string, before: TableShape): boolean =>
  before.unique.some((old) => old.split(",").every((column) => key.split(",").includes(column)));

function tableBreaks(table: string, before: TableShape, after: TableShape | undefined): string[] {
  if (after === undefined) return [`${table} is gone`];
  const found = Object.entries(before.columns).flatMap(([name, column]) =>
    columnBreaks(`${table}.${name}`, column, after.columns[name]),
  );
  for (const [name, { isNullable, hasDefault }] of Object.entries(after.columns))
    if (before.columns[name] === undefined && !isNullable && !hasDefault)
      found.push(`${table}.${name} is new and has to be given`);
  for (const key of before.unique)
    if (!after.unique.includes(key) && !WIDENED.has(`${table} ${key}`))
      found.push(`${table} has no unique key ${key} any more`);
  for (const key of after.unique)
    if (!before.unique.includes(key) && !admitsOldRows(key, before, after) && !isWider(key, before))
      found.push(`${table} has a unique key ${key}, which rows of before may break`);
  return found;
}

/** What a program that was written for `before` can no longer do on `after`, a line each; empty for a change that only adds. */
export const breaksBetween = (before: SchemaShape, after: SchemaShape): string[] =>
  Object.entries(before).flatMap(([table, shape]) => tableBreaks(table, shape, after[table]));
