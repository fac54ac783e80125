/** The threads that read: one, and a second from the moment a request waits for long behind another. */
import type { SqliteThread } from "./sqlite-thread.ts";

type ReadingThread = Pick<SqliteThread, "pending" | "send" | "close">;

/** Shorter waits are over before another thread would be ready. */
const LONG_WAIT_MS = 100;

/** A quiet server runs with one, for each takes 8 MB; two pages of the console that read at once are no reason for the second. */
export class SqliteReaders {
  readonly #start: () => Promise<ReadingThread>;
  readonly #threads: ReadingThread[] = [];
  #starting: Promise<void> | undefined;

  constructor(first: ReadingThread, start: () => Promise<ReadingThread>) {
    this.#threads.push(first);
    this.#start = start;
  }

  /** Sends to the thread with the least to do. Nobody waits for the second one to start. Throws once it is closed. */
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
    // Where this thread itself was busy, answers may have come that it reads only in this turn.
    const look = () => setImmediate(() => void (isWaiting && this.#grow()));
    setTimeout(look, LONG_WAIT_MS).unref();
  }

  #grow(): void {
    if (this.#threads.length !== 1 || this.#starting !== undefined) return;
    const keep = (thread: ReadingThread) => void this.#threads.push(thread);
    // One reader is enough to go on with; the next long wait tries again.
    this.#starting = this.#start()
      .then(keep, () => undefined)
      .finally(() => (this.#starting = undefined));
  }

  /** Ends every thread, also one that is just starting. */
  async close(): Promise<void> {
    await this.#starting;
    await Promise.all(this.#threads.splice(0).map((thread) => thread.close()));
  }
}
