/** Every index of a database by its definition, so that two schemas can be compared: names of parts of partitions differ, and are left out. */
import { sql } from "kysely";
import type { Database, Engine } from "../../../server/src/db/database.ts";

interface Index {
  of_table: string;
  definition: string;
}

/** Name, uniqueness and columns, as each engine's catalogue has them. */
const DEFINITIONS: Readonly<Record<Engine, string>> = {
  sqlite: `SELECT tbl_name AS of_table, name || ': ' || coalesce(sql, 'of the table') AS definition FROM sqlite_master WHERE type = 'index'`,
  // One that is not valid is used by no query.
  postgres: `SELECT t.relname AS of_table, CASE WHEN t.relispartition THEN '' ELSE c.relname || ' ' END || i.indisvalid || ' ' || i.indisunique || ' ' ||
      regexp_replace(pg_get_indexdef(i.indexrelid), '^.* USING ', '') AS definition
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
    WHERE t.relnamespace = current_schema()::regnamespace`,
  mysql: `SELECT table_name AS of_table, concat(index_name, ' ', non_unique, ' ', group_concat(column_name ORDER BY seq_in_index)) AS definition
    FROM information_schema.statistics WHERE table_schema = database() GROUP BY table_name, index_name, non_unique`,
};

/** Sorted lines of table and definition. */
export async function indexDefinitions({ engine, kysely }: Pick<Database, "engine" | "kysely">): Promise<string[]> {
  const { rows } = await sql.raw<Index>(DEFINITIONS[engine]).execute(kysely);
  return rows.map(({ of_table: table, definition }) => `${table} ${definition}`).sort();
}
