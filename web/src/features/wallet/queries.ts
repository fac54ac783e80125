/** Queries and mutations of the wallet and of the list of all orders. */
import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { useCallback } from "react";
import { getSelf } from "../../../../contract/src/features/personal.ts";
import { redeemCode } from "../../../../contract/src/features/redemptions.ts";
import {
  checkIn,
  cancelOrder,
  checkOwnOrder,
  completeOrder,
  continueOrder,
  getAutoTopUp,
  getCheckin,
  getOrder,
  getPace,
  getStatementLines,
  getWallet,
  listOrders,
  listOwnOrders,
  payAmount,
  priceAmount,
  removeCard,
  saveCard,
  setAutoTopUp,
} from "../../../../contract/src/features/wallet.ts";
import type { AutoTopUpRule } from "../../../../contract/src/payments/auto-top-up.ts";
import type { ManagedOrder, OwnOrder } from "../../../../contract/src/payments/orders.ts";
import type { PaymentMethodName } from "../../../../contract/src/payments/methods.ts";
import { call, callFull } from "../../lib/api.ts";
import type { ListState } from "../../ui/data-table/list-state.ts";
import { withStepUp } from "../../ui/feedback/step-up.ts";

const KEY = ["wallet"] as const;
/** How often what a provider has to report is asked for again. */
const WAIT_MS = 2_500;
const OWN_ORDERS = [...KEY, "orders"] as const;
const ALL_ORDERS = [...KEY, "all-orders"] as const;

export const checkinQuery = queryOptions({
  queryKey: [...KEY, "checkin"],
  queryFn: ({ signal }) => call(getCheckin, { query: {}, signal }),
  staleTime: 0,
  refetchOnWindowFocus: true,
});

/** Claims today's check-in; gives the quota that was added. `turnstile` is the token of the human check, "" where the site has none. */
export function useCheckIn() {
  const refresh = useRefreshWallet();
  return useMutation({
    mutationFn: async (turnstile: string) => (await call(checkIn, { query: { turnstile } })).quota_awarded,
    // Whatever became of it: another tab may have claimed it.
    onSettled: refresh,
    meta: { showsOwnError: true },
  });
}

const AUTO = [...KEY, "auto"] as const;

/** The own rule of automatic top-up; while a card is being saved it is asked for until Stripe has reported it. */
export const autoTopUpQuery = queryOptions({
  queryKey: AUTO,
  queryFn: ({ signal }) => call(getAutoTopUp, { signal }),
  staleTime: 0,
  refetchOnWindowFocus: true,
  refetchInterval: ({ state }) =>
    state.error === null && state.data?.is_saving === true && location.search.includes("card=saved") ? WAIT_MS : false,
});

/** Each gives undefined where the person gave up confirming who they are. */
export function useAutoTopUp() {
  const client = useQueryClient();
  const onSettled = () => client.invalidateQueries({ queryKey: AUTO });
  const meta = { showsOwnError: true };
  return {
    setRule: useMutation({
      mutationFn: (body: AutoTopUpRule) => withStepUp(() => call(setAutoTopUp, { body })),
      onSettled,
      meta,
    }),
    saveCard: useMutation({ mutationFn: () => withStepUp(() => call(saveCard, {})), meta }),
    removeCard: useMutation({ mutationFn: () => call(removeCard, {}), onSettled, meta }),
  };
}

export const walletQuery = queryOptions({
  queryKey: [...KEY, "info"],
  queryFn: ({ signal }) => call(getWallet, { signal }),
});

/** The own account, for its balance. Another tab may have changed it. */
export const accountQuery = queryOptions({
  queryKey: [...KEY, "account"],
  queryFn: ({ signal }) => call(getSelf, { signal }),
  staleTime: 0,
  refetchOnWindowFocus: true,
});

/** How long the balance lasts. */
export const paceQuery = queryOptions({
  queryKey: [...KEY, "pace"],
  queryFn: ({ signal }) => call(getPace, { signal }),
  staleTime: 0,
});

/** A statement's lines. @param month `YYYY-MM`; the present one where undefined */
export const statementQuery = (month: string | undefined) =>
  queryOptions({
    queryKey: [...KEY, "statement", month ?? ""],
    queryFn: ({ signal }) => call(getStatementLines, { query: month === undefined ? {} : { month }, signal }),
    placeholderData: keepPreviousData,
  });

/** The price of an amount, fetched anew whenever it or the method changes. */
export const priceQuery = (amount: number, payment_method: PaymentMethodName) =>
  queryOptions({
    queryKey: [...KEY, "price", amount, payment_method],
    queryFn: async ({ signal }) => {
      const { data, extra } = await callFull(priceAmount, { body: { amount, payment_method }, signal });
      return { money: data, ...extra };
    },
    placeholderData: keepPreviousData,
    retry: false,
  });

const PAGE_SIZE = 10;

export const ownOrdersQuery = infiniteQueryOptions({
  queryKey: OWN_ORDERS,
  queryFn: ({ signal, pageParam }) => call(listOwnOrders, { query: { p: pageParam, page_size: PAGE_SIZE }, signal }),
  initialPageParam: 1,
  getNextPageParam: ({ page, total }) => (page * PAGE_SIZE < total ? page + 1 : undefined),
  staleTime: 0,
  refetchOnWindowFocus: true,
});

const isOpen = (order: OwnOrder | undefined): boolean => order === undefined || order.status === "pending";

/** An order whose user came back from paying, or scans its code: asked for until the payment is there. The server asks some providers too. */
export const returnedOrderQuery = (id: number) =>
  queryOptions({
    queryKey: [...KEY, "order", id],
    queryFn: ({ signal }) => call(checkOwnOrder, { params: { id }, signal }),
    staleTime: 0,
    gcTime: 0,
    refetchInterval: ({ state }) => (state.error === null && isOpen(state.data) ? WAIT_MS : false),
  });

/** Queries that show the own balance. */
const OF_WALLET = [KEY, ["personal", "self"]] as const;

/**
 * Everything about the own wallet is asked again, and the balance of the personal page with it. A first answer that is still on its way is
 * of before, and the query client would not ask again beside it: it is cancelled.
 */
export function useRefreshWallet(): () => Promise<void> {
  const client = useQueryClient();
  return useCallback(async () => {
    await Promise.all(OF_WALLET.map((queryKey) => client.cancelQueries({ queryKey })));
    await Promise.all(OF_WALLET.map((queryKey) => client.invalidateQueries({ queryKey })));
  }, [client]);
}

/** Gives the quota that the code was worth. */
export function useRedeem() {
  const refresh = useRefreshWallet();
  return useMutation({
    mutationFn: (key: string) => call(redeemCode, { body: { key } }),
    onSuccess: refresh,
    meta: { showsOwnError: true },
  });
}

/** Makes an order; gives where the browser goes to pay, and what it posts there. */
export function usePay() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: { amount: number; payment_method: PaymentMethodName }) => {
      const { data, extra } = await callFull(payAmount, { body });
      return { fields: data, ...extra };
    },
    onSettled: () => client.invalidateQueries({ queryKey: OWN_ORDERS }),
    meta: { showsOwnError: true },
  });
}

/** Begins the payment of an unpaid order once more; gives what `usePay` gives. */
export function useContinueOrder() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (id: number) => {
      const { data, extra } = await callFull(continueOrder, { params: { id } });
      return { fields: data, ...extra };
    },
    onSettled: () => client.invalidateQueries({ queryKey: OWN_ORDERS }),
    meta: { showsOwnError: true },
  });
}

export function useCancelOrder() {
  const refresh = useRefreshWallet();
  return useMutation({
    mutationFn: (id: number) => call(cancelOrder, { params: { id } }),
    onSettled: refresh,
    meta: { showsOwnError: true },
  });
}

export const ORDER_FILTERS = ["user", "number", "status", "method"] as const;
export type OrderList = ListState<(typeof ORDER_FILTERS)[number]>;

export function ordersQuery({ page, size, sort, filters }: OrderList) {
  const query = {
    p: page,
    page_size: size,
    ...filters,
    ...(sort && { sort: sort.by, order: sort.isDescending ? "desc" : "asc" }),
  };
  return queryOptions({
    queryKey: [...ALL_ORDERS, query],
    queryFn: ({ signal }) => call(listOrders, { query, signal }),
    placeholderData: keepPreviousData,
  });
}

export const orderQuery = (id: number) =>
  queryOptions({
    queryKey: [...ALL_ORDERS, "one", id],
    queryFn: ({ signal }) => call(getOrder, { params: { id }, signal }),
    staleTime: 0,
  });

/** Gives the completed order; undefined where the administrator gave up confirming who they are. */
export function useComplete() {
  const refresh = useRefreshWallet();
  return useMutation({
    mutationFn: ({ id, reference }: { id: number; reference: string }): Promise<ManagedOrder | undefined> =>
      withStepUp(() => call(completeOrder, { params: { id }, body: { reference } })),
    onSettled: refresh,
    meta: { showsOwnError: true },
  });
}
