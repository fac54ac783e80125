/** What the log asks the server: pages, totals and one receipt, of everybody for administrators and of oneself for all others. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { groupNames } from "./fns/group-names.ts";
import { listGroups, ownGroups } from "../../../../contract/src/features/groups.ts";
import {
  exportLogs,
  exportOwnLogs,
  getLogPerson,
  listLogs,
  listOwnLogs,
  type LogPerson,
  type LogStat,
  statLogs,
  statOwnLogs,
} from "../../../../contract/src/features/logs.ts";
import { call } from "../../lib/api.ts";
import { download } from "../../lib/download.ts";
import type { LogRow } from "./fns/log-row.ts";
import { boundsOf, type TimeRange } from "./fns/range.ts";

/** Filters as the address has them; blank ones are absent. */
export interface LogFilters {
  type?: string;
  model_name?: string;
  token_name?: string;
  group?: string;
  username?: string;
  channel?: string;
}

export interface LogPage {
  items: LogRow[];
  total: number;
  total_is_capped: boolean;
}

export interface LogView {
  filters: LogFilters;
  range: TimeRange;
  isAdmin: boolean;
}

/** Presets move with the clock: their moments are taken when the question is asked. */
function asked({ filters, range }: LogView) {
  const { start, end } = boundsOf(range, Date.now());
  const { type, model_name, token_name, group, username, channel } = filters;
  const own = { type, model_name, token_name, group, start_timestamp: start, end_timestamp: end };
  return { own, site: { ...own, username, channel } };
}

const RATES_EVERY_MS = 30_000;

/** One page, newest first. */
export const logsQuery = (view: LogView, page: number, size: number) =>
  queryOptions({
    queryKey: ["logs", "list", view, page, size],
    queryFn: ({ signal }): Promise<LogPage> => {
      const { own, site } = asked(view);
      const paging = { p: page, page_size: size };
      return view.isAdmin
        ? call(listLogs, { query: { ...site, ...paging }, signal })
        : call(listOwnLogs, { query: { ...own, ...paging }, signal });
    },
    placeholderData: keepPreviousData,
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

/** How many rows there are at all: whether an empty day is an empty log. */
export const anyLogsQuery = (isAdmin: boolean) =>
  queryOptions({
    queryKey: ["logs", "any", isAdmin],
    queryFn: async ({ signal }): Promise<boolean> => {
      const query = { p: 1, page_size: 1 };
      const page = await (isAdmin ? call(listLogs, { query, signal }) : call(listOwnLogs, { query, signal }));
      return page.total > 0;
    },
  });

/** Who is behind a name; for administrators. */
export const personQuery = (id: number) =>
  queryOptions({
    queryKey: ["logs", "person", id],
    queryFn: ({ signal }): Promise<LogPerson> => call(getLogPerson, { params: { id }, signal }),
  });

/** Names for the group filter. */
export const groupsQuery = (isAdmin: boolean) =>
  queryOptions({
    queryKey: ["logs", "groups", isAdmin],
    queryFn: async ({ signal }): Promise<string[]> =>
      groupNames(isAdmin ? await call(listGroups, { signal }) : await call(ownGroups, { signal })),
  });

/** Saves what the view shows as CSV; `onRows` is told the rows so far. */
export function exportView(view: LogView, signal: AbortSignal, onRows: (rows: number) => void): Promise<void> {
  const { own, site } = asked(view);
  // The first line is the header.
  const onLines = (lines: number) => onRows(Math.max(0, lines - 1));
  return view.isAdmin
    ? download(exportLogs, { query: site, signal }, onLines)
    : download(exportOwnLogs, { query: own, signal }, onLines);
}
