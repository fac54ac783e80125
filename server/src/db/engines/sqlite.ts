/** SQLite, the embedded engine: one writer thread and up to two readers behind a Kysely dialect; the main thread never opens the database. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  DummyDriver,
  Kysely,
  type QueryResult,
  RawNode,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
} from "kysely";
import { endsWithin } from "../../util/deadline.ts";
import { assertBindable, CheckedSqliteCompiler } from "../bindable.ts";
import { sqliteFile } from "../data-dir.ts";
import type { Schema } from "../schema.ts";
import type { LockedSession } from "../session.ts";
import { readsOnly, SlowQuestion } from "./questions.ts";
import { OUT_OF_TIME, RowsOfValues, type StatementResult } from "./sqlite-protocol.ts";
import { LogSync } from "./sqlite-log-sync.ts";
import { ClockPlugin, SqliteQuestions } from "./sqlite-questions.ts";
import { SqliteError, SqliteReaders, type SqliteThread, startSqliteThread } from "./sqlite-thread.ts";
import { TIME_LIMITS, timeoutError } from "./time-limits.ts";

// Scheduling of SQLite's single writer: interactive transactions exclude everything, batch calls go before other waiting work.

interface WriterGate {
  /** Waits for the writer and keeps it until `leave`; returns the transaction's number. */
  enter(): Promise<number>;
  /** Ends the transaction of `enter`; idempotent. */
  leave(transaction: number): void;
  /** Runs a single statement as soon as no transaction is open, after everything that waits already. */
  write<T>(work: () => Promise<T>): Promise<T>;
  /** Runs a batch as soon as no transaction is open, before everything else that waits. */
  batch<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Creates the gate. A transaction that stays open for `limitMs` loses the writer: `onExpired` has to roll it back, so that
 * a caller that waits for something else cannot block the settlements.
 */
export function writerGate(limitMs: number, onExpired: (transaction: number) => Promise<unknown>): WriterGate {
  let lastTransaction = 0;
  let owner = 0;
  let timer: NodeJS.Timeout | undefined;
  let batches: (() => void)[] = [];
  const writes: (() => void)[] = [];

  const leave = (transaction: number) => {
    if (owner !== transaction) return;
    clearTimeout(timer);
    owner = 0;
    const waitingBatches = batches;
    batches = [];
    for (const start of waitingBatches) start();
    while (owner === 0 && writes.length > 0) writes.shift()?.();
  };
  const expire = (transaction: number) => {
    onExpired(transaction)
      .finally(() => leave(transaction))
      .catch(() => undefined); // A dead thread has rejected every request already.
  };
  const take = () => {
    owner = ++lastTransaction;
    timer = setTimeout(expire, limitMs, owner);
    return owner;
  };
  const enter = () => {
    if (owner === 0) return Promise.resolve(take());
    return new Promise<number>((resolve) => writes.push(() => resolve(take())));
  };
  const write = <T>(work: () => Promise<T>): Promise<T> => {
    if (owner === 0) return work();
    return new Promise<T>((resolve, reject) => writes.push(() => work().then(resolve, reject)));
  };
  const batch = <T>(work: () => Promise<T>): Promise<T> => {
    if (owner === 0) return work();
    return new Promise<T>((resolve, reject) => batches.push(() => work().then(resolve, reject)));
  };
  return { enter, leave, write, batch };
}

/** The ledger's interface besides Kysely: atomic batches inside the writer thread. */
export interface SqliteHandle {
  /** The database file, for a thread with a separate read-only connection. */
  readonly path: string;
  /**
   * Runs the function that the batch module `name` prepared, inside one BEGIN IMMEDIATE .. COMMIT of the writer, and resolves with
   * its result once that is durable. Throws its error, after a rollback. `payload` is copied by structured clone.
   */
  call(name: string, payload: unknown): Promise<unknown>;
  /** As `call`, but resolves once the operating system has it: the end of the process, however it comes, takes nothing back. A power cut may, before `sync`. */
  callUnsynced(name: string, payload: unknown): Promise<unknown>;
  /** Resolves when everything that `callUnsynced` wrote before is on the disk. Throws the disk's error. */
  sync(): Promise<void>;
}

export interface SqliteOptions {
  dataDir: string;
  writerModules: Readonly<Record<string, URL>>;
  onDeath: (error: Error) => void;
  /** How long an interactive transaction may keep the writer; 10 seconds. */
  transactionLimitMs?: number;
  /** Timeout of a statement of a user query; TIME_LIMITS.questionMs if absent. */
  questionMs?: number;
}

const TRANSACTION_LIMIT_MS = 10_000;
const SQLITE_BUSY = 5;
const SQLITE_CANTOPEN = 14;

const queryResult = <R>(result: unknown): QueryResult<R> => {
  const { rows, changes, insertId } = result as StatementResult; // the answer of sqlite-worker.ts to a statement
  return { rows: rows as R[], numAffectedRows: BigInt(changes), insertId: BigInt(insertId) };
};

/** True for statements that a reader can run: selects, built or raw, but never a pragma. */
function isRead(query: CompiledQuery): boolean {
  return SelectQueryNode.is(query.query) || (RawNode.is(query.query) && /^\s*select\b/i.test(query.sql));
}

interface Threads {
  writer: SqliteThread;
  readers: SqliteReaders;
  questions: SqliteQuestions;
  gate: WriterGate;
  logSync: LogSync;
}

/** Idempotent. */
async function closeThreads({ readers, questions, writer, logSync }: Threads): Promise<void> {
  await logSync.close();
  await questions.close();
  await readers.close();
  await writer.close();
}

class SqliteConnection implements DatabaseConnection {
  readonly #threads: Threads;
  /** 0 outside a transaction. */
  transaction = 0;

  constructor(threads: Threads) {
    this.#threads = threads;
  }

  /** A hanging disk must not block a caller forever; the later result of the statement is dropped. */
  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const result = this.#execute<R>(query);
    if (await endsWithin(result, TIME_LIMITS.answerMs)) return result;
    throw timeoutError("The database does not answer");
  }

  async #execute<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { writer, readers, gate } = this.#threads;
    const { transaction } = this;
    const [first] = query.parameters;
    if (first instanceof RowsOfValues) {
      // Their caller has checked their values.
      const request = { kind: "statement", sql: query.sql, parameters: [], rows: first.rows, transaction } as const;
      return queryResult(await writer.send(request));
    }
    assertBindable(query.parameters);
    const request = { kind: "statement", sql: query.sql, parameters: query.parameters, transaction } as const;
    if (transaction !== 0) return queryResult(await writer.send(request));
    if (isRead(query)) return queryResult(await readers.send(request));
    return queryResult(await gate.write(() => writer.send(request)));
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }
}

/** Reads on the thread of user queries, each statement with a timeout. */
class QuestionConnection implements DatabaseConnection {
  readonly #questions: SqliteQuestions;
  readonly #limitMs: number;

  constructor(questions: SqliteQuestions, limitMs: number) {
    this.#questions = questions;
    this.#limitMs = limitMs;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    assertBindable(parameters);
    const request = { kind: "statement", sql, parameters, transaction: 0, limitMs: this.#limitMs } as const;
    const result = this.#questions.send(request).catch((error: unknown) => {
      throw error instanceof SqliteError && error.code === OUT_OF_TIME ? new SlowQuestion(error) : error;
    });
    if (await endsWithin(result, TIME_LIMITS.answerMs)) return queryResult(await result);
    throw timeoutError("The database does not answer");
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }
}

class SqliteDriver implements Driver {
  readonly #threads: Threads;

  constructor(threads: Threads) {
    this.#threads = threads;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return new SqliteConnection(this.#threads);
  }

  async releaseConnection(): Promise<void> {}

  async beginTransaction(connection: SqliteConnection): Promise<void> {
    const { writer, gate } = this.#threads;
    const transaction = await gate.enter();
    connection.transaction = transaction;
    // Not awaited: it is sent with the first statement, and the thread refuses that statement if BEGIN failed.
    writer.send({ kind: "begin", transaction }).catch(() => gate.leave(transaction));
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    await this.#end(connection, "commit");
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    await this.#end(connection, "rollback");
  }

  async #end(connection: SqliteConnection, kind: "commit" | "rollback"): Promise<void> {
    const { transaction } = connection;
    try {
      await this.#threads.writer.send({ kind, transaction });
    } finally {
      this.#threads.gate.leave(transaction);
    }
  }

  async savepoint(connection: DatabaseConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`savepoint "${name}"`));
  }

  async rollbackToSavepoint(connection: DatabaseConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`rollback to "${name}"`));
  }

  async releaseSavepoint(connection: DatabaseConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`release "${name}"`));
  }

  destroy(): Promise<void> {
    return closeThreads(this.#threads);
  }
}

/** Kysely's own adapter assumes a single connection, and makes every query wait for an open transaction. */
class ThreadedSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** Without transactions; does not end the thread. */
class QuestionSqliteDriver extends DummyDriver {
  readonly #connection: QuestionConnection;

  constructor(connection: QuestionConnection) {
    super();
    this.#connection = connection;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  override beginTransaction = readsOnly;
}

function dialectOf(createDriver: () => Driver): Dialect {
  return {
    createAdapter: () => new ThreadedSqliteAdapter(),
    createDriver,
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new CheckedSqliteCompiler(),
  };
}

async function startWriter(options: SqliteOptions, path: string): Promise<SqliteThread> {
  const modules = Object.fromEntries(Object.entries(options.writerModules).map(([name, url]) => [name, url.href]));
  try {
    return await startSqliteThread(
      { path, lockPath: join(options.dataDir, "turnpike.lock"), modules },
      options.onDeath,
    );
  } catch (error) {
    if (error instanceof SqliteError && error.errcode === SQLITE_BUSY)
      throw new Error(`Another process already runs on ${path}: the embedded database belongs to exactly one`);
    if (error instanceof SqliteError && error.errcode === SQLITE_CANTOPEN)
      throw new Error(`The database ${path} cannot be opened: ${error.message}`);
    throw error;
  }
}

/** Opens `turnpike.db` in the data folder. Throws an Error of one line if another process has it open. */
export async function openSqlite(options: SqliteOptions): Promise<{
  kysely: Kysely<Schema>;
  questions: Kysely<Schema>;
  version: string;
  sqlite: SqliteHandle;
  migration: LockedSession;
  close(): Promise<void>;
}> {
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  const path = sqliteFile(options.dataDir);
  const writer = await startWriter(options, path);
  const settings = { path, lockPath: undefined, modules: {} };
  const startReader = () => startSqliteThread(settings, options.onDeath);
  const gate = writerGate(options.transactionLimitMs ?? TRANSACTION_LIMIT_MS, (transaction) =>
    writer.send({ kind: "rollback", transaction }),
  );
  const questions = new SqliteQuestions((onDeath) => startSqliteThread(settings, onDeath));
  // Without a timeout: building an index may take long.
  const all = (text: string): Promise<Record<string, unknown>[]> =>
    gate.write(async () => {
      const result = await writer.send({ kind: "statement", sql: text, parameters: [], transaction: 0 });
      return queryResult<Record<string, unknown>>(result).rows;
    });
  const logSync = new LogSync(`${path}-wal`, async () => {
    const [outcome] = await all("PRAGMA wal_checkpoint(FULL)");
    if (outcome?.["busy"] !== 0) throw new Error("The write-ahead log could not be copied to the database yet");
  });
  const readers = new SqliteReaders(await startReader(), startReader);
  const threads: Threads = { writer, gate, questions, readers, logSync };
  const kysely = new Kysely<Schema>({ dialect: dialectOf(() => new SqliteDriver(threads)) });
  const asked = new QuestionConnection(questions, options.questionMs ?? TIME_LIMITS.questionMs);
  return {
    kysely,
    questions: new Kysely<Schema>({
      dialect: dialectOf(() => new QuestionSqliteDriver(asked)),
      plugins: [new ClockPlugin()],
    }),
    migration: { run: async (text) => void (await all(text)), all },
    version: writer.version,
    sqlite: {
      path,
      call: (name, payload) => gate.batch(() => writer.call({ kind: "call", name, payload, isSyncedLater: false })),
      callUnsynced: (name, payload) =>
        gate.batch(() => writer.call({ kind: "call", name, payload, isSyncedLater: true })),
      sync: () => logSync.sync(),
    },
    // Kysely closes only a driver that it has used.
    close: () => kysely.destroy().then(() => closeThreads(threads)),
  };
}
