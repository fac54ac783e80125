/** Rows of the channel list: channels as they come, or in tag mode under their tags. Pure. */
import { CHANNEL_STATUS, type ChannelRow } from "../../../../../contract/src/features/channels.ts";
import { splitList } from "../../../../../contract/src/query.ts";
import { hasFailed } from "./failure.ts";

export interface TagEntry {
  kind: "tag";
  tag: string;
  channels: readonly ChannelRow[];
  /** Its rows, drawn while it is open. */
  children: readonly ChannelEntry[];
  isOpen: boolean;
}

export interface ChannelEntry {
  kind: "channel";
  channel: ChannelRow;
  /** Stands under its tag. */
  isChild: boolean;
}

export type ListEntry = TagEntry | ChannelEntry;

export const entryKey = (entry: ListEntry): string =>
  entry.kind === "tag" ? `tag:${entry.tag}` : String(entry.channel.id);

/** The name of a row: "#7 Anthropic main"; names of channels may repeat. */
export const entryName = (entry: ListEntry): string =>
  entry.kind === "tag" ? entry.tag : `#${entry.channel.id} ${entry.channel.name}`;

export const asEntries = (channels: readonly ChannelRow[]): ListEntry[] =>
  channels.map((channel) => ({ kind: "channel", channel, isChild: false }));

/** Tags by name with their channels below where open, then the channels without a tag. The channels' own order is kept. */
export function tagEntries(channels: readonly ChannelRow[], closedTags: ReadonlySet<string>): ListEntry[] {
  const byTag = Map.groupBy(channels, ({ tag }) => tag);
  const untagged = byTag.get("") ?? [];
  byTag.delete("");
  const tags = [...byTag].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const tagged = tags.flatMap(([tag, members]): ListEntry[] => {
    const isOpen = !closedTags.has(tag);
    const children = members.map((channel): ChannelEntry => ({ kind: "channel", channel, isChild: true }));
    return [{ kind: "tag", tag, channels: members, children, isOpen }, ...(isOpen ? children : [])];
  });
  return [...tagged, ...asEntries(untagged)];
}

/** The channels of selected entries; tags are not among them, their channels are. */
export const selectedChannels = (entries: readonly ListEntry[]): ChannelRow[] =>
  entries.flatMap((entry) => (entry.kind === "tag" ? [] : [entry.channel]));

export const enabledCount = (channels: readonly ChannelRow[]): number =>
  channels.filter(({ status }) => status === CHANNEL_STATUS.enabled).length;

/** Mean response time in ms of those whose last test passed; 0 where none did. */
export function meanResponse(channels: readonly ChannelRow[]): number {
  const tested = channels.filter((channel) => channel.response_time > 0 && !hasFailed(channel));
  return tested.length === 0
    ? 0
    : Math.round(tested.reduce((sum, { response_time }) => sum + response_time, 0) / tested.length);
}

/** How many of them failed their last test. */
export const failedCount = (channels: readonly ChannelRow[]): number => channels.filter(hasFailed).length;

export const usedSum = (channels: readonly ChannelRow[]): number =>
  channels.reduce((sum, { used_quota }) => sum + used_quota, 0);

export const groupsOf = (channel: Pick<ChannelRow, "group">): string[] => splitList(channel.group);
export const modelsOf = (channel: Pick<ChannelRow, "models">): string[] => splitList(channel.models);

/** Why and when (Unix seconds, 0 unknown) the server switched a channel off; undefined where it did not. */
export function offReason(
  channel: Pick<ChannelRow, "status" | "other_info">,
): { reason: string; atS: number } | undefined {
  if (channel.status !== CHANNEL_STATUS.autoDisabled) return undefined;
  const info = parseObject(channel.other_info);
  const { status_reason: reason, status_time: time } = info;
  return { reason: typeof reason === "string" ? reason : "", atS: typeof time === "number" ? time : 0 };
}

/** The HTTP status in a reason, where it names one: what says most in the least room. */
export const statusIn = (reason: string): string | undefined => /\b[45]\d\d\b/.exec(reason)?.[0];

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
