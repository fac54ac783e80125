/** The plan of a configuration as lines for a terminal. */
import type { ConfigurationPlan, PlanEntry, PriceEffect } from "../../../contract/src/configuration/plan.ts";

const SIGNS: Readonly<Record<PlanEntry["act"], string>> = {
  create: "+",
  change: "~",
  mark: "=",
  delete: "-",
  release: "o",
};

/** Changed fields of one entry that are printed. */
const FIELDS_MOST = 40;
/** Models that are printed of each effect. */
const MODELS_MOST = 50;

function fieldLines({ changes }: PlanEntry): string[] {
  const lines = changes.slice(0, FIELDS_MOST).map(({ field, from, to }) => {
    if (to === undefined) return `      ${field}: (secret) changed`;
    return from === undefined ? `      ${field}: ${to}` : `      ${field}: ${from} -> ${to}`;
  });
  return changes.length > FIELDS_MOST ? [...lines, `      ... and ${changes.length - FIELDS_MOST} more fields`] : lines;
}

function priceLine({ model, from, to, percent }: PriceEffect): string {
  if (to === null) return `  ${model}: no price any more`;
  if (from === null) return `  ${model}: had no price`;
  if (percent === null || percent === 0) return `  ${model}: another price`;
  return `  ${model}: ${Math.abs(percent)} % ${percent > 0 ? "dearer" : "cheaper"}`;
}

const some = (lines: readonly string[], total: number): string[] =>
  total > MODELS_MOST
    ? [...lines.slice(0, MODELS_MOST), `  ... and ${total - MODELS_MOST} more`]
    : lines.slice(0, MODELS_MOST);

function effectLines({ effects: { prices, price_count, groups, lost } }: ConfigurationPlan): string[] {
  return [
    ...(price_count > 0 ? ["", "Prices of models:", ...some(prices.map(priceLine), price_count)] : []),
    ...(groups.length > 0
      ? [
          "",
          "Ratios of groups:",
          ...groups.map(({ group, from, to }) => `  ${group}: ${from ?? "none"} -> ${to ?? "none"}`),
        ]
      : []),
    ...(lost.total > 0
      ? [
          "",
          `Models without a channel afterwards (${lost.calls} calls, ${lost.people} people and ${lost.tokens} tokens in the last 24 hours):`,
          ...some(
            lost.models.map(({ model, groups: of }) => `  ${model}: ${of.join(", ")}`),
            lost.total,
          ),
        ]
      : []),
  ];
}

const counted = ({ entries }: ConfigurationPlan): string =>
  (["create", "change", "mark", "delete", "release"] as const)
    .map((act) => [act, entries.filter((entry) => entry.act === act).length] as const)
    .filter(([, count]) => count > 0)
    .map(([act, count]) => `${count} to ${act}`)
    .join(", ");

/** The whole plan. */
export function planLines(plan: ConfigurationPlan): string[] {
  if (plan.refused.length > 0)
    return [
      "The configuration cannot be applied:",
      ...plan.refused.map(({ path, message }) => `  ${path}: ${message}`),
    ];
  const { kept } = plan;
  const keptLines =
    kept.length === 0
      ? []
      : [
          "",
          `Under the mark of "${plan.managed_by}" and not in the file; they stay without --prune or --release:`,
          ...some(
            kept.map(({ kind, name }) => `  ${kind} ${name}`),
            kept.length,
          ),
        ];
  if (plan.entries.length === 0) return ["No changes.", ...keptLines];
  return [
    ...plan.entries.flatMap((entry) => [`  ${SIGNS[entry.act]} ${entry.path}`, ...fieldLines(entry)]),
    ...effectLines(plan),
    ...keptLines,
    "",
    `${counted(plan)}.`,
  ];
}
