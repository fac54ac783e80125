/** How a list of channels is asked for: its filters, its order, and channels chosen by them. */
import { z } from "zod";
import { queryFlag, queryInteger, queryText } from "./query.ts";

/** What a list of channels can be ordered by; a `-` before the name turns it round. By `response_time` failed tests are the slowest. */
export const CHANNEL_SORTS = ["id", "name", "status", "response_time", "used_quota", "priority", "weight"] as const;
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
  /** Only channels without a tag: what tag mode leaves out. */
  untagged: queryFlag,
};

/** Most channels that one act takes. */
export const CHANNELS_PER_ACT_MAX = 10_000;

const channelIds = z.array(z.int()).max(CHANNELS_PER_ACT_MAX);

const byId = z.object({ ids: channelIds.min(1) });

const byFilter = z.object({
  /** As in the list; a name that is none of its filters is refused, for without it more channels would match. */
  filter: z.strictObject(channelFilter),
  /** How many matched when this was chosen, the excluded ones among them; where another number matches now, nothing is done. */
  total: z.int().min(1).max(CHANNELS_PER_ACT_MAX),
  excluded: channelIds.default([]),
});

/** Channels by their ids, or all that match a filter. */
export const channelChoice = z.union([byId, byFilter]);
/** As it is sent. */
export type ChannelChoice = z.input<typeof channelChoice>;
export type ParsedChannelChoice = z.output<typeof channelChoice>;

/** The body of an act on chosen channels that needs more than them. */
export const channelChoiceWith = <const More extends z.ZodRawShape>(more: More) =>
  z.union([byId.extend(more), byFilter.extend(more)]);
