/** Opens the server's database: SQLite in DATA_DIR, or the one of DATABASE_URL; every part uses this object. */
import type { Kysely } from "kysely";
import type { Pool as MysqlPool } from "mysql2";
import type { Pool as PostgresPool } from "pg";
import type { Config } from "../config.ts";
import type { ClickhouseLog } from "./engines/clickhouse/log-table.ts";
import type { NameFailure } from "./engines/named-failures.ts";
import type { SqliteHandle } from "./engines/sqlite.ts";
import { closeInTime, TIME_LIMITS } from "./engines/time-limits.ts";
import type { TimeLimits } from "./engines/time-limits.ts";
import type { Schema } from "./schema.ts";
import { LOCKS, type LockedSession } from "./session.ts";

export type Engine = "sqlite" | "postgres" | "mysql";
/** Where the log may be: ClickHouse is for nothing else. */
export type LogEngine = Engine | "clickhouse";

/** What reads rows of the log: the main database, or the one of LOG_DATABASE_URL. */
export interface LogDatabase {
  readonly kysely: Kysely<Schema>;
  /** The same for queries that plain users may run at will, as Database says. */
  readonly questions: LogDatabase;
  readonly engine: LogEngine;
  readonly version: string;
  /** Present on ClickHouse alone, where rows are written and deleted through it. */
  readonly clickhouse?: ClickhouseLog;
  close(): Promise<void>;
}

export interface Database extends LogDatabase {
  /**
   * The same database for queries that plain users may run at will, over any number of their rows: a statement ends after
   * TIME_LIMITS.questionMs with SlowQuestion, and blocks no other user's. Without transactions.
   */
  readonly questions: Database;
  /**
   * Where the rows of the log are read: this database, or the one of LOG_DATABASE_URL (log-database.ts), where reading this property throws
   * AppError log_database_unavailable while it is away. Rows are always written here, and delivered there.
   */
  readonly logs: LogDatabase;
  /** True where `logs` is another database. */
  readonly hasLogDatabase: boolean;
  readonly engine: Engine;
  /** The version as the server reports it, for example `15.20` or `10.11.19-MariaDB-0+deb12u1`. */
  readonly version: string;
  /** For the prepared statements of billing/; exactly one of the three is set. */
  readonly sqlite?: SqliteHandle;
  readonly postgres?: PostgresPool;
  readonly mysql?: MysqlPool;
  /** The pool of connections; absent for the embedded database, which has none. */
  readonly connections?: () => PoolFigures;
  /** Runs `work` under the migration lock, which no other process can hold meanwhile; it is released when the process ends. */
  withMigrationLock<T>(work: (session: LockedSession) => Promise<T>): Promise<T>;
  /** Runs `work` while no other process imports into this database. Throws an Error of one line where one does. */
  withImportLock<T>(work: () => Promise<T>): Promise<T>;
  /** Closes every connection; on SQLite also releases the lock on DATA_DIR. */
  close(): Promise<void>;
}

export interface PoolFigures {
  /** Connections that are open. */
  open: number;
  /** Those of them that nothing uses now. */
  idle: number;
  /** Statements and transactions that wait for one. */
  waiting: number;
}

export interface DatabaseOptions {
  /**
   * Batch modules for the SQLite writer by name. Each exports `prepare(database: DatabaseSync): (payload: unknown) => unknown`, and
   * that function runs inside one BEGIN IMMEDIATE .. COMMIT. Its numbers bind as REAL: pass integers as bigint to columns without a type.
   */
  writerModules?: Readonly<Record<string, URL>>;
  /** Called when a pooled connection is lost; the pool recovers by itself. */
  onConnectionLost?: (error: Error) => void;
  /** Called when a SQLite thread died: nothing can be committed any more. Without it the error is thrown and ends the process. */
  onDeath?: (error: Error) => void;
  /** Gives the error to throw where a database server is away; the driver's own if absent. */
  nameFailure?: NameFailure;
  /** How long callers wait for a database server; TIME_LIMITS if absent. */
  timeLimits?: TimeLimits;
}

type Locks = Pick<Database, "withMigrationLock" | "withImportLock">;

function throwLater(error: Error): void {
  setImmediate(() => {
    throw error;
  });
}

type Base = Omit<Database, "questions" | "logs" | "hasLogDatabase">;

function withQuestions(base: Base, kysely: Kysely<Schema>): Database {
  const questions: Database = {
    ...base,
    kysely,
    hasLogDatabase: false,
    get questions() {
      return questions;
    },
    get logs() {
      return questions;
    },
  };
  const database: Database = {
    ...base,
    questions,
    hasLogDatabase: false,
    get logs() {
      return database;
    },
  };
  return database;
}

/** The database with its log read elsewhere. @param logs gives that database, or throws while it is away */
export function readingLogsFrom(database: Database, logs: () => LogDatabase): Database {
  const questions: Database = {
    ...database.questions,
    hasLogDatabase: true,
    get questions() {
      return questions;
    },
    get logs() {
      return logs().questions;
    },
  };
  return {
    ...database,
    questions,
    hasLogDatabase: true,
    get logs() {
      return logs();
    },
  };
}

async function openEmbedded(config: Config, options: DatabaseOptions): Promise<Database> {
  const { dataDir } = config;
  const { openSqlite } = await import("./engines/sqlite.ts");
  const { kysely, questions, version, sqlite, migration, close } = await openSqlite({
    dataDir,
    questionMs: (options.timeLimits ?? TIME_LIMITS).questionMs,
    writerModules: options.writerModules ?? {},
    onDeath: options.onDeath ?? throwLater,
  });
  // The process lock of DATA_DIR is already a lock of every kind.
  const locks: Locks = { withMigrationLock: (work) => work(migration), withImportLock: (work) => work() };
  return withQuestions({ engine: "sqlite", kysely, version, sqlite, ...locks, close }, questions);
}

/** An error of one line, with the host and without the login. */
export function explain(error: unknown, url: string): Error {
  const reason =
    error instanceof AggregateError
      ? error.errors.map(String).join("; ")
      : error instanceof Error
        ? error.message
        : String(error);
  return new Error(`The database at ${new URL(url).host} cannot be opened: ${reason.replaceAll("\n", " ")}`, {
    cause: error,
  });
}

/**
 * Opens the configured database and tests the connection; migrate it next (migrations/migrate.ts).
 * Throws an Error of one line if it does not respond or if another process has the embedded one open.
 */
export async function openDatabase(config: Config, options: DatabaseOptions = {}): Promise<Database> {
  const url = config.databaseUrl;
  if (url === undefined) return openEmbedded(config, options);
  const settings = {
    url,
    poolSize: config.databasePoolSize,
    onConnectionLost: options.onConnectionLost ?? (() => undefined),
    limits: options.timeLimits ?? TIME_LIMITS,
    nameFailure: options.nameFailure,
  };
  try {
    if (/^postgres(ql)?:/.test(url)) {
      // Loaded only if it is used: each of the two drivers takes 15 to 20 MB.
      const { openPostgres, withPostgresLock } = await import("./engines/postgres.ts");
      const { kysely, questions, version, pool } = await openPostgres(settings);
      const connections = () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount });
      const locks: Locks = {
        withMigrationLock: (work) => withPostgresLock(url, LOCKS.migration, work),
        withImportLock: (work) => withPostgresLock(url, LOCKS.import, work),
      };
      const close = () => closeInTime(kysely.destroy(), settings.onConnectionLost);
      return withQuestions(
        { engine: "postgres", kysely, version, postgres: pool, connections, ...locks, close },
        questions,
      );
    }
    const { openMysql, poolFiguresOf, withMysqlLock } = await import("./engines/mysql.ts");
    const { kysely, questions, version, pool } = await openMysql(settings);
    const locks: Locks = {
      withMigrationLock: (work) => withMysqlLock(url, LOCKS.migration, work),
      withImportLock: (work) => withMysqlLock(url, LOCKS.import, work),
    };
    const close = () => closeInTime(kysely.destroy(), settings.onConnectionLost);
    const connections = () => poolFiguresOf(pool);
    return withQuestions({ engine: "mysql", kysely, version, mysql: pool, connections, ...locks, close }, questions);
  } catch (error) {
    throw explain(error, url);
  }
}
