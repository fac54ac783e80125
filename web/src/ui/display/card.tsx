/** Cards of pages about the own account: a heading with what it is for, an act right of it, rows of facts; and the columns they stand in. */
import { type ReactNode, useId } from "react";
import styles from "./card.module.css";

export interface CardProps {
  title: string;
  /** One sentence under the heading. */
  text?: ReactNode;
  /** Right of the heading: a button, a tag. */
  action?: ReactNode;
  children?: ReactNode;
}

/** @example <Card title={t("balance.title")} action={<Button>…</Button>}><Facts>…</Facts></Card> */
export function Card({ title, text, action, children }: CardProps) {
  const id = useId();
  return (
    <section className={styles.card} aria-labelledby={id}>
      <header className={styles.head}>
        <div className={styles.words}>
          <h2 className={styles.title} id={id}>
            {title}
          </h2>
          {text && <p className={styles.text}>{text}</p>}
        </div>
        {action && <div className={styles.action}>{action}</div>}
      </header>
      {children}
    </section>
  );
}

/** A list of rows divided by hairlines. */
export const Rows = ({ children }: { children: ReactNode }) => <ul className={styles.rows}>{children}</ul>;

/** One row: what it is, what holds now, and what can be done about it. */
export function Row({
  icon,
  name,
  value,
  action,
}: {
  icon?: ReactNode;
  name: ReactNode;
  value: ReactNode;
  action?: ReactNode;
}) {
  return (
    <li className={styles.row}>
      {icon && (
        <span className={styles.icon} aria-hidden>
          {icon}
        </span>
      )}
      <div className={styles.rowWords}>
        <span className={styles.name}>{name}</span>
        <span className={styles.value}>{value}</span>
      </div>
      {action && <div className={styles.rowAction}>{action}</div>}
    </li>
  );
}

/** Facts side by side, each with its name above it. */
export const Facts = ({ children }: { children: ReactNode }) => <dl className={styles.facts}>{children}</dl>;

export function Fact({ name, isLarge = false, children }: { name: string; isLarge?: boolean; children: ReactNode }) {
  return (
    <div className={styles.fact} data-is-large={isLarge || undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The place of a card whose content has not come: as high as it will be; without a height, as what it stands in. */
export const CardGhost = ({ heightPx }: { heightPx?: number }) => (
  <div className={styles.ghost} style={{ height: heightPx }} data-is-ghost aria-hidden>
    <i />
    <i />
  </div>
);

/** Between the cards of a column. */
export const CARD_GAP_PX = 16;

/** The same place once it is known that no card will come: what it says stands in its middle, and nothing below moves. */
export const CardPlace = ({ heightPx, children }: { heightPx?: number; children: ReactNode }) => (
  <div className={styles.place} style={{ minHeight: heightPx }}>
    {children}
  </div>
);

/** Two columns of cards on a desk, one on a phone. */
export const CardColumns = ({ children, isBusy = false }: { children: ReactNode; isBusy?: boolean }) => (
  <div className={styles.columns} aria-busy={isBusy || undefined}>
    {children}
  </div>
);
export const CardColumn = ({ children }: { children: ReactNode }) => <div className={styles.column}>{children}</div>;
