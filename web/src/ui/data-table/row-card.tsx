/** A row of a table on a phone: first what it is, with its state and its menu at the end, then lines of two. */
import type { ReactNode } from "react";
import styles from "./row-card.module.css";

export const RowCard = ({ children }: { children: ReactNode }) => <div className={styles.card}>{children}</div>;

interface RowCardHeadProps {
  /** What the row is. */
  children: ReactNode;
  state?: ReactNode;
  /** The row's ⋯. */
  menu: ReactNode;
}

export const RowCardHead = ({ children, state, menu }: RowCardHeadProps) => (
  <RowCardLine>
    {children}
    <span className={styles.end}>
      {state}
      {menu}
    </span>
  </RowCardLine>
);

/** One thing at the start, one at the end. */
export const RowCardLine = ({ isFaint, children }: { isFaint?: boolean; children: ReactNode }) => (
  <div className={styles.line} data-is-faint={isFaint || undefined}>
    {children}
  </div>
);

/** The number that the card is about. */
export const RowCardAmount = ({ children }: { children: ReactNode }) => (
  <span className={styles.amount}>{children}</span>
);
