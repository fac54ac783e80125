/** Changes of all channels of one tag: what administrators may set at once, and switching them on and off. */
import type { LogEvent } from "../../../../contract/src/logs/events.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import type { TagUpdate } from "../../../../contract/src/channels/channel-form.ts";
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import type { Actor } from "../kit/audit.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { patchOf } from "./rules.ts";
import { announce } from "./service.ts";
import { patchTag } from "./store.ts";

/** A tag without blanks around it. Throws channel_invalid where nothing is left. */
export function tagOf(tag: string): string {
  const trimmed = tag.trim();
  if (trimmed === "") throw new AppError("channel_invalid", { message: "Please enter a tag", field: "tag" });
  return trimmed;
}

/** Changes every channel of a tag; blank model mapping, models and groups keep what each channel has. Gives how many there were. */
export async function updateTag(context: ConsoleContext, actor: Actor, sent: TagUpdate): Promise<number> {
  const tag = tagOf(sent.tag);
  const groups = typeof sent.groups === "string" ? sent.groups.split(",") : (sent.groups ?? []);
  const filled = (text: string | null | undefined) =>
    text === undefined || text === null || text.trim() === "" ? undefined : text;
  const patch = patchOf({
    model_mapping: filled(sent.model_mapping),
    param_override: filled(sent.param_override),
    models: filled(sent.models),
    groups: groups.some((group) => group.trim() !== "") ? groups : undefined,
    priority: sent.priority,
    weight: sent.weight,
    tag: sent.new_tag,
  });
  const count = await patchTag(context.database, tag, patch);
  const event: LogEvent = { code: "tag_changed", values: { count, tag } };
  await announce(context, actor, event, { changed: Object.keys(patch) });
  return count;
}

/** Enables or disables every channel of a tag, auto-disabled ones too; gives how many there were. */
export async function setTagStatus(
  context: ConsoleContext,
  actor: Actor,
  tagText: string,
  isEnabled: boolean,
): Promise<number> {
  const tag = tagOf(tagText);
  const status = isEnabled ? CHANNEL_STATUS.enabled : CHANNEL_STATUS.disabled;
  const count = await patchTag(context.database, tag, { status, other_info: "" });
  await announce(context, actor, { code: isEnabled ? "tag_enabled" : "tag_disabled", values: { count, tag } });
  return count;
}
