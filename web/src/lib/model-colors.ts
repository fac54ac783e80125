/** Which colour of the chart palette a model has: by its rank of spend when first seen, then remembered, on every page the same. */
import { readStoredJson, STORAGE, writeStoredJson } from "./storage.ts";

/** Colours for models; the tenth is for the sum of all others. */
const NAMED_COLORS = 9;
export const OTHER_COLOR = 10;
/** Names kept at most; the longest known go first. */
const MAX_REMEMBERED = 300;

type Colors = Readonly<Record<string, number>>;

const isColor = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= NAMED_COLORS;

/** Colours that the `ranked` models keep from before; of two models with the same colour, the higher-ranked one keeps it. */
function keptColors(remembered: Colors, ranked: readonly string[]): Map<string, number> {
  const kept = new Map<string, number>();
  const taken = new Set<number>();
  for (const model of ranked) {
    const color = remembered[model];
    if (color === undefined || taken.has(color)) continue;
    taken.add(color);
    kept.set(model, color);
  }
  return kept;
}

/** The first colour that this view does not use, preferably one that no model has yet. */
function freeColor(used: ReadonlySet<number>, owned: ReadonlySet<number>): number {
  const free = Array.from({ length: NAMED_COLORS }, (_, index) => index + 1).filter((color) => !used.has(color));
  return free.find((color) => !owned.has(color)) ?? free[0] ?? OTHER_COLOR;
}

/**
 * Gives every model of a view (at most nine, by spend) a colour of its own, from 1 to 9, and what is to be remembered.
 * A remembered colour changes only where a greater model of the same view has it, and then for this view alone.
 */
export function assignColors(
  remembered: Colors,
  ranked: readonly string[],
): { colors: Map<string, number>; remembered: Colors } {
  const colors = keptColors(remembered, ranked);
  const next: Record<string, number> = { ...remembered };
  for (const model of ranked) {
    if (colors.has(model)) continue;
    const color = freeColor(new Set(colors.values()), new Set(Object.values(next)));
    colors.set(model, color);
    if (next[model] === undefined && color !== OTHER_COLOR) next[model] = color;
  }
  return { colors, remembered: Object.fromEntries(Object.entries(next).slice(-MAX_REMEMBERED)) };
}

function stored(): Colors {
  const value = readStoredJson(STORAGE.modelColors);
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, number] => isColor(entry[1])));
}

/** The colours (1 to 9) of models ranked by spend, remembered in this browser. Models beyond the ninth have OTHER_COLOR. */
export function modelColors(ranked: readonly string[]): ReadonlyMap<string, number> {
  const before = stored();
  const { colors, remembered } = assignColors(before, ranked);
  if (Object.keys(remembered).length !== Object.keys(before).length) writeStoredJson(STORAGE.modelColors, remembered);
  return colors;
}

/** The CSS value of a palette index, 1 to 10. */
export const chartColor = (place: number): string => `var(--chart-${place})`;
