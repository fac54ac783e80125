/** The routes of the wallet and of all orders: their addresses, texts and pages. */
import type { OrderSort } from "../../../../contract/src/features/wallet.ts";
import { loadTexts } from "../../lib/i18n.ts";
import { oneOf, positive, searchReader, text } from "../../lib/search.ts";
import { LIST_SEARCH, sortBy } from "../../ui/data-table/list-search.ts";
import { lazyPage } from "../../ui/lazy-page.ts";

/** Every page loads this file with the router, so it takes no more than types from the contract. */
const SORTS = ["id", "money_minor", "quota", "created_time", "completed_time"] as const satisfies readonly OrderSort[];

export const walletSearch = searchReader({ order: positive });

/** A month as `2026-10`. */
const monthText = (value: string): string | undefined => (/^20\d\d-(?:0[1-9]|1[0-2])$/.test(value) ? value : undefined);

export const statementSearch = searchReader({ month: monthText });

export const orderSearch = searchReader({
  ...LIST_SEARCH,
  sort: sortBy(...SORTS),
  user: text,
  number: text,
  status: oneOf("pending", "paid", "ended", "cancelled", "failed", "partly_refunded", "refunded", "disputed"),
  // Whatever the address says is asked for: no order has a method that does not exist.
  method: text,
  id: positive,
});

export const walletRoute = {
  path: "/topup",
  validateSearch: walletSearch,
  loader: () => loadTexts("wallet"),
  component: lazyPage(() => import("./page.tsx"), "WalletPage"),
} as const;

export const statementRoute = {
  path: "/topup/statement",
  validateSearch: statementSearch,
  loader: () => loadTexts("wallet"),
  component: lazyPage(() => import("./statement-page.tsx"), "StatementPage"),
} as const;

export const ordersRoute = {
  path: "/topup/orders",
  validateSearch: orderSearch,
  loader: () => loadTexts("wallet"),
  component: lazyPage(() => import("./orders/page.tsx"), "OrdersPage"),
} as const;
