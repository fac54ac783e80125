/** What a way of paying is: the seam between orders and the providers that take the money. One folder a provider, one table of all (methods.ts). */
import type { PaymentMethodName } from "../../../../contract/src/features/wallet.ts";
import type { OptionValues } from "../../../../contract/src/options/options.ts";
import type { Currency } from "../../../../contract/src/payments/currencies.ts";
import type { ConsoleContext } from "../http/handlers.ts";

/** What reaches the database, the ledger and the provider. */
export type WalletContext = Pick<
  ConsoleContext,
  "database" | "snapshot" | "billing" | "secrets" | "clock" | "logger" | "relay" | "site"
>;

/** An order that was made and that nobody has paid yet. */
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
  /** The provider's number of the order; "" while it has told none. */
  reference: string;
}

export interface PaymentMethod {
  readonly name: PaymentMethodName;
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
