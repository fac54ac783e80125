/** The rows of a table as cards, at 600 px and below. */
import { IconChevronDown, IconChevronUp } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { DataTableProps, Opened } from "./table-props.ts";
import styles from "./data-table.module.css";

type CardProps<Row> = DataTableProps<Row> & { opened: Opened };

const SKELETON_CARDS = [1, 0.7, 0.4];

export function CardList<Row>(props: CardProps<Row>) {
  if (props.data.rows === undefined) {
    return (
      <ul className={styles.cards} aria-busy>
        {SKELETON_CARDS.map((opacity) => (
          <li key={opacity} className={styles.card} style={{ opacity, height: 92 }}>
            <span className={styles.skeleton} style={{ width: "45%" }} />
          </li>
        ))}
      </ul>
    );
  }
  return (
    <ul className={styles.cards} aria-label={props.label} data-is-old={props.data.isOld || undefined}>
      {props.data.rows.map((row) => (
        <RowCard key={props.rowKey(row)} row={row} props={props} />
      ))}
    </ul>
  );
}

function RowCard<Row>({ row, props }: { row: Row; props: CardProps<Row> }) {
  const { t } = useTranslation("ui");
  const key = props.rowKey(row);
  const content = props.openedRow?.(row);
  const isOpen = props.opened.isOpen(key);
  const Icon = isOpen ? IconChevronUp : IconChevronDown;
  return (
    <li className={styles.card} data-tone={props.tone?.(row)} data-row-key={key} tabIndex={-1}>
      {props.card(row)}
      {content !== undefined && content !== null && (
        <button
          type="button"
          className={styles.cardToggle}
          aria-expanded={isOpen}
          aria-label={t("table.detailsOf", { name: props.rowName(row) })}
          onClick={() => props.opened.toggle(key)}
        >
          {t("table.details")}
          <Icon size={14} stroke={1.5} aria-hidden />
        </button>
      )}
      {isOpen && <div className={styles.cardOpened}>{content}</div>}
    </li>
  );
}
