/** Amounts of quota, shown as the site wants it (dollars or short numbers), and the bar of what is left. */
import { Tooltip } from "@mantine/core";
import { useTranslation } from "../../lib/i18n.ts";
import { formatNumber, formatQuota } from "../../lib/format.ts";
import { useStatus } from "../../lib/status.ts";
import styles from "./quota.module.css";

/** An amount; the hover shows the exact quota units. @param quota whole units @param decimals of dollars; what they need where absent */
export function Quota({ quota, decimals }: { quota: number; decimals?: number }) {
  const { t } = useTranslation("ui");
  useStatus();
  return (
    <Tooltip label={t("quotaUnits", { count: quota, formatted: formatNumber(quota) })}>
      <span className={styles.amount}>{formatQuota(quota, decimals)}</span>
    </Tooltip>
  );
}

const LOW_SHARE = 0.08;

function level(share: number): "none" | "low" | "fine" {
  if (share <= 0) return "none";
  return share < LOW_SHARE ? "low" : "fine";
}

/** The bar of what remains of remaining + used: amber under 8 %, red at 0. `isWide` fills its place (phone cards). */
export function QuotaBar({ remaining, used, isWide = false }: { remaining: number; used: number; isWide?: boolean }) {
  const total = Math.max(remaining, 0) + Math.max(used, 0);
  const share = total === 0 ? 0 : Math.max(remaining, 0) / total;
  return (
    <span className={`${styles.track} ${isWide ? styles.wide : ""}`} aria-hidden>
      <span className={styles.fill} data-level={level(share)} style={{ width: `${share * 100}%` }} />
    </span>
  );
}

/** Bar, then the remaining amount: the "Remaining" cell of a table. */
export function RemainingQuota({ remaining, used }: { remaining: number; used: number }) {
  return (
    <span className={styles.remaining}>
      <QuotaBar remaining={remaining} used={used} />
      <Quota quota={remaining} />
    </span>
  );
}
