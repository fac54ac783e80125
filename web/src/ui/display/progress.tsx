/** A progress bar with its number. */
import styles from "./progress.module.css";

/**
 * @param percent 0 to 100
 * @param tone `fault`: it ended there
 * @example <Progress percent={45} label={t("progress")} />
 */
export function Progress({
  percent,
  tone = "running",
  label,
}: {
  percent: number;
  tone?: "running" | "done" | "fault";
  label: string;
}) {
  return (
    <span className={styles.progress}>
      <span
        className={styles.track}
        role="progressbar"
        aria-label={label}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <span className={styles.fill} data-tone={tone} style={{ width: `${percent}%` }} />
      </span>
      <span className={styles.number} aria-hidden>
        {percent}%
      </span>
    </span>
  );
}
