/** A page inside the sheet: title row with purpose and actions, then its content. */
import { IconAlertTriangle } from "@tabler/icons-react";
import { type ReactNode, useEffect } from "react";
import { useStatus } from "../lib/status.ts";
import styles from "./page.module.css";

export interface PageProps {
  title: string;
  /** One sentence that says what the page is for. Phones show only `notice`, if there is one. */
  purpose?: ReactNode;
  /** A warning that belongs to the purpose line, in amber. */
  notice?: ReactNode;
  /** Buttons right of the title, the filled one last. Leave it out while the list is empty. */
  actions?: ReactNode;
  /** Numbers about the whole page, between title and actions; on phones they have a line of their own. */
  info?: ReactNode;
  children: ReactNode;
}

/**
 * @example
 * <Page title={t("title")} purpose={t("purpose")} notice={t("personalOnly")} actions={<Button variant="filled">…</Button>}>
 *   <DataTable … />
 * </Page>
 */
export function Page({ title, purpose, notice, actions, info, children }: PageProps) {
  usePageTitle(title);
  return (
    <div className={styles.page}>
      <header className={styles.titleRow}>
        <div className={styles.titles}>
          <h1 className={styles.title}>{title}</h1>
          {(purpose || notice) && (
            <p className={styles.purpose}>
              {purpose && <span className={notice ? styles.hiddenOnPhone : undefined}>{purpose} </span>}
              {notice && (
                <span className={styles.warning}>
                  <IconAlertTriangle size={14} stroke={1.5} aria-hidden />
                  <span>{notice}</span>
                </span>
              )}
            </p>
          )}
        </div>
        {info && <div className={styles.info}>{info}</div>}
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** Sets the title of the browser tab: "Tokens · Turnpike". */
export function usePageTitle(title: string): void {
  const { system_name } = useStatus();
  useEffect(() => {
    document.title = title === "" ? system_name : `${title} · ${system_name}`;
  }, [title, system_name]);
}
