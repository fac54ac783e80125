/** The query of the pricing page. */
import { queryOptions } from "@tanstack/react-query";
import { getPricing } from "../../../../contract/src/features/pricing.ts";
import { callFull } from "../../lib/api.ts";

/** Entries, group ratios and descriptions that the viewer may see; a visitor's without a session. */
export const pricingQuery = (viewerId: number | undefined) =>
  queryOptions({
    queryKey: ["pricing", viewerId ?? 0],
    queryFn: async ({ signal }) => {
      const { data, extra } = await callFull(getPricing, { signal });
      return { entries: data, groupRatio: extra.group_ratio, usableGroup: extra.usable_group };
    },
  });
