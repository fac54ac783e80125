/** What the server knows of share links: the own ones, and the chat of one. */
import { queryOptions } from "@tanstack/react-query";
import { listChatShares, readChatShare } from "../../../../../contract/src/features/playground.ts";
import { call } from "../../../lib/api.ts";

export const ownSharesQuery = queryOptions({
  queryKey: ["playground", "shares"],
  queryFn: ({ signal }) => call(listChatShares, { signal }),
});

/** It never changes; whether it may still be seen is asked each time the page opens. */
export const sharedChatQuery = (id: string) =>
  queryOptions({
    queryKey: ["playground", "shared", id],
    queryFn: ({ signal }) => call(readChatShare, { params: { id }, signal }),
    staleTime: 0,
    retry: 0,
  });
