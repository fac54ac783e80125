/** The card that one step of what has to be done first stands in. */
import type { ReactNode } from "react";
import { Mark } from "../../../ui/display/mark.tsx";
import { EntryCard } from "../../../ui/entry-card.tsx";
import { usePageTitle } from "../../../ui/page.tsx";
import styles from "./required.module.css";

export function StepCard({ title, text, children }: { title: string; text?: string; children: ReactNode }) {
  usePageTitle(title);
  return (
    <EntryCard width={560}>
      <div className={styles.body}>
        <div className={styles.head}>
          <Mark size={44} />
          <h1 className={styles.title}>{title}</h1>
          {text && <p className={styles.text}>{text}</p>}
        </div>
        {children}
      </div>
    </EntryCard>
  );
}
