/** A queue for each user with a concurrency limit, which refuses when it is full; and queries by plain users on their own rows, on separate connections with a timeout. */
import type { AppError } from "../../../../contract/src/errors.ts";
import { tooManyRequests } from "./envelope.ts";
import type { ConsoleContext } from "./handlers.ts";

interface TurnLimits {
  /** Of one user. */
  atOnce: number;
  /** Of one user. */
  waiting: number;
  /** For all users together; unbounded if absent. */
  inAll?: number;
  /** The error for a caller when the queue is full; too_many_requests if absent. */
  refusal?: () => AppError;
}

const RETRY_AFTER_SECONDS = 5;
const tooMany = (): AppError => tooManyRequests(RETRY_AFTER_SECONDS);

interface Line {
  running: number;
  waiting: (() => void)[];
}

export class UserTurns {
  readonly #limits: TurnLimits;
  readonly #lines = new Map<number, Line>();
  #inAll = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** Waits for a place; returns the function that releases it, to be called once. Throws AppError 429 if the queue is full. */
  async take(userId: number): Promise<() => void> {
    const { atOnce, waiting, inAll = Number.POSITIVE_INFINITY, refusal = tooMany } = this.#limits;
    const line = this.#lines.get(userId) ?? { running: 0, waiting: [] };
    const isFull = line.running >= atOnce;
    if ((isFull && line.waiting.length >= waiting) || this.#inAll >= inAll) throw refusal();
    this.#lines.set(userId, line);
    this.#inAll += 1;
    // The next in the queue takes over the place of the one before.
    if (isFull) await new Promise<void>((resolve) => void line.waiting.push(resolve));
    else line.running += 1;
    return () => this.#end(userId, line);
  }

  #end(userId: number, line: Line): void {
    this.#inAll -= 1;
    const next = line.waiting.shift();
    if (next !== undefined) return next();
    line.running -= 1;
    if (line.running === 0) this.#lines.delete(userId);
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
const turns = new UserTurns({ atOnce: 2, waiting: 30, inAll: 500 });

/** A context whose database is the one for questions. */
export const forQuestions = (context: ConsoleContext): ConsoleContext => ({
  ...context,
  database: context.database.questions,
});

/** Runs `work` in the user's queue. Throws AppError 429 if it is full, SlowQuestion if it times out. */
export const askOwn = <T>(
  context: ConsoleContext,
  userId: number,
  work: (context: ConsoleContext) => Promise<T>,
): Promise<T> => turns.run(userId, () => work(forQuestions(context)));
