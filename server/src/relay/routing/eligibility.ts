/** Why a channel cannot take a call: for now, while it is busy or cools down, or at all. Shared by routing and its explanation. */
import { mappedModel } from "../../../../contract/src/channels/model-mapping.ts";
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import type { SkipReason } from "../../../../contract/src/receipt-codes.ts";
import type { OpenReason } from "../../channels/health.ts";
import type { Provider } from "../../providers/provider.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import type { RoutedCall, RoutingContext } from "./routed-call.ts";

const DISABLED: SkipReason = { code: "disabled" };
const NO_KEY: SkipReason = { code: "no_enabled_key" };
const RETIRED: SkipReason = { code: "provider_retired" };
const UNKNOWN_TYPE: SkipReason = { code: "unknown_channel_type" };
export const BUSY: SkipReason = { code: "busy" };

/** True for a channel whose upstream makes conversations shorter itself. */
export function compactsItself(provider: Provider, channel: SnapshotChannel, model: string): boolean {
  const named = mappedModel(channel.modelMapping, model) ?? model;
  const formats = provider.dialectsOf?.(named, channel) ?? provider.manifest.dialects;
  return provider.manifest.compacts === true && formats.includes("openai-responses");
}

/** Why a channel that offers the model cannot take this call, whatever others it has; undefined where it can. */
export function ineligibleReason(
  { call, accepted, inputTokens }: RoutedCall,
  channel: SnapshotChannel,
): SkipReason | undefined {
  if (channel.status !== CHANNEL_STATUS.enabled) return DISABLED;
  if (channel.keys?.members.length === 0) return NO_KEY;
  const provider = call.context.providers.byType(channel.type);
  if (provider === undefined) return UNKNOWN_TYPE;
  if (provider.manifest.isRetired === true) return RETIRED;
  const { operation } = call;
  if (!provider.manifest.operations.includes(operation))
    return { code: "unsupported_operation", values: { operation } };
  if (accepted.endpoint?.compacts === true && !compactsItself(provider, channel, accepted.model))
    return { code: "unsupported_operation", values: { operation: "compact" } };
  const { maxInputTokens } = channel;
  if (maxInputTokens === 0 || inputTokens <= maxInputTokens) return undefined;
  return { code: "input_limit", values: { limit: String(maxInputTokens), tokens: String(inputTokens) } };
}

/** Bound of the calls a channel has open at a time: its own setting, else the option. */
export const openCallLimit = ({ snapshot }: Pick<RoutingContext, "snapshot">, { setting }: SnapshotChannel): number =>
  setting.maxConcurrency ?? snapshot.options.ChannelConcurrencyLimit;

/** False while a channel has as many open calls as it may; those of other processes are asked for when it is tried. */
export const hasRoom = ({ call: { context } }: RoutedCall, channel: SnapshotChannel): boolean =>
  context.channelCalls.hasRoom(channel.id, openCallLimit(context, channel));

/** Why calls should go elsewhere while they can; undefined where they need not. */
export function openReason({ call }: RoutedCall, { id, keys }: SnapshotChannel): OpenReason | undefined {
  const { health, keyChoice } = call.context;
  const reason = health.hasRecords ? health.openReason(id, performance.now()) : undefined;
  return reason ?? (keys === undefined ? undefined : keyChoice.openReason(keys, performance.now()));
}

/** Milliseconds until `openReason` has nothing against the channel any more; 0 where it has nothing now, or that is unknown. */
export function cooldownMs({ call }: RoutedCall, { id, keys }: SnapshotChannel): number {
  const { health, keyChoice } = call.context;
  const nowMs = performance.now();
  const untilMs = (keys?.members ?? []).map(({ ofKey }) => keyChoice.coolsUntilMs(ofKey.id, nowMs));
  const keyMs = untilMs.length === 0 ? 0 : Math.max(0, Math.min(...untilMs) - nowMs);
  return Math.max(health.openMs(id, nowMs), keyMs);
}
