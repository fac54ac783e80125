/** Placeholder bars for loading content that is no table: as high as the content, so that nothing jumps. */
import styles from "./loading-bars.module.css";

/** Each fainter than the one above. */
const OPACITIES = [1, 0.7, 0.4];

/** @param height of each in px @param label what is loading, for those who do not see the bars */
export function LoadingBars({ height = 36, label }: { height?: number; label?: string }) {
  const said = label === undefined ? {} : { role: "status", "aria-label": label };
  return (
    <div className={styles.bars} aria-busy {...said}>
      {OPACITIES.map((opacity) => (
        <div key={opacity} className={styles.bar} style={{ opacity, height }} />
      ))}
    </div>
  );
}
