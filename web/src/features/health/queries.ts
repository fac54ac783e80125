/** Queries of the health page and of the public status page. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import {
  getChannelHealth,
  getChannelModelsHealth,
  getModelsAvailability,
} from "../../../../contract/src/features/health.ts";
import { call } from "../../lib/api.ts";

/** Breakers open for seconds to minutes, and counts are stored every few seconds; days move slowly, and are more to read. */
const AGAIN_EVERY_MS = 10_000;
const LONG_AGAIN_EVERY_MS = 60_000;

const againEveryMs = (hours: string | undefined): number =>
  hours === undefined ? AGAIN_EVERY_MS : LONG_AGAIN_EVERY_MS;

/** @param hours as the address has it */
export const healthQuery = (hours: string | undefined, keyword: string | undefined) =>
  queryOptions({
    queryKey: ["health", "channels", hours, keyword],
    queryFn: ({ signal }) => call(getChannelHealth, { query: { hours, keyword }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: againEveryMs(hours),
  });

/** Models of one channel. */
export const modelsHealthQuery = (id: number, hours: string | undefined) =>
  queryOptions({
    queryKey: ["health", "models", id, hours],
    queryFn: ({ signal }) => call(getChannelModelsHealth, { params: { id }, query: { hours }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: againEveryMs(hours),
  });

export const availabilityQuery = queryOptions({
  queryKey: ["availability"],
  queryFn: ({ signal }) => call(getModelsAvailability, { signal }),
  refetchInterval: LONG_AGAIN_EVERY_MS,
  retry: 0,
});
