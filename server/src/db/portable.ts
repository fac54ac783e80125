/** The few expressions in which SQLite, PostgreSQL and MySQL differ; everything else is plain Kysely. */
import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import type {
  DeleteResult,
  Expression,
  Insertable,
  InsertResult,
  Kysely,
  SqlBool,
  Transaction,
  Updateable,
  UpdateResult,
} from "kysely";
import type { LogEngine } from "./database.ts";
import type { Schema } from "./schema.ts";

/** A Kysely or one of its transactions. */
export type Queries = Kysely<Schema> | Transaction<Schema>;

type On = { readonly engine: LogEngine };

/** Locks the query's rows until its transaction ends. On SQLite transactions are serial anyway. */
export const locked = <Query extends { forUpdate(): Query }>({ engine }: On, query: Query): Query =>
  engine === "sqlite" ? query : query.forUpdate();

/** Rows that a statement matched by its WHERE, on every engine, even if nothing changed in them. */
export function affectedRows(result: UpdateResult | DeleteResult | InsertResult): number {
  if ("numUpdatedRows" in result) return Number(result.numUpdatedRows);
  if ("numDeletedRows" in result) return Number(result.numDeletedRows);
  return Number(result.numInsertedOrUpdatedRows ?? 0n);
}

/** Inserts one row; false if a unique key already exists. Other errors are thrown. Does not end a transaction on any engine. */
export async function insertOrIgnore<T extends keyof Schema>(
  database: On,
  queries: Queries,
  table: T,
  row: Insertable<Schema[T]>,
): Promise<boolean> {
  // Kysely's insert types cannot express a generic table; `row` is checked by this function's own signature.
  const insert = queries.insertInto(table as "facts").values(row as Insertable<Schema["facts"]>);
  if (database.engine !== "mysql")
    return affectedRows(await insert.onConflict((conflict) => conflict.doNothing()).executeTakeFirstOrThrow()) === 1;
  for (let attempt = 1; ; attempt += 1) {
    try {
      // INSERT IGNORE would also ignore values that do not fit. A duplicate rolls back this one statement only.
      await insert.executeTakeFirstOrThrow();
      return true;
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      // On MySQL concurrent inserts of the same key can lose a deadlock; outside of a transaction only this statement was rolled back.
      if (queries.isTransaction || attempt === DEADLOCK_ATTEMPTS || codesOf(error).errno !== MYSQL_DEADLOCK)
        throw error;
      // Until one of them has committed, the others would lose again.
      // Apart from each other, so that the losers of one deadlock do not meet again.
      await delay(attempt * 2 + Math.random() * attempt * 4);
    }
  }
}

/** Inserts one row, or sets `change` in the row with the same values in `keys` (a unique key of the table). */
export async function upsert<T extends keyof Schema>(
  database: On,
  queries: Queries,
  table: T,
  row: Insertable<Schema[T]>,
  keys: readonly (keyof Schema[T] & string)[],
  change: Updateable<Schema[T]>,
): Promise<void> {
  const insert = queries.insertInto(table as "facts").values(row as Insertable<Schema["facts"]>);
  const set = change as Updateable<Schema["facts"]>;
  if (database.engine === "mysql") await insert.onDuplicateKeyUpdate(set).execute();
  else await insert.onConflict((conflict) => conflict.columns(keys as unknown as ["name"]).doUpdateSet(set)).execute();
}

/** Tables with an auto-increment id. */
export type CountedTable = {
  [T in keyof Schema]: Schema[T] extends { id: { __select__: number } } ? T : never;
}[keyof Schema];

/** Inserts one row and returns its new id. */
export async function insertReturningId<T extends CountedTable>(
  database: On,
  queries: Queries,
  table: T,
  row: Insertable<Schema[T]>,
): Promise<number> {
  const insert = queries.insertInto(table as "price_versions").values(row as Insertable<Schema["price_versions"]>);
  if (database.engine === "mysql") return Number((await insert.executeTakeFirstOrThrow()).insertId);
  return (await insert.returning("id").executeTakeFirstOrThrow()).id;
}

/** A LIKE pattern that matches the text anywhere, literally; `!` is the escape character of `contains`. */
const likePattern = (text: string): string => `%${text.replaceAll(/[!%_]/g, "!$&")}%`;

/** A text column like a pattern in which `!` makes the next character literal. ClickHouse has `\\` for that, and no other. */
export function like(
  { engine }: { readonly engine: LogEngine },
  column: Expression<unknown>,
  pattern: string,
): Expression<SqlBool> {
  if (engine !== "clickhouse") return sql<SqlBool>`${column} like ${pattern} escape '!'`;
  const own = pattern.replaceAll(/!([!%_])|\\/g, (found, special?: string) =>
    special === undefined ? `\\${found}` : special === "!" ? "!" : `\\${special}`,
  );
  return sql<SqlBool>`${column} like ${own}`;
}

/** The same number, as an expression that no index knows, for an engine that would take the wrong index. ClickHouse has none. */
export const unindexed = ({ engine }: { readonly engine: LogEngine }, column: Expression<number>): Expression<number> =>
  engine === "clickhouse" ? column : sql<number>`+${column}`;

/** True for rows whose text column contains `text`, ignoring case; `%` and `_` are literal. */
export function contains(database: On, column: Expression<string | null>, text: string): Expression<SqlBool> {
  const pattern = likePattern(text.toLowerCase());
  if (database.engine === "postgres") return sql<SqlBool>`${column} ilike ${pattern} escape '!'`;
  if (database.engine === "mysql") return sql<SqlBool>`lower(${column}) like ${pattern} escape '!'`;
  return sql<SqlBool>`unicode_lower(${column}) like ${pattern} escape '!'`;
}

/** True for rows whose comma-joined column contains `entry` exactly. */
export function listHas(database: On, column: Expression<string>, entry: string): Expression<SqlBool> {
  if (entry.includes(",")) return sql<SqlBool>`1 = 0`;
  if (database.engine === "mysql") return sql<SqlBool>`find_in_set(${entry}, ${column}) > 0`;
  const find = database.engine === "postgres" ? sql`strpos` : sql`instr`;
  return sql<SqlBool>`${find}(',' || ${column} || ',', ${`,${entry},`}) > 0`;
}

/** The codes of a driver's error, for any driver. */
function codesOf(error: unknown): { code: string; errno: number } {
  if (!(error instanceof Error)) return { code: "", errno: 0 };
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  // SQLite's extended result code, or MySQL's error number.
  const errno = "errcode" in error ? error.errcode : "errno" in error ? error.errno : 0;
  return { code, errno: typeof errno === "number" ? errno : 0 };
}

/** Codes of PostgreSQL (appendix A) and MySQL for the loser of a deadlock, and for one that waited too long for a lock. */
const LOST_LOCK = /^(40001|40P01|ER_LOCK_DEADLOCK|ER_LOCK_WAIT_TIMEOUT)$/;

/** Runs a transaction again when the server chose it as the loser of a deadlock: it was rolled back whole. Throws everything else. */
export async function retryDeadlocks<Result>(transaction: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction();
    } catch (error) {
      if (attempt >= DEADLOCK_ATTEMPTS || !LOST_LOCK.test(codesOf(error).code)) throw error;
      // Apart from each other, so that the losers of one deadlock do not meet again.
      await delay(attempt * 2 + Math.random() * attempt * 4);
    }
  }
}

const SQLITE_CONSTRAINT_UNIQUE = 2067;
const SQLITE_CONSTRAINT_PRIMARY_KEY = 1555;
const MYSQL_DUPLICATE = 1062;
const MYSQL_DEADLOCK = 1213;
const DEADLOCK_ATTEMPTS = 8;
const POSTGRES_UNIQUE_VIOLATION = "23505";

/** True if a statement failed because of a duplicate unique key. */
export function isUniqueViolation(error: unknown): boolean {
  const { code, errno } = codesOf(error);
  if (code === "ERR_SQLITE_ERROR") return errno === SQLITE_CONSTRAINT_UNIQUE || errno === SQLITE_CONSTRAINT_PRIMARY_KEY;
  return code === POSTGRES_UNIQUE_VIOLATION || (errno === MYSQL_DUPLICATE && code.startsWith("ER_DUP"));
}

/** SQLITE_BUSY, LOCKED, IOERR, FULL and CANTOPEN; the extended codes have these in their low byte. */
const SQLITE_RETRYABLE: ReadonlySet<number> = new Set([5, 6, 10, 13, 14]);

/**
 * Serialization failure, deadlock, lock not available, server shutting down, connection lost, out of disk, memory or connections,
 * failed I/O (PostgreSQL appendix A; MySQL and Node names; engines/clickhouse/client.ts).
 */
const RETRYABLE =
  /^(40001|40P01|55P03|57P0[1-3]|08\w{3}|53\w{3}|58030|57014|25P03|ER_LOCK_DEADLOCK|ER_LOCK_WAIT_TIMEOUT|ER_CON_COUNT_ERROR|ER_SERVER_SHUTDOWN|ER_QUERY_INTERRUPTED|ER_CONNECTION_KILLED|PROTOCOL_CONNECTION_LOST|PROTOCOL_SEQUENCE_TIMEOUT|PROTOCOL_ENQUEUE_AFTER_\w+|CLICKHOUSE_AWAY|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)$/;

/** MariaDB's numbers without a name in every driver: connection killed, server going down, statement interrupted, disk full, failed I/O. */
const RETRYABLE_NUMBERS: ReadonlySet<number> = new Set([1927, 1053, 1317, 1040, 1205, 1213, 1021, 1026, 1030, 1114]);

/** pg and mysql2 throw these without a code. */
const RETRYABLE_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Can't add new command when connection is in closed state)/;

/** Codes of statements that failed beside others, or took too long: their server is there. */
const ALONE = /^(40001|40P01|55P03|57014|25P03|ER_LOCK_DEADLOCK|ER_LOCK_WAIT_TIMEOUT|ER_QUERY_INTERRUPTED)$/;

/** True if the server does not answer, or refuses every statement for now. */
export const isAway = (error: unknown): boolean => isRetryable(error) && !ALONE.test(codesOf(error).code);

/**
 * True if the same work may succeed when repeated from its beginning: a lost connection, a deadlock, a busy database.
 * After a lost connection it is unknown whether it was committed, so repeated work must have a unique key.
 */
export function isRetryable(error: unknown): boolean {
  const { code, errno } = codesOf(error);
  if (code === "ERR_SQLITE_ERROR") return SQLITE_RETRYABLE.has(errno & 0xff);
  if (error instanceof AggregateError) return error.errors.some(isRetryable);
  if (code.startsWith("ER_") && RETRYABLE_NUMBERS.has(errno)) return true;
  return RETRYABLE.test(code) || (error instanceof Error && RETRYABLE_MESSAGE.test(error.message));
}
