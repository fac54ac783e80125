/** What the health page asks the server. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { getChannelHealth } from "../../../../contract/src/features/health.ts";
import { call } from "../../lib/api.ts";
import type { ListState } from "../../ui/data-table/list-state.ts";

export const HEALTH_FILTERS = ["hours", "keyword"] as const;
export type HealthList = ListState<(typeof HEALTH_FILTERS)[number]>;

/** Breakers open for seconds to minutes, and counts are stored every few seconds. */
const AGAIN_EVERY_MS = 10_000;

export function healthQuery({ page, size, filters }: HealthList) {
  const query = { p: page, page_size: size, hours: filters.hours, keyword: filters.keyword };
  return queryOptions({
    queryKey: ["health", query],
    queryFn: ({ signal }) => call(getChannelHealth, { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: AGAIN_EVERY_MS,
  });
}
