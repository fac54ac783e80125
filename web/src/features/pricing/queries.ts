/** The queries of the price list and of the page of a model. */
import { queryOptions } from "@tanstack/react-query";
import {
  getModelCache,
  getModelFigures,
  getPricing,
  getRankings,
  listModelSpeeds,
} from "../../../../contract/src/features/pricing.ts";
import { call, callFull } from "../../lib/api.ts";

/** Entries, group ratios and descriptions that the viewer may see; a visitor's without a session. */
export const pricingQuery = (viewerId: number | undefined) =>
  queryOptions({
    queryKey: ["pricing", viewerId ?? 0],
    queryFn: async ({ signal }) => {
      const { data, extra } = await callFull(getPricing, { signal });
      return {
        entries: data,
        groupRatio: extra.group_ratio,
        usableGroup: extra.usable_group,
        endpoints: extra.supported_endpoint,
      };
    },
  });

/** How the calls of a model went, and what the viewer spent on it; not for visitors. */
export const figuresQuery = (viewerId: number | undefined, model: string) =>
  queryOptions({
    queryKey: ["pricing", "figures", viewerId, model],
    queryFn: ({ signal }) => {
      const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
      return call(getModelFigures, { query: { model_name: model, time_zone }, signal });
    },
    enabled: viewerId !== undefined,
  });

/** The cached tokens of a model's newest calls, by program; not for visitors. */
export const cacheQuery = (viewerId: number | undefined, model: string) =>
  queryOptions({
    queryKey: ["pricing", "cache", viewerId, model],
    queryFn: ({ signal }) => call(getModelCache, { query: { model_name: model }, signal }),
    enabled: viewerId !== undefined,
  });

/** Median milliseconds until the first token, by model; not for visitors. */
export const speedsQuery = (viewerId: number | undefined) =>
  queryOptions({
    queryKey: ["pricing", "speeds", viewerId],
    queryFn: ({ signal }) => call(listModelSpeeds, { signal }),
    enabled: viewerId !== undefined,
  });

/** The share of each model in a week's answered calls, in thousandths; where the site publishes it. */
export const usesQuery = (viewerId: number | undefined, isPublished: boolean) =>
  queryOptions({
    queryKey: ["pricing", "uses", viewerId ?? 0],
    queryFn: async ({ signal }) => {
      const { models } = await call(getRankings, { query: { days: 7 }, signal });
      return Object.fromEntries(models.map(({ model, share_permille }) => [model, share_permille]));
    },
    enabled: isPublished,
  });
