/** Queries of the page that connects programs: the tokens to choose from, the newest calls of one, and a one-time address. */
import { queryOptions, useMutation } from "@tanstack/react-query";
import { createSetupLink } from "../../../../../contract/src/connect/setup-links.ts";
import type { BodyOf } from "../../../../../contract/src/endpoint.ts";
import { listOwnLogs } from "../../../../../contract/src/features/logs.ts";
import { listTokens, type TokenRow } from "../../../../../contract/src/features/tokens.ts";
import { MAX_PAGE_SIZE } from "../../../../../contract/src/query.ts";
import { call } from "../../../lib/api.ts";

/** The newest tokens, to choose one from. */
export const choosableTokens = queryOptions({
  queryKey: ["tokens", "list", "choosable"],
  queryFn: async ({ signal }) => (await call(listTokens, { query: { p: 1, page_size: MAX_PAGE_SIZE }, signal })).items,
});

const SEEN_CALLS = 50;
const ASK_AGAIN_MS = 3_000;

/** The newest calls of a token, asked for again while the page waits for one. */
export const newestCalls = (token: Pick<TokenRow, "id" | "name">, isWaiting: boolean) =>
  queryOptions({
    queryKey: ["logs", "of token", token.id],
    queryFn: async ({ signal }) => {
      const query = { p: 1, page_size: SEEN_CALLS, token_name: token.name, types: "2,5" };
      const { items } = await call(listOwnLogs, { query, signal });
      // Several tokens may have one name.
      return items.filter(({ token_id }) => token_id === token.id);
    },
    refetchInterval: isWaiting ? ASK_AGAIN_MS : false,
    refetchOnMount: "always",
    meta: { showsOwnError: true },
  });

/** Makes a one-time address for a token. */
export const useSetupLink = (id: number) =>
  useMutation({
    mutationFn: (body: BodyOf<typeof createSetupLink>) => call(createSetupLink, { params: { id }, body }),
    meta: { showsOwnError: true },
  });
