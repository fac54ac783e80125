/** Pipelines the pages of an import: the next is read while one is written, with a line of progress now and then. */
import type { SourceRow } from "./source.ts";

type Pages = AsyncIterable<readonly SourceRow[]>;

/**
 * Reads the next page while one is written: the database's answers are waited for meanwhile. At most one page is ahead.
 */
async function* ahead(pages: Pages): AsyncGenerator<readonly SourceRow[]> {
  const iterator = pages[Symbol.asyncIterator]();
  // Behind what the writer does first: an embedded source is read without a pause.
  const read = () => new Promise((resolve) => setImmediate(resolve)).then(() => iterator.next());
  let next = read();
  try {
    for (let page = await next; page.done !== true; page = await next) {
      next = read();
      // It is thrown where it is waited for, if it ever is.
      next.catch(() => undefined);
      yield page.value;
    }
  } finally {
    await next.catch(() => undefined);
    await iterator.return?.();
  }
}

const PROGRESS_EVERY_MS = 2_000;

/** The pages of a table, with a line now and then about how far its rows are. */
export async function* reported(
  pages: Pages,
  { table, total }: { table: string; total: number },
  progress: (line: string) => void,
): AsyncGenerator<readonly SourceRow[]> {
  const startedMs = performance.now();
  let [done, saidMs] = [0, startedMs];
  for await (const rows of ahead(pages)) {
    yield rows;
    done += rows.length;
    const nowMs = performance.now();
    if (nowMs - saidMs < PROGRESS_EVERY_MS) continue;
    saidMs = nowMs;
    const perSecond = Math.max(1, Math.round((done * 1000) / (nowMs - startedMs)));
    const left = Math.ceil((total - done) / perSecond);
    progress(`${table}: ${done} of ${total} rows, ${perSecond} a second, about ${left} s left`);
  }
}

/**
 * Hands each page to `prepare`, and what it makes of it to `write`: a page is written while the next is prepared. Pages are written in their
 * order, one at a time. Throws what either throws.
 */
export async function writeBehind<Prepared>(
  pages: Pages,
  prepare: (rows: readonly SourceRow[], settled: () => Promise<void>) => Promise<Prepared | undefined>,
  write: (prepared: Prepared) => Promise<void>,
): Promise<void> {
  let writing = Promise.resolve();
  try {
    for await (const rows of pages) {
      const prepared = await prepare(rows, () => writing);
      await writing;
      if (prepared === undefined) continue;
      writing = write(prepared);
      // It is thrown where it is waited for.
      writing.catch(() => undefined);
    }
  } finally {
    await writing.catch(() => undefined);
  }
  await writing;
}
