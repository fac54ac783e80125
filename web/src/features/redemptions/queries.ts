/** Queries and mutations of the redemption page. */
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import {
  createRedemptions,
  deleteInvalidRedemptions,
  deleteRedemption,
  getRedemption,
  listRedemptions,
  REDEMPTION_LIST_STATUS,
  type RedemptionCreate,
  type RedemptionUpdate,
  searchRedemptions,
  updateRedemption,
} from "../../../../contract/src/features/redemptions.ts";
import { call } from "../../lib/api.ts";
import type { ListState } from "../../ui/data-table/list-state.ts";

export const REDEMPTION_FILTERS = ["keyword", "status"] as const;
export type RedemptionList = ListState<(typeof REDEMPTION_FILTERS)[number]>;

const KEY = ["redemptions"] as const;

export function redemptionsQuery({ page, size, sort, filters }: RedemptionList) {
  const { keyword, status } = filters;
  const query = {
    p: page,
    page_size: size,
    ...(status !== undefined && { status: Number(status) }),
    ...(sort && { sort: sort.by, order: sort.isDescending ? "desc" : "asc" }),
  };
  return queryOptions({
    queryKey: [...KEY, "list", { ...query, keyword }],
    queryFn: ({ signal }) =>
      keyword === undefined
        ? call(listRedemptions, { query, signal })
        : call(searchRedemptions, { query: { ...query, keyword }, signal }),
    placeholderData: keepPreviousData,
  });
}

export const redemptionQuery = (id: number) =>
  queryOptions({
    queryKey: [...KEY, "one", id],
    queryFn: ({ signal }) => call(getRedemption, { params: { id }, signal }),
    // The form must start from what is stored now.
    staleTime: 0,
    gcTime: 0,
  });

const countOf = async (status: number): Promise<number> =>
  (await call(listRedemptions, { query: { status, p: 1, page_size: 1 } })).total;

/** How many codes are used, disabled or expired, which can be deleted together. */
export async function countInvalid(): Promise<number> {
  const { used, disabled, expired } = REDEMPTION_LIST_STATUS;
  const counts = await Promise.all([used, disabled, expired].map(countOf));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** A mutation that shows its own errors, after which everything about codes is fetched again. */
function useChange<Input, Output>(change: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
    meta: { showsOwnError: true },
  });
}

export const useCreateRedemptions = () => useChange((body: RedemptionCreate) => call(createRedemptions, { body }));
export const useUpdateRedemption = () =>
  useChange((body: RedemptionUpdate) => call(updateRedemption, { body, query: {} }));
export const useSetStatus = () =>
  useChange((body: { id: number; status: number }) => call(updateRedemption, { query: { status_only: true }, body }));
export const useDeleteRedemption = () => useChange((id: number) => call(deleteRedemption, { params: { id } }));
export const useDeleteInvalid = () => useChange(() => call(deleteInvalidRedemptions, {}));
