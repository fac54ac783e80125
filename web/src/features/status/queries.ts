/** The public texts of the site. */
import { queryOptions } from "@tanstack/react-query";
import { getAbout, getHomePageContent, getNotice } from "../../../../contract/src/features/status.ts";
import { getPricing } from "../../../../contract/src/features/pricing.ts";
import { call, callFull } from "../../lib/api.ts";

const LONG_MS = 300_000;

export const homeQuery = queryOptions({
  queryKey: ["site", "home"],
  queryFn: ({ signal }) => call(getHomePageContent, { signal }),
  staleTime: LONG_MS,
  retry: 0,
});
export const aboutQuery = queryOptions({
  queryKey: ["site", "about"],
  queryFn: ({ signal }) => call(getAbout, { signal }),
  staleTime: LONG_MS,
});
export const noticeQuery = queryOptions({
  queryKey: ["site", "notice"],
  queryFn: ({ signal }) => call(getNotice, { signal }),
  staleTime: LONG_MS,
  retry: 0,
});

/** Names of the models a viewer can reach, by name. */
export const modelsQuery = (viewerId: number | undefined) =>
  queryOptions({
    queryKey: ["site", "models", viewerId ?? 0],
    queryFn: async ({ signal }) =>
      (await callFull(getPricing, { signal })).data
        .filter((entry) => entry.has_price && entry.enable_groups.length > 0)
        .map((entry) => entry.model_name),
    staleTime: LONG_MS,
    retry: 0,
  });
