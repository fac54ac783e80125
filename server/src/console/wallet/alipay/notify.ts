/** Alipay's notifications of payments, ends and refunds (https://opendocs.alipay.com/open/270/105902). */
import { minorUnitsOf } from "../../../../../contract/src/payments/currencies.ts";
import type { CallbackAnswer } from "../../http/handlers.ts";
import { isSameSecret } from "../../http/same-secret.ts";
import { creditPayment } from "../credit.ts";
import { type Fields, formFields, type PaymentCallback, type WalletContext } from "../payment-method.ts";
import { reverse } from "../reversal.ts";
import { endPending, findOrderByNumber, type StoredOrder } from "../store.ts";
import { isSignedNotification } from "./signature.ts";

/** The name of this payment method in calls and orders. */
export const ALIPAY_DIRECT = "alipay_direct";

/** The state of a trade at Alipay, in a notification or in the answer to a query. */
export interface AlipayTrade {
  trade_no: string;
  trade_status: string;
  /** In yuan. */
  total_amount: string;
  /** All that was refunded of it so far, in yuan; blank where nothing was. */
  refund_fee: string;
}

/** A finished trade is one that can no longer be refunded. */
const PAID: ReadonlySet<string> = new Set(["TRADE_SUCCESS", "TRADE_FINISHED"]);

/** Whether a trade is this order's, over exactly its money. */
const isTradeOf = (order: StoredOrder, { total_amount }: AlipayTrade): boolean =>
  order.method === ALIPAY_DIRECT &&
  order.currency === "CNY" &&
  minorUnitsOf(total_amount, order.currency) === order.money_minor;

/**
 * Credits a trade and takes back what was refunded of it. A refund proves that it was paid: whichever notification comes first, the order ends the
 * same, and a payment that is reported after its refund credits nothing that stays. The sum of all refunds only grows, so that it is one
 * report that goes forward.
 */
async function settled(context: WalletContext, order: StoredOrder, trade: AlipayTrade, refundedMinor: number) {
  const reference = trade.trade_no.slice(0, 255);
  await creditPayment(context, order, { reference, paymentReference: reference });
  if (refundedMinor === 0) return;
  const amountMinor = Math.min(refundedMinor, order.money_minor);
  await reverse(context, order.id, { kind: "refund", reference, status: "done", amountMinor, reportedTime: 0 });
}

/** Does what Alipay says of an order's trade, once however often it comes; false where it does not fit the order or says something unknown. */
export async function applyTrade(context: WalletContext, order: StoredOrder, trade: AlipayTrade): Promise<boolean> {
  if (!isTradeOf(order, trade)) return false;
  const refundedMinor = trade.refund_fee === "" ? 0 : minorUnitsOf(trade.refund_fee, order.currency);
  if (refundedMinor === undefined) return false;
  if (PAID.has(trade.trade_status) || (trade.trade_status === "TRADE_CLOSED" && refundedMinor > 0)) {
    await settled(context, order, trade, refundedMinor);
    return true;
  }
  if (trade.trade_status === "TRADE_CLOSED") await endPending(context.database, order.id, "ended");
  return trade.trade_status === "TRADE_CLOSED" || trade.trade_status === "WAIT_BUYER_PAY";
}

const FAILED = { reply: { status: 200, text: "fail" } } as const satisfies CallbackAnswer;
const DONE = { reply: { status: 200, text: "success" } } as const satisfies CallbackAnswer;

/** Does what signed fields say; false where they fit no order. */
async function applied(context: WalletContext, fields: Fields): Promise<boolean> {
  const { out_trade_no: tradeNo = "", trade_no = "", trade_status = "", total_amount = "", refund_fee = "" } = fields;
  const order = await findOrderByNumber(context.database, tradeNo);
  const trade = { trade_no, trade_status, total_amount, refund_fee };
  if (order !== undefined && (await applyTrade(context, order, trade))) return true;
  context.logger.warn({ tradeNo, trade_status }, "a signed notification of Alipay fits no order; nothing was credited");
  return false;
}

/**
 * Answers `success` only when what was reported is committed: Alipay reports everything else again. Without an application and Alipay's key
 * nothing can be signed, so the path does not exist.
 */
export const onAlipayNotify: PaymentCallback = async ({ context, received }) => {
  const { AlipayAppId, AlipayPublicKey } = context.snapshot.options;
  if (AlipayAppId === "" || AlipayPublicKey === "") return { reply: undefined };
  const fields = formFields(received.body);
  if (fields === undefined || !isSignedNotification(fields, AlipayPublicKey)) return FAILED;
  if (!isSameSecret(fields["app_id"] ?? "", AlipayAppId)) return FAILED;
  try {
    return (await applied(context, fields)) ? DONE : FAILED;
  } catch (error) {
    context.logger.error({ err: error }, "a notification of Alipay could not be kept; it has to be sent again");
    return { reply: { status: 503, text: "fail" } };
  }
};
