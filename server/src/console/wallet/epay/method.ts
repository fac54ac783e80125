/** Alipay and WeChat Pay through an epay gateway, to which the browser posts a signed form. */
import type { OptionValues } from "../../../../../contract/src/options/options.ts";
import { moneyText } from "../../../../../contract/src/payments/currencies.ts";
import { type NewOrder, type PaymentMethod, type WalletContext, isSet, returnAddress } from "../payment-method.ts";
import { signed } from "./signature.ts";

/** Names of the methods as the gateway has them. */
export const EPAY_TYPES = { zfb: "alipay", wx: "wxpay" } as const;
type EpayMethod = keyof typeof EPAY_TYPES;

export const isEpayMethod = (name: string): name is EpayMethod => Object.hasOwn(EPAY_TYPES, name);

const callbackAddress = ({ CustomCallbackAddress, ServerAddress }: OptionValues): string =>
  `${CustomCallbackAddress === "" ? ServerAddress : CustomCallbackAddress}/api/user/epay/notify`;

/** https://www.kancloud.cn/beginnerzero/zeropay/1525405 */
function fieldsOf(type: string, order: NewOrder, options: OptionValues): Record<string, string> {
  return {
    pid: options.EpayId,
    type,
    out_trade_no: order.tradeNo,
    notify_url: callbackAddress(options),
    return_url: returnAddress(options, order.id),
    name: `TUC${order.amount}`,
    money: moneyText(order.moneyMinor, order.currency),
    device: "pc",
  };
}

function epayMethod(name: EpayMethod): PaymentMethod {
  return {
    name,
    isOn: ({ PayAddress, EpayId, EpayKey, ServerAddress }) => isSet(PayAddress, EpayId, EpayKey, ServerAddress),
    // Gateways of this kind know no other.
    currency: () => "CNY",
    price: ({ Price }) => Price,
    start: ({ snapshot: { options } }: WalletContext, order) =>
      Promise.resolve({
        url: `${options.PayAddress}/submit.php`,
        fields: signed(fieldsOf(EPAY_TYPES[name], order, options), options.EpayKey),
        reference: "",
      }),
  };
}

export const ALIPAY = epayMethod("zfb");
export const WECHAT_PAY = epayMethod("wx");
