/** The interface of a payment method, between orders and payment providers. One folder a provider, one table of all (methods.ts). */
import type { EndpointsOf } from "../../../../contract/src/api.ts";
import type { OptionValues } from "../../../../contract/src/options/options.ts";
import type { Currency } from "../../../../contract/src/payments/currencies.ts";
import type * as paymentMethods from "../../../../contract/src/payments/methods.ts";
import type { PaymentMethodName } from "../../../../contract/src/payments/methods.ts";
import type { CallbackAnswer, ConsoleContext, ReceivedCallback } from "../http/handlers.ts";

/** What reaches the database, the ledger and the provider. */
export type WalletContext = Pick<
  ConsoleContext,
  "database" | "snapshot" | "billing" | "secrets" | "clock" | "logger" | "relay" | "site"
>;

/** An order that was made and is not paid yet. */
export interface NewOrder {
  id: number;
  tradeNo: string;
  amount: number;
  moneyMinor: number;
  currency: string;
}

/** Where the browser goes to pay. */
export interface PaymentStart {
  url: string;
  /** Posted to `url` as a form; none where the browser simply goes there. */
  fields: Readonly<Record<string, string>>;
  /** The provider's number of the order; "" while it has none. */
  reference: string;
}

/** Name of an endpoint that a provider reports payments to. */
export type CallbackName = keyof EndpointsOf<typeof paymentMethods>;

/** Does what a provider reports, once however often it comes, and answers when that is committed. */
export type PaymentCallback = (call: { context: WalletContext; received: ReceivedCallback }) => Promise<CallbackAnswer>;

export interface PaymentMethod {
  readonly name: PaymentMethodName;
  /** How it answers its provider; methods of one provider have the same. */
  readonly callbacks: Readonly<Partial<Record<CallbackName, PaymentCallback>>>;
  /** Whether the options have everything that it needs. */
  isOn(options: OptionValues): boolean;
  currency(options: OptionValues): Currency;
  /** Money for one unit, as decimal text. */
  price(options: OptionValues): string;
  /** Hands an order to the provider. Throws where the provider cannot be reached or refuses it. */
  start(context: WalletContext, order: NewOrder): Promise<PaymentStart>;
}

/** Where the buyer comes back to, whatever became of the payment. */
export const returnAddress = (options: OptionValues, orderId: number): string =>
  `${options.ServerAddress}/topup?order=${orderId}`;

export const isSet = (...texts: readonly string[]): boolean => texts.every((text) => text !== "");
