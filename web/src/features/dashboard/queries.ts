/** What the dashboard asks the server: one overview, of everybody or of oneself, and users by name. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import {
  findUsageByUser,
  getOverview,
  getOwnOverview,
  type OwnOverview,
  type PayerUsage,
} from "../../../../contract/src/features/dashboard.ts";
import { call } from "../../lib/api.ts";
import { boundsOf, type View } from "./fns/view.ts";

/** Users and channels are there for administrators who look at everybody. */
export type Overview = OwnOverview & { users?: PayerUsage[]; channels?: PayerUsage[] };

const AGAIN_EVERY_MS = 60_000;

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
    refetchInterval: AGAIN_EVERY_MS,
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
