/** Skip reasons of channels outside a call's routes, for the log row of a call that no channel was left for. */
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import type { SkipReason } from "../../../../contract/src/receipt-codes.ts";
import type { Snapshot, SnapshotChannel } from "../../snapshot/snapshot.ts";
import type { Call } from "../call/call.ts";
import { RelayError } from "../call/relay-error.ts";

const MODEL: SkipReason = { code: "model" };
const DISABLED: SkipReason = { code: "disabled" };
/** Channels that one row names: more of a thousand that offer the model to others say nothing new. */
const MAX_NOTED = 50;

/** The part of the relay's context that is read here. */
interface Offers {
  readonly snapshot: Pick<Snapshot, "channels">;
}

/** Why a channel is not among the enabled ones that offer the model to the group; undefined where it is. */
export function absentReason(
  { status, models, groupNames }: SnapshotChannel,
  groupName: string,
  model: string,
): SkipReason | undefined {
  if (!models.has(model)) return MODEL;
  if (!groupNames.includes(groupName)) return { code: "group", values: { groups: groupNames.join(", ") } };
  return status === CHANNEL_STATUS.enabled ? undefined : DISABLED;
}

/** Notes the channels that have the model but cannot be called: an operator finds there what to change. */
export function noteAbsent({ context: { snapshot }, trace }: Call, groupName: string, model: string): void {
  for (const channel of snapshot.channels()) {
    if (trace.skipped.length >= MAX_NOTED) return;
    const reason = absentReason(channel, groupName, model);
    if (reason !== undefined && reason !== MODEL) trace.skip(channel, reason);
  }
}

/**
 * The refusal of a model that no enabled channel offers to the call's group: 404 where no channel of the groups that the key may use has its
 * name, so that clients do not ask again; 503 where one has and is disabled. Channels of other groups are not looked at: what they offer is not
 * for this caller to know. `label` names the caller's group to them.
 */
export function noChannelFor(
  { snapshot }: Offers,
  groupNames: readonly string[],
  model: string,
  label: string,
): RelayError {
  const isKnown = snapshot
    .channels()
    .some((channel) => channel.models.has(model) && groupNames.some((name) => channel.groupNames.includes(name)));
  if (isKnown) {
    const message = `No channel is available for the model ${model} in the group ${label}.`;
    return new RelayError("no_available_channel", { message, param: "model" });
  }
  const message = `The model '${model}' does not exist or this API key cannot use it.`;
  return new RelayError("model_not_found", { message, param: "model" });
}
