/** Horizontal bars in a list, and swatches: the small parts of charts. */
import { chartColor } from "../../lib/model-colors.ts";
import styles from "./charts.module.css";

/** The 9 px square of a series. */
export const Swatch = ({ color }: { color: number }) => (
  <span className={styles.swatch} style={{ background: chartColor(color) }} aria-hidden />
);

/** A bar as long as its share (0 to 1) of the greatest; `thin` stands on a track and has no colour of its own. */
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
