/** WeChat Pay without a go-between: a code to scan (Native) or a page for phones (H5), its query, and closing what was not paid. */
import { z } from "zod";
import { wechatPayNotify } from "../../../../../contract/src/payments/methods.ts";
import type { StoredOrder } from "../store.ts";
import {
  type Browser,
  callbackAddress,
  isSet,
  type NewOrder,
  ORDER_LIFE_SECONDS,
  orderTitle,
  type PaymentMethod,
  type PaymentStart,
  returnAddress,
  type WalletContext,
} from "../payment-method.ts";
import { callWechat } from "./client.ts";
import { applyTransaction, onWechatNotify, WECHAT_DIRECT, wechatTransaction } from "./notify.ts";

/** Of a title, in characters; WeChat Pay takes 127 bytes. */
const TITLE_CHARACTERS = 40;

function orderContent(context: WalletContext, order: NewOrder) {
  const { options } = context.snapshot;
  const end = new Date(context.clock() + ORDER_LIFE_SECONDS * 1000);
  return {
    appid: options.WechatPayAppId,
    mchid: options.WechatPayMerchantId,
    description: [...orderTitle(context, order)].slice(0, TITLE_CHARACTERS).join(""),
    out_trade_no: order.tradeNo,
    notify_url: callbackAddress(options, wechatPayNotify.path),
    time_expire: end.toISOString().replace(/\.\d+Z$/, "+00:00"),
    amount: { total: order.moneyMinor, currency: order.currency },
  };
}

/** The answer of a call that succeeded. Throws with WeChat Pay's own code otherwise. */
async function placed(context: WalletContext, path: string, content: object): Promise<unknown> {
  const { status, code, data } = await callWechat(context, path, content);
  if (status !== 200) throw new Error(`WeChat Pay answered ${path} with ${status} ${code}`);
  return data;
}

/** https://pay.weixin.qq.com/doc/v3/merchant/4012791877 */
async function startCode(context: WalletContext, order: NewOrder): Promise<PaymentStart> {
  const data = await placed(context, "/v3/pay/transactions/native", orderContent(context, order));
  const { code_url } = z.object({ code_url: z.string().min(1).max(512) }).parse(data);
  return { url: "", fields: {}, reference: "", qrCode: code_url };
}

/** https://pay.weixin.qq.com/doc/v3/merchant/4012791834; the way back is a part of the page's address. */
async function startPage(context: WalletContext, order: NewOrder, { ip }: Browser): Promise<PaymentStart> {
  const scene_info = { payer_client_ip: ip, h5_info: { type: "Wap" } };
  const data = await placed(context, "/v3/pay/transactions/h5", { ...orderContent(context, order), scene_info });
  const { h5_url } = z.object({ h5_url: z.url({ protocol: /^https?$/ }).max(512) }).parse(data);
  const url = new URL(h5_url);
  url.searchParams.set("redirect_url", returnAddress(context.snapshot.options, order.id));
  return { url: url.href, fields: {}, reference: "", qrCode: "" };
}

const pathOf = ({ trade_no }: StoredOrder): string =>
  `/v3/pay/transactions/out-trade-no/${encodeURIComponent(trade_no)}`;

/** https://pay.weixin.qq.com/doc/v3/merchant/4012791880 */
const NO_ORDER: ReadonlySet<string> = new Set(["ORDER_NOT_EXIST", "ORDERNOTEXIST"]);

export const WECHAT_METHOD: PaymentMethod = {
  name: WECHAT_DIRECT,
  callbacks: { wechatPayNotify: onWechatNotify },
  isOn: (options) =>
    options.WechatPayEnabled &&
    isSet(options.WechatPayAppId, options.WechatPayMerchantId, options.WechatPayCertificateSerial) &&
    isSet(options.WechatPayPrivateKey, options.WechatPayApiV3Key, options.WechatPayPlatformKey, options.ServerAddress),
  currency: () => "CNY",
  price: ({ Price }) => Price,
  // WeChat's own browser opens no H5 page; there the code is pressed for long.
  start: (context, order, browser) =>
    browser.isPhone && !browser.isWechat && context.snapshot.options.WechatPayH5Enabled
      ? startPage(context, order, browser)
      : startCode(context, order),
  async ask(context, order) {
    const { WechatPayMerchantId } = context.snapshot.options;
    const { status, code, data } = await callWechat(
      context,
      `${pathOf(order)}?mchid=${encodeURIComponent(WechatPayMerchantId)}`,
    );
    if (status === 404 && NO_ORDER.has(code)) return;
    if (status !== 200) throw new Error(`WeChat Pay answered a query with ${status} ${code}`);
    if (!(await applyTransaction(context, order, wechatTransaction.parse(data))))
      throw new Error(`WeChat Pay's transaction of ${order.trade_no} is not that of the order`);
  },
  async close(context, order) {
    const content = { mchid: context.snapshot.options.WechatPayMerchantId };
    const { status, code } = await callWechat(context, `${pathOf(order)}/close`, content);
    if (status !== 204 && status !== 200 && !NO_ORDER.has(code))
      throw new Error(`WeChat Pay answered a close with ${status} ${code}`);
  },
};
