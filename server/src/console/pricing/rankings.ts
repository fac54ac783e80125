/** Ranking of models by their share of all answered calls, where the site publishes it. No counts, people, groups or channels. */
import { SMALL_SAMPLE } from "../../../../contract/src/call-figures.ts";
import { RANKED_MODELS, RANKING_DAYS, type Rankings } from "../../../../contract/src/features/pricing.ts";
import type { Database } from "../../db/database.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { answeredByModel, lastHours } from "./store.ts";

type RankingContext = Pick<ConsoleContext, "database" | "snapshot" | "clock">;

/** For so long everybody is answered from one reading of each range. */
const KEPT_S = 600;

interface Reading {
  madeAt: number;
  answered: Promise<ReadonlyMap<string, number>>;
}

const kept = new WeakMap<Database, Map<number, Reading>>();

/** One reading serves all who ask in the next ten minutes, visitors too. */
function readingOf({ database, clock }: RankingContext, days: number): Reading {
  const now = nowSeconds(clock);
  const readings = kept.get(database) ?? new Map<number, Reading>();
  kept.set(database, readings);
  const known = readings.get(days);
  if (known !== undefined && now - known.madeAt < KEPT_S) return known;
  const next = { madeAt: now, answered: answeredByModel(database, lastHours(now, days * 24)) };
  readings.set(days, next);
  // A failed reading is not an answer for the next caller.
  next.answered.catch(() => readings.delete(days));
  return next;
}

/** The nearest range there is: a week where another is asked for. */
const rangeOf = (days: number | undefined): number => RANKING_DAYS.find((each) => each === days) ?? RANKING_DAYS[0];

/**
 * Models by their share of the answered calls of those that `isListed` lets through, the most used first; none where the option is off. A model
 * with fewer calls than a sample is left out: it would say what one person did.
 */
export async function readRankings(
  context: RankingContext,
  asked: { days: number | undefined; isListed: (model: string) => boolean },
): Promise<Rankings> {
  const days = rangeOf(asked.days);
  if (!context.snapshot.options.ModelRankingsEnabled) return { enabled: false, days, models: [], made_at: 0 };
  const { madeAt, answered } = readingOf(context, days);
  const listed = [...(await answered)].filter(([model, calls]) => calls >= SMALL_SAMPLE && asked.isListed(model));
  const total = listed.reduce((sum, [, calls]) => sum + calls, 0);
  const models = listed
    .toSorted(([left, more], [right, calls]) => calls - more || (left < right ? -1 : 1))
    .slice(0, RANKED_MODELS)
    .map(([model, calls], index) => ({ rank: index + 1, model, share_permille: Math.round((calls / total) * 1000) }));
  return { enabled: true, days, models, made_at: madeAt };
}
