/** Parameters of channel lists: filters and sorting, and how an act on many channels selects them. */
import { z } from "zod";
import { queryFlag, queryInteger, queryText } from "../query.ts";

/** Columns that a list of channels can be sorted by; a leading `-` reverses the order. Balances stand under their currency. Under `response_time` a failed test counts as slowest. */
export const CHANNEL_SORTS = [
  "id",
  "name",
  "status",
  "response_time",
  "used_quota",
  "balance",
  "priority",
  "weight",
] as const;
export type ChannelSort = (typeof CHANNEL_SORTS)[number];

const channelFilter = {
  keyword: queryText,
  group: queryText,
  model: queryText,
  status: queryInteger,
  type: queryInteger,
  /** One of TEST_RESULT. */
  test_result: queryInteger,
};
export const channelView = {
  ...channelFilter,
  id_sort: queryFlag,
  /** One of CHANNEL_SORTS; anything else counts as absent. */
  sort: queryText,
  tag_mode: queryFlag,
  /** Only channels without a tag, which tag mode does not show. */
  untagged: queryFlag,
};

/** The largest number of channels that one act accepts. */
export const CHANNELS_PER_ACT_MAX = 10_000;

const channelIds = z.array(z.int()).max(CHANNELS_PER_ACT_MAX);

const byId = z.object({ ids: channelIds.min(1) });

const byFilter = z.object({
  /** As in the list. An unknown filter is refused: ignoring it would match more channels than the caller meant. */
  filter: z.strictObject(channelFilter),
  /** How many channels matched when they were selected, excluded ones included. If that number has changed, nothing is done. */
  total: z.int().min(1).max(CHANNELS_PER_ACT_MAX),
  excluded: channelIds.default([]),
});

/** Channels selected by their ids, or all that match a filter. */
export const channelChoice = z.union([byId, byFilter]);
/** The body as clients send it. */
export type ChannelChoice = z.input<typeof channelChoice>;
export type ParsedChannelChoice = z.output<typeof channelChoice>;

/** The body of an act on selected channels that needs further fields. */
export const channelChoiceWith = <const More extends z.ZodRawShape>(more: More) =>
  z.union([byId.extend(more), byFilter.extend(more)]);
