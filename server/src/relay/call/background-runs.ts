/** Responses that a process makes in the background: their limit, their cancellation, and what becomes of them when the server stops. */
import { endsWithin } from "../../util/deadline.ts";
import type { BackgroundResponses } from "./ports.ts";
import { RelayError } from "./relay-error.ts";

/** Limit of open ones, beyond which a client has to wait. */
const MAX_RUNS = 512;
const MAX_RUNS_OF_USER = 32;
/** How often a process checks cancellations requested at others, and users, tokens and times. */
const LOOK_MS = 1_000;
/** What the last events and rows may take behind the grace. */
const END_MS = 2_000;

/** One response that is made here. */
export interface BackgroundRun {
  readonly id: string;
  readonly userId: number;
  /** Resolves once its row says how it ended; never rejects. */
  readonly done: Promise<void>;
  /** Ends its upstream call; what was delivered is charged. */
  cancel(): void;
  /** Ends it where its time is over, or its user or token may not call any more. */
  look(): void;
  /** The server stops, and its grace is over. */
  stop(): void;
}

interface Options {
  store: Pick<BackgroundResponses, "askedToCancel">;
  logger: { warn(fields: object, text: string): void };
}

export class BackgroundRuns {
  readonly #options: Options;
  readonly #runs = new Map<string, BackgroundRun>();
  readonly #ofUsers = new Map<number, number>();
  #timer: NodeJS.Timeout | undefined = undefined;
  #isLooking = false;
  #isEnding = false;

  constructor(options: Options) {
    this.#options = options;
  }

  find(id: string): BackgroundRun | undefined {
    return this.#runs.get(id);
  }

  /** Counts a run until it is done. Throws RelayError 429 beyond the bounds, 503 while the server stops. */
  add(run: BackgroundRun): void {
    const ofUser = this.#ofUsers.get(run.userId) ?? 0;
    if (this.#isEnding) throw new RelayError("server_stopping");
    if (ofUser >= MAX_RUNS_OF_USER || this.#runs.size >= MAX_RUNS)
      throw new RelayError("too_many_background_responses", { retryAfterSeconds: 5 });
    this.#runs.set(run.id, run);
    this.#ofUsers.set(run.userId, ofUser + 1);
    this.#timer ??= setInterval(() => void this.#look(), LOOK_MS).unref();
    void run.done.then(() => this.#remove(run));
  }

  #remove({ id, userId }: BackgroundRun): void {
    this.#runs.delete(id);
    const left = (this.#ofUsers.get(userId) ?? 1) - 1;
    if (left > 0) this.#ofUsers.set(userId, left);
    else this.#ofUsers.delete(userId);
    if (this.#runs.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    for (const run of this.#runs.values()) run.look();
    // A database that does not answer gets one question, not one every second.
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      for (const id of await this.#options.store.askedToCancel()) this.#runs.get(id)?.cancel();
    } catch (error) {
      this.#options.logger.warn({ err: error }, "it could not be read which background responses are to be cancelled");
    }
    this.#isLooking = false;
  }

  /** Lets those under way end for `graceSeconds`, then ends them; resolves when their rows say so, at the latest a moment later. */
  async end(graceSeconds: number): Promise<void> {
    this.#isEnding = true;
    const runs = [...this.#runs.values()];
    const done = Promise.all(runs.map((run) => run.done));
    if (runs.length === 0 || (await endsWithin(done, graceSeconds * 1000))) return;
    for (const run of runs) run.stop();
    await endsWithin(done, END_MS);
  }
}
