/** Alipay and WeChat Pay through an epay gateway, to which the browser posts a signed form, and the gateway's payment notifications. */
import { createHash } from "node:crypto";
import type { OptionValues } from "../../../../contract/src/options/options.ts";
import { minorUnitsOf, moneyText } from "../../../../contract/src/payments/currencies.ts";
import { epayNotify } from "../../../../contract/src/payments/methods.ts";
import type { CallbackAnswer } from "../http/handlers.ts";
import { isSameSecret } from "../http/same-secret.ts";
import { creditPayment } from "./credit.ts";
import {
  callbackAddress,
  type Fields,
  formFields,
  isSet,
  type NewOrder,
  type PaymentCallback,
  type PaymentMethod,
  returnAddress,
  type WalletContext,
} from "./payment-method.ts";
import { findOrderByNumber, type StoredOrder } from "./store.ts";

const UNSIGNED: ReadonlySet<string> = new Set(["sign", "sign_type"]);

/**
 * MD5 over the sorted fields, with the merchant's key behind them. Blank fields, `sign` and `sign_type` are left out, and values are signed as they are, not as an address writes them.
 * https://www.kancloud.cn/beginnerzero/zeropay/1525405
 * @param key the merchant's; never blank
 */
function signatureOf(fields: Fields, key: string): string {
  const text = Object.entries(fields)
    .filter(([name, value]) => value !== "" && !UNSIGNED.has(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
  return createHash("md5")
    .update(text + key, "utf8")
    .digest("hex");
}

/** The fields with their signature. */
const signed = (fields: Fields, key: string): Fields => ({
  ...fields,
  sign: signatureOf(fields, key),
  sign_type: "MD5",
});

/** True where the fields carry the signature that this key makes of them; always false with a blank key, which is no secret. */
const isSigned = (fields: Fields, key: string): boolean =>
  key !== "" &&
  (fields["sign_type"] ?? "MD5").toUpperCase() === "MD5" &&
  isSameSecret((fields["sign"] ?? "").toLowerCase(), signatureOf(fields, key));

/** Whether what the key signs is found signed by it: false for a blank one, and for one that came with blanks around it. */
export const signsItself = (key: string): boolean =>
  key === key.trim() && isSigned(signed({ out_trade_no: "1", money: "1.00" }, key), key);

/** Names of the methods as the gateway has them. */
const EPAY_TYPES = { zfb: "alipay", wx: "wxpay" } as const;
type EpayMethod = keyof typeof EPAY_TYPES;

const isEpayMethod = (name: string): name is EpayMethod => Object.hasOwn(EPAY_TYPES, name);

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
const onEpayNotify: PaymentCallback = async ({ context, received }) => {
  const { EpayId, EpayKey } = context.snapshot.options;
  if (EpayId === "" || EpayKey === "") return { reply: undefined };
  // https://www.kancloud.cn/qq2222888821/dasfw/1850953
  const fields = formFields(received.body === "" ? received.query : received.body);
  if (fields === undefined || !isSigned(fields, EpayKey) || !isSameSecret(fields["pid"] ?? "", EpayId)) return FAILED;
  try {
    return (await credited(context, fields)) ? DONE : FAILED;
  } catch (error) {
    context.logger.error({ err: error }, "a payment could not be credited; the gateway has to report it again");
    return { reply: { status: 503, text: "fail" } };
  }
};

/** https://www.kancloud.cn/beginnerzero/zeropay/1525405 */
function fieldsOf(type: string, order: NewOrder, options: OptionValues): Record<string, string> {
  return {
    pid: options.EpayId,
    type,
    out_trade_no: order.tradeNo,
    notify_url: callbackAddress(options, epayNotify.path),
    return_url: returnAddress(options, order.id),
    name: `TUC${order.amount}`,
    money: moneyText(order.moneyMinor, order.currency),
    device: "pc",
  };
}

function epayMethod(name: EpayMethod): PaymentMethod {
  return {
    name,
    callbacks: { epayNotifyByGet: onEpayNotify, epayNotify: onEpayNotify },
    isOn: ({ PayAddress, EpayId, EpayKey, ServerAddress }) => isSet(PayAddress, EpayId, EpayKey, ServerAddress),
    // Gateways of this kind know no other.
    currency: () => "CNY",
    price: ({ Price }) => Price,
    start: ({ snapshot: { options } }: WalletContext, order) =>
      Promise.resolve({
        url: `${options.PayAddress}/submit.php`,
        fields: signed(fieldsOf(EPAY_TYPES[name], order, options), options.EpayKey),
        reference: "",
        qrCode: "",
      }),
  };
}

export const EPAY_ALIPAY = epayMethod("zfb");
export const EPAY_WECHAT = epayMethod("wx");
