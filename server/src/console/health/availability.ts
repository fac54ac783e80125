/** The public availability of models: put together at most every half minute in each process, whatever visitors ask. */
import { isDegraded, type Outcomes, shareOf, shareTone, SMALL_SAMPLE } from "../../../../contract/src/call-figures.ts";
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import {
  AVAILABILITY_DAYS,
  AVAILABILITY_MODELS_MOST,
  type AvailabilityState,
  healthCells,
  type ModelsAvailability,
} from "../../../../contract/src/features/health.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { type ModelOutcomes, outcomesByModel, recentOutcomes, summed } from "./store.ts";

type Context = Pick<ConsoleContext, "database" | "clock"> & {
  readonly snapshot: Pick<ConsoleContext["snapshot"], "usableGroups" | "hasGroup" | "modelsFor" | "channels">;
};

/** Seconds for which an answer stays. */
const KEPT_S = 30;
/** Seconds for which the sums of a day that is over stay: calls that end late are counted in the hour in which they began. */
const DAY_KEPT_S = 600;

type ByModel = ReadonlyMap<string, Outcomes>;

/** State of one console. */
interface Kept {
  answer: Promise<ModelsAvailability>;
  madeAt: number;
  days: Map<number, { readAt: number; outcomes: ByModel }>;
}

const kept = new WeakMap<Context["snapshot"], Kept>();

const byModel = (rows: readonly ModelOutcomes[]): ByModel => new Map(rows.map((row) => [row.model, row]));

/** The models that visitors see, to whether a channel offers them: those of channels that were disabled after failures are missed, not gone. */
function publicModels({ snapshot }: Context): Map<string, boolean> {
  const groups = [...snapshot.usableGroups("").keys()].filter((name) => name !== "" && snapshot.hasGroup(name));
  const known = new Set(groups);
  const models = new Map(snapshot.modelsFor(groups).map((model) => [model, true]));
  for (const { status, groupNames, models: own } of snapshot.channels()) {
    if (status !== CHANNEL_STATUS.autoDisabled || !groupNames.some((name) => known.has(name))) continue;
    for (const model of own) if (!models.has(model)) models.set(model, false);
  }
  return models;
}

const isFew = ({ succeeded, failed, refused }: Outcomes): boolean => succeeded + failed - refused < SMALL_SAMPLE;

/** In thousandths, cut: one failed call is never 100 %. */
function publicShare(outcomes: Outcomes): number | null {
  const share = isFew(outcomes) ? null : shareOf(outcomes);
  return share === null ? null : Math.floor(share * 1000) / 1000;
}

function dayState(outcomes: Outcomes): AvailabilityState {
  const share = isFew(outcomes) ? null : shareOf(outcomes);
  return share === null ? "few" : shareTone(share);
}

const NOTHING: Outcomes = { succeeded: 0, failed: 0, refused: 0 };

/** Now, by the calls of this hour and the one before. */
function stateOf(isOffered: boolean, recent: Outcomes): "up" | "degraded" | "down" {
  if (!isOffered) return "down";
  return isDegraded(recent) ? "degraded" : "up";
}

/** Each day's outcomes, the oldest first; days that are over are read again after ten minutes. */
async function readDays({ database }: Context, now: number, days: Kept["days"]): Promise<ByModel[]> {
  const { start, width, count } = healthCells(now, AVAILABILITY_DAYS * 24);
  for (const day of days.keys()) if (day < start) days.delete(day);
  const found: ByModel[] = [];
  for (let day = start; day < start + count * width; day += width) {
    const isOver = day + width <= now;
    const known = days.get(day);
    if (isOver && known !== undefined && now - known.readAt < DAY_KEPT_S) {
      found.push(known.outcomes);
      continue;
    }
    const outcomes = byModel(await outcomesByModel(database, day, day + width));
    if (isOver) days.set(day, { readAt: now, outcomes });
    found.push(outcomes);
  }
  return found;
}

async function makeAvailability(context: Context, now: number, keptDays: Kept["days"]): Promise<ModelsAvailability> {
  const { database } = context;
  const models = [...publicModels(context)].sort(([left], [right]) => (left < right ? -1 : 1));
  const days = await readDays(context, now, keptDays);
  const last = healthCells(now, 24);
  const lastDay = byModel(await outcomesByModel(database, last.start, now + 1));
  const recent = await recentOutcomes(
    now,
    ({ model }: ModelOutcomes) => model,
    (from, below) => outcomesByModel(database, from, below),
  );
  const rows = models.slice(0, AVAILABILITY_MODELS_MOST).map(([model, isOffered]) => {
    const own = days.map((day) => day.get(model) ?? NOTHING);
    return {
      model,
      state: stateOf(isOffered, recent.get(model) ?? NOTHING),
      day_share: publicShare(lastDay.get(model) ?? NOTHING),
      month_share: publicShare(own.reduce(summed, NOTHING)),
      days: own.map(dayState),
    };
  });
  const { start } = healthCells(now, AVAILABILITY_DAYS * 24);
  return { models: rows, is_cut: models.length > AVAILABILITY_MODELS_MOST, start, made_at: now };
}

/** What visitors are shown, made anew after half a minute: all who ask meanwhile wait for one reading. Rejects with what the database throws. */
export function keptAvailability(context: Context): Promise<ModelsAvailability> {
  const now = nowSeconds(context.clock);
  const known = kept.get(context.snapshot);
  if (known !== undefined && now - known.madeAt < KEPT_S) return known.answer;
  const days: Kept["days"] = known?.days ?? new Map();
  const next: Kept = { answer: makeAvailability(context, now, days), madeAt: now, days };
  kept.set(context.snapshot, next);
  // Its waiting callers get the error; the next one asks the database again.
  next.answer.catch(() => kept.get(context.snapshot) === next && kept.delete(context.snapshot));
  return next.answer;
}
