/** The database of LOG_DATABASE_URL, which holds the rows of the log and nothing else: opened beside the main one, awaited while it is away, and named where it does not answer. */
import { AppError } from "../../../contract/src/errors.ts";
import type { Config } from "../config.ts";
import {
  type Database,
  type DatabaseOptions,
  explain,
  type LogDatabase,
  openDatabase,
  readingLogsFrom,
} from "./database.ts";
import { isClickhouseUrl } from "./engines/clickhouse/address.ts";
import type { ClickhouseLog } from "./engines/clickhouse/log-table.ts";
import type { ClickhouseDatabase } from "./engines/clickhouse/open.ts";
import { TIME_LIMITS } from "./engines/time-limits.ts";
import { keyValueStore } from "./key-value-store.ts";
import { migrate, MIGRATIONS, refusePending, SchemaPending } from "./migrations/migrate.ts";
import { isAway } from "./portable.ts";
import type { Migration, Step } from "./migrations/steps.ts";

const LOG_TABLE = "logs";
const RETRY_MS = 5_000;
/** Fact of the log database: whose log it is. */
const OWNER_FACT = "log_of_installation";
/** Fact of the main database: who it is. */
const INSTALLATION_FACT = "installation_id";

/**
 * Rows come with the ids that they got in the main database. An id comes again where that one was restored from a backup, never at the same
 * second: so a row is known by its time and its id, as PostgreSQL's partitions know it already.
 */
const keyByTime: Step = {
  name: "key the rows of the log by time",
  table: LOG_TABLE,
  async run(session, engine) {
    if (engine !== "mysql") return;
    const key = await session.all(`SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE()
      AND table_name = '${LOG_TABLE}' AND index_name = 'PRIMARY' AND column_name = 'created_at'`);
    if (key.length > 0) return;
    await session.run(
      `ALTER TABLE ${LOG_TABLE} MODIFY id BIGINT NOT NULL, DROP PRIMARY KEY, ADD PRIMARY KEY (created_at, id)`,
    );
  },
};
/** Its own steps are part of this migration, since the number of steps of one never changes. */
const KEYED_BY = 50;

/** The migrations of the log alone, with the numbers of the main database. */
const LOG_MIGRATIONS: readonly Migration[] = MIGRATIONS.map((migration) => {
  const steps = migration.steps.filter(({ table }) => table === LOG_TABLE);
  return { ...migration, steps: migration.id === KEYED_BY ? [...steps, keyByTime] : steps };
});

/** Throws an Error of one line where the log is another installation's: two that share one would take each other's ids. */
async function claim(main: Database, logs: OpenLog): Promise<void> {
  const id = await keyValueStore(main).writeOnce(
    INSTALLATION_FACT,
    crypto.randomUUID().replaceAll("-", "").slice(0, 16),
  );
  const owner = await (isOnClickhouse(logs)
    ? logs.clickhouse.claim(id)
    : keyValueStore(logs).writeOnce(OWNER_FACT, id));
  if (owner !== id)
    throw new Error("The database of LOG_DATABASE_URL holds the log of another installation: name one of its own");
}

/** Its statements say that it is away, and not the main database. */
const nameFailure = (error: unknown): unknown =>
  isAway(error) ? new AppError("log_database_unavailable", { cause: error }) : error;

/** A database like the main one, or ClickHouse. */
type OpenLog = Database | ClickhouseDatabase;

const isOnClickhouse = (logs: OpenLog): logs is ClickhouseDatabase => logs.clickhouse !== undefined;

/** Connects to the log, as it is. Throws an Error of one line where it is away. @param url of LOG_DATABASE_URL */
export async function connectLog(config: Config, url: string, options: DatabaseOptions = {}): Promise<OpenLog> {
  const own = { ...config, databaseUrl: url, logDatabaseUrl: undefined };
  if (!isClickhouseUrl(url)) return openDatabase(own, { ...options, nameFailure });
  // Loaded only if it is used.
  const { openClickhouse } = await import("./engines/clickhouse/open.ts");
  const limits = options.timeLimits ?? TIME_LIMITS;
  const poolSize = config.databasePoolSize;
  return openClickhouse({ url, poolSize, limits, nameFailure }).catch((error: unknown) => {
    throw explain(error, url);
  });
}

/** ClickHouse has the one table, which gets the columns that it lacks. Throws SchemaPending where it lacks some and they are not to be added here. */
async function prepareTable({ migratesAtStart }: Config, clickhouse: ClickhouseLog): Promise<void> {
  if (migratesAtStart) return clickhouse.prepare();
  if ((await clickhouse.missingColumns()).length > 0)
    throw new SchemaPending("its table lacks columns of this version, and MIGRATE is off: run `turnpike migrate`");
}

async function migrateLog(config: Config, database: Database): Promise<void> {
  await (config.migratesAtStart
    ? migrate(database, { migrations: LOG_MIGRATIONS })
    : refusePending(database, LOG_MIGRATIONS));
}

/** Opens and migrates it, as MIGRATE says. Throws an Error of one line where it is away, or lacks steps that are not to be done here. @param url of LOG_DATABASE_URL */
export async function openLogDatabase(config: Config, url: string, options: DatabaseOptions = {}): Promise<OpenLog> {
  const logs = await connectLog(config, url, options);
  try {
    await (isOnClickhouse(logs) ? prepareTable(config, logs.clickhouse) : migrateLog(config, logs));
    return logs;
  } catch (error) {
    await logs.close();
    throw error;
  }
}

/** The same, once it is this installation's log. */
async function openOwn(config: Config, url: string, main: Database, options: DatabaseOptions = {}): Promise<OpenLog> {
  const database = await openLogDatabase(config, url, options);
  try {
    await claim(main, database);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

interface Logger {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

export interface LogDatabaseOptions extends DatabaseOptions {
  logger: Logger;
  /** Milliseconds from one attempt to the next; 5 s if absent. */
  retryMs?: number;
}

/**
 * The main database with the log of LOG_DATABASE_URL, where that is set; closing it closes both. A log database that is away keeps nothing
 * from starting: it is tried again and again.
 */
export async function withLogDatabase(config: Config, main: Database, options: LogDatabaseOptions): Promise<Database> {
  const { logDatabaseUrl: url } = config;
  if (url === undefined) return main;
  const { logger, retryMs = RETRY_MS } = options;
  let logs: LogDatabase | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let isWarned = false;
  const open = async (): Promise<void> => {
    try {
      const opened = await openOwn(config, url, main, options);
      if (isClosed) return await opened.close();
      logs = opened;
      logger.info({ engine: opened.engine, version: opened.version }, "the log database is open");
    } catch (error) {
      if (!isWarned)
        logger.warn({ err: error }, "the log database cannot be opened; rows of the log wait in the main one");
      isWarned = true;
      if (!isClosed) timer = setTimeout(() => void (opening = open()), retryMs);
    }
  };
  let opening = open();
  await opening;
  const joined = readingLogsFrom(main, () => {
    if (logs === undefined) throw new AppError("log_database_unavailable");
    return logs;
  });
  const close = async () => {
    isClosed = true;
    clearTimeout(timer);
    await opening;
    await logs?.close();
    await main.close();
  };
  // Not by a spread: it would read the log database, which may be away.
  return Object.defineProperty(joined, "close", { value: close });
}

/** For commands, on a migrated main database. Throws an Error of one line where the log database is away. */
export async function withLogsOf<Result>(
  config: Config,
  main: Database,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  if (config.logDatabaseUrl === undefined) return work(main);
  const logs = await openOwn(config, config.logDatabaseUrl, main);
  return work(readingLogsFrom(main, () => logs)).finally(() => logs.close());
}
