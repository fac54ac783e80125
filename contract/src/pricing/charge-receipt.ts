/** The breakdown of a charge: its steps, which add up to it before rounding, and the formula with the numbers filled in. */
import { fractionOf, multiply, toExactText } from "../money.ts";
import {
  type ModelPrice,
  type PerTokenPrice,
  MAX_CHARGE,
  chargeQuota,
  fixedQuota,
  partRatios,
  priceFor,
  productOf,
  tierOf,
  toolQuota,
} from "./pricing.ts";
import {
  PARTS,
  type Part,
  type UsageFault,
  partCounts,
  saneFactor,
  saneToolCalls,
  usageFaults,
} from "./usage-parts.ts";
import type { ChargedTool, ToolCalls, Usage } from "./usage.ts";

/** One line of a receipt: tokens of one part, a fixed price or calls of a tool, with their cost before rounding. */
export interface ReceiptStep {
  part: Part | "call" | ChargedTool;
  count: number;
  /** Product of all ratios that apply, surcharges and group included; for a fixed price its USD, for a tool USD per 1,000 calls. Exact decimal text. */
  ratio: string;
  /** Factor of a fixed price; absent where it is 1. */
  factor?: string;
  /** Exact decimal text. */
  quota: string;
}

export interface Charge {
  quota: number;
  steps: readonly ReceiptStep[];
  /** The formula with the numbers filled in: "(10 + 4 × 0.5 + 3 × 4) × 1.25 × 1 = 30". */
  formula: string;
  /** Lower bound of the price tier that applied. */
  tierAbove: number | undefined;
  /** What was wrong with the reported usage. */
  faults: readonly UsageFault[];
}

/** Token counts of a usage, and the ratios that multiply all of them: surcharges first, the group last. */
interface Counted {
  counts: readonly number[];
  price: PerTokenPrice;
  common: readonly string[];
}

function tokenSteps({ counts, price, common }: Counted): ReceiptStep[] {
  const ratios = partRatios(price);
  return PARTS.flatMap((part, index): ReceiptStep[] => {
    const count = counts[index] ?? 0;
    if (count === 0) return [];
    const ratio = productOf([price.ratio, ...common, ...(ratios[index] ?? [])]);
    return [{ part, count, ratio: toExactText(ratio), quota: toExactText(multiply(fractionOf(count), ratio)) }];
  });
}

function tokenFormula({ counts, price, common }: Counted): string {
  const ratios = partRatios(price);
  const terms = counts.flatMap((count, index) => (count === 0 ? [] : [[count, ...(ratios[index] ?? [])].join(" × ")]));
  return [`(${terms.join(" + ") || "0"})`, price.ratio, ...common].join(" × ");
}

interface Explained {
  steps: readonly ReceiptStep[];
  formula: string;
}

function explainFixed(price: string, callFactor: string, groupRatio: string, quotaPerUnit: string): Explained {
  const factor = saneFactor(callFactor);
  const step: ReceiptStep = {
    part: "call",
    count: 1,
    ratio: price,
    quota: toExactText(fixedQuota(price, factor, groupRatio, quotaPerUnit)),
  };
  const isPlain = factor === "1";
  const formula = [`$${price}`, ...(isPlain ? [] : [factor]), quotaPerUnit, groupRatio].join(" × ");
  return { steps: [isPlain ? step : { ...step, factor }], formula };
}

const explainTool =
  (groupRatio: string, quotaPerUnit: string) =>
  ({ tool, calls, usdPerThousand }: ToolCalls): Explained => ({
    steps: [
      {
        part: tool,
        count: calls,
        ratio: usdPerThousand,
        quota: toExactText(toolQuota(usdPerThousand, calls, groupRatio, quotaPerUnit)),
      },
    ],
    formula: `${calls} × $${usdPerThousand} / 1000 × ${quotaPerUnit} × ${groupRatio}`,
  });

function explainOwn(usage: Usage, price: ModelPrice, groupRatio: string, quotaPerUnit: string): Explained {
  if (price.kind === "per_call") return explainFixed(price.price, usage.callFactor, groupRatio, quotaPerUnit);
  const common = [...usage.surcharges.map(({ ratio }) => ratio), groupRatio];
  const counted = { counts: partCounts(usage), price, common };
  return { steps: tokenSteps(counted), formula: tokenFormula(counted) };
}

/** The charge with its receipt. The number equals chargeQuota's; building the texts makes it slower. Throws as chargeQuota does. */
export function explainCharge(usage: Usage, price: ModelPrice, groupRatio: string, quotaPerUnit: string): Charge {
  const own = explainOwn(usage, priceFor(price, usage), groupRatio, quotaPerUnit);
  const all = [own, ...saneToolCalls(usage.toolCalls).map(explainTool(groupRatio, quotaPerUnit))];
  const quota = chargeQuota(usage, price, groupRatio, quotaPerUnit);
  const faults = usageFaults(usage);
  return {
    quota,
    steps: all.flatMap(({ steps }) => steps),
    formula: `${all.map(({ formula }) => formula).join(" + ")} = ${quota}`,
    tierAbove: tierOf(price, usage)?.aboveInputTokens,
    faults: quota === MAX_CHARGE ? [...faults, "charge_capped"] : faults,
  };
}
