/** How much more or less a draft charges: amber for dearer, green for cheaper. */
import { useTranslation } from "react-i18next";
import type { DryRunSums } from "../../../../../contract/src/pricing/dry-run.ts";
import { formatDecimals } from "../../../lib/format.ts";
import { Quota } from "../../../ui/display/quota.tsx";
import styles from "./dry-run.module.css";

const toneOf = (difference: number): "dearer" | "cheaper" | undefined => {
  if (difference === 0) return undefined;
  return difference > 0 ? "dearer" : "cheaper";
};

export const differenceOf = ({ old, new: draft }: DryRunSums): number => draft - old;

export function Difference({ sums }: { sums: DryRunSums }) {
  const { t } = useTranslation("prices");
  const difference = differenceOf(sums);
  if (difference === 0) return <span className={styles.same}>{t("dryRun.same")}</span>;
  return (
    <span className={styles.difference} data-tone={toneOf(difference)}>
      {difference > 0 && "+"}
      <Quota quota={difference} />
    </span>
  );
}

const PERCENT = 100;

/** The difference by what was charged; nothing where that was nothing. */
export function Share({ sums }: { sums: DryRunSums }) {
  const difference = differenceOf(sums);
  if (sums.old === 0 || difference === 0) return null;
  const percent = (difference / sums.old) * PERCENT;
  const sign = percent > 0 ? "+" : "−";
  return (
    <span className={styles.share}>
      {sign}
      {formatDecimals(Math.abs(percent), Math.abs(percent) < PERCENT ? 1 : 0)} %
    </span>
  );
}

/** The size of a difference beside the largest of its list. */
export function DifferenceBar({ sums, largest }: { sums: DryRunSums; largest: number }) {
  const difference = differenceOf(sums);
  const share = largest === 0 ? 0 : Math.abs(difference) / largest;
  return (
    <span className={styles.barTrack} aria-hidden>
      <span className={styles.bar} data-tone={toneOf(difference)} style={{ width: `${share * PERCENT}%` }} />
    </span>
  );
}
