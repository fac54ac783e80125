/** Redirects from a page beyond the end of a list to its last page. */
import { useEffect, useEffectEvent } from "react";
import type { ListState } from "./list-state.ts";
import type { Rows } from "./table-props.ts";

/** Number of pages of a list, at least one. */
export const pagesOf = (total: number, size: number): number => Math.max(1, Math.ceil(total / size));

type Asked = Pick<ListState<string>, "page" | "size">;

/**
 * The page to go to instead of the one asked for; undefined where that one is right, or that is not known yet. A page with rows is
 * right whatever the total says: of a very long list it is not counted to the end.
 */
export function betterPage({ page, size }: Asked, data: Omit<Rows<unknown>, "refetch">): number | undefined {
  if (data.rows?.length !== 0 || data.isOld || data.isFetching || data.error) return undefined;
  const last = pagesOf(data.total, size);
  return page > last ? last : undefined;
}

/** Goes to the last page where the address asks for a later one; true until it has arrived. */
export function usePageInRange(list: ListState<string>, data: Rows<unknown>): boolean {
  const page = betterPage(list, data);
  const go = useEffectEvent((to: number) => list.setPage(to, "replace"));
  useEffect(() => {
    if (page !== undefined) go(page);
  }, [page]);
  return page !== undefined;
}
