/** Queries and mutations of price changes and earlier price tables. */
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import {
  applyPrices,
  cancelPriceChange,
  listPriceChanges,
  listPriceVersions,
  restorePriceVersion,
} from "../../../../../contract/src/features/prices.ts";
import type { AppliedPrices } from "../../../../../contract/src/pricing/price-changes.ts";
import { call } from "../../../lib/api.ts";

export const changesQuery = queryOptions({
  queryKey: ["prices", "changes"],
  queryFn: ({ signal }) => call(listPriceChanges, { signal }),
  // One that waits is applied while the page is open.
  refetchInterval: ({ state }) => (state.data?.some((each) => each.state === "waiting") === true ? 10_000 : false),
});

export const versionsQuery = queryOptions({
  queryKey: ["prices", "versions"],
  queryFn: ({ signal }) => call(listPriceVersions, { signal }),
});

/** Everything that shows a price is asked again, also after a refusal. */
function useRefresh() {
  const client = useQueryClient();
  return () =>
    Promise.all(
      ["prices", "prices-groups", "options", "pricing"].map((key) => client.invalidateQueries({ queryKey: [key] })),
    );
}

export function useApplyPrices() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (applied: AppliedPrices) => call(applyPrices, { body: applied }),
    onSettled: refresh,
    meta: { showsOwnError: true },
  });
}

export function useCancelChange() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (id: number) => call(cancelPriceChange, { params: { id } }),
    onSettled: refresh,
    meta: { showsOwnError: true },
  });
}

export function useRestoreVersion() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (id: number) => call(restorePriceVersion, { params: { id } }),
    onSettled: refresh,
    meta: { showsOwnError: true },
  });
}
