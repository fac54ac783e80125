/** The balance behind a key: the requests of a vendor's `balance`, and exact parsing and arithmetic of amounts. */
import { add, fractionOf, multiply, parseDecimal, toExactText, toFixedText } from "../../../contract/src/money.ts";
import type { TestFailure } from "../../../contract/src/channels/channel-tests.ts";
import { Fault } from "../../../contract/src/fault.ts";
import type { JsonObject } from "../dialects/neutral/neutral.ts";

/** The channel of a balance. */
export interface BalanceChannel {
  /** Filled in where the channel has the provider's own. */
  baseUrl: string;
  key: string;
}

/** What is left on an account. */
export interface Balance {
  /** Exact decimal text; negative where the account owes. */
  amount: string;
  /** As the vendor counts, nothing is converted: an ISO 4217 code, or `points` of its own. */
  currency: string;
}

export interface BalanceRequest {
  method: "GET";
  url: string;
  /** Flat name-value list. */
  headers: string[];
}

/** Sends by the channel's proxy and the address policy; gives the answer's JSON object. Rejects with BalanceFault. */
export type AskBalance = (request: BalanceRequest) => Promise<JsonObject>;

/**
 * What a vendor's file gives as `balance`: asks for the balance behind the channel's key. `nowMs` is Unix time in milliseconds. Rejects with
 * BalanceFault.
 */
export type BalanceOf = (ask: AskBalance, channel: BalanceChannel, nowMs: number) => Promise<Balance>;

/** Why there is no balance: `refused` by the vendor's own answer, `unreadable` where its amounts are none, `unanswered` otherwise. */
export class BalanceFault extends Fault<"refused" | "unreadable" | "unanswered"> {
  readonly failure: TestFailure;
  /** HTTP status of a refusal; 0 for the others. */
  readonly status: number;
  constructor(
    kind: BalanceFault["kind"],
    failure: TestFailure,
    { status = 0, cause }: { status?: number; cause?: unknown } = {},
  ) {
    super(kind, `the balance could not be asked for: ${failure.code}`, cause);
    this.failure = failure;
    this.status = status;
  }
}

/** The answer has not what its documentation says. */
export const unreadableBalance = (cause?: unknown): BalanceFault =>
  new BalanceFault("unreadable", { code: "unreadable_answer", values: {} }, { cause });

/** A refusal in an answer of status 200, with the vendor's own message. */
export const refusedBalance = (message: unknown): BalanceFault =>
  new BalanceFault(
    "refused",
    { code: "upstream_status", values: { status: 200, message: String(message) } },
    { status: 200 },
  );

/** A request with the channel's key as bearer token, `path` behind its base URL, which may end in `/v1`. */
export const bearerGet = ({ baseUrl, key }: BalanceChannel, path: string): BalanceRequest => ({
  method: "GET",
  url: baseUrl.replace(/(?:\/v1)?\/*$/, "") + path,
  headers: ["authorization", `Bearer ${key}`],
});

/** The object in a field of an answer. Throws BalanceFault where it is none. */
export function objectIn(value: unknown): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw unreadableBalance();
  return value as JsonObject;
}

/** The amount in a field of an answer, a number or decimal text. Throws BalanceFault where it is neither. */
export function amountIn(value: unknown): string {
  try {
    return toExactText(
      parseDecimal(typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : ""),
    );
  } catch (error) {
    throw unreadableBalance(error);
  }
}

/** `amount` less `share` times `other`, exactly. */
export const less = (amount: string, other: string, share = "1"): string =>
  toExactText(add(parseDecimal(amount), multiply(fractionOf(-1), multiply(parseDecimal(share), parseDecimal(other)))));

/** `amount` in units of which one is `perUnit`, with six decimals. Throws BalanceFault where that is no amount above 0. */
export function inUnitsOf(amount: string, perUnit: string): string {
  const { numerator, denominator } = parseDecimal(perUnit);
  if (numerator <= 0n) throw unreadableBalance();
  return toFixedText(multiply(parseDecimal(amount), { numerator: denominator, denominator: numerator }), 6);
}

/** The currency of a vendor with a site in China and one abroad: dollars where the address ends as that of the one abroad. */
export const currencyAbroad = (baseUrl: string, hostAbroad: string): string =>
  (URL.parse(baseUrl)?.hostname ?? "").endsWith(hostAbroad) ? "USD" : "CNY";

const DAY_MS = 86_400_000;
/** Days that an account without a payment method is asked about. */
const FREE_DAYS = 100;

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/**
 * The balance as OpenAI once gave it and gateways of this kind still do: the limit in dollars less the usage in cents since the month
 * began, or since 100 days for accounts without a payment method.
 */
export const openaiStyleBalance: BalanceOf = async (ask, channel, nowMs) => {
  const limits = await ask(bearerGet(channel, "/v1/dashboard/billing/subscription"));
  const today = dayOf(nowMs);
  const from = limits["has_payment_method"] === true ? `${today.slice(0, 8)}01` : dayOf(nowMs - FREE_DAYS * DAY_MS);
  const used = await ask(bearerGet(channel, `/v1/dashboard/billing/usage?start_date=${from}&end_date=${today}`));
  return {
    amount: less(amountIn(limits["hard_limit_usd"]), amountIn(used["total_usage"]), "0.01"),
    currency: "USD",
  };
};
