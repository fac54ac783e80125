/** Queries and mutations of the price list's panel. */
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { listOptions } from "../../../../../contract/src/features/options.ts";
import { getPriceList } from "../../../../../contract/src/features/prices.ts";
import { call } from "../../../lib/api.ts";

export const priceListQuery = queryOptions({
  queryKey: ["prices", "list"],
  queryFn: ({ signal }) => call(getPriceList, { signal }),
  // Others may have accepted lines meanwhile.
  staleTime: 0,
});

/** Under the key of the settings page, which has most often read them. */
export const optionRowsQuery = queryOptions({
  queryKey: ["options", "rows"],
  queryFn: ({ signal }) => call(listOptions, { signal }),
});

/** After another list came into force: every price on any page may be another one. */
export const refreshPrices = async (client: QueryClient): Promise<void> => {
  await Promise.all([
    client.invalidateQueries({ queryKey: ["prices"] }),
    client.invalidateQueries({ queryKey: ["pricing"] }),
  ]);
};
