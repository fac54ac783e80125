/** MySQL and MariaDB behind Kysely: strict mode, utf8mb4, READ COMMITTED, timeouts, and integers checked as they are read. */
import type { Duplex } from "node:stream";
import { Kysely, MysqlDialect, sql } from "kysely";
import type { MysqlDialectConfig, QueryCompiler } from "kysely";
import mysql from "mysql2";
import type { Connection, Pool, PoolConnection, PoolOptions, TypeCastField, TypeCastNext } from "mysql2";
import { CheckedMysqlCompiler, safeDecimal } from "../bindable.ts";
import type { Schema } from "../schema.ts";
import { type DatabaseLock, type LockedSession, LockTaken } from "../session.ts";
import { type NameFailure, namedDialect } from "./named-failures.ts";
import { waitingRows } from "./mysql-load.ts";
import { mysqlBound, questionDialect } from "./questions.ts";
import { limitSilence, TIME_LIMITS, timeoutError } from "./time-limits.ts";
import type { TimeLimits } from "./time-limits.ts";

export interface MysqlOptions {
  url: string;
  poolSize: number;
  /** Called when a new connection refuses its settings; that connection is destroyed. */
  onConnectionLost: (error: Error) => void;
  limits: TimeLimits;
  nameFailure?: NameFailure | undefined;
}

/**
 * READ COMMITTED as on PostgreSQL, because a REPEATABLE READ snapshot hides a conditional update from a later read.
 * Affected rows count matched rows, not changed ones (mysql2 sets CLIENT_FOUND_ROWS): the same meaning as on the other engines.
 */
const SESSION_SETTINGS = [
  "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO,ONLY_FULL_GROUP_BY'",
  "SET SESSION time_zone = '+00:00'",
  "SET SESSION innodb_lock_wait_timeout = 10",
  "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
] as const;

const INTEGER_TYPES: ReadonlySet<string> = new Set(["LONGLONG", "NEWDECIMAL", "DECIMAL"]);

/**
 * BIGINT and DECIMAL (sums of BIGINT are DECIMAL) as checked numbers: mysql2 itself returns text for a DECIMAL, and for a BIGINT
 * that is too large for a number. `next` reads both the text form of `query` and the binary form of `execute`.
 */
function castField(field: TypeCastField, next: TypeCastNext): unknown {
  const value: unknown = next();
  return typeof value === "string" && INTEGER_TYPES.has(field.type) ? safeDecimal(value) : value;
}

function connectionOptions(url: string): PoolOptions {
  return {
    uri: url.replace(/^mariadb:/, "mysql:"),
    charset: "utf8mb4_bin",
    connectTimeout: TIME_LIMITS.connectMs,
    supportBigNumbers: true,
    enableKeepAlive: true,
    typeCast: castField,
  };
}

function prepareConnection(connection: PoolConnection, onConnectionLost: (error: Error) => void): void {
  // Queued before the pool hands out this connection.
  for (const sql of SESSION_SETTINGS) {
    connection.query(sql, (error) => {
      if (error === null) return;
      connection.destroy();
      onConnectionLost(error);
    });
  }
  connection.on("error", onConnectionLost);
}

/** mysql2's connection has its socket there, but not in its types. */
const streamOf = (connection: PoolConnection): Duplex => (connection as PoolConnection & { stream: Duplex }).stream;

type TakeConnection = Pool["getConnection"];

/** mysql2 waits for a connection without a timeout; a late connection is returned to the pool. */
const takeInTime =
  (take: TakeConnection, timeoutMs: number): TakeConnection =>
  (done) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      // The driver's type has a connection even with an error.
      done(timeoutError("Every connection to the database is busy") as never, undefined as never);
    }, timeoutMs);
    take((error, connection) => {
      clearTimeout(timer);
      if (!isLate) done(error, connection);
      else if (error === null) connection.release();
    });
  };

/** A pool with timeouts for connections and for responses. */
function poolOf(options: MysqlOptions): Pool {
  const { url, poolSize, onConnectionLost, limits } = options;
  const pool = mysql.createPool({
    ...connectionOptions(url),
    connectTimeout: limits.connectMs,
    connectionLimit: poolSize,
    maxIdle: poolSize,
    infileStreamFactory: waitingRows,
  });
  pool.on("connection", (connection) => prepareConnection(connection, onConnectionLost));
  pool.on("acquire", (connection) => limitSilence(streamOf(connection), limits.answerMs));
  pool.on("release", (connection) => limitSilence(streamOf(connection), 0));
  // Every user of the pool goes through this, including its own `query` and its promises.
  pool.getConnection = takeInTime(pool.getConnection.bind(pool), limits.connectMs);
  return pool;
}

/** mysql2 counts its connections there, but not in its types. */
interface PoolLists {
  _allConnections?: { length: number };
  _freeConnections?: { length: number };
  _connectionQueue?: { length: number };
}

/** How many connections a pool has, and how many callers wait for one; 0 where the driver does not say. */
export function poolFiguresOf(pool: Pool): { open: number; idle: number; waiting: number } {
  const { _allConnections: all, _freeConnections: free, _connectionQueue: queue } = pool as PoolLists;
  return { open: all?.length ?? 0, idle: free?.length ?? 0, waiting: queue?.length ?? 0 };
}

class CheckedMysqlDialect extends MysqlDialect {
  constructor(config: MysqlDialectConfig) {
    super(config);
  }
  override createQueryCompiler(): QueryCompiler {
    return new CheckedMysqlCompiler();
  }
}

/** Connects and reads the version. Throws if the server does not respond. */
export async function openMysql(
  options: MysqlOptions,
): Promise<{ kysely: Kysely<Schema>; questions: Kysely<Schema>; version: string; pool: Pool }> {
  const pool = poolOf(options);
  const dialect = namedDialect(new CheckedMysqlDialect({ pool }), options.nameFailure);
  const kysely = new Kysely<Schema>({ dialect });
  try {
    // Queried through Kysely, which closes only a pool that it has used.
    const { rows } = await sql<{ version: string }>`SELECT version() AS version`.execute(kysely);
    const version = rows[0]?.version ?? "unknown";
    const bound = mysqlBound(version, options.limits.questionMs);
    const questions = new Kysely<Schema>({ dialect: questionDialect(dialect, bound, options.poolSize) });
    return { kysely, questions, pool, version };
  } catch (error) {
    await kysely.destroy();
    throw error;
  }
}

function runOn(connection: Connection, sql: string): Promise<Record<string, unknown>[]> {
  return new Promise((resolve, reject) => {
    connection.query(sql, (error, rows) =>
      error === null ? resolve(Array.isArray(rows) ? (rows as Record<string, unknown>[]) : []) : reject(error),
    );
  });
}

/**
 * Runs `work` on a separate connection under the lock (GET_LOCK), which the server releases with the connection.
 * Waits its `waitMs` for it, then throws.
 */
export async function withMysqlLock<T>(
  url: string,
  { name, waitMs, refusal }: DatabaseLock,
  work: (session: LockedSession) => Promise<T>,
): Promise<T> {
  const connection = mysql.createConnection(connectionOptions(url));
  connection.on("error", () => undefined); // The running statement rejects with the same error.
  try {
    for (const sql of SESSION_SETTINGS) await runOn(connection, sql);
    // Contains the database's name: the lock applies to the whole server.
    const [lock] = await runOn(
      connection,
      `SELECT GET_LOCK(CONCAT('${name} ', MD5(DATABASE())), ${Math.ceil(waitMs / 1000)}) AS taken`,
    );
    if (lock?.["taken"] !== 1) throw new LockTaken(refusal);
    return await work({
      run: async (sql) => void (await runOn(connection, sql)),
      all: (sql) => runOn(connection, sql),
    });
  } finally {
    connection.destroy();
  }
}
