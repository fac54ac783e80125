/** Batches that are written but not yet synced to disk: their answers wait for the sync, up to a time limit. */
import { endsWithin } from "../util/deadline.ts";

/** A usual sync takes less. */
const NEXT_BATCH_AFTER_MS = 5;

export class UnsyncedBatches {
  readonly #answerWaitMs: number;
  readonly #onFailure: (error: unknown) => void;
  /** By performance.now(), of the first batch of each sync; in the order in which they were written. */
  readonly #writtenAtMs = new Map<Promise<void>, number>();

  /**
   * @param answerWaitMs how long an answer waits for the disk, in milliseconds
   * @param onFailure called with the error of a disk that refused a batch
   */
  constructor(answerWaitMs: number, onFailure: (error: unknown) => void) {
    this.#answerWaitMs = answerWaitMs;
    this.#onFailure = onFailure;
  }

  get count(): number {
    return this.#writtenAtMs.size;
  }

  /** For how long the oldest of them has waited for the disk, in milliseconds; 0 where there is none. */
  oldestMs(nowMs: number): number {
    const [oldest = nowMs] = this.#writtenAtMs.values();
    return nowMs - oldest;
  }

  /**
   * Calls `answer` when the disk has the batch, or when its answers have waited long enough; a second call of it has to be harmless. Resolves
   * when the next batch may be written: what comes while the disk works shares it, but a disk that stalls keeps nothing from being written.
   */
  async add(synced: Promise<void>, answer: () => void): Promise<void> {
    if (!this.#writtenAtMs.has(synced)) this.#watch(synced);
    const timer = setTimeout(answer, this.#answerWaitMs);
    const onDisk = (): void => {
      clearTimeout(timer);
      answer();
    };
    // The failure is reported once for all that share the sync; the timer answers.
    const isOver = synced.then(onDisk, () => undefined);
    await endsWithin(isOver, NEXT_BATCH_AFTER_MS);
  }

  #watch(synced: Promise<void>): void {
    this.#writtenAtMs.set(synced, performance.now());
    synced.catch(this.#onFailure).finally(() => this.#writtenAtMs.delete(synced));
  }
}
