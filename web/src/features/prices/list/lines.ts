/** Lines of price lists as the panel shows them: dollars of each part before and after, search, filters, order. Pure. */
import type { FetchedLine, ListDifference } from "../../../../../contract/src/pricing/list-lines.ts";
import { usdPerMillionText } from "../../../../../contract/src/pricing/price-display.ts";
import { fromPriceFields, type PriceFields } from "../../../../../contract/src/pricing/price-fields.ts";
import type { Part, PerTokenPrice } from "../../../../../contract/src/pricing/pricing.ts";

/** A line of a fetched list, or of what an upgrade changed, which names no models. */
export type Line = ListDifference & Partial<Pick<FetchedLine, "models" | "own">>;

export const keyOf = ({ provider, id }: Pick<Line, "provider" | "id">): string => `${provider}/${id}`;

/** Parts that are worth a line of their own where they have a price of their own. */
const SHOWN_PARTS = [
  "input",
  "output",
  "cacheRead",
  "cacheWrite",
  "imageInput",
  "audioInput",
  "audioOutput",
  "imageOutput",
] as const satisfies readonly Part[];
export type ShownPart = (typeof SHOWN_PARTS)[number];

/** Parts that always stand in a new price. */
const MAIN_PARTS: ReadonlySet<Part> = new Set(["input", "output"]);

export interface PartChange {
  part: ShownPart;
  /** Above so many input tokens; undefined for the price of short contexts. */
  above?: number;
  /** USD for 1M tokens, without a sign; undefined where there is no price. */
  before: string | undefined;
  after: string | undefined;
}

const perToken = (fields: PriceFields | null): PerTokenPrice | undefined => {
  const price = fields === null ? undefined : fromPriceFields(fields);
  return price?.kind === "per_token" ? price : undefined;
};

/** At least two decimals: 2.50, 0.075. */
function usd(part: Part, price: PerTokenPrice | undefined, quotaPerUnit: string): string | undefined {
  if (price === undefined) return undefined;
  const [whole = "0", decimals = ""] = usdPerMillionText(part, price, "1", quotaPerUnit).split(".");
  return `${whole}.${decimals.padEnd(2, "0")}`;
}

/** Whether a part costs what plain input or output costs: then that says it. */
function isLikeText(part: Part, price: PerTokenPrice | undefined, quotaPerUnit: string): boolean {
  const own = usd(part, price, quotaPerUnit);
  return own === usd("input", price, quotaPerUnit) || own === usd("output", price, quotaPerUnit);
}

function changesOf(
  before: PerTokenPrice | undefined,
  after: PerTokenPrice | undefined,
  quotaPerUnit: string,
): PartChange[] {
  const isNew = before === undefined || after === undefined;
  return SHOWN_PARTS.flatMap((part) => {
    if (!MAIN_PARTS.has(part) && [before, after].every((price) => isLikeText(part, price, quotaPerUnit))) return [];
    const change = { part, before: usd(part, before, quotaPerUnit), after: usd(part, after, quotaPerUnit) };
    return (isNew ? MAIN_PARTS.has(part) : change.before !== change.after) ? [change] : [];
  });
}

/** The price of calls longer than the bound, as a price of its own. */
function tierPrice(price: PerTokenPrice | undefined, above: number): PerTokenPrice | undefined {
  const tier = price?.tiers?.findLast(({ aboveInputTokens }) => aboveInputTokens <= above);
  return price === undefined ? undefined : { ...price, ...tier };
}

/** The changes of a line in the price, part by part, short contexts before long ones; nothing where it is of names only. */
export function partChanges(line: Pick<Line, "before" | "after">, quotaPerUnit: string): PartChange[] {
  const [before, after] = [perToken(line.before), perToken(line.after)];
  const bounds = [...(before?.tiers ?? []), ...(after?.tiers ?? [])].map(({ aboveInputTokens }) => aboveInputTokens);
  const short = changesOf(before, after, quotaPerUnit);
  const long = [...new Set(bounds)]
    .toSorted((a, b) => a - b)
    .flatMap((above) =>
      changesOf(tierPrice(before, above), tierPrice(after, above), quotaPerUnit).map((change) => ({
        ...change,
        above,
      })),
    );
  return [...short, ...long];
}

/** "+20%"; undefined where nothing can be compared. */
export function percentOf({ before, after }: PartChange): string | undefined {
  if (before === undefined || after === undefined || Number(before) === 0) return undefined;
  const percent = Math.round((Number(after) / Number(before) - 1) * 100);
  return percent === 0 ? undefined : `${percent > 0 ? "+" : "−"}${Math.abs(percent)}%`;
}

export const LINE_FILTERS = ["all", "enabled", "added", "changed", "removed"] as const;
export type LineFilter = (typeof LINE_FILTERS)[number];

const isEnabled = ({ models = [] }: Line): boolean => models.length > 0;

const passes = (line: Line, filter: LineFilter): boolean =>
  filter === "all" || (filter === "enabled" ? isEnabled(line) : line.change === filter);

const plain = (text: string): string => text.toLowerCase().replace(/[\s\-_./:]+/g, "");

/** The lines that the filter and the search leave; those of models enabled here stand first. */
export function findLines<Row extends Line>(lines: readonly Row[], filter: LineFilter, keyword: string): Row[] {
  const word = plain(keyword);
  return lines
    .filter(
      (line) =>
        passes(line, filter) && [keyOf(line), ...(line.models ?? [])].some((name) => plain(name).includes(word)),
    )
    .toSorted((a, b) => Number(isEnabled(b)) - Number(isEnabled(a)));
}

/** How many lines match each filter. */
export const countsOf = (lines: readonly Line[]): Record<LineFilter, number> =>
  Object.fromEntries(
    LINE_FILTERS.map((filter) => [filter, lines.filter((line) => passes(line, filter)).length]),
  ) as Record<LineFilter, number>;

/** The lines ticked at first: all that remove no price. */
export const firstChosen = (lines: readonly Line[]): ReadonlySet<string> =>
  new Set(lines.filter(({ change }) => change !== "removed").map(keyOf));
