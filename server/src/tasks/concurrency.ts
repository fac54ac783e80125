/** Work on many things, some at a time. */

export interface BoundedQueue {
  /** False where too many wait already: the work is not done. */
  add(work: () => Promise<void>): boolean;
}

/** Does `atOnce` pieces of work side by side while at most `waiting` others wait. Work handles its own faults: it must not reject. */
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

/** Does all of it, `size` at a time, however some of it ends; rejects with the first fault. */
export async function together<Item>(
  items: readonly Item[],
  size: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const queue = [...items];
  const faults: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift())
      await work(item).catch((error: unknown) => faults.push(error));
  };
  await Promise.all(Array.from({ length: Math.min(size, items.length) }, worker));
  if (faults.length > 0) throw faults[0];
}
