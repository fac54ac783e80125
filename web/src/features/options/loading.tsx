/** The settings page and its panels before their data is there, in their own height. */
import { useTranslation } from "../../lib/i18n.ts";
import styles from "./loading.module.css";

const ROWS = Array.from({ length: 9 }, (_, index) => index);

const Rows = () => (
  <div className={styles.rows}>
    {ROWS.map((row) => (
      <div key={row} className={styles.row}>
        <span />
        <span />
      </div>
    ))}
  </div>
);

export function Loading() {
  const { t } = useTranslation("options");
  return (
    <div className={styles.page} role="status" aria-label={t("loading")} aria-busy>
      <div className={styles.tabs} />
      <Rows />
    </div>
  );
}

/** Below the tabs, before the texts of one are there. */
export function BodyLoading() {
  const { t } = useTranslation("options");
  return (
    <div className={styles.body} role="status" aria-label={t("loading")} aria-busy>
      <Rows />
    </div>
  );
}

export function PanelLoading() {
  const { t } = useTranslation("options");
  return (
    <div role="status" aria-label={t("loading")} aria-busy>
      <Rows />
    </div>
  );
}
