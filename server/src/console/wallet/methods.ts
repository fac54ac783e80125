/** Every payment method, in the order in which the wallet offers them. */
import type { OptionValues } from "../../../../contract/src/options/options.ts";
import { ALIPAY, WECHAT_PAY } from "./epay.ts";
import type { CallbackName, PaymentCallback, PaymentMethod } from "./payment-method.ts";
import { STRIPE } from "./stripe/method.ts";

const METHODS: readonly PaymentMethod[] = [ALIPAY, WECHAT_PAY, STRIPE];

/** Those that can be paid with now; none where online top-up is off. */
export const methodsIn = (options: OptionValues): readonly PaymentMethod[] =>
  METHODS.filter((method) => method.isOn(options));

/** Every callback by the name of its endpoint. The cast is safe: `defineHandlers` throws at the start where an endpoint has no handler. */
export const PAYMENT_CALLBACKS = Object.assign({}, ...METHODS.map(({ callbacks }) => callbacks)) as Readonly<
  Record<CallbackName, PaymentCallback>
>;
