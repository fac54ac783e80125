/** The header of a sortable column: its name, and an arrow while the table is sorted by it. */
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import type { ReactNode } from "react";
import styles from "./sort-button.module.css";

/** As `aria-sort` has it. */
export type SortDirection = "ascending" | "descending";

/** The direction of a column that the table is sorted by. */
export const directionOf = (isDescending: boolean): SortDirection => (isDescending ? "descending" : "ascending");

/**
 * @param direction undefined where the table is sorted by another column
 * @example <th scope="col" aria-sort={direction}><SortButton direction={direction} onClick={sort}>{t("name")}</SortButton></th>
 */
export function SortButton({
  direction,
  onClick,
  children,
}: {
  direction: SortDirection | undefined;
  onClick: () => void;
  children: ReactNode;
}) {
  const Arrow = direction === "descending" ? IconArrowDown : IconArrowUp;
  return (
    <button type="button" className={styles.sort} onClick={onClick}>
      {children}
      {direction !== undefined && <Arrow size={13} stroke={1.5} aria-hidden />}
    </button>
  );
}
