/** Orders of a scenario in every state, each credited, refunded and disputed through the ledger as the provider's reports would, then dated back. */
import type { OrderStatus } from "../../contract/src/payments/orders.ts";
import { creditOrder } from "../../server/src/console/wallet/credit.ts";
import { newTradeNumber } from "../../server/src/console/wallet/payment-method.ts";
import { orderOf } from "../../server/src/console/wallet/service.ts";
import type { ReversalReport } from "../../server/src/console/wallet/refunds.ts";
import { reverse } from "../../server/src/console/wallet/reversal.ts";
import type { Foundation } from "../../server/src/composition/foundation.ts";
import { insertReturningId } from "../../server/src/db/portable.ts";

export interface SeedOrder {
  /** User name of the buyer. */
  buyer: string;
  method: "zfb" | "wx" | "stripe";
  /** Dollars of quota. */
  units: number;
  /** Minor units of its currency. */
  money: number;
  currency: string;
  hoursAgo: number;
  /** How its payment went. */
  status: Extract<OrderStatus, "pending" | "paid" | "ended" | "cancelled" | "failed" | "uncredited">;
  /** What became of the money afterwards. */
  reports?: readonly (Omit<ReversalReport, "reportedTime"> & { hoursAgo: number })[];
}

const UNIT = 500_000;
const HOUR_SECONDS = 3_600;
/** From an order to its payment. */
const PAYING_SECONDS = 74;

/** The number that the provider would have given the order. */
const referenceOf = ({ method }: SeedOrder, tradeNo: string): string =>
  `${method === "stripe" ? "cs_live_" : "2026"}${tradeNo}`;

/** Gives a ledger entry the time at which it would have been posted. */
const dateBack = ({ database }: Foundation, entry: string, at: number) =>
  database.kysely.updateTable("ledger").set({ created_at: at }).where("entry_id", "=", entry).execute();

/** Makes an order as its buyer did. @returns its id and its number */
async function makeOrder({ database }: Foundation, seed: SeedOrder, at: number): Promise<[number, string]> {
  const { kysely } = database;
  const buyers = kysely.selectFrom("users").select("id").where("username", "=", seed.buyer);
  const trade_no = newTradeNumber(at * 1000);
  const id = await insertReturningId(database, kysely, "top_ups", {
    user_id: (await buyers.executeTakeFirstOrThrow()).id,
    trade_no,
    quota: seed.units * UNIT,
    amount: seed.units,
    money_minor: seed.money,
    currency: seed.currency,
    method: seed.method,
    status: seed.status === "paid" ? "pending" : seed.status,
    created_time: at,
    completed_time: 0,
  });
  return [id, trade_no];
}

async function addOrder(foundation: Foundation, seed: SeedOrder, nowSeconds: number): Promise<void> {
  const timeOf = (hoursAgo: number) => nowSeconds - hoursAgo * HOUR_SECONDS;
  const at = timeOf(seed.hoursAgo);
  const [id, tradeNo] = await makeOrder(foundation, seed, at);
  if (seed.status !== "paid") return;
  const order = await orderOf(foundation, id);
  const paidAt = at + PAYING_SECONDS;
  await creditOrder({ ...foundation, clock: () => paidAt * 1000 }, order, { reference: referenceOf(seed, tradeNo) });
  await dateBack(foundation, `top_up:${tradeNo}`, paidAt);
  for (const [index, { hoursAgo, ...report }] of (seed.reports ?? []).entries()) {
    const reportedTime = timeOf(hoursAgo);
    await reverse({ ...foundation, clock: () => reportedTime * 1000 }, id, { ...report, reportedTime });
    await dateBack(foundation, `top_up:${tradeNo}:${index + 1}`, reportedTime);
  }
}

/** Makes them all. Throws where a buyer is not there. */
export async function addOrders(
  foundation: Foundation,
  orders: readonly SeedOrder[],
  nowSeconds: number,
): Promise<void> {
  for (const order of orders) await addOrder(foundation, order, nowSeconds);
}
