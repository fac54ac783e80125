/** The banner of the pay-as-you-go formula (spec section 9). */
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../lib/format.ts";
import { useStatus } from "../../lib/status.ts";
import styles from "./pricing.module.css";

export function Formula() {
  const { t } = useTranslation("pricing");
  const { quota_per_unit } = useStatus();
  return (
    <div className={styles.formula} role="note">
      <b>{t("formula.title")}</b>
      <p>{t("formula.text")}</p>
      <p className={styles.formulaLine}>{t("formula.line", { quotaPerUnit: formatNumber(quota_per_unit) })}</p>
      <p>{t("formula.perCall")}</p>
    </div>
  );
}
