/** Round numbers for axes, positions of bars, and parts that are rounded so that they add up. Pure. */

const MAX_STEPS = 4;
const ROUND = [1, 2, 5, 10] as const;

/** Round ticks from 0 to at least `max`, three to five of them; `whole` allows no step below 1. */
export function roundTicks(max: number, whole = false): number[] {
  if (!(max > 0)) return [0, 1];
  const power = 10 ** Math.floor(Math.log10(max / MAX_STEPS));
  const fits = (factor: number): boolean => Math.ceil(max / (factor * power) - 1e-9) <= MAX_STEPS;
  const step = (ROUND.find(fits) ?? 10) * power;
  const rounded = whole ? Math.max(1, Math.round(step)) : step;
  const count = Math.max(1, Math.ceil(max / rounded - 1e-9));
  // Multiplied rather than added up: 0.1 + 0.1 + 0.1 is not 0.3.
  return Array.from({ length: count + 1 }, (_, index) => Number((index * rounded).toPrecision(12)));
}

/** Decimals that a step between ticks needs: none for 50, one for 0.5. */
export const decimalsOf = (step: number): number =>
  step >= 1 || step <= 0 ? 0 : Math.min(6, Math.ceil(-Math.log10(step) - 1e-9));

/**
 * Rounds parts to `decimals` so that they add up to their rounded sum: the remainder goes to the parts that lost most by rounding.
 * @returns the parts, in the order given
 */
export function roundTogether(parts: readonly number[], decimals: number): number[] {
  const unit = 10 ** decimals;
  const exact = parts.map((part) => part * unit);
  const floors = exact.map(Math.floor);
  const total = Math.round(exact.reduce((sum, part) => sum + part, 0) + 1e-9);
  let missing = total - floors.reduce((sum, part) => sum + part, 0);
  const byLoss = exact
    .map((part, index) => ({ index, loss: part - (floors[index] ?? 0) }))
    .toSorted((a, b) => b.loss - a.loss);
  for (const { index } of byLoss) {
    if (missing <= 0) break;
    floors[index] = (floors[index] ?? 0) + 1;
    missing -= 1;
  }
  return floors.map((part) => part / unit);
}

/** The smallest interval of slots at which labels of `labelWidth` fit. */
export const labelEvery = (slotWidth: number, labelWidth: number): number =>
  Math.max(1, Math.ceil(labelWidth / Math.max(slotWidth, 0.01)));

/** The outline of a line through `values` in a box, lowest value at the bottom; equal ones are a level line, nothing at all lies on the ground. */
export function linePoints(
  values: readonly number[],
  width: number,
  height: number,
  inset: number,
): [number, number][] {
  const shown = values.length === 1 ? [values[0] ?? 0, values[0] ?? 0] : values;
  const low = Math.min(...shown);
  const spread = Math.max(...shown) - low;
  const room = height - 2 * inset;
  return shown.map((value, index) => {
    const level = value === 0 ? 0 : 0.5;
    const share = spread === 0 ? level : (value - low) / spread;
    return [(index / (shown.length - 1)) * width, inset + room * (1 - share)];
  });
}
