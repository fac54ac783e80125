/** Two lines over time in a small box: half of the first tokens came within the lower one, 95 % within the upper one. */
import styles from "./health.module.css";

interface Times {
  p50_ms: number | null;
  p95_ms: number | null;
}

const WIDTH = 92;
const HEIGHT = 26;
const INSET = 2;

/** A line from one measured value to the next; a value alone is a short stroke. */
function pathOf(values: readonly (number | null)[], most: number): string {
  const step = WIDTH / Math.max(1, values.length);
  const y = (value: number) => (HEIGHT - INSET - (value / most) * (HEIGHT - 2 * INSET)).toFixed(1);
  const points = values.flatMap((value, index) => (value === null ? [] : [{ x: (index + 0.5) * step, y: y(value) }]));
  const [first] = points;
  if (first === undefined) return "";
  const line = points.map((point, index) => `${index === 0 ? "M" : "L"}${point.x.toFixed(1)} ${point.y}`).join("");
  return points.length === 1 ? `${line}h${step.toFixed(1)}` : line;
}

/** Decorative: the figures beside it and the strip's words carry the information. Empty where nothing was measured. */
export function TokenLines({ times }: { times: readonly Times[] }) {
  const most = Math.max(0, ...times.map(({ p50_ms, p95_ms }) => p95_ms ?? p50_ms ?? 0));
  if (most === 0) return null;
  return (
    <svg className={styles.lines} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden>
      {(["p95_ms", "p50_ms"] as const).map((of) => (
        <path
          key={of}
          data-of={of}
          d={pathOf(
            times.map((each) => each[of]),
            most,
          )}
        />
      ))}
    </svg>
  );
}
