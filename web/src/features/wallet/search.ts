/** What the addresses of the wallet may ask for: the order that somebody comes back from paying, and a view of all orders. */
import type { OrderSort } from "../../../../contract/src/features/wallet.ts";
import { oneOf, positive, searchReader, text } from "../../lib/search.ts";
import { LIST_SEARCH, sortBy } from "../../ui/data-table/list-state.ts";

/** Every page loads this file with the router, so it takes no more than types from the contract. */
const SORTS = ["id", "money_minor", "quota", "created_time", "completed_time"] as const satisfies readonly OrderSort[];

export const walletSearch = searchReader({ order: positive });

export const orderSearch = searchReader({
  ...LIST_SEARCH,
  sort: sortBy(...SORTS),
  user: text,
  number: text,
  status: oneOf("pending", "paid", "ended", "failed", "partly_refunded", "refunded", "disputed"),
  method: oneOf("zfb", "wx", "stripe"),
  id: positive,
});
