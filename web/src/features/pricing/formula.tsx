/** The banner of the pay-as-you-go formula. */
import { IconChevronDown } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { formatNumber, isOtherCurrencyShown, siteQuotaDisplay } from "../../lib/format.ts";
import { useStatus } from "../../lib/status.ts";
import styles from "./pricing.module.css";

function Words() {
  const { t } = useTranslation("pricing");
  const status = useStatus();
  const { currency } = siteQuotaDisplay(status);
  return (
    <>
      <p>{t("formula.text")}</p>
      <p className={styles.formulaLine}>{t("formula.line", { quotaPerUnit: formatNumber(status.quota_per_unit) })}</p>
      <p>{t("formula.perCall")}</p>
      {currency !== undefined && isOtherCurrencyShown(status) && (
        <p>{t("formula.rate", { sign: currency.sign, rate: currency.perUsd })}</p>
      )}
    </>
  );
}

/**
 * @param isFolded opens at a touch, where prices would otherwise begin below it
 * @param children below the formula
 */
export function Formula({ isFolded = false, children }: { isFolded?: boolean; children?: ReactNode }) {
  const { t } = useTranslation("pricing");
  if (isFolded) {
    return (
      <details className={styles.formula} data-is-folded>
        <summary>
          <b>{t("formula.title")}</b>
          <IconChevronDown size={14} stroke={1.5} aria-hidden />
        </summary>
        <Words />
        {children}
      </details>
    );
  }
  return (
    <div className={styles.formula} role="note">
      <b>{t("formula.title")}</b>
      <Words />
    </div>
  );
}
