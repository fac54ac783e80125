/** A queue for each user with a concurrency limit, which refuses when it is full; and queries by plain users on their own rows, on separate connections with a timeout. */
import type { AppError } from "../../../../contract/src/errors.ts";
import { tooManyRequests } from "./envelope.ts";
import type { ConsoleContext } from "./handlers.ts";

interface QueueLimits {
  /** For each user. */
  concurrent: number;
  /** For each user. */
  waiting: number;
  /** For all users together; unbounded if absent. */
  total?: number;
  /** The error for a caller when the queue is full; too_many_requests if absent. */
  refusal?: () => AppError;
}

const RETRY_AFTER_SECONDS = 5;
const tooMany = (): AppError => tooManyRequests(RETRY_AFTER_SECONDS);

interface Waiters {
  running: number;
  waiting: (() => void)[];
}

export class UserQueue {
  readonly #limits: QueueLimits;
  readonly #queues = new Map<number, Waiters>();
  #total = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** Waits for a place; returns the function that releases it, to be called once. Throws AppError 429 if the queue is full. */
  async take(userId: number): Promise<() => void> {
    const { concurrent, waiting, total = Number.POSITIVE_INFINITY, refusal = tooMany } = this.#limits;
    const queued = this.#queues.get(userId) ?? { running: 0, waiting: [] };
    const isFull = queued.running >= concurrent;
    if ((isFull && queued.waiting.length >= waiting) || this.#total >= total) throw refusal();
    this.#queues.set(userId, queued);
    this.#total += 1;
    // The next in the queue takes over the place of the one before.
    if (isFull) await new Promise<void>((resolve) => void queued.waiting.push(resolve));
    else queued.running += 1;
    return () => this.#end(userId, queued);
  }

  #end(userId: number, queued: Waiters): void {
    this.#total -= 1;
    const next = queued.waiting.shift();
    if (next !== undefined) return next();
    queued.running -= 1;
    if (queued.running === 0) this.#queues.delete(userId);
  }

  /** Runs `work` in a place of the queue. Throws AppError 429 if it is full. */
  async run<T>(userId: number, work: () => Promise<T>): Promise<T> {
    const end = await this.take(userId);
    try {
      return await work();
    } finally {
      end();
    }
  }

  /** Reads `source` in a place of the queue, released when the source ends or its reader stops. Throws AppError 429 before the first piece. */
  async stream(userId: number, source: AsyncGenerator<string>): Promise<AsyncGenerator<string>> {
    const end = await this.take(userId);
    return (async function* () {
      try {
        yield* source;
      } finally {
        end();
      }
    })();
  }
}

/** Of one user the list, its sums and its filters are asked for together; a second window waits. */
const queue = new UserQueue({ concurrent: 2, waiting: 30, total: 500 });

/** A context whose database is the one for questions. */
export const forQuestions = (context: ConsoleContext): ConsoleContext => ({
  ...context,
  database: context.database.questions,
});

/** Runs `work` in the user's queue. Throws AppError 429 if it is full, SlowQuestion if it times out. */
export const inUserQueue = <T>(userId: number, work: () => Promise<T>): Promise<T> => queue.run(userId, work);

/** The same with a context whose database is the one for questions. */
export const askOwn = <T>(
  context: ConsoleContext,
  userId: number,
  work: (context: ConsoleContext) => Promise<T>,
): Promise<T> => queue.run(userId, () => work(forQuestions(context)));
