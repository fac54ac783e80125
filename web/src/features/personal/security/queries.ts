/** Queries of the security cards: the factors, the sessions and the access tokens of the own account. */
import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { ownFactors, ownSessions } from "../../../../../contract/src/features/factors.ts";
import { listAccessTokens } from "../../../../../contract/src/features/personal.ts";
import type { DataOf } from "../../../../../contract/src/endpoint.ts";
import { call } from "../../../lib/api.ts";

export type Factors = DataOf<typeof ownFactors>;

export const factorsQuery = queryOptions({
  queryKey: ["personal", "factors"],
  queryFn: ({ signal }) => call(ownFactors, { signal }),
});

export const sessionsQuery = queryOptions({
  queryKey: ["personal", "sessions"],
  queryFn: ({ signal }) => call(ownSessions, { signal }),
});

export const accessTokensQuery = queryOptions({
  queryKey: ["personal", "access-tokens"],
  queryFn: ({ signal }) => call(listAccessTokens, { signal }),
});

/** Reads factors, sessions and access tokens again. */
export function useRefreshSecurity(): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await Promise.all([
      client.invalidateQueries({ queryKey: factorsQuery.queryKey }),
      client.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
      client.invalidateQueries({ queryKey: accessTokensQuery.queryKey }),
    ]);
  };
}
