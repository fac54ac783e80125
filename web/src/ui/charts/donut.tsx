/** A ring chart with the total in its centre; hovering over a part shows that part there instead. */
import { chartColor } from "../../lib/model-colors.ts";
import styles from "./charts.module.css";

export interface Slice {
  id: string;
  name: string;
  value: number;
  color: number;
  /** Link target of the part. */
  href?: string | undefined;
}

const SIZE = 134;
const RING = 18;
const RADIUS = (SIZE - RING) / 2;
const ROUND = 2 * Math.PI * RADIUS;
/** Gap between two parts in px. */
const GAP = 2;

function arcsOf(slices: readonly Slice[]) {
  const total = slices.reduce((sum, slice) => sum + slice.value, 0);
  const shown = slices.filter((slice) => slice.value > 0);
  let before = 0;
  return shown.map((slice) => {
    const length = total === 0 ? 0 : (slice.value / total) * ROUND;
    const from = before;
    before += length;
    return { slice, from, length: shown.length === 1 ? length : Math.max(0.5, length - GAP) };
  });
}

interface DonutProps {
  slices: readonly Slice[];
  /** Describes the ring to screen readers; the list beside it has the numbers. */
  label: string;
  /** Content of the centre: an amount and its description. */
  amount: string;
  caption: string;
  /** The part that is hovered over, here or in the list. */
  active: string | undefined;
  onPoint: (id: string | undefined) => void;
  onOpen: (href: string) => void;
}

export function Donut({ slices, label, amount, caption, active, onPoint, onOpen }: DonutProps) {
  return (
    <div className={styles.donut} style={{ width: SIZE, height: SIZE }} role="img" aria-label={label}>
      <svg width={SIZE} height={SIZE} aria-hidden>
        <circle
          className={styles.arc}
          cx={SIZE / 2}
          cy={SIZE / 2}
          r={RADIUS}
          strokeWidth={RING}
          style={{ stroke: "var(--hairline)" }}
          opacity={slices.some(({ value }) => value > 0) ? 0 : 1}
        />
        <g transform={`rotate(-90 ${SIZE / 2} ${SIZE / 2})`}>
          {arcsOf(slices).map(({ slice, from, length }) => (
            <circle
              key={slice.id}
              className={styles.arc}
              data-is-dim={(active !== undefined && active !== slice.id) || undefined}
              cx={SIZE / 2}
              cy={SIZE / 2}
              r={RADIUS}
              strokeWidth={RING}
              strokeDasharray={`${length} ${ROUND - length}`}
              strokeDashoffset={-from}
              style={{ stroke: chartColor(slice.color) }}
              onPointerEnter={() => onPoint(slice.id)}
              onPointerLeave={() => onPoint(undefined)}
              // The list beside it has the same links for the keyboard.
              data-is-link={slice.href !== undefined || undefined}
              onClick={() => slice.href !== undefined && onOpen(slice.href)}
            />
          ))}
        </g>
      </svg>
      <div className={styles.hole}>
        <b>{amount}</b>
        <span>{caption}</span>
      </div>
    </div>
  );
}
