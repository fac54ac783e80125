/** Queries of the channels page: pages of the list, the entries of its menus, and one channel. */
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import {
  CHANNEL_STATUS,
  getChannel,
  listChannelModels,
  listChannelTags,
  listChannels,
  listProviders,
} from "../../../../contract/src/features/channels.ts";
import { listGroups, listPrefillGroups } from "../../../../contract/src/features/groups.ts";
import { call } from "../../lib/api.ts";
import { STORAGE, writeStoredJson } from "../../lib/storage.ts";
import { testResultOf } from "./model/failure.ts";
import { type ChannelPage, joinedPage } from "./model/tag-pages.ts";

export interface ChannelView {
  /** From 1. */
  page: number;
  size: number;
  /** A column's name for the server, `-` before it for descending; undefined: by priority. */
  sort: string | undefined;
  isTagMode: boolean;
  keyword: string | undefined;
  group: string | undefined;
  model: string | undefined;
  status: string | undefined;
  type: string | undefined;
  /** Result of the last test, one of TEST_FILTERS. */
  test: string | undefined;
}

const filtersOf = ({ sort, keyword, group, model, status, type, test }: ChannelView) => ({
  sort,
  keyword,
  group,
  model,
  status,
  type,
  test_result: testResultOf(test),
});

/** A page of tags with all their channels; behind the last tag, the channels without one. */
function tagPage(view: ChannelView, signal: AbortSignal): Promise<ChannelPage> {
  const { page, size } = view;
  const listOf = (more: { tag_mode: true } | { untagged: true }) => async (p: number) => {
    const query = { ...filtersOf(view), ...more, p: p + 1, page_size: size };
    const { items, total } = await call(listChannels, { query, signal });
    return { rows: items, total };
  };
  return joinedPage({ page, size }, listOf({ tag_mode: true }), listOf({ untagged: true }));
}

async function fetchPage(view: ChannelView, signal: AbortSignal): Promise<ChannelPage> {
  if (view.isTagMode) return tagPage(view, signal);
  const { items, total } = await call(listChannels, {
    query: { ...filtersOf(view), p: view.page, page_size: view.size },
    signal,
  });
  return { channels: items, total, untagged: 0 };
}

/** The head of every query of channels, to be asked anew after a change. */
export const CHANNELS_KEY = ["channels"] as const;
export const CHANNEL_LISTS_KEY = [...CHANNELS_KEY, "list"] as const;

export const channelsQuery = (view: ChannelView) =>
  queryOptions({
    queryKey: [...CHANNEL_LISTS_KEY, view],
    queryFn: ({ signal }) => fetchPage(view, signal),
    placeholderData: keepPreviousData,
  });

/** How many channels there are and how many are enabled. */
export const channelCountsQuery = queryOptions({
  queryKey: [...CHANNELS_KEY, "counts"],
  queryFn: async ({ signal }) => {
    const count = async (query: { status?: number }) =>
      (await call(listChannels, { query: { ...query, page_size: 1 }, signal })).total;
    const [all, enabled] = await Promise.all([count({}), count({ status: CHANNEL_STATUS.enabled })]);
    return { all, enabled };
  },
});

export const channelQuery = (id: number) =>
  queryOptions({
    queryKey: [...CHANNELS_KEY, "one", id],
    queryFn: ({ signal }) => call(getChannel, { params: { id }, signal }),
    // The form must start from what is stored now.
    staleTime: 0,
    gcTime: 0,
  });

/** Tags in use, by name. */
const tagsQuery = queryOptions({
  queryKey: [...CHANNELS_KEY, "tags"],
  queryFn: ({ signal }) => call(listChannelTags, { signal }),
});

export const SAVED_LISTS_KEY = ["saved-lists"] as const;
/** Saved lists of every type. */
export const savedListsQuery = queryOptions({
  queryKey: SAVED_LISTS_KEY,
  queryFn: ({ signal }) => call(listPrefillGroups, { query: {}, signal }),
});

/** Suggestions where a tag is typed: tags of channels, and those of saved lists. */
export function useTagNames(): string[] {
  const used = useQuery(tagsQuery).data ?? [];
  const lists = useQuery(savedListsQuery).data ?? [];
  const saved = lists.flatMap(({ type, items }) => (type === "tag" && Array.isArray(items) ? items : []));
  return [...new Set([...used, ...saved])];
}

export const providersQuery = queryOptions({
  queryKey: ["channel-providers"],
  queryFn: async ({ signal }) => {
    const providers = await call(listProviders, { signal });
    writeStoredJson(STORAGE.channelModels, Object.fromEntries(providers.map(({ id, models }) => [id, models])));
    return providers;
  },
  staleTime: Number.POSITIVE_INFINITY,
});

export const groupsQuery = queryOptions({
  queryKey: ["groups"],
  queryFn: ({ signal }) => call(listGroups, { signal }),
});

/** Names of all providers' default models. */
export const modelNamesQuery = queryOptions({
  queryKey: ["channel-models"],
  queryFn: async ({ signal }) => (await call(listChannelModels, { signal })).map(({ id }) => id),
  staleTime: Number.POSITIVE_INFINITY,
});
