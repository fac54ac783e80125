/** Alipay and WeChat Pay through an epay gateway, to which the browser posts a signed form. */
import type { OptionValues } from "../../../../../contract/src/options/options.ts";
import { moneyText } from "../../../../../contract/src/payments/currencies.ts";
import { epayNotify } from "../../../../../contract/src/payments/methods.ts";
import { type NewOrder, type PaymentMethod, type WalletContext, isSet, returnAddress } from "../payment-method.ts";
import { type EpayMethod, EPAY_TYPES, onEpayNotify } from "./notify.ts";
import { signed } from "./signature.ts";

const callbackAddress = ({ CustomCallbackAddress, ServerAddress }: OptionValues): string =>
  `${CustomCallbackAddress === "" ? ServerAddress : CustomCallbackAddress}${epayNotify.path}`;

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
      }),
  };
}

export const ALIPAY = epayMethod("zfb");
export const WECHAT_PAY = epayMethod("wx");
