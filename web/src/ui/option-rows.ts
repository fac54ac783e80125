/** The stored options as the settings page and its panels read them; one query for all, so that a save of one is seen by the others. */
import { queryOptions } from "@tanstack/react-query";
import { listOptions } from "../../../contract/src/features/options.ts";
import { call } from "../lib/api.ts";

export const rowsQuery = queryOptions({
  queryKey: ["options", "rows"],
  queryFn: ({ signal }) => call(listOptions, { signal }),
});
