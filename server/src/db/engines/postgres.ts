/** PostgreSQL behind Kysely: a pool with timeouts that survives a restart of the server, and integers checked as they are read. */
import { setTimeout as delay } from "node:timers/promises";
import { Kysely, PostgresDialect, sql } from "kysely";
import type { PostgresDialectConfig, QueryCompiler } from "kysely";
import pg from "pg";
import { CheckedPostgresCompiler, safeDecimal, safeInteger } from "../bindable.ts";
import type { Schema } from "../schema.ts";
import { type DatabaseLock, type LockedSession, LockTaken } from "../session.ts";
import { type NameFailure, namedDialect } from "./named-failures.ts";
import { letCopy } from "./postgres-copy.ts";
import { postgresBound, questionDialect } from "./questions.ts";
import { limitSilence, TIME_LIMITS } from "./time-limits.ts";
import type { TimeLimits } from "./time-limits.ts";

export interface PostgresOptions {
  url: string;
  poolSize: number;
  /** Called for connections that die while idle; the pool opens new ones by itself. */
  onConnectionLost: (error: Error) => void;
  limits: TimeLimits;
  nameFailure?: NameFailure | undefined;
}

const STATEMENT_TIMEOUT_MS = 30_000;
/** A report may use one core of the database's machine, never all: calls are settled there meanwhile. */
const SETTINGS: readonly (readonly [string, string])[] = [
  ["statement_timeout", String(STATEMENT_TIMEOUT_MS)],
  ["idle_in_transaction_session_timeout", String(STATEMENT_TIMEOUT_MS)],
  ["max_parallel_workers_per_gather", "0"],
];
/**
 * Sets these parameters on a new connection, except those of the address. By a statement, because poolers like PgBouncer refuse a
 * connection with them in its startup packet.
 */
const SET = `SELECT set_config(name, value, false) FROM pg_settings
  JOIN (VALUES ${SETTINGS.map(([name, value]) => `('${name}', '${value}')`).join(", ")}) AS wanted (name, value) USING (name)
  WHERE source <> 'client'`;
/** A new connection parses and plans the ledger's statements again, and all calls of that moment wait for it: some 100 ms on a busy machine. */
const IDLE_CONNECTION_MS = 600_000;
const OID_INT8 = 20;
const OID_NUMERIC = 1700;
const LOCK_RETRY_MS = 250;

// pg parses int8 and numeric as text by default.
const PARSERS = new Map<number, (text: string) => unknown>([
  [OID_INT8, safeInteger],
  [OID_NUMERIC, safeDecimal],
]);
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    PARSERS.get(oid) ?? pg.types.getTypeParser(oid, format ?? "text"),
};

class CheckedPostgresDialect extends PostgresDialect {
  constructor(config: PostgresDialectConfig) {
    super(config);
  }
  override createQueryCompiler(): QueryCompiler {
    return new CheckedPostgresCompiler();
  }
}

function poolOf(options: PostgresOptions): pg.Pool {
  const { connectMs, answerMs } = options.limits;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    onConnect: (client) => {
      letCopy(client);
      limitSilence((client as pg.Client).connection.stream, connectMs); // the only kind this pool makes
      return client.query(SET);
    },
    application_name: "turnpike",
    types,
  });
  pool.on("error", options.onConnectionLost);
  // The pool listens to idle connections only: an error of one between two statements of a transaction would end the process.
  pool.on("connect", (client) => client.on("error", options.onConnectionLost));
  pool.on("acquire", (client) => limitSilence(client.connection.stream, answerMs));
  pool.on("release", (_error, client) => limitSilence(client.connection.stream, 0));
  return pool;
}

/** Connects and reads the version. Throws an Error of one line if the server does not respond. */
export async function openPostgres(
  options: PostgresOptions,
): Promise<{ kysely: Kysely<Schema>; questions: Kysely<Schema>; version: string; pool: pg.Pool }> {
  const pool = poolOf(options);
  const dialect = namedDialect(new CheckedPostgresDialect({ pool }), options.nameFailure);
  const kysely = new Kysely<Schema>({ dialect });
  const bound = postgresBound(options.limits.questionMs);
  const questions = new Kysely<Schema>({ dialect: questionDialect(dialect, bound, options.poolSize) });
  try {
    // Queried through Kysely, which closes only a pool that it has used.
    const { rows } = await sql<{ server_version: string }>`SHOW server_version`.execute(kysely);
    return { kysely, questions, pool, version: rows[0]?.server_version ?? "unknown" };
  } catch (error) {
    await kysely.destroy();
    throw error;
  }
}

async function takeLock(client: pg.Client, { number, waitMs, refusal }: DatabaseLock): Promise<void> {
  const untilMs = Date.now() + waitMs;
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>("SELECT pg_try_advisory_lock($1) AS taken", [number]);
    if (rows[0]?.taken === true) return;
    if (Date.now() > untilMs) throw new LockTaken(refusal);
    await delay(LOCK_RETRY_MS);
  }
}

/**
 * Runs `work` on a separate connection under the lock, which the server releases with the connection.
 * Waits its `waitMs` for it, then throws. Statements there have no timeout: building an index may take long.
 */
export async function withPostgresLock<T>(
  url: string,
  lock: DatabaseLock,
  work: (session: LockedSession) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: TIME_LIMITS.connectMs,
    application_name: lock.name,
    types,
  });
  client.on("error", () => undefined); // The running or the next statement rejects with it.
  await client.connect();
  try {
    await takeLock(client, lock);
    const all = async (sql: string) => (await client.query<Record<string, unknown>>(sql)).rows;
    return await work({ run: async (sql) => void (await client.query(sql)), all });
  } finally {
    await client.end();
  }
}
