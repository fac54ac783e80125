/** Concurrency of the ledger: batches of queued entries, and retries of transactions that lost a deadlock. */
import { setTimeout as delay } from "node:timers/promises";

interface Queued<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** Natural batching of requests with results: a batch is all requests that queued during the previous one. */
export class Batcher<Item, Result> {
  readonly #work: (items: readonly Item[]) => Promise<readonly Result[]>;
  #waiting: Queued<Item, Result>[] = [];
  #isRunning = false;

  constructor(work: (items: readonly Item[]) => Promise<readonly Result[]>) {
    this.#work = work;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0);
      try {
        const results = await this.#work(batch.map(({ item }) => item));
        batch.forEach(({ resolve, reject }, index) => {
          const result = results[index];
          if (result === undefined) reject(new Error("a batch gave too few answers"));
          else resolve(result);
        });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isRunning = false;
  }
}

const DEADLOCK = /^(40001|40P01|ER_LOCK_DEADLOCK|ER_LOCK_WAIT_TIMEOUT)$/;
const MAX_ATTEMPTS = 8;

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** Retries a transaction that lost a deadlock and was rolled back. Throws every other error. */
export async function retryDeadlocks<Result>(transaction: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction();
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS || !DEADLOCK.test(codeOf(error))) throw error;
      await delay(attempt * 2);
    }
  }
}
