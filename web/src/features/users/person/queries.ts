/** Queries of one person's page. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { getOverview } from "../../../../../contract/src/features/dashboard.ts";
import { listLogs } from "../../../../../contract/src/features/logs.ts";
import {
  getPerson,
  listLedgerOf,
  listSecurityEventsOf,
  listSessionsOf,
  listTokensOf,
  PERSON_LEDGER_PAGE,
} from "../../../../../contract/src/people.ts";
import { SECURITY_EVENTS_PAGE } from "../../../../../contract/src/features/personal.ts";
import { listOrders } from "../../../../../contract/src/features/wallet.ts";
import { call } from "../../../lib/api.ts";
import { USERS_KEY } from "../queries.ts";

const DAY_SECONDS = 86_400;
/** Days of the usage tab. */
const USAGE_DAYS = 30;
const ROWS = 20;

const keyOf = (id: number, part: string) => [...USERS_KEY, "person", id, part] as const;

export const personQuery = (id: number) =>
  queryOptions({
    queryKey: keyOf(id, "overview"),
    queryFn: ({ signal }) => call(getPerson, { params: { id }, signal }),
  });

export const usageQuery = (id: number, username: string) =>
  queryOptions({
    queryKey: keyOf(id, "usage"),
    queryFn: ({ signal }) => {
      const end = Math.floor(Date.now() / 1000);
      const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
      const range = { start_timestamp: end - USAGE_DAYS * DAY_SECONDS, end_timestamp: end };
      return call(getOverview, { query: { ...range, granularity: "day", time_zone, username }, signal });
    },
  });

export const callsQuery = (id: number, username: string) =>
  queryOptions({
    queryKey: keyOf(id, "calls"),
    queryFn: ({ signal }) => call(listLogs, { query: { types: "2,5", username, p: 1, page_size: ROWS }, signal }),
  });

export const tokensQuery = (id: number, page: number) =>
  queryOptions({
    queryKey: [...keyOf(id, "tokens"), page],
    queryFn: ({ signal }) => call(listTokensOf, { params: { id }, query: { p: page, page_size: ROWS }, signal }),
    placeholderData: keepPreviousData,
  });
export const TOKEN_ROWS = ROWS;

export const ordersQuery = (id: number) =>
  queryOptions({
    queryKey: keyOf(id, "orders"),
    queryFn: ({ signal }) => call(listOrders, { query: { user_id: id, p: 1, page_size: ROWS }, signal }),
  });

export const sessionsQuery = (id: number) =>
  queryOptions({
    queryKey: keyOf(id, "sessions"),
    queryFn: ({ signal }) => call(listSessionsOf, { params: { id }, signal }),
  });

const FIRST: number | undefined = undefined;

/** The page after this one begins below its last row; a page that is not full is the last one. */
const nextOf =
  (most: number) =>
  (page: readonly { id: number }[]): number | undefined =>
    page.length < most ? undefined : page.at(-1)?.id;

export const ledgerQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: keyOf(id, "ledger"),
    queryFn: ({ signal, pageParam }) =>
      call(listLedgerOf, { params: { id }, query: pageParam === undefined ? {} : { before: pageParam }, signal }),
    initialPageParam: FIRST as number | undefined,
    getNextPageParam: nextOf(PERSON_LEDGER_PAGE),
  });

export const securityQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: keyOf(id, "security"),
    queryFn: ({ signal, pageParam }) =>
      call(listSecurityEventsOf, {
        params: { id },
        query: pageParam === undefined ? {} : { before: pageParam },
        signal,
      }),
    initialPageParam: FIRST as number | undefined,
    getNextPageParam: nextOf(SECURITY_EVENTS_PAGE),
  });
