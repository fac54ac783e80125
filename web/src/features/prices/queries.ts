/** Queries and mutations of the price editors. */
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { ownGroups } from "../../../../contract/src/features/groups.ts";
import { resetModelRatio } from "../../../../contract/src/features/options.ts";
import { changePrices, listPrices, type PriceChange } from "../../../../contract/src/features/prices.ts";
import { ApiError, call } from "../../lib/api.ts";

const PRICES_KEY = ["prices"] as const;

/** Prices of all models that are enabled or priced. */
export const pricesQuery = queryOptions({
  queryKey: [...PRICES_KEY, "all"],
  queryFn: ({ signal }) => call(listPrices, { query: {}, signal }),
});

/** The price of one model, also of one that no channel offers yet. */
export const priceOfModelQuery = (model: string) =>
  queryOptions({
    queryKey: [...PRICES_KEY, "one", model],
    queryFn: async ({ signal }) => (await call(listPrices, { query: { model }, signal }))[0],
    enabled: model !== "",
  });

/** Groups with their ratios, for samples of what a call costs. */
export const groupsQuery = queryOptions({
  queryKey: ["prices-groups"],
  queryFn: ({ signal }) => call(ownGroups, { signal }),
});

/** Everything that shows a price is asked again. */
function useRefresh() {
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: PRICES_KEY }),
      client.invalidateQueries({ queryKey: ["pricing"], refetchType: "none" }),
    ]);
}

/** Also after a refusal: another user may have changed what is shown. */
export function useChangePrices() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (changes: PriceChange[]) => call(changePrices, { body: { changes } }),
    onSettled: refresh,
    meta: { showsOwnError: true },
  });
}

export function useResetPrices() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: () => call(resetModelRatio, {}),
    onSettled: refresh,
    meta: { showsOwnError: true },
  });
}

/** The model that another user changed first; undefined for any other failure. */
export const conflictOf = (error: unknown): string | undefined =>
  error instanceof ApiError && error.code === "price_changed" ? (error.field ?? "") : undefined;
