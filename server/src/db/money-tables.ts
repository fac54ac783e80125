/** Tables of payments and prices: top-up orders with their refunds and disputes, daily check-ins, price versions with their times, and the price lists behind them. */
import type { Generated } from "kysely";
import type { AutoTopUpPause } from "../../../contract/src/payments/auto-top-up.ts";
import type {
  DisputeStatus,
  OrderStatus,
  ReversalKind,
  ReversalStatus,
} from "../../../contract/src/payments/orders.ts";

export interface TopUpTable {
  id: Generated<number>;
  user_id: number;
  /** Our own order number, which the provider repeats. */
  trade_no: string;
  /** Quota to credit and money to receive, both fixed when the order is created; money in minor units of the currency. */
  quota: number;
  money_minor: number;
  currency: Generated<string>;
  /** The requested amount: units, or quota if the site shows no money. */
  amount: number;
  method: string;
  status: OrderStatus;
  created_time: number;
  completed_time: number;
  /** The provider's number of the order; "" while none was reported. */
  provider_reference: Generated<string>;
  /** The provider's number of the payment, which its refunds and disputes refer to; "" if there is none. */
  payment_reference: Generated<string>;
  /** Money refunded so far, and money withheld by disputes: sums over the order's events. */
  refunded_minor: Generated<number>;
  disputed_minor: Generated<number>;
  dispute_status: Generated<DisputeStatus>;
  /** Quota reversed for them. */
  taken_back: Generated<number>;
  /** The number of the order's events. */
  reversals: Generated<number>;
  /** The administrator who completed it by hand; 0 if the provider reported it. */
  completed_by: Generated<number>;
  /** 1 if a rule of automatic top-up made it, whose card pays for it. */
  is_automatic: Generated<number>;
}

/** Rule of automatic top-up of an account and the card that the provider keeps for it, one row at most. */
export interface AutoTopUpTable {
  user_id: number;
  /** The provider's names of the person and of the saved card; "" if there is none. */
  customer: Generated<string>;
  payment_method: Generated<string>;
  card_brand: Generated<string>;
  card_last4: Generated<string>;
  /** The session in which a card is being saved: only its report names a card of this account. "" if there is none. */
  setup_session: Generated<string>;
  is_enabled: Generated<number>;
  /** It pays below this balance, in quota. */
  threshold: Generated<number>;
  /** What it buys: units, or quota if the site shows no money. */
  amount: Generated<number>;
  /** Most money in a calendar month (UTC), in minor units of `currency`. */
  month_minor: Generated<number>;
  currency: Generated<string>;
  /** Why it is paused; "" if it is not. */
  paused: Generated<AutoTopUpPause>;
  /** The order whose payment is under way and is asked for again; 0 if there is none. */
  order_id: Generated<number>;
}

/** Events of an order's refunds and disputes as the provider reported them, one row each; of one reference the last row counts. */
export interface OrderEventTable {
  order_id: number;
  /** Counts from 1 in each order. If it moved quota, the ledger entry with the same number has the amount. */
  number: number;
  kind: ReversalKind;
  /** The provider's number of the refund or the dispute. */
  reference: string;
  status: ReversalStatus;
  amount_minor: number;
  /** Unix seconds of the provider's event; 0 if its order does not matter. */
  told_time: number;
  /** Change of the balance: below 0 if quota was reversed. */
  quota_delta: number;
  created_time: number;
}

/** Daily check-ins; the ledger entry `checkin:<user_id>:<day>` has the same quota. */
export interface CheckinTable {
  user_id: number;
  /** `YYYY-MM-DD` by the option CheckinTimeZone of that moment. */
  day: string;
  quota: number;
  created_time: number;
}

// Tables of prices: price versions with their times, and price lists. Times are Unix seconds.

/** The price tables in force since a moment; a charge names the row it was priced by. */
interface PriceVersionTable {
  id: Generated<number>;
  hash: string;
  created_time: number;
  tables: string;
}

/** A change of prices, applied at once or waiting for its date. */
export interface PriceChangeRow {
  id: Generated<number>;
  /** waiting, applied, cancelled or failed. */
  state: string;
  /** JSON of what changes. */
  draft: string;
  apply_time: number;
  created_time: number;
  created_by: number;
  /** 0 while it waits. */
  ended_time: Generated<number>;
  /** Code of an error. */
  failure: Generated<string>;
  /** Whether the people concerned are notified: "" where that was not asked for, else waiting, sent or failed. */
  notify: Generated<string>;
  /** Messages that were written for it. */
  notified: Generated<number>;
  /** JSON of the ratios that groups of the change had when it was made; null where no notice was asked for. */
  ratios_before: string | null;
}

/** A price list of a version of the product, stored so that the next version can show the difference. */
interface PriceListTable {
  id: Generated<number>;
  hash: string;
  version: string;
  /** One JSON text a line, as in prices/listed-models.jsonl. */
  lines: string;
  created_time: number;
}

/** Lines of a fetched list that an administrator accepted over those of the product's own list. */
interface PriceListChangeTable {
  id: Generated<number>;
  /** The address that the list came from. */
  source: string;
  lines: string;
  created_time: number;
  /** Id of the administrator. */
  created_by: number;
  /** 0 while it is in force. */
  undone_time: Generated<number>;
  /** Id of the administrator; 0 while it is in force, and if none was recorded. */
  undone_by: Generated<number>;
}

export interface PriceTables {
  price_versions: PriceVersionTable;
  price_changes: PriceChangeRow;
  price_lists: PriceListTable;
  price_list_changes: PriceListChangeTable;
}
