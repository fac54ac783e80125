/** Queries and mutations of the tokens page. */
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { ownGroups } from "../../../../contract/src/features/groups.ts";
import { getPricing } from "../../../../contract/src/features/pricing.ts";
import {
  batchTokens,
  createToken,
  deleteToken,
  getToken,
  listTokens,
  searchTokens,
  TOKEN_STATUS,
  type TokenBatch,
  type TokenCreate,
  type TokenRow,
  type TokenUpdate,
  updateToken,
} from "../../../../contract/src/features/tokens.ts";
import { MAX_PAGE_SIZE } from "../../../../contract/src/query.ts";
import { call, callFull } from "../../lib/api.ts";
import type { ListState } from "../../ui/data-table/list-state.ts";
import { isKeySearch } from "./model/key.ts";

export const TOKEN_FILTERS = ["keyword", "status", "group"] as const;
export type TokenList = ListState<(typeof TOKEN_FILTERS)[number]>;

export interface TokenPage {
  items: TokenRow[];
  total: number;
}

const MATCHING_TIMEOUT_MS = 30_000;
const LISTS = ["tokens", "list"] as const;

interface Wanted {
  page: number;
  size: number;
  keyword: string | undefined;
  status: string | undefined;
  group: string | undefined;
  sort?: string | undefined;
  order?: "asc" | "desc" | undefined;
}

const wantedOf = ({ page, size, filters, sort }: TokenList): Wanted => ({
  page,
  size,
  keyword: filters.keyword,
  status: filters.status,
  group: filters.group,
  ...(sort && { sort: sort.by, order: sort.isDescending ? "desc" : "asc" }),
});

const searchedFor = (keyword: string | undefined) => (isKeySearch(keyword ?? "") ? { token: keyword } : { keyword });

async function fetchPage(wanted: Wanted, signal: AbortSignal): Promise<TokenPage> {
  const { page, size, keyword, status, group, sort, order } = wanted;
  const query = {
    p: page,
    page_size: size,
    status: status === undefined ? undefined : Number(status),
    group,
    sort,
    order,
  };
  const { items, total } =
    keyword === undefined
      ? await call(listTokens, { query, signal })
      : await call(searchTokens, { query: { ...query, ...searchedFor(keyword) }, signal });
  return { items, total };
}

/** All tokens that the list's filters match, on every page, but for the excluded ones (ids as text). */
export async function matchingTokens(list: TokenList, excluded: ReadonlySet<string>): Promise<TokenRow[]> {
  // By their ids: a token made meanwhile comes last and moves no other to a page that was read.
  const wanted: Wanted = { ...wantedOf(list), size: MAX_PAGE_SIZE, sort: "id", order: "asc" };
  const signal = AbortSignal.timeout(MATCHING_TIMEOUT_MS);
  const found: TokenRow[] = [];
  for (let page = 1; ; page += 1) {
    const { items, total } = await fetchPage({ ...wanted, page }, signal);
    found.push(...items);
    if (page * MAX_PAGE_SIZE >= total) return found.filter(({ id }) => !excluded.has(String(id)));
  }
}

/** The list's filters as an act on all that match takes them. */
export function batchFilter(list: TokenList): Extract<TokenBatch, { filter: unknown }>["filter"] {
  const { keyword, status, group } = list.filters;
  return { ...searchedFor(keyword), status, group };
}

export function tokensQuery(list: TokenList) {
  const wanted = wantedOf(list);
  return queryOptions({
    queryKey: [...LISTS, wanted],
    queryFn: ({ signal }) => fetchPage(wanted, signal),
    placeholderData: keepPreviousData,
  });
}

/** How many of the listed tokens are enabled, on all pages. Asked only where no status is chosen. */
export function enabledCountQuery(list: TokenList) {
  const wanted = {
    ...wantedOf(list),
    page: 1,
    size: 1,
    status: String(TOKEN_STATUS.enabled),
    sort: undefined,
    order: undefined,
  };
  return queryOptions({
    queryKey: ["tokens", "enabled", wanted],
    queryFn: async ({ signal }) => (await fetchPage(wanted, signal)).total,
    enabled: list.filters.status === undefined,
    placeholderData: keepPreviousData,
  });
}

export const tokenQuery = (id: number) =>
  queryOptions({
    queryKey: ["tokens", "one", id],
    queryFn: ({ signal }) => call(getToken, { params: { id }, signal }),
    staleTime: 0,
  });

/** Groups the user may use; their own comes first. */
export const groupsQuery = queryOptions({
  queryKey: ["own-groups"],
  queryFn: ({ signal }) => call(ownGroups, { signal }),
  staleTime: 300_000,
});

export const pricingQuery = queryOptions({
  queryKey: ["pricing"],
  queryFn: ({ signal }) => call(getPricing, { signal }),
  staleTime: 60_000,
});

/** Everything about tokens is asked again. */
export function useRefresh(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ["tokens"] });
}

const saveStatus = (id: number, status: number): Promise<TokenRow> =>
  call(updateToken, { query: { status_only: true }, body: { id, status } });

/** Enables, disables or deletes many tokens in one call; the data says how many were done and how many refused. */
export function useBatch() {
  const refresh = useRefresh();
  return useMutation({ mutationFn: (body: TokenBatch) => call(batchTokens, { body }), onSettled: refresh });
}

export const removeToken = (id: number): Promise<unknown> => call(deleteToken, { params: { id } });

/** Makes the tokens; the answer holds all of them. */
export function useCreateTokens() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async (body: TokenCreate) => (await callFull(createToken, { body })).extra.tokens,
    onSuccess: refresh,
    meta: { showsOwnError: true },
  });
}

export function useUpdateToken() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (body: TokenUpdate) => call(updateToken, { body, query: {} }),
    onSuccess: refresh,
    meta: { showsOwnError: true },
  });
}

const withStatus = (page: TokenPage | undefined, id: number, status: number): TokenPage | undefined =>
  page && { ...page, items: page.items.map((token) => (token.id === id ? { ...token, status } : token)) };

/** Enables or disables at once on the screen, and puts the lists back as they were where the server refuses. */
export function useSetStatus(onRefused: (error: unknown, token: TokenRow) => void) {
  const client = useQueryClient();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ token, status }: { token: TokenRow; status: number }) => saveStatus(token.id, status),
    meta: { showsOwnError: true },
    onMutate: async ({ token, status }) => {
      await client.cancelQueries({ queryKey: LISTS });
      const before = client.getQueriesData<TokenPage>({ queryKey: LISTS });
      client.setQueriesData<TokenPage>({ queryKey: LISTS }, (page) => withStatus(page, token.id, status));
      return before;
    },
    onError: (error, { token }, before) => {
      for (const [key, page] of before ?? []) client.setQueryData(key, page);
      onRefused(error, token);
    },
    onSettled: refresh,
  });
}
