/** Channels with several keys: which key an attempt gets, and what its outcome says of the key. */
import { CLOCK_SKEW } from "../../channels/auto-disable.ts";
import type { UpstreamFailure } from "../../providers/provider.ts";
import type { ChannelKey, SnapshotChannel } from "../../snapshot/snapshot.ts";
import type { Attempt, Attempts } from "./attempts.ts";

/** Kinds that speak of the key: where a channel has several, the others may be good. */
const KEY_FAULTS: ReadonlySet<string> = new Set(["auth", "quota", "rate"]);

/** A place between 0 and 1 that is the same for every call of a conversation. */
const placeOf = (conversationKey: string): number =>
  Buffer.from(conversationKey.slice(0, 8), "base64url").readUInt32BE(0) / 2 ** 32;

/** The key that had the call's conversation before: while it is ready, or in any case where the continued answer is stored with it. */
function heldKey({ held, call, retries }: Attempts, { id, keys }: SnapshotChannel): SnapshotChannel | undefined {
  if (held === undefined || held.channelId !== id) return undefined;
  const member = keys?.members.find(({ ofKey }) => ofKey.id === held.keyId);
  if (member === undefined || retries.triedKeys?.has(held.keyId) === true) return undefined;
  const pool = { isRoundRobin: false, members: [member] };
  return held.isOnlyThere || call.context.keyChoice.hasReady(pool, new Set(), performance.now()) ? member : undefined;
}

/**
 * The channel with the key of this try; undefined where each of several was tried. Where calls stick to who holds their prompt cache
 * a conversation keeps its key too: vendors keep caches by account.
 */
export function withKey(attempts: Attempts, channel: SnapshotChannel): SnapshotChannel | undefined {
  const { keys, id } = channel;
  if (keys === undefined) return channel;
  const { call, conversation, retries } = attempts;
  const { triedKeys } = retries;
  const { keyChoice } = call.context;
  const keyed =
    heldKey(attempts, channel) ??
    (conversation === undefined
      ? keyChoice.take(id, keys, triedKeys)
      : keyChoice.take(id, { ...keys, isRoundRobin: false }, triedKeys, performance.now(), () =>
          placeOf(conversation.key),
        ));
  if (keyed?.ofKey !== undefined) retries.keyTaken(keyed.ofKey.id);
  return keyed;
}

/**
 * What a failure says of the key: true where it was at fault, and cools down alone. `requestedMs` is the upstream's Retry-After, 0 for
 * none.
 */
export function judgeKey(
  { attempts, startedMs }: Attempt,
  { id }: ChannelKey,
  { kind, code }: UpstreamFailure,
  { isDisabled, isOfChannel, requestedMs }: { isDisabled: boolean; isOfChannel: boolean; requestedMs: number },
): boolean {
  const { keyChoice, keyCounter } = attempts.call.context;
  // A clock that is off is wrong for every key.
  const isKeyFault = isDisabled || (KEY_FAULTS.has(kind) && code !== CLOCK_SKEW);
  keyCounter.used(id, isKeyFault || isOfChannel);
  if (!isKeyFault) return false;
  attempts.retries.keyFailed();
  keyChoice.failed(id, performance.now(), requestedMs, startedMs);
  return true;
}

/** An answered call says that the key is good. */
export function keyAnswered({ attempts: { call }, channel: { ofKey }, startedMs }: Attempt): void {
  if (ofKey === undefined) return;
  call.context.keyCounter.used(ofKey.id, false);
  call.context.keyChoice.succeeded(ofKey.id, startedMs);
}
