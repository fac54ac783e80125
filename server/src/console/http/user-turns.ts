/** Work of one user: some at once, more waits for its place, and more than that is refused; and what plain users ask of their own rows, on connections and for a time of their own. */
import type { AppError } from "../../../../contract/src/errors.ts";
import { tooManyRequests } from "./envelope.ts";
import type { ConsoleContext } from "./handlers.ts";

interface TurnLimits {
  /** Of one user. */
  atOnce: number;
  /** Of one user. */
  waiting: number;
  /** Of everybody; no bound where absent. */
  inAll?: number;
  /** What whoever is one too many is told; too_many_requests where absent. */
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

  /** Waits for a turn; gives what ends it, to be called once. Throws AppError 429 where too many wait already. */
  async take(userId: number): Promise<() => void> {
    const { atOnce, waiting, inAll = Number.POSITIVE_INFINITY, refusal = tooMany } = this.#limits;
    const line = this.#lines.get(userId) ?? { running: 0, waiting: [] };
    const isFull = line.running >= atOnce;
    if ((isFull && line.waiting.length >= waiting) || this.#inAll >= inAll) throw refusal();
    this.#lines.set(userId, line);
    this.#inAll += 1;
    // Whose turn it becomes takes over the place of the one before.
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

  /** Does `work` in a turn. */
  async run<T>(userId: number, work: () => Promise<T>): Promise<T> {
    const end = await this.take(userId);
    try {
      return await work();
    } finally {
      end();
    }
  }

  /** Reads `source` in a turn, which ends with the source or with who reads it. Throws AppError 429 before the first piece. */
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

/** Does `work` in the user's turn. Throws AppError 429 where too many wait, SlowQuestion where it takes too long. */
export const inTurn = <T>(userId: number, work: () => Promise<T>): Promise<T> => turns.run(userId, work);

/** The same with a context whose database is that of users' questions. */
export const askOwn = <T>(
  context: ConsoleContext,
  userId: number,
  work: (context: ConsoleContext) => Promise<T>,
): Promise<T> => turns.run(userId, () => work(forQuestions(context)));
