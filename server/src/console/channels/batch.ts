/** What administrators do with many channels at once: chosen one by one, or all that match a filter. */
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import type { Actor } from "../kit/audit.ts";
import { patchOf } from "./rules.ts";
import { announce } from "./service.ts";
import { tagOf } from "./tags.ts";
import { deleteChannels, EVERY_CHANNEL, findChannels, patchChannels, takeModel } from "./store.ts";
import type { ChosenChannels } from "./store.ts";

/** Channels that the log's entry of an act names by their ids. */
const IDS_NAMED = 100;

/** No filter stands in the log: its keyword may be a key. */
const named = (ids: readonly number[]) => ({ channel_ids: ids.slice(0, IDS_NAMED) });

/** Deletes the chosen channels; gives how many there were. Throws selection_changed; then none is deleted. */
export async function removeChannels(context: ConsoleContext, actor: Actor, chosen: ChosenChannels): Promise<number> {
  const ids = await deleteChannels(context.database, chosen);
  await announce(context, actor, { code: "channels_deleted", values: { count: ids.length } }, named(ids));
  return ids.length;
}

/** Puts the chosen channels under a tag, or with null under none; gives how many there were. Throws channel_invalid for a blank tag, selection_changed. */
export async function tagChannels(
  context: ConsoleContext,
  actor: Actor,
  chosen: ChosenChannels,
  tagText: string | null,
): Promise<number> {
  const { tag = "" } = tagText === null ? {} : patchOf({ tag: tagOf(tagText) });
  const ids = await patchChannels(context.database, chosen, { tag });
  const count = ids.length;
  const event =
    tag === ""
      ? ({ code: "channels_untagged", values: { count } } as const)
      : ({ code: "channels_tagged", values: { count, tag } } as const);
  await announce(context, actor, event, named(ids));
  return count;
}

/**
 * Takes a model off the chosen channels; a channel without any model would serve nothing, so who has no other keeps it. Gives how many each were.
 * Throws channel_invalid for a blank name, selection_changed, managed_locked.
 */
export async function takeModelOff(context: ConsoleContext, actor: Actor, chosen: ChosenChannels, name: string) {
  const model = name.trim();
  if (model === "") throw new AppError("channel_invalid", { message: "Please name a model", field: "model" });
  const { ids, onlyCount } = await takeModel(context.database, chosen, model);
  const event = { code: "channels_model_taken", values: { count: ids.length, model } } as const;
  if (ids.length > 0) await announce(context, actor, event, named(ids));
  return { changed: ids.length, only: onlyCount };
}

/** Enables or disables the chosen channels, auto-disabled ones too; gives how many there were. Throws selection_changed. */
export async function setStatuses(
  context: ConsoleContext,
  actor: Actor,
  chosen: ChosenChannels,
  isEnabled: boolean,
): Promise<number> {
  const status = isEnabled ? CHANNEL_STATUS.enabled : CHANNEL_STATUS.disabled;
  // A reason to be off no longer counts once the channel was switched by hand.
  const ids = await patchChannels(context.database, chosen, { status, other_info: "" });
  const code = isEnabled ? "channels_enabled" : "channels_disabled";
  await announce(context, actor, { code, values: { count: ids.length } }, named(ids));
  return ids.length;
}

/** The models of the channel of a tag that has most of them, comma-joined; blank where there is none. Throws channel_invalid. */
export async function modelsOfTag({ database }: ConsoleContext, tagText: string): Promise<string> {
  const page = { order: { by: "id", isDescending: false } as const, offset: 0, limit: EVERY_CHANNEL };
  const { rows } = await findChannels(database, { tags: [tagOf(tagText)] }, page);
  const counted = rows.map(({ models }) => ({ models, count: models === "" ? 0 : models.split(",").length }));
  const [longest] = counted.toSorted((a, b) => b.count - a.count);
  return longest?.models ?? "";
}
