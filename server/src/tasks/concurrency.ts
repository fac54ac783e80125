/** Work on many items with a limit on how many run at once. */

export interface BoundedQueue {
  /** False where too many pieces of work wait already: this one is not done. */
  add(work: () => Promise<void>): boolean;
}

/** Runs `atOnce` pieces of work concurrently while at most `waiting` others wait. Work handles its own faults: it must not reject. */
export function boundedQueue(atOnce: number, waiting: number): BoundedQueue {
  const queue: (() => Promise<void>)[] = [];
  let running = 0;
  const begin = async (): Promise<void> => {
    running += 1;
    for (let work = queue.shift(); work !== undefined; work = queue.shift()) await work();
    running -= 1;
  };
  return {
    add(work) {
      if (queue.length >= waiting) return false;
      queue.push(work);
      if (running < atOnce) void begin();
      return true;
    },
  };
}

/** Runs `work` on every item, at most `limit` at once, also after one has failed. Rejects with the first fault at the end. */
export async function forEachConcurrent<Item>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const queue = [...items];
  const faults: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift())
      await work(item).catch((error: unknown) => faults.push(error));
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  if (faults.length > 0) throw faults[0];
}
