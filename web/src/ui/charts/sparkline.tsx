/** A line of 92 by 34 px (or the width of its place) that shows how a number moved; amber for money, accent for counts. */
import styles from "./charts.module.css";
import { linePoints } from "./scale.ts";

const WIDTH = 92;
const HEIGHT = 34;
const INSET = 2;
/** Above this number of points, neighbours are averaged. */
const MAX_POINTS = 46;

function thinned(values: readonly number[]): number[] {
  const size = Math.ceil(values.length / MAX_POINTS);
  if (size <= 1) return [...values];
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) => {
    const part = values.slice(index * size, (index + 1) * size);
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
}

const pathOf = (points: readonly [number, number][]): string =>
  points.map(([x, y], index) => `${index === 0 ? "M" : "L"}${x.toFixed(2)} ${y.toFixed(2)}`).join("");

/** Decorative: the number beside it carries the information, so it has no accessible name. */
export function Sparkline({ values, tone }: { values: readonly number[]; tone: "amber" | "accent" }) {
  if (values.length === 0) return null;
  const line = pathOf(linePoints(thinned(values), WIDTH, HEIGHT, INSET));
  return (
    <svg
      className={styles.spark}
      data-tone={tone}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      <path className={styles.sparkArea} d={`${line}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z`} fill="currentColor" />
      <path className={styles.sparkLine} d={line} stroke="currentColor" />
    </svg>
  );
}
