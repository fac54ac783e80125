/** What the route page asks the server for: an explanation, a past call, and what its fields offer. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { listEnabledModels } from "../../../../contract/src/features/channels.ts";
import { listGroups } from "../../../../contract/src/features/groups.ts";
import { explainPastRoute, explainRoute } from "../../../../contract/src/features/routing.ts";
import { call } from "../../lib/api.ts";
import type { RoutingSearch } from "./route.ts";

/** Where such a call would go; asked anew with every question, for the answer is of this moment. */
export const explanationQuery = ({ model = "", user, token, group, input, operation }: RoutingSearch) =>
  queryOptions({
    queryKey: ["route", { model, user, token, group, input, operation }],
    queryFn: ({ signal }) =>
      call(explainRoute, { body: { model, user, token_id: token, group, input_tokens: input, operation }, signal }),
    enabled: model !== "",
    placeholderData: keepPreviousData,
    staleTime: 0,
    // A name that nobody has stays wrong.
    retry: false,
  });

export const pastQuery = (requestId: string) =>
  queryOptions({
    queryKey: ["past-route", requestId],
    queryFn: ({ signal }) => call(explainPastRoute, { params: { request_id: requestId }, signal }),
    retry: false,
  });

export const enabledModelsQuery = queryOptions({
  queryKey: ["models-enabled"],
  queryFn: ({ signal }) => call(listEnabledModels, { signal }),
});

export const groupNamesQuery = queryOptions({
  queryKey: ["groups"],
  queryFn: ({ signal }) => call(listGroups, { signal }),
});
