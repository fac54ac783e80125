/** Which models of a form have no price, asked for as they are added. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { listUnpricedModels } from "../../../../../contract/src/features/channels.ts";
import { call } from "../../../lib/api.ts";

const NONE: ReadonlySet<string> = new Set();

/** Those whose calls would be refused. What is not known yet is not among them; a model that was judged keeps its mark while others are asked for. */
export function useUnpriced(models: readonly string[]): ReadonlySet<string> {
  const [known, setKnown] = useState(NONE);
  const query = useQuery({
    queryKey: ["channel-unpriced", models],
    queryFn: async ({ signal }) => new Set(await call(listUnpricedModels, { body: { models: [...models] }, signal })),
    enabled: models.length > 0,
    staleTime: 10_000,
    // A mark that could not be had is no reason to disturb: saving does not depend on it.
    meta: { showsOwnError: true },
  });
  if (query.data !== undefined && query.data !== known) setKnown(query.data);
  return models.length === 0 ? NONE : (query.data ?? known);
}
