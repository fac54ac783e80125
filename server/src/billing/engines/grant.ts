/** Whether balance and token have room for a hold, and how much of it: the one rule of all engines, for rows that nobody else may change meanwhile. */
import type { HoldFaultKind } from "../billing.ts";

/** What a row of users or tokens has, in quota. */
export interface Purse {
  /** Balance less open holds; Infinity for a token without a quota of its own. */
  free: number;
  /** Open holds. */
  held: number;
}

export interface Granted {
  /** What is set aside, of the balance and of the token alike. */
  amount: number;
  /** What of it both have. */
  spendable: number;
}

export type Refusal = Exclude<HoldFaultKind, "unavailable">;

export interface Wish {
  amount: number;
  /** See HoldRequest. */
  least: number;
}

/** Either there is enough, or it is alone and has the least. */
const hasRoom = ({ free, held }: Purse, { amount, least }: Wish): boolean =>
  free >= amount || (held === 0 && free >= least);

function take(purse: Purse, amount: number): void {
  purse.free -= amount;
  purse.held += amount;
}

/**
 * What a hold gets. A token that has less than is held of it is used up until the call ends: its quota is a bound, and the balance
 * alone is money. So the balance is never held for more than it has, and never for less than the call can cost while there is enough.
 * @param token undefined where the call has none with a quota of its own
 */
export function grant(wish: Wish, user: Purse | undefined, token: Purse | undefined): Granted | Refusal {
  if (token !== undefined && !hasRoom(token, wish)) return "token_quota";
  if (user === undefined || !hasRoom(user, wish)) return "user_quota";
  const amount = Math.min(wish.amount, user.free);
  const granted = { amount, spendable: token === undefined ? amount : Math.min(amount, token.free) };
  take(user, amount);
  if (token !== undefined) take(token, amount);
  return granted;
}
