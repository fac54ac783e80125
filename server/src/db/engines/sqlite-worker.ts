/** A thread that owns one SQLite connection: the writer (with the process lock and the batch modules) or a reader. */
import { DatabaseSync } from "node:sqlite";
import type { SQLInputValue, StatementSync } from "node:sqlite";
import { statSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { LruMap } from "../../util/lru.ts";
import { OUT_OF_TIME } from "./sqlite-protocol.ts";
import type {
  Answer,
  CallRequest,
  Failure,
  FirstMessage,
  Request,
  StatementRequest,
  StatementResult,
  TransactionRequest,
  WorkerSettings,
} from "./sqlite-protocol.ts";

type Batch = (payload: unknown) => unknown;

const STATEMENTS_KEPT = 500;
const BUSY_TIMEOUT_MS = 5_000;
const IDLE_BEFORE_CHECKPOINT_MS = 500;
const CHECKPOINT_PAGES = 16_000;
const PAGE_BYTES = 4_096;
/** Above this size the write-ahead log is truncated at the next idle period instead of only copied. */
const LARGE_LOG_BYTES = 32 * 1024 * 1024;

// The only caller is engines/sqlite.ts, which passes exactly these settings.
const settings = workerData as WorkerSettings;

function openLock(path: string): DatabaseSync {
  // A kernel lock, not a pid file: it is released as soon as the process ends, however it ends.
  const lock = new DatabaseSync(path, { timeout: 0 });
  lock.exec("PRAGMA journal_mode = MEMORY");
  lock.exec("BEGIN EXCLUSIVE");
  return lock;
}

/** By performance.now(): the deadline of the running statement. */
let deadlineMs = Number.POSITIVE_INFINITY;

/** The SQL function that statements with a timeout call at some of their rows; throws after the deadline. */
function inTime(): number {
  if (performance.now() > deadlineMs)
    throw Object.assign(new Error("The time of this statement is over"), { code: OUT_OF_TIME });
  return 1;
}

function openConnection(): DatabaseSync {
  const isReader = settings.lockPath === undefined;
  const database = new DatabaseSync(settings.path, { timeout: BUSY_TIMEOUT_MS, readOnly: isReader });
  // LIKE and lower() of SQLite fold ASCII only; the other engines fold all letters.
  database.function("unicode_lower", { deterministic: true }, (text) =>
    text === null ? null : String(text).toLowerCase(),
  );
  database.function("in_time", inTime);
  if (isReader) return database;
  database.exec("PRAGMA journal_mode = WAL");
  database.exec(`PRAGMA synchronous = ${level}`);
  database.exec("PRAGMA temp_store = MEMORY");
  // The idle timer below checkpoints; this is the limit for a server that is never idle. The calls of many accounts write to
  // the same pages, which are copied once a checkpoint: 10 % less of the writer than with 4,000 pages. Twice as many would save
  // another 4 %, and let a commit wait twice as long.
  database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  // The size that a slow reader caused is freed when the log starts anew.
  database.exec(`PRAGMA journal_size_limit = ${CHECKPOINT_PAGES * PAGE_BYTES}`);
  return database;
}

const statements = new LruMap<string, StatementSync>(STATEMENTS_KEPT);

/** A cached prepared statement; the least recently used one is evicted. */
function prepare(database: DatabaseSync, sql: string): StatementSync {
  const statement = statements.get(sql) ?? database.prepare(sql);
  statements.set(sql, statement);
  return statement;
}

/** node:sqlite binds every JavaScript number as REAL, which a text column would store as "2.0": integers are passed as bigint. */
function bindable(value: unknown): SQLInputValue {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  return value as SQLInputValue; // assertBindable checked every parameter on the main thread
}

function runStatement(database: DatabaseSync, request: StatementRequest): StatementResult {
  const statement = prepare(database, request.sql);
  if (request.rows !== undefined) {
    for (const row of request.rows) statement.run(...row.map(bindable));
    return { rows: [], changes: request.rows.length, insertId: 0 };
  }
  const parameters = request.parameters.map(bindable);
  deadlineMs = performance.now() + (request.limitMs ?? Number.POSITIVE_INFINITY);
  if (statement.columns().length > 0) {
    const rows = statement.all(...parameters);
    return { rows, changes: rows.length, insertId: 0 };
  }
  const { changes, lastInsertRowid } = statement.run(...parameters);
  return { rows: [], changes: Number(changes), insertId: Number(lastInsertRowid) };
}

function rollBack(database: DatabaseSync): void {
  if (database.isTransaction) database.exec("ROLLBACK");
}

/** Number of the open interactive transaction, 0 without one. */
let openTransaction = 0;

function runTransactionStep(database: DatabaseSync, request: TransactionRequest): void {
  if (request.kind === "begin") {
    database.exec("BEGIN IMMEDIATE");
    openTransaction = request.transaction;
    return;
  }
  if (openTransaction !== request.transaction) {
    if (request.kind === "rollback") return; // It never began, or it timed out.
    throw new Error("This transaction is not open any more");
  }
  try {
    if (request.kind === "commit") database.exec("COMMIT");
  } finally {
    openTransaction = 0;
    rollBack(database);
  }
}

const batches = new Map<string, Batch>();
const modules = new Map<string, (database: DatabaseSync) => Batch>();

/** The batch function of a module, prepared at its first use, when the tables exist. */
function batchOf(database: DatabaseSync, name: string): Batch {
  const known = batches.get(name);
  if (known !== undefined) return known;
  const prepareBatch = modules.get(name);
  if (prepareBatch === undefined) throw new Error(`There is no batch module called ${name}`);
  const batch = prepareBatch(database);
  batches.set(name, batch);
  return batch;
}

function runCall(database: DatabaseSync, request: CallRequest): unknown {
  const batch = batchOf(database, request.name);
  prepare(database, "BEGIN IMMEDIATE").run();
  try {
    const result = batch(request.payload);
    prepare(database, "COMMIT").run();
    return result;
  } finally {
    rollBack(database);
  }
}

type Level = "FULL" | "NORMAL";
let level: Level = "FULL";

/** NORMAL leaves out the sync of a commit alone, never that of a checkpoint: the file is consistent after any end. */
function setLevel(database: DatabaseSync, wanted: Level): void {
  if (level === wanted || database.isTransaction) return;
  database.exec(`PRAGMA synchronous = ${wanted}`);
  level = wanted;
}

function run(database: DatabaseSync, request: Request): unknown {
  setLevel(database, request.kind === "call" && request.isSyncedLater ? "NORMAL" : "FULL");
  if (request.kind === "call") return runCall(database, request);
  if (request.kind !== "statement") return runTransactionStep(database, request);
  // A statement whose BEGIN failed must not run outside of a transaction.
  if (request.transaction !== openTransaction) throw new Error("This transaction is not open any more");
  return runStatement(database, request);
}

const isSqliteError = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ERR_SQLITE_ERROR" || error.code === "EIO");

function describeFailure(error: unknown): Failure {
  if (!(error instanceof Error))
    return { name: "Error", message: String(error), stack: undefined, code: undefined, errcode: undefined };
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  const errcode = "errcode" in error && typeof error.errcode === "number" ? error.errcode : undefined;
  return { name: error.name, message: error.message, stack: error.stack, code, errcode };
}

function answer(database: DatabaseSync, request: Request): Answer {
  try {
    return { id: request.id, value: run(database, request) };
  } catch (error) {
    return { id: request.id, failure: describeFailure(error) };
  }
}

/**
 * Checkpoints the write-ahead log while the database is idle, so that no commit has to. If the disk refuses, the next idle period
 * tries again; commits report that disk.
 */
function checkpoint(database: DatabaseSync): void {
  if (database.isTransaction) return;
  try {
    const logBytes = statSync(`${settings.path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    database.exec(`PRAGMA wal_checkpoint(${logBytes > LARGE_LOG_BYTES ? "TRUNCATE" : "PASSIVE"})`);
  } catch (error) {
    if (!isSqliteError(error)) throw error;
  }
}

async function start(): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error("This file runs as a worker thread only");
  const lock = settings.lockPath === undefined ? undefined : openLock(settings.lockPath);
  const database = openConnection();
  for (const [name, url] of Object.entries(settings.modules)) {
    const module: { prepare: (database: DatabaseSync) => Batch } = await import(url);
    modules.set(name, module.prepare);
  }
  let idle: NodeJS.Timeout | undefined;
  port.on("message", (requests: readonly Request[] | "close") => {
    clearTimeout(idle);
    if (requests === "close") {
      rollBack(database);
      statements.clear();
      database.close();
      lock?.close();
      port.close();
      return;
    }
    port.postMessage(requests.map((request) => answer(database, request)));
    if (lock !== undefined) idle = setTimeout(checkpoint, IDLE_BEFORE_CHECKPOINT_MS, database);
  });
  const { version } = database.prepare("SELECT sqlite_version() AS version").get() as { version: string };
  port.postMessage({ ready: true, version } satisfies FirstMessage);
}

try {
  await start();
} catch (error) {
  parentPort?.postMessage({ failure: describeFailure(error) } satisfies FirstMessage);
  parentPort?.close();
}
