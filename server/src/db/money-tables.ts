/** Tables of payments and prices: the orders of top-ups and what became of their money, daily check-ins, which prices were in force when, and the lists that they come from. */
import type { Generated } from "kysely";
import type {
  DisputeStatus,
  OrderStatus,
  ReversalKind,
  ReversalStatus,
} from "../../../contract/src/features/wallet.ts";

export interface TopUpTable {
  id: Generated<number>;
  user_id: number;
  /** Our own number, which the provider repeats. */
  trade_no: string;
  /** Quota to credit and money to receive, both frozen when the order is made; money in minor units of the currency. */
  quota: number;
  money_minor: number;
  currency: Generated<string>;
  /** What was asked for: units, or quota where the site shows no money. */
  amount: number;
  method: string;
  status: OrderStatus;
  created_time: number;
  completed_time: number;
  /** The provider's number of the order; "" while it has told none. */
  provider_reference: Generated<string>;
  /** The provider's number of the payment, by which it names refunds and disputes; "" where it has none. */
  payment_reference: Generated<string>;
  /** Money that went back so far, and money that disputes withhold: sums over the order's events. */
  refunded_minor: Generated<number>;
  disputed_minor: Generated<number>;
  dispute_status: Generated<DisputeStatus>;
  /** Quota that was taken back for them. */
  taken_back: Generated<number>;
  /** Counts the order's events. */
  reversals: Generated<number>;
  /** The administrator who completed it by hand; 0 where the provider reported it. */
  completed_by: Generated<number>;
}

/** What a provider told of an order's refunds and disputes, one row for each news; of one reference the last row holds. */
export interface OrderEventTable {
  order_id: number;
  /** Counts from 1 in each order. The ledger entry of the same number has the quota, where it moved some. */
  number: number;
  kind: ReversalKind;
  /** The provider's number of the refund or the dispute. */
  reference: string;
  status: ReversalStatus;
  amount_minor: number;
  /** Unix seconds of the provider's event; 0 where its sequence says nothing. */
  told_time: number;
  /** Change of the balance: below 0 where quota was taken. */
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

// Tables of prices: what was in force when, and the lists that prices come from. Times are Unix seconds.

/** The price tables in force from a moment on; a charge names the row it was priced by. */
interface PriceVersionTable {
  id: Generated<number>;
  hash: string;
  created_time: number;
  tables: string;
}

/** A price list that came with a version of the product, kept so that the next version can say what changed. */
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
  /** Id of the administrator; 0 while it is in force, and where nobody noted it. */
  undone_by: Generated<number>;
}

export interface PriceTables {
  price_versions: PriceVersionTable;
  price_lists: PriceListTable;
  price_list_changes: PriceListChangeTable;
}
