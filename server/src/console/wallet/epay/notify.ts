/** What an epay gateway reports of a payment, by GET or by a form. */
import { minorUnitsOf } from "../../../../../contract/src/payments/currencies.ts";
import { isSameSecret } from "../../http/same-secret.ts";
import type { CallbackAnswer, ReceivedCallback } from "../../http/handlers.ts";
import { creditPayment } from "../credit.ts";
import type { PaymentCallback, WalletContext } from "../payment-method.ts";
import { type StoredOrder, findOrderByNumber } from "../store.ts";
import { isSigned } from "./signature.ts";

/** Names of the methods as the gateway has them. */
export const EPAY_TYPES = { zfb: "alipay", wx: "wxpay" } as const;
export type EpayMethod = keyof typeof EPAY_TYPES;

const isEpayMethod = (name: string): name is EpayMethod => Object.hasOwn(EPAY_TYPES, name);

type Fields = Readonly<Record<string, string>>;

/** More than any gateway sends. */
const MOST_FIELDS = 40;

/** The fields of a callback (https://www.kancloud.cn/qq2222888821/dasfw/1850953); undefined where there are too many, or one comes twice: it is unknown which of them was signed. */
function fieldsIn({ query, body }: ReceivedCallback): Fields | undefined {
  const pairs = [...new URLSearchParams(body === "" ? query : body)];
  const names = new Set(pairs.map(([name]) => name));
  return pairs.length > MOST_FIELDS || names.size !== pairs.length ? undefined : Object.fromEntries(pairs);
}

/** Whether the signed fields are about this order, and say that exactly its money was paid. */
function isPaymentOf(order: StoredOrder, fields: Fields): boolean {
  if (!isEpayMethod(order.method) || fields["type"] !== EPAY_TYPES[order.method]) return false;
  return (
    fields["trade_status"] === "TRADE_SUCCESS" &&
    minorUnitsOf(fields["money"] ?? "", order.currency) === order.money_minor
  );
}

const FAILED = { reply: { status: 200, text: "fail" } } as const satisfies CallbackAnswer;
const DONE = { reply: { status: 200, text: "success" } } as const satisfies CallbackAnswer;

/** Credits the order that signed fields are about; false where they fit none. */
async function credited(context: WalletContext, fields: Fields): Promise<boolean> {
  const tradeNo = fields["out_trade_no"] ?? "";
  const order = await findOrderByNumber(context.database, tradeNo);
  if (order === undefined || !isPaymentOf(order, fields)) {
    context.logger.warn({ tradeNo }, "a signed payment fits no order; nothing was credited");
    return false;
  }
  await creditPayment(context, order, { reference: (fields["trade_no"] ?? "").slice(0, 255) });
  return true;
}

/**
 * Credits the order that a callback is about, once, and says so only when that is committed: what is not answered with `success` is reported
 * again (https://pay.ecqq.cc/ji-shu-dui-jie-liu-cheng/zhi-fu-jie-guo-tong-zhi). Without a merchant and its key no report can be signed, so
 * the path does not exist.
 */
export const onEpayNotify: PaymentCallback = async ({ context, received }) => {
  const { EpayId, EpayKey } = context.snapshot.options;
  if (EpayId === "" || EpayKey === "") return { reply: undefined };
  const fields = fieldsIn(received);
  if (fields === undefined || !isSigned(fields, EpayKey) || !isSameSecret(fields["pid"] ?? "", EpayId)) return FAILED;
  try {
    return (await credited(context, fields)) ? DONE : FAILED;
  } catch (error) {
    context.logger.error({ err: error }, "a payment could not be credited; the gateway has to report it again");
    return { reply: { status: 503, text: "fail" } };
  }
};
