/** The interface of a payment method, between orders and payment providers. One folder a provider, one table of all (methods.ts). */
import { randomBytes } from "node:crypto";
import type { EndpointsOf } from "../../../../contract/src/api.ts";
import type { OptionValues } from "../../../../contract/src/options/options.ts";
import type { Currency } from "../../../../contract/src/payments/currencies.ts";
import type * as paymentMethods from "../../../../contract/src/payments/methods.ts";
import type { PaymentMethodName } from "../../../../contract/src/payments/methods.ts";
import type { CallbackAnswer, ConsoleContext, ReceivedCallback } from "../http/handlers.ts";
import type { StoredOrder } from "./store.ts";

/** Access to the database, the ledger and the provider. */
export type WalletContext = Pick<
  ConsoleContext,
  "database" | "snapshot" | "billing" | "secrets" | "clock" | "logger" | "relay" | "site" | "recordSecurityEvent"
>;

/** An order that was made and is not paid yet. */
export interface NewOrder {
  id: number;
  tradeNo: string;
  amount: number;
  moneyMinor: number;
  currency: string;
}

/** The client of the buyer: some providers have another page for phones. */
export interface Browser {
  isPhone: boolean;
  /** It is the one inside WeChat. */
  isWechat: boolean;
  ip: string;
}

/** Where the browser goes to pay. */
export interface PaymentStart {
  /** "" where a code is scanned instead. */
  url: string;
  /** Posted to `url` as a form; none where the browser simply goes there. */
  fields: Readonly<Record<string, string>>;
  /** The provider's number of the order; "" while it has none. */
  reference: string;
  /** Text of a QR code that the buyer scans; "" where there is none. */
  qrCode: string;
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
  start(context: WalletContext, order: NewOrder, browser: Browser): Promise<PaymentStart>;
  /**
   * Asks the provider what became of an order whose notification may be lost, and does what it answers, as a notification would. Throws where
   * the provider cannot be reached or its answer is not about this order. Absent where a provider has no such call.
   */
  ask?(context: WalletContext, order: StoredOrder): Promise<void>;
  /** Has the provider take no payment of an order any more. Throws where it cannot be reached, or the order is paid. */
  close?(context: WalletContext, order: StoredOrder): Promise<void>;
}

/** An order that is not paid by then expires. */
export const ORDER_LIFE_SECONDS = 86_400;

/** Where the buyer comes back to, whatever became of the payment. */
export const returnAddress = (options: OptionValues, orderId: number): string =>
  `${options.ServerAddress}/topup?order=${orderId}`;

export const isSet = (...texts: readonly string[]): boolean => texts.every((text) => text !== "");

/** Where a provider reports to; the operator may have an address for it that is not the one people use. @param path of the callback */
export const callbackAddress = ({ CustomCallbackAddress, ServerAddress }: OptionValues, path: string): string =>
  `${CustomCallbackAddress === "" ? ServerAddress : CustomCallbackAddress}${path}`;

/** Without letters that are taken for digits. 32 of them, so that five bits are one letter. */
const LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const RANDOM_LETTERS = 16;

const randomLetters = (): string =>
  Array.from(randomBytes(RANDOM_LETTERS), (byte) => LETTERS[byte % LETTERS.length]).join("");

/**
 * Our own number of an order: `TP`, the second in UTC, and 80 random bits. Every gateway takes these 32 letters and digits, and they cannot
 * be guessed. @param now Unix milliseconds
 */
export const newTradeNumber = (now: number): string =>
  `TP${new Date(now).toISOString().slice(0, 19).replaceAll(/\D/g, "")}${randomLetters()}`;

/** The description on the provider's page and on the receipt. */
export const orderTitle = ({ snapshot: { options } }: WalletContext, { tradeNo }: NewOrder): string =>
  `${options.SystemName} ${tradeNo}`;

/** Fields by name, as providers sign them. */
export type Fields = Readonly<Record<string, string>>;

/** More than any gateway sends. */
const MOST_FIELDS = 60;

/** The fields of a form or a query; undefined where there are too many, or one comes twice: it is unknown which of them was signed. */
export function formFields(text: string): Fields | undefined {
  const pairs = [...new URLSearchParams(text)];
  const names = new Set(pairs.map(([name]) => name));
  return pairs.length > MOST_FIELDS || names.size !== pairs.length ? undefined : Object.fromEntries(pairs);
}
