/** Queries of the log: pages, totals and one receipt, of all users for administrators and of oneself for all others. */
import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
} from "@tanstack/react-query";
import {
  deleteLogView,
  drawLogHistogram,
  drawOwnLogHistogram,
  exportLogs,
  exportOwnLogs,
  getLogPerson,
  groupLogs,
  groupOwnLogs,
  listLogFacets,
  listLogs,
  listLogViews,
  listOwnLogFacets,
  listOwnLogs,
  type LogPerson,
  type LogStat,
  saveLogViews,
  statLogs,
  statOwnLogs,
} from "../../../../contract/src/features/logs.ts";
import {
  type LogFacet,
  type LogGroupField,
  type LogFacets,
  type LogGroupOrder,
  type LogGroups,
  type LogHistogram,
} from "../../../../contract/src/logs/sums.ts";
import type { NewLogView, SavedLogView } from "../../../../contract/src/logs/filters.ts";
import { call } from "../../lib/api.ts";
import { download } from "../../lib/download.ts";
import { type LogRow, typesAsked } from "./model/log-row.ts";
import { boundsOf, type TimeRange } from "../../ui/time-range/range.ts";

type OwnGroupField = Exclude<LogGroupField, "user" | "channel">;
type OwnFacet = Exclude<LogFacet, "user" | "channel">;

/** Filters as the address has them; blank ones are absent. */
export interface LogFilters {
  request_id?: string;
  type?: string;
  model_name?: string;
  token_name?: string;
  group?: string;
  username?: string;
  channel?: string;
  error_code?: string;
  client?: string;
  min_time_ms?: string;
  min_quota?: string;
  has_error?: string;
  upstream_request_id?: string;
}

export interface LogPage {
  items: LogRow[];
  total: number;
  total_is_capped: boolean;
  /** "" behind the last entry. */
  next: string;
  searched_since: number;
}

export interface LogView {
  filters: LogFilters;
  range: TimeRange;
  isAdmin: boolean;
}

/** Presets move with the clock: their moments are taken when the question is asked. */
function asked({ filters, range }: LogView) {
  const { request_id, type, username, channel, has_error, upstream_request_id, ...shared } = filters;
  // An id says all: its entry may be of any time and type.
  if (request_id !== undefined) return { own: { request_id }, site: { request_id } };
  const { start, end } = boundsOf(range, Date.now());
  const own = { ...typesAsked(type), ...shared, start_timestamp: start, end_timestamp: end };
  return { own, site: { ...own, username, channel, has_error, upstream_request_id } };
}

const RATES_EVERY_MS = 30_000;
export const LIVE_EVERY_MS = 5000;
const NEW_EVERY_MS = 15_000;
/** Calls are written when they end and stand where they began: so long before the newest row there may be new ones. */
const LONG_CALL_S = 600;
export const NEW_ROWS_MAX = 100;

async function askPage(view: LogView, more: object, signal: AbortSignal): Promise<LogPage> {
  const { own, site } = asked(view);
  return view.isAdmin
    ? call(listLogs, { query: { ...site, ...more }, signal })
    : call(listOwnLogs, { query: { ...own, ...more }, signal });
}

/** Rows that are loaded at a time. */
const BLOCK_ROWS = 50;
const BLOCKS_MAX = 100;
/** Number of entries listed; a shorter time range finds older ones. */
export const LISTED_MAX = BLOCK_ROWS * BLOCKS_MAX;
/** A list stays so long for Back to return to. */
const KEPT_MS = 30 * 60_000;

const LIST_KEY = ["logs", "list"] as const;

/** The list, newest first, in blocks. @param entry the entry of the browser's history that shows it: another visit is another list */
export const logsQuery = (view: LogView, entry: string, isOn = true) =>
  infiniteQueryOptions({
    enabled: isOn,
    queryKey: [...LIST_KEY, view, entry],
    queryFn: ({ signal, pageParam }): Promise<LogPage> =>
      askPage(view, { page_size: BLOCK_ROWS, ...(pageParam !== "" && { after: pageParam }) }, signal),
    initialPageParam: "",
    getNextPageParam: ({ next }, all) => (next === "" || all.length >= BLOCKS_MAX ? undefined : next),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: KEPT_MS,
  });

/** Has the lists begin again with their first block, so that asking anew asks one question and not a hundred. */
export function toFirstBlock(client: QueryClient): void {
  client.setQueriesData<InfiniteData<LogPage, string>>({ queryKey: LIST_KEY }, (list) =>
    list === undefined || list.pages.length < 2
      ? list
      : { pages: list.pages.slice(0, 1), pageParams: list.pageParams.slice(0, 1) },
  );
}

/** Asks anew for all that the page shows. */
export function refetchLog(client: QueryClient): Promise<void> {
  toFirstBlock(client);
  return client.invalidateQueries({ queryKey: ["logs"] });
}

export const VIEWS_KEY = ["log-views"] as const;

export const viewsQuery = queryOptions({
  queryKey: VIEWS_KEY,
  queryFn: ({ signal }): Promise<SavedLogView[]> => call(listLogViews, { signal }),
});

/** Each answers with all views of the account. */
export const saveViews = (views: readonly NewLogView[]): Promise<SavedLogView[]> =>
  call(saveLogViews, { body: { views: [...views] } });
export const removeView = (id: number): Promise<SavedLogView[]> => call(deleteLogView, { params: { id } });

/** How many rows came after those shown; up to `NEW_ROWS_MAX`. @param after the newest row shown; undefined where there is none */
export const newRowsQuery = (view: LogView, after: { id: number; atS: number } | undefined, isOn: boolean) =>
  queryOptions({
    queryKey: ["logs", "new", view, after],
    queryFn: async ({ signal }): Promise<number> => {
      const since = after === undefined ? {} : { start_timestamp: after.atS - LONG_CALL_S };
      const { items } = await askPage(view, { ...since, p: 1, page_size: NEW_ROWS_MAX }, signal);
      return items.filter(({ id }) => id > (after?.id ?? 0)).length;
    },
    enabled: isOn,
    staleTime: NEW_EVERY_MS,
    retry: false,
    refetchInterval: ({ state }) => (state.status === "error" ? false : NEW_EVERY_MS),
  });

/** Values that a filter can take in the view's range, loaded when the filter is opened. */
export const facetQuery = (view: LogView, field: LogFacet, isOn: boolean) =>
  queryOptions({
    queryKey: ["logs", "facet", field, view],
    queryFn: ({ signal }): Promise<LogFacets> => {
      const { own, site } = asked(view);
      return view.isAdmin
        ? call(listLogFacets, { query: { ...site, field }, signal })
        : call(listOwnLogFacets, { query: { ...own, field: field as OwnFacet }, signal });
    },
    enabled: isOn,
    staleTime: RATES_EVERY_MS,
  });

/** Spend of the range and the rates of the last minute, asked again while the page is open. */
export const statQuery = (view: LogView) =>
  queryOptions({
    queryKey: ["logs", "stat", view],
    queryFn: ({ signal }): Promise<LogStat> => {
      const { own, site } = asked(view);
      return view.isAdmin ? call(statLogs, { query: site, signal }) : call(statOwnLogs, { query: own, signal });
    },
    placeholderData: keepPreviousData,
    refetchInterval: RATES_EVERY_MS,
  });

/** The view over time. */
export const histogramQuery = (view: LogView) =>
  queryOptions({
    queryKey: ["logs", "histogram", view],
    queryFn: ({ signal }): Promise<LogHistogram> => {
      const { own, site } = asked(view);
      return view.isAdmin
        ? call(drawLogHistogram, { query: site, signal })
        : call(drawOwnLogHistogram, { query: own, signal });
    },
    placeholderData: keepPreviousData,
    staleTime: RATES_EVERY_MS,
  });

/** The view by one field. */
export const groupsQuery = (view: LogView, field: LogGroupField, order: LogGroupOrder) =>
  queryOptions({
    queryKey: ["logs", "groups", view, field, order],
    queryFn: ({ signal }): Promise<LogGroups> => {
      const { own, site } = asked(view);
      return view.isAdmin
        ? call(groupLogs, { query: { ...site, field, order }, signal })
        : call(groupOwnLogs, { query: { ...own, field: field as OwnGroupField, order }, signal });
    },
    placeholderData: keepPreviousData,
  });

/** How many entries these filters find. @param search filters as the address has them; undefined asks nothing */
export const similarQuery = (search: Readonly<Record<string, string>> | undefined, isAdmin: boolean) =>
  queryOptions({
    queryKey: ["logs", "similar", search, isAdmin],
    queryFn: async ({ signal }): Promise<Pick<LogPage, "total" | "total_is_capped">> => {
      const query = { ...search, p: 1, page_size: 1 };
      return isAdmin ? call(listLogs, { query, signal }) : call(listOwnLogs, { query, signal });
    },
    enabled: search !== undefined,
    staleTime: RATES_EVERY_MS,
  });

/** Whether there are calls at all: whether an empty day is an empty log. */
export const anyLogsQuery = (isAdmin: boolean) =>
  queryOptions({
    queryKey: ["logs", "any", isAdmin],
    queryFn: async ({ signal }): Promise<boolean> => {
      const query = { p: 1, page_size: 1, ...typesAsked(undefined) };
      const page = await (isAdmin ? call(listLogs, { query, signal }) : call(listOwnLogs, { query, signal }));
      return page.total > 0;
    },
  });

/** The account of a name; for administrators. */
export const personQuery = (id: number) =>
  queryOptions({
    queryKey: ["logs", "person", id],
    queryFn: ({ signal }): Promise<LogPerson> => call(getLogPerson, { params: { id }, signal }),
  });

/** Saves what the view shows as CSV; `onRows` is called with the number of rows so far. */
export function exportView(view: LogView, signal: AbortSignal, onRows: (rows: number) => void): Promise<void> {
  const { own, site } = asked(view);
  // The first line is the header.
  const onLines = (lines: number) => onRows(Math.max(0, lines - 1));
  return view.isAdmin
    ? download(exportLogs, { query: site, signal }, onLines)
    : download(exportOwnLogs, { query: own, signal }, onLines);
}
