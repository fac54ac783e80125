/** The settings page and its panels before their data is there, in their own places and height. */
import { useTranslation } from "../../lib/i18n.ts";
import styles from "./loading.module.css";

const SECTIONS = Array.from({ length: 8 }, (_, index) => index);
const ROWS = Array.from({ length: 9 }, (_, index) => index);

const Rows = () => (
  <div className={styles.rows}>
    <div className={styles.head}>
      <span />
      <span />
    </div>
    {ROWS.map((row) => (
      <div key={row} className={styles.row}>
        <span />
        <span />
      </div>
    ))}
  </div>
);

const Body = () => (
  <div className={styles.body}>
    <div className={styles.sections}>
      {SECTIONS.map((section) => (
        <span key={section} />
      ))}
    </div>
    <Rows />
  </div>
);

export function Loading() {
  const { t } = useTranslation("options");
  return (
    <div role="status" aria-label={t("loading")} aria-busy>
      <div className={styles.tabs} />
      <Body />
    </div>
  );
}

/** Below the tabs, before the texts of one are there. */
export function BodyLoading() {
  const { t } = useTranslation("options");
  return (
    <div role="status" aria-label={t("loading")} aria-busy>
      <Body />
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
