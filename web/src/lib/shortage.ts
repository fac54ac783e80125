/** Reads from a refusal of the relay how much quota a call lacked; playground, studio and test call show it. */
import { formatQuota } from "./format.ts";

/** Amounts in quota. */
export interface Shortage {
  needed: number;
  /** Undefined where the relay does not say: a key with a quota of its own is not shown the account's balance. */
  left?: number;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** @param error the object `error` of the relay's envelope; undefined for any other refusal than one for lack of balance */
export function shortageOf(error: unknown): Shortage | undefined {
  if (!isRecord(error) || error["code"] !== "insufficient_user_quota") return undefined;
  const { quota_needed: needed, quota_left: left } = error;
  if (typeof needed !== "number") return undefined;
  return typeof left === "number" ? { needed, left } : { needed };
}

const EXACT_DECIMALS = 6;

/** Both amounts as the site shows them, with as many decimals as tell them apart; `left` is "" where it is not known. */
export function shownShortage({ needed, left }: Shortage): { needed: string; left: string } {
  if (left === undefined) return { needed: formatQuota(needed), left: "" };
  const isAlike = formatQuota(needed) === formatQuota(left);
  const digits = isAlike ? EXACT_DECIMALS : undefined;
  return { needed: formatQuota(needed, digits), left: formatQuota(left, digits) };
}
