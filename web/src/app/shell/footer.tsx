/** The site's footer: the operator's sanitised HTML, otherwise one line with name and version; and the link to the public status, where there is one. */
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { useStatus } from "../../lib/status.ts";
import { readStored, STORAGE } from "../../lib/storage.ts";
import { SafeHtml } from "../../ui/display/safe-html.tsx";
import styles from "./footer.module.css";

const POLL_MS = 200;
const POLLS = 5;

/** The stored footer text, polled 5 times every 200 ms, since it may arrive after the first paint. */
function useStoredFooter(): string {
  const { footer_html } = useStatus();
  const [polled, setPolled] = useState(() => readStored(STORAGE.footer) ?? "");
  useEffect(() => {
    let left = POLLS;
    const timer = setInterval(() => {
      left -= 1;
      const stored = readStored(STORAGE.footer) ?? "";
      if (stored !== "") setPolled(stored);
      if (left === 0 || stored !== "") clearInterval(timer);
    }, POLL_MS);
    return () => clearInterval(timer);
  }, []);
  return footer_html || polled;
}

/** The console omits the default line, because its side bar shows the version, and the link to the public status. */
export function Footer({ isInConsole = false }: { isInConsole?: boolean }) {
  const { t } = useTranslation("shell");
  const { system_name, version, status_page_enabled } = useStatus();
  const html = useStoredFooter();
  const statusLink = status_page_enabled && !isInConsole && (
    <Link to="/status" className={styles.link}>
      {t("statusPage")}
    </Link>
  );
  if (html !== "")
    return (
      <footer className={`${styles.footer} ${isInConsole ? styles.inConsole : ""}`}>
        <SafeHtml html={html} />
        {statusLink}
      </footer>
    );
  if (isInConsole) return null;
  return (
    <footer className={styles.footer}>
      {version === "" ? system_name : t("footer", { name: system_name, version: version.replace(/^v/, "") })}
      {statusLink}
    </footer>
  );
}
