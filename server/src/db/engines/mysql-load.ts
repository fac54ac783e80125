/** LOAD DATA of MySQL and MariaDB: rows of text that a statement names, for servers that take them (`local_infile`). */
import { Readable } from "node:stream";
import { CompiledQuery, sql, type Transaction } from "kysely";
import type { Schema } from "../schema.ts";
import { RowsOfText } from "./rows-of-text.ts";

/** Rows that a statement on its way names; it is sent for them by the server, by that name. */
const waiting = new Map<string, string>();
let count = 0;

/** What a connection gives to a server that asks for a file: nothing but those rows, whatever name it asks for. */
export const waitingRows = (name: string): Readable => Readable.from([Buffer.from(waiting.get(name) ?? "")]);

/** Names of the schema, of which some are words of its language. */
const quoted = (name: string): string => `\`${name}\``;

const SAVEPOINT = "before_rows";

/** Not allowed, not supported, switched off: of MariaDB, of MySQL, and of proxies, which refuse what their server would take. */
const REFUSED: ReadonlySet<unknown> = new Set([1148, 1235, 3948, 3950, 4166]);

const isRefused = (error: unknown): boolean => error instanceof Error && "errno" in error && REFUSED.has(error.errno);

/** The server takes a row that breaks a key, or a text that is too long, for a warning. */
async function isWhole(transaction: Transaction<Schema>, loaded: bigint | undefined, rows: number): Promise<boolean> {
  if (loaded !== BigInt(rows)) return false;
  const answer = await sql<{ warnings: number }>`SELECT @@warning_count AS warnings`.execute(transaction);
  return Number(answer.rows[0]?.warnings) === 0;
}

/**
 * Inserts rows that have these columns, all or none.
 * @returns false where the server takes no rows this way, or not these ones: then none are there
 */
export async function loadRows(
  transaction: Transaction<Schema>,
  table: string,
  { columns, rows }: { columns: readonly string[]; rows: readonly (readonly unknown[])[] },
): Promise<boolean> {
  const { rows: settings } = await sql<{ is_on: number }>`SELECT @@GLOBAL.local_infile AS is_on`.execute(transaction);
  if (Number(settings[0]?.is_on) !== 1) return false;
  const { text } = new RowsOfText(rows);
  count += 1;
  const name = `rows-${count}`;
  const list = columns.map(quoted).join(", ");
  const statement = `LOAD DATA LOCAL INFILE '${name}' INTO TABLE ${quoted(table)} CHARACTER SET utf8mb4
    FIELDS TERMINATED BY '\\t' ESCAPED BY '\\\\' LINES TERMINATED BY '\\n' (${list})`;
  await sql.raw(`SAVEPOINT ${SAVEPOINT}`).execute(transaction);
  waiting.set(name, text);
  try {
    const { numAffectedRows } = await transaction.executeQuery(CompiledQuery.raw(statement));
    if (await isWhole(transaction, numAffectedRows, rows.length)) return true;
  } catch (error) {
    if (!isRefused(error)) throw error;
  } finally {
    waiting.delete(name);
  }
  await sql.raw(`ROLLBACK TO SAVEPOINT ${SAVEPOINT}`).execute(transaction);
  return false;
}
