/** The cost of typing on a page: CPU time of its main thread for each key, and of its longest task. */
import type { CDPSession, Page } from "playwright-core";
import type { WatchedPage } from "../../tests/support/systems/browser.ts";

export interface Typing {
  /** One for each key, from its press until the page is at rest, less what watching it costs. */
  keysMs: readonly number[];
  longestTaskMs: number;
}

/** An event of Chromium's trace; times in microseconds. `tdur` is the CPU time of its thread. */
interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  tdur?: number;
  args: { name?: string };
}

const CATEGORIES = ["toplevel", "__metadata"];

/** The longest task of the page's main thread while the act runs. Throws where the trace has none. */
async function longestTaskMs(session: CDPSession, act: () => Promise<void>): Promise<number> {
  const events: TraceEvent[] = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: CATEGORIES },
  });
  await act();
  const { promise: isComplete, resolve } = Promise.withResolvers<void>();
  session.once("Tracing.tracingComplete", () => resolve());
  await session.send("Tracing.end");
  await isComplete;
  const main = events.find(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain");
  const tasks = events.filter(
    ({ name, pid, tid }) => name.endsWith("RunTask") && pid === main?.pid && tid === main.tid,
  );
  const times = tasks.flatMap(({ tdur }) => (tdur === undefined ? [] : [tdur]));
  if (times.length === 0) throw new Error("the trace has no task with its CPU time");
  return Math.max(...times) / 1000;
}

/** CPU milliseconds of the main thread so far. */
async function mainThreadMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN) * 1000;
}

const clear = async (page: Page): Promise<void> => {
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
};

/** Types the search terms one after the other into the search of the page's table, each twice: by the key, and under a trace. */
export async function measureTyping(
  { page, settled }: Pick<WatchedPage, "page" | "settled">,
  words: readonly string[],
): Promise<Typing> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  await page.locator("#content [data-filters] input[type=search]").focus();
  const costOf = async (act: () => Promise<void>): Promise<number> => {
    const before = await mainThreadMs(session);
    await act();
    await settled();
    return (await mainThreadMs(session)) - before;
  };
  const watchingMs = await costOf(() => Promise.resolve());
  const keysMs: number[] = [];
  const longest: number[] = [];
  for (const word of words) {
    for (const key of word) keysMs.push((await costOf(() => page.keyboard.type(key))) - watchingMs);
    await clear(page);
    await settled();
    longest.push(
      await longestTaskMs(session, async () => {
        await page.keyboard.type(word, { delay: 60 });
        await settled();
      }),
    );
    await clear(page);
    await settled();
  }
  await session.detach();
  return { keysMs, longestTaskMs: Math.max(...longest) };
}
