/** Tokens of the instructions that channels insert into conversations: held for every call, whichever channel answers. */
import { type EstimatedTokens, estimateText } from "../../dialects/neutral/token-estimate.ts";
import type { ChannelPrompt } from "../../snapshot/channel-setting.ts";
import type { Snapshot, SnapshotChannel } from "../../snapshot/snapshot.ts";
import type { Routes } from "../call/target.ts";

/** A channel of the snapshot has the same object until it changes. */
const estimates = new WeakMap<ChannelPrompt, EstimatedTokens>();

function estimateOf(prompt: ChannelPrompt): EstimatedTokens {
  let known = estimates.get(prompt);
  if (known === undefined) estimates.set(prompt, (known = estimateText(prompt.text)));
  return known;
}

/** Tokens of the text, as near as an estimate comes. */
export const promptTokens = (prompt: ChannelPrompt): number => estimateOf(prompt).tokens;

const cautiousTokens = ({ setting }: SnapshotChannel): number =>
  setting.prompt === undefined ? 0 : estimateOf(setting.prompt).cautiousTokens;

/** By the list of a tier's channels, which the snapshot replaces when one of them changes. */
const longest = new WeakMap<readonly SnapshotChannel[], number>();

function longestIn(channels: readonly SnapshotChannel[]): number {
  let known = longest.get(channels);
  if (known === undefined)
    longest.set(channels, (known = channels.reduce((most, each) => Math.max(most, cautiousTokens(each)), 0)));
  return known;
}

/** The most tokens that a channel of the call may put in, on the high side as everything that is held. */
export function heldPromptTokens(snapshot: Snapshot, { tiers, pinnedChannelId }: Routes): number {
  if (pinnedChannelId === 0) return tiers.reduce((most, { channels }) => Math.max(most, longestIn(channels)), 0);
  const pinned = snapshot.channelById(pinnedChannelId);
  return pinned === undefined ? 0 : cautiousTokens(pinned);
}
