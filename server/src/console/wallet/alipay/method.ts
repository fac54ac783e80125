/** Alipay without a go-between: its payment page for computers and for phones, its query, and closing what was not paid. */
import { moneyText } from "../../../../../contract/src/payments/currencies.ts";
import { alipayNotify } from "../../../../../contract/src/payments/methods.ts";
import {
  callbackAddress,
  isSet,
  type NewOrder,
  ORDER_LIFE_SECONDS,
  orderTitle,
  type PaymentMethod,
  returnAddress,
  type WalletContext,
} from "../payment-method.ts";
import { alipayTime, callAlipay, gatewayOf, requestFields } from "./client.ts";
import { ALIPAY_DIRECT, applyTrade, onAlipayNotify } from "./notify.ts";

/** https://opendocs.alipay.com/open/59da99d0_alipay.trade.page.pay and https://opendocs.alipay.com/open/29ae8cb6_alipay.trade.wap.pay */
const PAGES = {
  computer: { method: "alipay.trade.page.pay", product: "FAST_INSTANT_TRADE_PAY" },
  phone: { method: "alipay.trade.wap.pay", product: "QUICK_WAP_WAY" },
} as const;

/** Alipay takes no `/`, `=` and `&` in a title, and 256 characters. */
const subjectOf = (context: WalletContext, order: NewOrder): string =>
  orderTitle(context, order).replaceAll(/[/=&]/g, " ").slice(0, 256);

function payRequest(context: WalletContext, order: NewOrder, isPhone: boolean) {
  const { options } = context.snapshot;
  const { method, product } = PAGES[isPhone ? "phone" : "computer"];
  const address = returnAddress(options, order.id);
  const content = {
    out_trade_no: order.tradeNo,
    total_amount: moneyText(order.moneyMinor, order.currency),
    subject: subjectOf(context, order),
    product_code: product,
    time_expire: alipayTime(context.clock() + ORDER_LIFE_SECONDS * 1000),
    ...(isPhone && { quit_url: address }),
  };
  return { method, content, more: { notify_url: callbackAddress(options, alipayNotify.path), return_url: address } };
}

/** Succeeded; no such trade: the buyer never logged in on the payment page. https://opendocs.alipay.com/open/82ea786a_alipay.trade.query */
const OK = "10000";
const NO_TRADE = "ACQ.TRADE_NOT_EXIST";

export const ALIPAY_METHOD: PaymentMethod = {
  name: ALIPAY_DIRECT,
  callbacks: { alipayNotify: onAlipayNotify },
  isOn: ({ AlipayEnabled, AlipayAppId, AlipayPrivateKey, AlipayPublicKey, ServerAddress }) =>
    AlipayEnabled && isSet(AlipayAppId, AlipayPrivateKey, AlipayPublicKey, ServerAddress),
  currency: () => "CNY",
  price: ({ Price }) => Price,
  start(context, order, { isPhone }) {
    const request = payRequest(context, order, isPhone);
    const { biz_content = "", ...rest } = requestFields(context.snapshot.options, request, context.clock());
    // Alipay reads the character set of a form from its address.
    const url = `${gatewayOf(context)}?${new URLSearchParams(rest).toString()}`;
    return Promise.resolve({ url, fields: { biz_content }, reference: "", qrCode: "" });
  },
  async ask(context, order) {
    const content = { out_trade_no: order.trade_no };
    const answer = await callAlipay(context, { method: "alipay.trade.query", content });
    if (answer.sub_code === NO_TRADE) return;
    if (answer.code !== OK) throw new Error(`Alipay answered a query with ${answer.code} ${answer.sub_code}`);
    const isFitting = answer.out_trade_no === order.trade_no;
    if (!isFitting || !(await applyTrade(context, order, { ...answer, refund_fee: "" })))
      throw new Error(`Alipay's trade of ${order.trade_no} is not that of the order`);
  },
  async close(context, order) {
    const content = { out_trade_no: order.trade_no };
    const { code, sub_code } = await callAlipay(context, { method: "alipay.trade.close", content });
    if (code !== OK && sub_code !== NO_TRADE) throw new Error(`Alipay answered a close with ${code} ${sub_code}`);
  },
};
