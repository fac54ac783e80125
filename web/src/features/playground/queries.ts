/** What the playground asks the server before a word is said: the groups, and the models with what they read and cost. */
import { queryOptions } from "@tanstack/react-query";
import { ownGroups } from "../../../../contract/src/features/groups.ts";
import { getPricing } from "../../../../contract/src/features/pricing.ts";
import { call } from "../../lib/api.ts";

const FRESH_MS = 300_000;

export const groupsQuery = queryOptions({
  queryKey: ["own-groups"],
  queryFn: ({ signal }) => call(ownGroups, { signal }),
  staleTime: FRESH_MS,
});

export const modelsQuery = queryOptions({
  queryKey: ["playground", "models"],
  queryFn: ({ signal }) => call(getPricing, { signal }),
  staleTime: FRESH_MS,
});
