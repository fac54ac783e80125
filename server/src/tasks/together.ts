/** Work on many things, some at a time. */

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
