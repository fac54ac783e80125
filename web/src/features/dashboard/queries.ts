/** Queries of the dashboard: one overview, of all users or of oneself, and users by name. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import {
  type CallReport,
  findUsageByUser,
  getCallReport,
  getFirstSteps,
  getOwnCallReport,
  getOverview,
  getOwnOverview,
  listTokenCalls,
  type Margin,
  type OwnOverview,
  type PayerUsage,
  TOKEN_LIST_SPAN_SECONDS,
} from "../../../../contract/src/features/dashboard.ts";
import { call } from "../../lib/api.ts";
import { status } from "../../lib/status.ts";
import { boundsOf, type View } from "./model/view.ts";

/** Users, channels and the margin are there for administrators who view all users. */
export type Overview = OwnOverview & { users?: PayerUsage[]; channels?: PayerUsage[]; margin?: Margin };

const MINUTE_MS = 60_000;

/** A browser's timer cannot be set to more than 24 days; beyond that it would fire at once, and again. */
const LONGEST_MS = 24 * 60 * MINUTE_MS;

/** As often as the operator's DataExportInterval says. */
const againEveryMs = (): number => Math.min(status().data_export_interval * MINUTE_MS, LONGEST_MS);

const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Presets move with the clock: their moments are taken when the question is asked. */
export const overviewQuery = ({ range, granularity, isOwn, username }: View) =>
  queryOptions({
    queryKey: ["dashboard", "overview", range, granularity, isOwn, username],
    queryFn: ({ signal }): Promise<Overview> => {
      const { start, end } = boundsOf(range, Date.now());
      const query = { start_timestamp: start, end_timestamp: end, granularity, time_zone: timeZone() };
      return isOwn
        ? call(getOwnOverview, { query, signal })
        : call(getOverview, { query: { ...query, username }, signal });
    },
    placeholderData: keepPreviousData,
    refetchInterval: againEveryMs,
  });

/** How calls went in the same range. */
export const callsQuery = ({ range, granularity, isOwn, username }: View) =>
  queryOptions({
    queryKey: ["dashboard", "calls", range, granularity, isOwn, username],
    queryFn: ({ signal }) => {
      const { start, end } = boundsOf(range, Date.now());
      const query = { start_timestamp: start, end_timestamp: end, granularity, time_zone: timeZone() };
      return isOwn
        ? call(getOwnCallReport, { query, signal })
        : call(getCallReport, { query: { ...query, username }, signal });
    },
    placeholderData: keepPreviousData,
    refetchInterval: againEveryMs,
  });

/** All users' calls by token, of the last days of a report. */
export const tokenCallsQuery = ({ start, end }: Pick<CallReport, "start" | "end">, isAsked: boolean) =>
  queryOptions({
    queryKey: ["dashboard", "token calls", start, end],
    queryFn: ({ signal }) =>
      call(listTokenCalls, {
        query: { start_timestamp: Math.max(start, end + 1 - TOKEN_LIST_SPAN_SECONDS), end_timestamp: end },
        signal,
      }),
    placeholderData: keepPreviousData,
    enabled: isAsked,
  });

/** What a new site still needs; asked again when the person comes back from doing it. */
export const firstStepsQuery = (isAsked: boolean) =>
  queryOptions({
    queryKey: ["dashboard", "first steps"],
    queryFn: ({ signal }) => call(getFirstSteps, { signal }),
    refetchOnWindowFocus: "always",
    refetchOnMount: "always",
    enabled: isAsked,
  });

/** Users whose name contains `keyword`, in the hours that an overview counted. */
export const usersQuery = ({ start, end }: OwnOverview, keyword: string) =>
  queryOptions({
    queryKey: ["dashboard", "users", start, end, keyword],
    queryFn: ({ signal }) =>
      call(findUsageByUser, { query: { start_timestamp: start, end_timestamp: end, keyword }, signal }),
    placeholderData: keepPreviousData,
    enabled: keyword !== "",
  });
