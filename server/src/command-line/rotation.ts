/**
 * The change of SECRET_KEY: goes through everything that is encrypted, in small transactions, and encrypts with the current key what another
 * one encrypted. It can be stopped at any point and begun again, since each text names its key.
 */
import { sql } from "kysely";
import { z } from "zod";
import type { Database } from "../db/database.ts";
import { type Secrets, cipherPrefixOf } from "../db/secrets.ts";
import { SEALED_COLUMNS, type Row, type SealedColumn } from "./sealed-columns.ts";

/** Rows of one transaction; a kept answer may have 256 KiB. */
const ROWS_AT_ONCE = 100;
const CIPHER = /v1\.[0-9a-f]{8}\./g;

/** Where a run is: a place in SEALED_COLUMNS, and the key of the last row that was looked at. */
const placeSchema = z.object({ column: z.number().int().min(0), after: z.array(z.union([z.string(), z.number()])) });
export type Place = z.output<typeof placeSchema>;

/** As it is sent to a running server. */
export const rotationSchema = z.object({ act: z.literal("rotate-key"), place: placeSchema });

export const START: Place = { column: 0, after: [] };

export interface RotationStep {
  /** Absent: all was gone through. */
  next?: Place;
  /** Table and column that this step was about. */
  about: string;
  /** Values that were encrypted again. */
  resealed: number;
  /** Values that no key opens which was given. */
  unopened: number;
}

export interface RotationContext {
  database: Database;
  secrets: Secrets;
  /** The key that encrypts from now on. */
  secretKey: string;
}

/** Rows that hold something encrypted, from behind the last one. */
async function rowsOf({ kysely }: Database, { table, column, key, reads }: SealedColumn, after: Place["after"]) {
  const names = [...new Set([...key, column, ...reads])].map((name) => sql.ref(name));
  const keys = key.map((name) => sql.ref(name));
  const behind = after.length === 0 ? sql`` : sql`AND (${sql.join(keys)}) > (${sql.join(after)})`;
  const { rows } = await sql<Row>`SELECT ${sql.join(names)} FROM ${sql.table(table)}
    WHERE ${sql.ref(column)} LIKE ${"%v1.%"} ${behind} ORDER BY ${sql.join(keys)} LIMIT ${sql.lit(ROWS_AT_ONCE)}`.execute(
    kysely,
  );
  return rows;
}

const isOld = (stored: string, prefix: string): boolean =>
  [...stored.matchAll(CIPHER)].some(([part]) => part !== prefix);

/** What a row is changed to; undefined where no key opens it. */
function resealed({ secrets }: RotationContext, column: SealedColumn, row: Row): string | undefined {
  try {
    return column.reseal(secrets, String(row[column.column]), row);
  } catch {
    return undefined; // counted and named by the caller
  }
}

/** Only what is still as it was read is replaced: what changed meanwhile was encrypted when it was changed. */
async function write({ kysely }: Database, column: SealedColumn, changes: readonly { row: Row; text: string }[]) {
  await kysely.transaction().execute(async (transaction) => {
    for (const { row, text } of changes) {
      const isRow = column.key.map((name) => sql`${sql.ref(name)} = ${row[name]}`);
      await sql`UPDATE ${sql.table(column.table)} SET ${sql.ref(column.column)} = ${text}
        WHERE ${sql.join(isRow, sql` AND `)} AND ${sql.ref(column.column)} = ${row[column.column]}`.execute(
        transaction,
      );
    }
  });
}

/**
 * One small step from this place.
 * @throws what the database throws; nothing of the step is done then, and it can be made again.
 */
export async function rotateStep(context: RotationContext, place: Place): Promise<RotationStep> {
  const column = SEALED_COLUMNS[place.column];
  if (column === undefined) return { about: "", resealed: 0, unopened: 0 };
  const prefix = cipherPrefixOf(context.secretKey);
  const rows = await rowsOf(context.database, column, place.after);
  const old = rows.filter((row) => isOld(String(row[column.column]), prefix) && (column.applies?.(row) ?? true));
  const changes = old.flatMap((row) => {
    const text = resealed(context, column, row);
    return text === undefined || text === row[column.column] ? [] : [{ row, text }];
  });
  if (changes.length > 0) await write(context.database, column, changes);
  const last = rows.at(-1);
  const isLastPage = last === undefined || rows.length < ROWS_AT_ONCE;
  const next = isLastPage
    ? { column: place.column + 1, after: [] }
    : { column: place.column, after: column.key.map((name) => last[name] ?? "") };
  return {
    ...(next.column < SEALED_COLUMNS.length ? { next } : {}),
    about: `${column.table}.${column.column}`,
    resealed: changes.length,
    unopened: old.length - changes.length,
  };
}
