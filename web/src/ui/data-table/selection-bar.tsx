/** Replaces the filter row while rows are selected: their number, 'select all that match', and the bulk actions. */
import { ActionIcon, Checkbox } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { type ReactNode, useRef } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../lib/format.ts";
import styles from "./data-table.module.css";
import type { RowSelection } from "./table-props.ts";

export function SelectionBar<Row>({
  selected,
  total,
  children,
}: {
  selected: RowSelection<Row>;
  total: number;
  children: ReactNode;
}) {
  const { t } = useTranslation("ui");
  const bar = useRef<HTMLDivElement>(null);
  const { count } = selected;
  const formatted = formatNumber(count);
  const isEveryOne = selected.selection.allMatching && count === total;
  const words = t(isEveryOne ? "table.selectedMatching" : "table.selected", { count, formatted });
  const clear = () => {
    // The bar and its focus disappear, so the focus moves to the header's checkbox.
    bar.current?.parentElement?.querySelector<HTMLElement>("thead input")?.focus();
    selected.clear();
  };
  return (
    <div ref={bar} className={styles.filterRow} role="toolbar" aria-label={words}>
      <div className={styles.filters}>
        <Checkbox
          size="xs"
          aria-label={t("table.selectAll")}
          checked={selected.all === "all"}
          indeterminate={selected.all === "some"}
          onChange={selected.toggleAll}
        />
        <span className={styles.selected} role="status">
          {words}
        </span>
        {selected.canTakeAllMatching && (
          <button type="button" className={styles.takeAll} onClick={selected.takeAllMatching}>
            {t("table.selectMatching", { count: total, formatted: formatNumber(total) })}
          </button>
        )}
        {selected.selection.allMatching && (
          <button type="button" className={styles.takeAll} onClick={clear}>
            {t("table.clear")}
          </button>
        )}
        {children}
      </div>
      <ActionIcon variant="subtle" size={32} aria-label={t("table.clearSelection")} onClick={clear}>
        <IconX size={16} stroke={1.5} />
      </ActionIcon>
    </div>
  );
}
