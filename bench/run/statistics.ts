/** Medians and quantiles of raw numbers; pure, used by every part of the benchmark. */

/** The value below which `share` (0..1) of the numbers lie, by the nearest-rank rule. Throws on an empty list. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((left, right) => left - right);
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  if (value === undefined) throw new Error("a quantile needs at least one number");
  return value;
}

/** The middle number, or the mean of the two middle ones. Throws on an empty list. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((left, right) => left - right);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined) throw new Error("a median needs at least one number");
  return (upper + lower) / 2;
}
