/** Cost and margin of one call as text. Pure. */
import { quotaToUsd, toDecimalText } from "../../../../../contract/src/money.ts";
import type { UpstreamCost } from "./receipt.ts";

/** Every digit that one quota has of a dollar, and no more. */
const USD_DIGITS = 12;

/** As many as the receipt's other amounts have. */
const SHOWN_DIGITS = 6;

/** Dollars with at least six decimals: "0.00124" is "$0.001240". */
function usdText(quota: number, quotaPerUnit: string): string {
  const [whole = "0", decimals = ""] = toDecimalText(quotaToUsd(Math.abs(quota), quotaPerUnit), USD_DIGITS).split(".");
  return `$${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${decimals.padEnd(SHOWN_DIGITS, "0")}`;
}

/** "+" before a gain, "−" before a loss. */
const signOf = (amount: number): string => (amount < 0 ? "−" : amount > 0 ? "+" : "");

export interface MarginFigures {
  cost: string;
  /** With its sign. */
  margin: string;
  /** Of the charge, with its sign: "31.2%"; "" where nothing was charged. */
  share: string;
}

/** `charge` in quota. Throws a RangeError for a QuotaPerUnit that is no number above 0. */
export function marginFigures(charge: number, { quota, margin }: UpstreamCost, quotaPerUnit: string): MarginFigures {
  const share = charge === 0 ? "" : `${margin < 0 ? "−" : ""}${Math.abs((margin / charge) * 100).toFixed(1)}%`;
  return {
    cost: usdText(quota, quotaPerUnit),
    margin: `${signOf(margin)}${usdText(margin, quotaPerUnit)}`,
    share,
  };
}
