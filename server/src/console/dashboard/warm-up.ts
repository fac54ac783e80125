/** Reads what the first look at the dashboard needs before somebody asks for it: after a start nothing of the roll-up is in memory. */
import { setTimeout as delay } from "node:timers/promises";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { DAY, HOUR, utcDayOf } from "./buckets.ts";
import { usedHours } from "./store.ts";
import { closedDays, readUsage } from "./usage.ts";

type WarmUpContext = Pick<ConsoleContext, "database" | "clock" | "logger">;

/** The range that the screen opens with, and the day that it begins in. */
const WARM_DAYS = 31;

export interface WarmUp {
  /** Resolves with the last day, or once it was stopped; never rejects. */
  finished: Promise<void>;
  /** Resolves once nothing is under way any more. */
  stop(): Promise<void>;
}

/** The newest day first, with pauses as long as the work. */
async function readClosedDays({ database, clock }: WarmUpContext, signal: AbortSignal): Promise<void> {
  const now = nowSeconds(clock);
  const range = { first: utcDayOf(now) - WARM_DAYS * DAY, last: utcDayOf(now) };
  // A site without calls is left alone: reading starts threads and keeps memory.
  if ((await usedHours(database, { ...range, userId: undefined })) === undefined) return;
  for (const day of closedDays(range, now).toReversed()) {
    if (signal.aborted) return;
    const started = performance.now();
    await readUsage(database, { first: day, last: day + DAY - HOUR, userId: undefined }, now);
    await delay(performance.now() - started);
  }
}

/** Begins at once and in the background; what fails is logged, and read when somebody asks for it. */
export function startWarmUp(context: WarmUpContext): WarmUp {
  const end = new AbortController();
  const finished = readClosedDays(context, end.signal).catch((error: unknown) =>
    context.logger.warn({ err: error }, "the dashboard's usage could not be read ahead"),
  );
  return {
    finished,
    stop: () => {
      end.abort();
      return finished;
    },
  };
}
