/** Every payment method, in the order in which the wallet offers them where the operator names no other. */
import type { OptionValues } from "../../../../contract/src/options/options.ts";
import { offeredMethods, type PayMethod } from "../../../../contract/src/payments/offer-options.ts";
import { ALIPAY_METHOD } from "./alipay/method.ts";
import { EPAY_ALIPAY, EPAY_WECHAT } from "./epay.ts";
import type { CallbackName, PaymentCallback, PaymentMethod } from "./payment-method.ts";
import { STRIPE } from "./stripe/method.ts";
import { WECHAT_METHOD } from "./wechat/method.ts";

export const PAYMENT_METHODS: readonly PaymentMethod[] = [
  EPAY_ALIPAY,
  EPAY_WECHAT,
  ALIPAY_METHOD,
  WECHAT_METHOD,
  STRIPE,
];

/** Those whose provider can be asked what became of an order. */
export const ASKED_METHODS: readonly PaymentMethod[] = PAYMENT_METHODS.filter(({ ask }) => ask !== undefined);

/** A method that can be paid with now, as the operator offers it. */
export interface OfferedMethod {
  method: PaymentMethod;
  row: PayMethod;
  /** Least units that can be bought by it: those of the site, or of the method where they are more. */
  minimumUnits: number;
}

/** Those that can be paid with now; none where online top-up is off. */
export function methodsIn(options: OptionValues): readonly OfferedMethod[] {
  const on = PAYMENT_METHODS.filter((method) => method.isOn(options));
  const rows = offeredMethods(
    on.map(({ name }) => name),
    options.PayMethods,
  );
  return rows.flatMap((row) => {
    const method = on.find(({ name }) => name === row.method);
    const minimumUnits = Math.max(options.MinTopUp, row.min_topup);
    return method === undefined ? [] : [{ method, row, minimumUnits }];
  });
}

/** Every callback by the name of its endpoint. The cast is safe: `defineHandlers` throws at the start where an endpoint has no handler. */
export const PAYMENT_CALLBACKS = Object.assign({}, ...PAYMENT_METHODS.map(({ callbacks }) => callbacks)) as Readonly<
  Record<CallbackName, PaymentCallback>
>;
