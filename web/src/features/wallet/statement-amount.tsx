/** An amount of a statement: all of them have the same decimals, so that they stand under each other and add up as they are read. */
import { Tooltip } from "@mantine/core";
import type { StatementLines } from "../../../../contract/src/payments/statement.ts";
import { formatNumber, formatQuota, siteQuotaDisplay } from "../../lib/format.ts";
import { useTranslation } from "../../lib/i18n.ts";
import { sharedDecimals } from "./amount.ts";
import styles from "./statement.module.css";

/** Decimals that every amount of this statement is shown with. */
export const decimalsOf = ({ opening, closing, lines }: StatementLines): number =>
  sharedDecimals([opening, closing, ...lines.map(({ quota }) => quota)], siteQuotaDisplay());

interface AmountProps {
  /** Whole units. */
  quota: number;
  /** Of money. */
  decimals: number;
  /** Whether it is a change: more has a plus then. */
  isChange?: boolean;
}

/** What is below a cent is fainter; where the site shows plain units they are written in full. The hover has the units. */
export function Amount({ quota, decimals, isChange = false }: AmountProps) {
  const { t } = useTranslation("ui");
  const size = Math.abs(quota);
  const body = siteQuotaDisplay().currency === undefined ? formatNumber(size) : formatQuota(size, decimals);
  const cents = body.indexOf(".") === -1 ? body.length : body.indexOf(".") + 3;
  const sign = quota < 0 ? "−" : isChange && quota > 0 ? "+" : "";
  return (
    <Tooltip label={t("quotaUnits", { count: quota, formatted: formatNumber(quota) })}>
      <span className={styles.amount}>
        {sign}
        {body.slice(0, cents)}
        <span className={styles.fraction}>{body.slice(cents)}</span>
      </span>
    </Tooltip>
  );
}
