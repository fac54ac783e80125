/** Leads to the one dialog that deletes old log entries. */
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { buttonLook } from "../../../ui/plain.tsx";
import styles from "./sections.module.css";

export function LogPart() {
  const { t } = useTranslation("options");
  return (
    <div className={styles.row}>
      <div>
        <div className={styles.label}>{t("log.clear")}</div>
        <p className={styles.help}>{t("log.clearHelp")}</p>
      </div>
      <Link to="/log" search={{ open: "clear" }} {...buttonLook()}>
        {t("log.open")}
      </Link>
    </div>
  );
}
