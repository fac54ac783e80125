/** Which models an act on channels would leave without any, and which have none now: read from what calls are routed by, and from how they went. */
import { sql } from "kysely";
import type { z } from "zod";
import { FAILURE_KINDS } from "../../../../contract/src/call-figures.ts";
import { type impactQuestion, LOST_MODELS_LISTED, type LostModels } from "../../../../contract/src/channels/impact.ts";
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import { splitList } from "../../../../contract/src/query.ts";
import type { Snapshot, SnapshotChannel } from "../../snapshot/snapshot.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { chunks } from "./abilities.ts";
import { patchOf } from "./rules.ts";
import { type ChosenChannels, findChosen } from "./store.ts";

type ImpactContext = Pick<ConsoleContext, "database" | "snapshot" | "clock">;

/** Names of models to the groups concerned. */
type Offers = Map<string, Set<string>>;

const HOUR_S = 3600;
const HOURS = 24;
const NAMES_AT_ONCE = 500;

/** Of what these channels offer, each model and group once, what passes. */
function offersWhere(
  channels: Iterable<SnapshotChannel>,
  passes: (groupName: string, model: string) => boolean,
): Offers {
  const seen: Offers = new Map();
  const found: Offers = new Map();
  for (const { groupNames, models } of channels) {
    for (const groupName of groupNames) {
      const known = seen.getOrInsertComputed(groupName, () => new Set());
      for (const model of models) {
        if (known.has(model)) continue;
        known.add(model);
        if (passes(groupName, model)) found.getOrInsertComputed(model, () => new Set()).add(groupName);
      }
    }
  }
  return found;
}

/** What the channels of an act have after it; what is absent stays as each of them has it. */
interface NewOffer {
  models?: ReadonlySet<string>;
  groupNames?: ReadonlySet<string>;
}

/**
 * What nobody would offer any more once the channels with these ids are out of service, or have new models or groups. Pure but for the
 * snapshot.
 */
export function lostBy(
  snapshot: Pick<Snapshot, "channelById" | "tiersFor">,
  ids: readonly number[],
  next?: NewOffer,
): Offers {
  const acted = new Set(ids);
  const enabled = ids.flatMap((id) => {
    const channel = snapshot.channelById(id);
    return channel?.status === CHANNEL_STATUS.enabled ? [channel] : [];
  });
  // Where only one of the two is new it is the same for all of them, so that any of them offers it with what that one keeps.
  const models = next?.models ?? new Set(enabled.flatMap((channel) => [...channel.models]));
  const groupNames = next?.groupNames ?? new Set(enabled.flatMap((channel) => channel.groupNames));
  const isKept = (groupName: string, model: string) =>
    next !== undefined && models.has(model) && groupNames.has(groupName);
  return offersWhere(
    enabled,
    (groupName, model) =>
      !isKept(groupName, model) &&
      snapshot.tiersFor(groupName, model).every(({ channels }) => channels.every(({ id }) => acted.has(id))),
  );
}

/** What disabled channels offer and no enabled one does. Pure but for the snapshot. */
function lostNow(snapshot: Pick<Snapshot, "channels" | "tiersFor">): Offers {
  const disabled = snapshot.channels().filter(({ status }) => status !== CHANNEL_STATUS.enabled);
  return offersWhere(disabled, (groupName, model) => snapshot.tiersFor(groupName, model).length === 0);
}

/**
 * Models that no channel offers any more and callers may still count on: a channel has served them in the last 24 hours, or the operator
 * has set their price. Names that clients make up are never among them.
 */
async function expectedModels({ database, snapshot, clock }: ImpactContext): Promise<string[]> {
  const rows = await database.kysely
    .selectFrom("call_hours")
    .select("model")
    .distinct()
    .where("hour", ">=", dayBefore(clock))
    .where("channel_id", ">", 0)
    .execute();
  const { ModelPrice, ModelRatio } = snapshot.options;
  const expected = new Set([...rows.map(({ model }) => model), ...Object.keys(ModelPrice), ...Object.keys(ModelRatio)]);
  for (const channel of snapshot.channels()) for (const model of channel.models) expected.delete(model);
  return [...expected];
}

const countedCalls = sql.raw<number>(
  ["succeeded", ...FAILURE_KINDS.map((kind) => `failed_${kind}`)].map((column) => `sum(${column})`).join(" + "),
);

/** The first of the last 24 hours, the one under way among them; Unix seconds. */
const dayBefore = (clock: ImpactContext["clock"]): number =>
  (Math.floor(clock() / 1000 / HOUR_S) - (HOURS - 1)) * HOUR_S;

/** Calls of the last 24 hours by model. */
async function callsOf({ database, clock }: ImpactContext, models: readonly string[]): Promise<Map<string, number>> {
  const since = dayBefore(clock);
  const calls = new Map<string, number>();
  for (const part of chunks(models, NAMES_AT_ONCE)) {
    const rows = await database.kysely
      .selectFrom("call_hours")
      .select("model")
      .select(countedCalls.as("calls"))
      .where("hour", ">=", since)
      .where("model", "in", part)
      .groupBy("model")
      .execute();
    for (const row of rows) calls.set(row.model, Number(row.calls));
  }
  return calls;
}

/** The answer: those with most calls first. */
async function told(context: ImpactContext, offers: Offers): Promise<LostModels> {
  const calls = await callsOf(context, [...offers.keys()]);
  const models = [...offers]
    .map(([model, groups]) => ({ model, groups: [...groups].sort(), calls: calls.get(model) ?? 0 }))
    // What no channel offers is missed only where it is called: price tables name many models that were never offered.
    .filter((lost) => lost.groups.length > 0 || lost.calls > 0)
    .sort((left, right) => right.calls - left.calls || (left.model < right.model ? -1 : 1));
  return {
    models: models.slice(0, LOST_MODELS_LISTED),
    total: models.length,
    calls: models.reduce((sum, model) => sum + model.calls, 0),
  };
}

/** New models and groups as they would be stored. Throws what is wrong with them. */
function newOfferOf({ models, groups }: { models?: string | undefined; groups?: string | string[] | undefined }) {
  const patch = patchOf({ models, groups: typeof groups === "string" ? groups.split(",") : groups });
  return {
    ...(patch.models === undefined ? {} : { models: new Set(splitList(patch.models)) }),
    ...(patch.group_names === undefined ? {} : { groupNames: new Set(splitList(patch.group_names)) }),
  };
}

/** What an act on the chosen channels, or on all of a tag, takes from callers. Throws selection_changed, and what is wrong with new names. */
export async function impactOf(
  context: ImpactContext,
  chosen: ChosenChannels | { tag: string },
  asked: z.output<typeof impactQuestion>,
): Promise<LostModels> {
  const { database, snapshot } = context;
  const next = asked.act === "edit_channels" ? newOfferOf(asked) : undefined;
  await snapshot.refresh();
  const ids =
    "tag" in chosen
      ? snapshot
          .channels()
          .filter(({ tag }) => tag === chosen.tag)
          .map(({ id }) => id)
      : "ids" in chosen
        ? chosen.ids
        : await findChosen(database, database.kysely, chosen);
  return told(context, lostBy(snapshot, ids, next));
}

/** Models whose calls fail because no enabled channel offers them to some group, or to any. */
export async function modelsLostNow(context: ImpactContext): Promise<LostModels> {
  const offers = lostNow(context.snapshot);
  for (const model of await expectedModels(context)) offers.set(model, new Set());
  return told(context, offers);
}
