/** The route of the channels page: its address, texts and page. Its drawers have paths of their own. */
import type { ChannelSort } from "../../../../contract/src/channels/channel-list.ts";
import { loadTexts } from "../../lib/i18n.ts";
import { oneOf, searchReader, text } from "../../lib/search.ts";
import { LIST_SEARCH, sortBy } from "../../ui/data-table/list-search.ts";
import { lazyPage } from "../../ui/lazy-page.ts";

const SORTS = [
  "id",
  "name",
  "status",
  "response_time",
  "used_quota",
  "balance",
  "priority",
  "weight",
] as const satisfies readonly ChannelSort[];

export const channelSearch = searchReader({
  ...LIST_SEARCH,
  sort: sortBy(...SORTS),
  keyword: text,
  status: oneOf("1", "2", "3"),
  group: text,
  model: text,
  type: text,
  /** Result of the last test. */
  test: oneOf("passed", "failed", "none"),
  /** Grouped by tag. */
  tags: oneOf("1"),
});

export const channelsRoute = {
  path: "/channel",
  validateSearch: channelSearch,
  loader: () => loadTexts("channels"),
  component: lazyPage(() => import("./page.tsx"), "ChannelsPage"),
} as const;

export const CHANNEL_TABS = ["overview", "failures", "history", "edit"] as const;
export type ChannelTab = (typeof CHANNEL_TABS)[number];

/** The page of one channel. */
export const channelPageSearch = searchReader({ tab: oneOf(...CHANNEL_TABS) });

export const channelPageRoute = {
  path: "/channel/$id",
  validateSearch: channelPageSearch,
  loader: () => loadTexts("channels"),
  component: lazyPage(() => import("./detail/page.tsx"), "ChannelPage"),
} as const;
