/** Small parts of charts: horizontal bars in a list, and colour swatches. */
import { chartColor } from "../../lib/model-colors.ts";
import styles from "./charts.module.css";

/** The 9 px colour square of a series. */
export const Swatch = ({ color }: { color: number }) => (
  <span className={styles.swatch} style={{ background: chartColor(color) }} aria-hidden />
);

/** A bar whose length is its share (0 to 1) of the largest value; `thin` is a neutral bar on a track. */
export function Bar({ share, color }: { share: number; color?: number }) {
  const look = color === undefined ? "thin" : "full";
  return (
    <span className={styles.track} data-look={look} aria-hidden>
      <span
        className={styles.fill}
        style={{
          width: `${Math.max(0, Math.min(1, share)) * 100}%`,
          background: color === undefined ? "var(--chart-10)" : chartColor(color),
        }}
      />
    </span>
  );
}
