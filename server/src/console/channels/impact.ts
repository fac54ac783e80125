/** Which models an act on channels would leave without any, and which have none now: from the routing table and call statistics. */
import { sql } from "kysely";
import type { z } from "zod";
import { FAILURE_KINDS } from "../../../../contract/src/call-figures.ts";
import {
  type Impact,
  type impactQuestion,
  LOST_MODELS_LISTED,
  type LostModel,
  type LostModels,
} from "../../../../contract/src/channels/impact.ts";
import type { ChannelUpdate } from "../../../../contract/src/channels/channel-form.ts";
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import { splitList } from "../../../../contract/src/query.ts";
import type { Snapshot, SnapshotChannel } from "../../snapshot/snapshot.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { chunks } from "./abilities.ts";
import { addTo, effectsOf, type NewOffer, type Offers, servesBy } from "./effects.ts";
import { patchOf } from "./rules.ts";
import { type ChosenChannels, findChosen } from "./store.ts";

type ImpactContext = Pick<ConsoleContext, "database" | "snapshot" | "clock">;
type ImpactQuestionContext = ImpactContext & Pick<ConsoleContext, "relay">;

const HOUR_S = 3600;
const HOURS = 24;
const NAMES_AT_ONCE = 500;
/** People and tokens are counted for so many lost models, those with most calls. */
const TOUCHED_MODELS_MAX = 5000;

/** Visits what these channels offer, each model and group once. */
function visitOffers(channels: Iterable<SnapshotChannel>, visit: (groupName: string, model: string) => void): void {
  const seen: Offers = new Map();
  for (const { groupNames, models } of channels) {
    for (const groupName of groupNames) {
      const known = seen.getOrInsertComputed(groupName, () => new Set());
      for (const model of models) {
        if (known.has(model)) continue;
        known.add(model);
        visit(groupName, model);
      }
    }
  }
}

/** Offers of disabled channels that no enabled one has. Pure but for the snapshot. */
function lostNow(snapshot: Pick<Snapshot, "channels" | "tiersFor">): Offers {
  const disabled = snapshot.channels().filter(({ status }) => status !== CHANNEL_STATUS.enabled);
  const lost: Offers = new Map();
  visitOffers(disabled, (groupName, model) => {
    if (snapshot.tiersFor(groupName, model).length === 0) addTo(lost, groupName, model);
  });
  return lost;
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

/** Models with their groups and calls, those with most calls first. */
function rowsOf(calls: ReadonlyMap<string, number>, offers: Offers): LostModel[] {
  return (
    [...offers]
      .map(([model, groups]) => ({ model, groups: [...groups].sort(), calls: calls.get(model) ?? 0 }))
      // What no channel offers is missed only where it is called: price tables name many models that were never offered.
      .filter((lost) => lost.groups.length > 0 || lost.calls > 0)
      .sort((left, right) => right.calls - left.calls || (left.model < right.model ? -1 : 1))
  );
}

/** As many as an answer names, with the sums of all. */
const listed = (models: readonly LostModel[]): LostModels => ({
  models: models.slice(0, LOST_MODELS_LISTED),
  total: models.length,
  calls: models.reduce((sum, model) => sum + model.calls, 0),
});

/** The same without the sum of calls. */
function named(rows: readonly LostModel[]): Pick<LostModels, "models" | "total"> {
  const { models, total } = listed(rows);
  return { models, total };
}

/** Models that are lost to the same groups, by those groups: few, however many models there are. */
function byGroups(models: readonly LostModel[]): readonly { groups: readonly string[]; models: string[] }[] {
  const found = new Map<string, { groups: readonly string[]; models: string[] }>();
  for (const { model, groups } of models.slice(0, TOUCHED_MODELS_MAX))
    found.getOrInsertComputed(groups.join("\n"), () => ({ groups, models: [] })).models.push(model);
  return [...found.values()];
}

/** How many accounts and tokens were charged for calls to these models, in the groups that lose them, in the last 24 hours. */
async function touchedBy({ database, clock }: ImpactContext, models: readonly LostModel[]) {
  if (models.length === 0) return { people: 0, tokens: 0 };
  const row = await database.kysely
    .selectFrom("usage_hours")
    .select(({ fn }) => [fn.count("user_id").distinct().as("people"), fn.count("token_id").distinct().as("tokens")])
    .where("hour", ">=", dayBefore(clock))
    .where(({ eb, or }) =>
      or(byGroups(models).map((part) => eb("group_name", "in", part.groups).and("model", "in", part.models))),
    )
    .executeTakeFirstOrThrow();
  return { people: Number(row.people), tokens: Number(row.tokens) };
}

type NewFields = Pick<ChannelUpdate, "models" | "type" | "priority" | "weight"> & {
  groups?: string | string[] | undefined;
};

/** What changes of a channel's form would be stored as. Throws what is wrong with them. */
function newOfferOf({ models, groups, type, priority, weight }: NewFields): NewOffer {
  const patch = patchOf({
    models,
    groups: typeof groups === "string" ? groups.split(",") : groups,
    type,
    priority,
    weight,
  });
  return {
    ...(patch.models === undefined ? {} : { models: new Set(splitList(patch.models)) }),
    ...(patch.group_names === undefined ? {} : { groupNames: new Set(splitList(patch.group_names)) }),
    ...(patch.type === undefined ? {} : { type: patch.type }),
    ...(patch.priority === undefined ? {} : { priority: patch.priority }),
    ...(patch.weight === undefined ? {} : { weight: patch.weight }),
  };
}

/** Offers of the channels after the act; undefined where they stop. Throws what is wrong with new names. */
function nextOf(asked: z.output<typeof impactQuestion>): NewOffer | undefined {
  if (asked.act === "edit_channels") return newOfferOf(asked);
  return asked.act === "take_model" ? { without: asked.model.trim() } : undefined;
}

/** Without the channels that keep a model because they have no other. */
const losing = (snapshot: Snapshot, ids: readonly number[]): number[] =>
  ids.filter((id) => snapshot.channelById(id)?.models.size !== 1);

/** What an act on the chosen channels, or on all of a tag, takes from callers. Throws selection_changed, and what is wrong with new names. */
export async function impactOf(
  context: ImpactQuestionContext,
  chosen: ChosenChannels | { tag: string },
  asked: z.output<typeof impactQuestion>,
): Promise<Impact> {
  const { database, snapshot } = context;
  const next = nextOf(asked);
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
  const acted = asked.act === "take_model" ? losing(snapshot, ids) : ids;
  const { lost, single, moved } = effectsOf(snapshot, acted, next, servesBy(context.relay.providers));
  const calls = await callsOf(context, [...new Set([...lost.keys(), ...single.keys(), ...moved.keys()])]);
  const lostRows = rowsOf(calls, lost);
  const groups = [...new Set(lostRows.flatMap((model) => model.groups))].sort();
  return {
    ...listed(lostRows),
    single: named(rowsOf(calls, single)),
    moved: named(rowsOf(calls, moved)),
    groups,
    ...(await touchedBy(context, lostRows)),
  };
}

/** The impact on callers of losing these offers. */
export async function lossOf(context: ImpactContext, lost: Offers) {
  const rows = rowsOf(await callsOf(context, [...lost.keys()]), lost);
  return { ...listed(rows), ...(await touchedBy(context, rows)) };
}

/** Models whose calls fail because no enabled channel offers them to some group, or to any. */
export async function modelsLostNow(context: ImpactContext): Promise<LostModels> {
  const offers = lostNow(context.snapshot);
  for (const model of await expectedModels(context)) offers.set(model, new Set());
  return listed(rowsOf(await callsOf(context, [...offers.keys()]), offers));
}
