/** Call statistics of one model, and the speed of all: shares and times for everybody, counts and channels for administrators alone. */
import {
  successShare,
  type CallFigures,
  type CallTimes,
  failedShare,
  percentileOf,
  permilleOf,
} from "../../../../contract/src/call-figures.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import {
  MODEL_CHANNELS,
  MODEL_DAYS,
  MODEL_SPEED_DAYS,
  MODEL_SPEND_DAYS,
  type ModelFigures,
  type ServingChannel,
} from "../../../../contract/src/features/pricing.ts";
import { mayDo } from "../../../../contract/src/permissions.ts";
import type { Database } from "../../db/database.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import { nowSeconds } from "../../util/clock.ts";
import { storableCut } from "../../util/text.ts";
import { bucketOf, bucketStarts, DAY, dayStartOf, HOUR } from "../dashboard/buckets.ts";
import { attemptsIn, figuresOf, ROUTE_COUNTS, sumCounts } from "../dashboard/call-shape.ts";
import { clockOf } from "../dashboard/ranges.ts";
import type { ConsoleContext, Session } from "../http/handlers.ts";
import {
  coolingChannels,
  firstTokensByModel,
  type Hours,
  lastHours,
  modelCallsByChannel,
  modelCallsByHour,
  spendOfUser,
} from "./store.ts";

type FiguresContext = Pick<ConsoleContext, "database" | "snapshot" | "clock">;

/** Characters of a model's name that the roll-ups keep. */
const STORED_NAME = 255;
/** As on the health page. */
const CHANNEL_HOURS = 24;
/** One query brings no more, so that others come between. */
const PIECE_HOURS = 14 * 24;

async function callsByHour(database: Database, model: string, { first, last }: Hours) {
  const rows: Awaited<ReturnType<typeof modelCallsByHour>> = [];
  for (let from = first; from <= last; from += PIECE_HOURS * HOUR) {
    const piece = { first: from, last: Math.min(last, from + (PIECE_HOURS - 1) * HOUR) };
    rows.push(...(await modelCallsByHour(database, model, piece)));
  }
  return rows;
}

const timesOf = ({ p50_ms, p95_ms }: CallTimes) => ({ p50_ms, p95_ms });

function permille(figures: CallFigures): number | null {
  const share = successShare(figures);
  return share === null ? null : permilleOf(share);
}

function failedPermille(figures: CallFigures): number | null {
  const share = failedShare(figures);
  if (share === null || share === 0) return share;
  return Math.max(1, Math.round(share * 1000));
}

/** Figures of some calls for everybody: no counts. */
const shownOf = (counts: readonly number[]) => {
  const figures = figuresOf(counts, ROUTE_COUNTS);
  return {
    answered_permille: permille(figures),
    first_token: timesOf(figures.first_token),
    total: timesOf(figures.total),
  };
};

const statusOf = ({ status }: SnapshotChannel): ServingChannel["status"] => {
  if (status === CHANNEL_STATUS.enabled) return "enabled";
  return status === CHANNEL_STATUS.autoDisabled ? "auto_disabled" : "disabled";
};

async function servingChannels({ database, snapshot, clock }: FiguresContext, model: string, stored: string) {
  const having = snapshot.channels().filter(({ models }) => models.has(model));
  const counted = await modelCallsByChannel(database, stored, lastHours(nowSeconds(clock), CHANNEL_HOURS));
  const nothing = sumCounts([], ROUTE_COUNTS);
  const rows = having
    .map((channel) => ({
      channel,
      figures: figuresOf(attemptsIn(counted.get(channel.id) ?? nothing), ROUTE_COUNTS),
    }))
    .toSorted(
      (a, b) =>
        Number(statusOf(b.channel) === "enabled") - Number(statusOf(a.channel) === "enabled") ||
        b.figures.succeeded + b.figures.failed - (a.figures.succeeded + a.figures.failed) ||
        a.channel.id - b.channel.id,
    )
    .slice(0, MODEL_CHANNELS);
  const cooling = await coolingChannels(
    database,
    rows.map(({ channel }) => channel.id),
    clock(),
  );
  return rows.map(({ channel, figures }): ServingChannel => ({
    id: channel.id,
    name: channel.name,
    status: statusOf(channel),
    cooling_until_ms: cooling.get(channel.id) ?? 0,
    figures,
  }));
}

/**
 * The figures of a model that the price list has.
 * @param asked `timeZone` is an IANA name; UTC where undefined
 * @throws AppError not_found for a model that is not in the list, invalid_field for an unknown time zone
 */
export async function readModelFigures(
  context: FiguresContext,
  { user }: Pick<Session, "user">,
  asked: { model: string | undefined; timeZone: string | undefined; isListed: (model: string) => boolean },
): Promise<ModelFigures> {
  const { model, timeZone } = asked;
  const zone = clockOf({ start: undefined, end: undefined, granularity: "day", timeZone });
  if (model === undefined || !asked.isListed(model))
    throw new AppError("not_found", { message: "The price list does not have this model", field: "model_name" });
  const now = nowSeconds(context.clock);
  const stored = storableCut(model, STORED_NAME);
  // From noon, so that a day of 23 or 25 hours on the way does not add or take one.
  const first = dayStartOf(dayStartOf(now, zone) + DAY / 2 - (MODEL_DAYS - 1) * DAY, zone);
  const range = { first, last: Math.floor(now / HOUR) * HOUR };
  const hours = await callsByHour(context.database, stored, range);
  const days = bucketStarts(range, "day", zone);
  const byDay = Map.groupBy(hours, ({ hour }) => bucketOf(days, hour));
  const shown = days.map((_, day) =>
    shownOf(
      sumCounts(
        (byDay.get(day) ?? []).map(({ counts }) => counts),
        ROUTE_COUNTS,
      ),
    ),
  );
  const whole = sumCounts(
    hours.map(({ counts }) => counts),
    ROUTE_COUNTS,
  );
  return {
    model,
    days,
    answered_permille: shown.map(({ answered_permille }) => answered_permille),
    first_token: shown.map(({ first_token }) => first_token),
    total: shown.map(({ total }) => total),
    whole: { ...shownOf(whole), failed_permille: failedPermille(figuresOf(whole, ROUTE_COUNTS)) },
    spend: await spendOfUser(context.database, user.id, stored, lastHours(now, MODEL_SPEND_DAYS * 24)),
    channels: mayDo(user, "channels_see") ? await servingChannels(context, model, stored) : null,
  };
}

/** For so long everybody is answered from one reading. */
const SPEEDS_KEPT_S = 30;

type Speeds = ReadonlyMap<string, number>;

const keptSpeeds = new WeakMap<Database, { madeAt: number; speeds: Promise<Speeds> }>();

async function readSpeeds(database: Database, now: number): Promise<Speeds> {
  const counted = await firstTokensByModel(database, lastHours(now, MODEL_SPEED_DAYS * 24));
  const medians = [...counted].flatMap(([model, counts]) => {
    const median = percentileOf(counts, 0.5);
    return median === null ? [] : [[model, median] as const];
  });
  return new Map(medians);
}

/** Median milliseconds until the first token over seven days, of the models that `isListed` lets through; at most half a minute old. */
export async function readModelSpeeds(
  { database, clock }: FiguresContext,
  isListed: (model: string) => boolean,
): Promise<Record<string, number>> {
  const now = nowSeconds(clock);
  let kept = keptSpeeds.get(database);
  if (kept === undefined || now - kept.madeAt >= SPEEDS_KEPT_S) {
    const speeds = readSpeeds(database, now);
    kept = { madeAt: now, speeds };
    keptSpeeds.set(database, kept);
    // A failed reading is not an answer for the next caller.
    speeds.catch(() => keptSpeeds.delete(database));
  }
  return Object.fromEntries([...(await kept.speeds)].filter(([model]) => isListed(model)));
}
