/** The console's limits for each caller in this process: concurrent calls, and delayed responses to repeated refusals. */
import type { ServerResponse } from "node:http";
import { AppError } from "../../../../contract/src/errors.ts";
import { HeldRefusals } from "../../cache/held-refusals.ts";
import type { Clock } from "../../util/clock.ts";
import { LruMap } from "../../util/lru.ts";
import type { Credentials } from "./authenticate.ts";
import { UserQueue } from "./user-queue.ts";

/** Of one user; a page asks for less than that. Uploads and downloads count until their last byte. */
const AT_ONCE = 8;
/** Calls that wait behind them: an open connection each, and nothing else. */
const WAITING = 250;
const RETRY_AFTER_SECONDS = 1;

/** Credentials that are remembered as used up, and their longest text. */
const REMEMBERED = 1_000;
const REMEMBERED_CHARACTERS = 512;

const tooManyOpen = (): AppError => new AppError("too_many_open_calls", { retryAfterSeconds: RETRY_AFTER_SECONDS });

const nameOf = ({ cookie, authorization = "" }: Credentials): string => `${cookie} ${authorization}`;

export class CallLimits {
  readonly #queue: UserQueue;
  readonly #held = new HeldRefusals();
  /** When the budget of these credentials begins anew, in milliseconds of the clock. */
  readonly #usedUp = new LruMap<string, number>(REMEMBERED);
  readonly #clock: Clock;

  /** `clock` gives milliseconds that only grow. */
  constructor(clock: Clock = () => performance.now()) {
    this.#clock = clock;
    this.#queue = new UserQueue({ concurrent: AT_ONCE, waiting: WAITING, refusal: tooManyOpen });
  }

  /**
   * Waits for a place in the user's queue; returns the function that releases it after the handler. The place is also kept until the response
   * was sent or the client disconnected. Throws AppError too_many_open_calls if the queue is full, and malformed if the client disconnects.
   */
  async begin(userId: number, response: ServerResponse): Promise<() => void> {
    const end = await this.#queue.take(userId);
    if (response.closed || response.destroyed) {
      end();
      throw new AppError("malformed", { message: "The client has left" });
    }
    let open = 2;
    const part = (): void => {
      open -= 1;
      if (open === 0) end();
    };
    response.once("close", part);
    return part;
  }

  /** Whole seconds until the budget of these credentials begins anew; 0 where it is not known to be used up. */
  secondsUsedUp(credentials: Credentials): number {
    if (this.#usedUp.size === 0) return 0;
    const name = nameOf(credentials);
    const leftMs = (this.#usedUp.get(name) ?? 0) - this.#clock();
    if (leftMs <= 0) this.#usedUp.delete(name);
    return Math.max(0, Math.ceil(leftMs / 1000));
  }

  /** Remembers for how long the budget of these credentials is used up. */
  noteUsedUp(credentials: Credentials, seconds: number): void {
    const name = nameOf(credentials);
    if (name.length > REMEMBERED_CHARACTERS) return;
    this.#usedUp.set(name, this.#clock() + seconds * 1000);
  }

  /** Lets a refusal wait whose caller has many of them. */
  async hold(caller: string, response: ServerResponse): Promise<void> {
    await this.#held.hold(caller, (end) => void response.once("close", end));
  }
}
