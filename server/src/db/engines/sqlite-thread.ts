/** The main thread's side of an SQLite thread: requests are sent in one message per event-loop turn, responses resolve their promises. */
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";
import type {
  Answer,
  CallRequest,
  Failure,
  FirstMessage,
  Request,
  StatementRequest,
  TransactionRequest,
  WorkerSettings,
} from "./sqlite-protocol.ts";

/** An error of the database thread, with SQLite's own result code (https://sqlite.org/rescode.html). */
export class SqliteError extends Error {
  readonly code: string | undefined;
  readonly errcode: number | undefined;
  constructor(failure: Failure) {
    super(failure.message);
    this.name = failure.name === "Error" ? "SqliteError" : failure.name;
    this.code = failure.code;
    this.errcode = failure.errcode;
    if (failure.stack !== undefined) this.stack = failure.stack;
  }
}

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

type Unnumbered<R> = R extends Request ? Omit<R, "id"> : never;

export interface SqliteThread {
  readonly version: string;
  /** The number of pending requests. */
  readonly pending: number;
  /** Sends together with all other requests of this event-loop turn. */
  send(request: Unnumbered<StatementRequest | TransactionRequest>): Promise<unknown>;
  /** Sends at once, in a message of its own. */
  call(request: Unnumbered<CallRequest>): Promise<unknown>;
  close(): Promise<void>;
}

function firstMessage(worker: Worker): Promise<string> {
  return new Promise((resolve, reject) => {
    worker.once("error", reject);
    worker.once("message", (message: FirstMessage) => {
      worker.off("error", reject);
      if ("failure" in message) reject(new SqliteError(message.failure));
      else resolve(message.version);
    });
  });
}

/** A thread does not inherit the compile cache of the process, and without it loads the type stripper: 15 MB for each thread. */
function withCompileCache(): NodeJS.ProcessEnv {
  const folder = getCompileCacheDir();
  return folder === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(folder) };
}

/**
 * Starts a thread on its file and waits until its database is open. Throws if it cannot be opened.
 * `onDeath` is called once when the thread ends unexpectedly; everything pending is rejected first.
 */
export async function startSqliteThread(
  settings: WorkerSettings,
  onDeath: (error: Error) => void,
): Promise<SqliteThread> {
  const worker = new Worker(new URL("./sqlite-worker.ts", import.meta.url), {
    workerData: settings,
    env: withCompileCache(),
    // Flags of the main thread (an --input-type, a debugger) must not apply to the thread.
    execArgv: [],
    // Batches are short-lived and small: a young generation of 4 MB is enough, and saves up to 30 MB a thread under load.
    resourceLimits: { maxYoungGenerationSizeMb: 4 },
  });
  const version = await firstMessage(worker);
  const waiting = new Map<number, Waiting>();
  let outbox: Request[] = [];
  let lastId = 0;
  let end: Error | undefined;

  const die = (error: Error) => {
    if (end !== undefined) return;
    end = error;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    onDeath(error);
  };
  worker.on("error", die);
  worker.on("exit", (code) => die(new Error(`The database thread ended with code ${code}`)));
  worker.on("message", (answers: readonly Answer[]) => {
    for (const answer of answers) {
      const entry = waiting.get(answer.id);
      waiting.delete(answer.id);
      if ("failure" in answer) entry?.reject(new SqliteError(answer.failure));
      else entry?.resolve(answer.value);
    }
  });
  const post = (requests: readonly Request[]) => {
    try {
      worker.postMessage(requests);
    } catch (error) {
      // A payload that cannot be cloned: nothing of this message was sent.
      for (const { id } of requests) waiting.get(id)?.reject(error instanceof Error ? error : new Error(String(error)));
      for (const { id } of requests) waiting.delete(id);
    }
  };
  const flush = () => {
    const requests = outbox;
    outbox = [];
    post(requests);
  };
  const number = (request: Unnumbered<Request>, dispatch: (request: Request) => void) =>
    new Promise<unknown>((resolve, reject) => {
      if (end !== undefined) return reject(end);
      const id = ++lastId;
      waiting.set(id, { resolve, reject });
      dispatch({ ...request, id } as Request);
    });
  const enqueue = (request: Request) => {
    if (outbox.length === 0) setImmediate(flush);
    outbox.push(request);
  };
  return {
    version,
    get pending() {
      return waiting.size;
    },
    send: (request) => number(request, enqueue),
    call: (request) => number(request, (numbered) => post([numbered])),
    close: async () => {
      if (end !== undefined) return;
      end = new Error("The database is closed");
      if (outbox.length > 0) flush();
      const exit = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
      worker.postMessage("close");
      await exit;
      for (const { reject } of waiting.values()) reject(end);
    },
  };
}

// The reader threads: one, and a second once a request waits long behind another.

type ReadingThread = Pick<SqliteThread, "pending" | "send" | "close">;

/** Shorter waits end before another thread would be ready. */
const LONG_WAIT_MS = 100;

/** An idle server runs one, since each takes 8 MB; two concurrent pages of the console are no reason for the second. */
export class SqliteReaders {
  readonly #start: () => Promise<ReadingThread>;
  readonly #threads: ReadingThread[] = [];
  #starting: Promise<void> | undefined;

  constructor(first: ReadingThread, start: () => Promise<ReadingThread>) {
    this.#threads.push(first);
    this.#start = start;
  }

  /** Sends to the thread with the fewest pending requests, without waiting for the second one to start. Throws once it is closed. */
  send(request: Parameters<SqliteThread["send"]>[0]): Promise<unknown> {
    const [first, second] = this.#threads;
    if (first === undefined) throw new Error("The database is closed");
    if (second !== undefined) return (second.pending < first.pending ? second : first).send(request);
    const isQueued = first.pending > 0;
    const answer = first.send(request);
    if (isQueued) this.#growUnlessSoon(answer);
    return answer;
  }

  #growUnlessSoon(answer: Promise<unknown>): void {
    let isWaiting = true;
    const answered = () => void (isWaiting = false);
    answer.then(answered, answered);
    // If this thread itself was busy, answers may have arrived that it reads only in this turn.
    const look = () => setImmediate(() => void (isWaiting && this.#grow()));
    setTimeout(look, LONG_WAIT_MS).unref();
  }

  #grow(): void {
    if (this.#threads.length !== 1 || this.#starting !== undefined) return;
    const keep = (thread: ReadingThread) => void this.#threads.push(thread);
    // One reader is enough to continue; the next long wait tries again.
    this.#starting = this.#start()
      .then(keep, () => undefined)
      .finally(() => (this.#starting = undefined));
  }

  /** Ends every thread, including one that is starting. */
  async close(): Promise<void> {
    await this.#starting;
    await Promise.all(this.#threads.splice(0).map((thread) => thread.close()));
  }
}
