/** The query of every option's description; their values are in ui/option-rows.ts. */
import { queryOptions } from "@tanstack/react-query";
import { describeOptions, getOptionHistory } from "../../../../contract/src/features/options.ts";
import { call } from "../../lib/api.ts";

/** Types, places and limits; they change with the version of the server only. */
export const descriptionsQuery = queryOptions({
  queryKey: ["options", "schema"],
  queryFn: ({ signal }) => call(describeOptions, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** The revision is part of the key: a change of the option makes its history another. */
export const historyQuery = (key: string, revision: number) =>
  queryOptions({
    queryKey: ["options", "history", key, revision],
    queryFn: ({ signal }) => call(getOptionHistory, { query: { key }, signal }),
  });
