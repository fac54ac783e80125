/** The frame of the pages for logging in and registering: the card with mark and title, and the links below a form. */
import type { ReactNode } from "react";
import { Mark } from "../../ui/display/mark.tsx";
import { EntryCard } from "../../ui/entry-card.tsx";
import { usePageTitle } from "../../ui/page.tsx";
import styles from "./page.module.css";

/** `name` is what the browser's tab says. */
export function EntryPage({ name, title, children }: { name: string; title: string; children: ReactNode }) {
  usePageTitle(name);
  return (
    <EntryCard width={500}>
      <div className={styles.body}>
        <div className={styles.head}>
          <Mark size={44} />
          <h1 className={styles.title}>{title}</h1>
          <p className={styles.host}>{location.host}</p>
        </div>
        <div className={styles.form}>{children}</div>
      </div>
    </EntryCard>
  );
}

/** Where else one may have wanted to go; stands below the form. */
export const EntryLinks = ({ children }: { children: ReactNode }) => <div className={styles.links}>{children}</div>;
