/** Channels with several keys: which key an attempt gets, when the call goes on with another, and what its outcome says of the key. */
import { CLOCK_SKEW } from "../../channels/auto-disable.ts";
import type { UpstreamFailure } from "../../providers/provider.ts";
import type { ChannelKey, SnapshotChannel } from "../../snapshot/snapshot.ts";
import type { Attempt, Attempts } from "./attempts.ts";

/** Kinds that speak of the key: where a channel has several, the others may be good. */
const KEY_FAULTS: ReadonlySet<string> = new Set(["auth", "quota", "rate"]);

/** A place between 0 and 1 that is the same for every call of a conversation. */
const placeOf = (conversationKey: string): number =>
  Buffer.from(conversationKey.slice(0, 8), "base64url").readUInt32BE(0) / 2 ** 32;

/** The key that had the call's conversation before: while it is ready, or whatever it does where the answer gone on from is stored with it. */
function heldKey({ held, call, triedKeys }: Attempts, { id, keys }: SnapshotChannel): SnapshotChannel | undefined {
  if (held === undefined || held.channelId !== id) return undefined;
  const member = keys?.members.find(({ ofKey }) => ofKey.id === held.keyId);
  if (member === undefined || triedKeys?.has(held.keyId) === true) return undefined;
  const ring = { isInTurn: false, members: [member] };
  return held.isOnlyThere || call.context.keyChoice.hasReady(ring, new Set(), performance.now()) ? member : undefined;
}

/**
 * The channel with the key that is its turn; undefined where each of several was tried. Where calls stick to who holds their prompt cache
 * a conversation keeps its key too: vendors keep caches by account.
 */
export function withKey(attempts: Attempts, channel: SnapshotChannel): SnapshotChannel | undefined {
  const { keys, id } = channel;
  if (keys === undefined) return channel;
  const { call, conversation, triedKeys } = attempts;
  const { keyChoice } = call.context;
  const keyed =
    heldKey(attempts, channel) ??
    (conversation === undefined
      ? keyChoice.take(id, keys, triedKeys)
      : keyChoice.take(id, { ...keys, isInTurn: false }, triedKeys, performance.now(), () =>
          placeOf(conversation.key),
        ));
  if (keyed?.ofKey !== undefined) (attempts.triedKeys ??= new Set()).add(keyed.ofKey.id);
  return keyed;
}

/** Whether the last try failed for its key alone while another key of the channel is ready. */
function hasAnotherKey({ isKeyFault, triedKeys, call }: Attempts, { keys }: SnapshotChannel): boolean {
  if (!isKeyFault || keys === undefined || triedKeys === undefined) return false;
  return call.context.keyChoice.hasReady(keys, triedKeys, performance.now());
}

/** Each channel, and again for every further key of it that may answer: a refused key is no try of its channel. */
export function* withEachKey(
  attempts: Attempts,
  channels: Iterable<SnapshotChannel>,
): Generator<SnapshotChannel, void, undefined> {
  for (const channel of channels) {
    attempts.isKeyFault = false;
    yield channel;
    while (hasAnotherKey(attempts, channel)) {
      attempts.uncountedTries += 1;
      attempts.isKeyFault = false;
      yield channel;
    }
  }
}

/** What a failure says of the key: it cools down alone where it was at fault. `requestedMs` is the upstream's Retry-After, 0 for none. */
export function judgeKey(
  { attempts, startedMs }: Attempt,
  { id }: ChannelKey,
  { kind, code }: UpstreamFailure,
  { isDisabled, isOfChannel, requestedMs }: { isDisabled: boolean; isOfChannel: boolean; requestedMs: number },
): void {
  const { keyChoice, keyCounter } = attempts.call.context;
  // A clock that is off is wrong for every key.
  attempts.isKeyFault = isDisabled || (KEY_FAULTS.has(kind) && code !== CLOCK_SKEW);
  keyCounter.used(id, attempts.isKeyFault || isOfChannel);
  if (attempts.isKeyFault) keyChoice.failed(id, performance.now(), requestedMs, startedMs);
}

/** An answered call says that the key is good. */
export function keyAnswered({ attempts: { call }, channel: { ofKey }, startedMs }: Attempt): void {
  if (ofKey === undefined) return;
  call.context.keyCounter.used(ofKey.id, false);
  call.context.keyChoice.succeeded(ofKey.id, startedMs);
}
