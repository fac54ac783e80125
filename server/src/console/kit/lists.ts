/** Helpers of list endpoints: paging, sorting, ids in a search text, and user names by id. */
import { foldName } from "../../../../contract/src/names.ts";
import type { Queries } from "../../db/portable.ts";

/** The part of a query that every list with sorts has. */
interface PageQuery {
  /** From 1. */
  p: number;
  /** Rows of a page. */
  page_size: number;
  sort?: string | undefined;
  order?: string | undefined;
}

/** A page as stores read it. */
export interface SortedPage<Sort extends string> {
  sort: Sort;
  isDescending: boolean;
  /** Rows before the page. */
  offset: number;
  limit: number;
}

/** The order asked for; by id where it is none of `sorts`, and descending unless it says otherwise. */
export const sortingOf = <Sort extends string>(
  { sort: text, order }: Pick<PageQuery, "sort" | "order">,
  sorts: readonly Sort[],
): { sort: Sort | "id"; isDescending: boolean } => ({
  sort: sorts.find((sort) => sort === text) ?? "id",
  isDescending: order !== "asc",
});

/** The page and the order asked for. */
export const sortedPageOf = <Sort extends string>(
  query: PageQuery,
  sorts: readonly Sort[],
): SortedPage<Sort | "id"> => ({
  ...sortingOf(query, sorts),
  offset: (query.p - 1) * query.page_size,
  limit: query.page_size,
});

/** Whole numbers that are exact, whichever their digits. */
const ID = /^[1-9]\d{0,14}$/;

/** The id that a text is; undefined where it is none. */
export const idIn = (text: string): number | undefined => (ID.test(text) ? Number(text) : undefined);

/** Ids of the users with this name, whichever its letters' case; of deregistered ones too. */
export async function userIdsOf(queries: Queries, username: string): Promise<number[]> {
  const rows = await queries
    .selectFrom("users")
    .select("id")
    .where((user) => user.or([user("username", "=", username), user("username_key", "=", foldName(username))]))
    .execute();
  return rows.map(({ id }) => id);
}

/** User names by id, of deregistered users too; ids without an account are left out, 0 among them. */
export async function usernamesOf(queries: Queries, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const wanted = [...new Set(ids)].filter((id) => id !== 0);
  if (wanted.length === 0) return new Map();
  const rows = await queries.selectFrom("users").select(["id", "username"]).where("id", "in", wanted).execute();
  return new Map(rows.map(({ id, username }) => [id, username]));
}
