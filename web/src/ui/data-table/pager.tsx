/** The table's footer: the count left, rows per page and pages right. */
import { Menu } from "@mantine/core";
import { IconChevronDown, IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { formatNumber } from "../../lib/format.ts";
import { PAGE_SIZES } from "../../lib/storage.ts";
import { pageNumbers } from "./columns.ts";
import { pagesOf } from "./page-range.ts";
import { unlessOff } from "../plain.tsx";
import styles from "./pager.module.css";

function SizeMenu({ size, onSize }: { size: number; onSize: (size: number) => void }) {
  const { t } = useTranslation("ui");
  return (
    <Menu position="top-end">
      <Menu.Target>
        <button type="button" className={`${styles.size} ${styles.sizeBox}`}>
          {t("table.rowsPerPage")} <b>{size}</b>
          <IconChevronDown size={14} stroke={1.5} aria-hidden />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {PAGE_SIZES.map((choice) => (
          <Menu.Item key={choice} onClick={() => onSize(choice)}>
            {choice}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function Pages({ page, pages, onPage }: { page: number; pages: number; onPage: (page: number) => void }) {
  const { t } = useTranslation("ui");
  return (
    <nav className={styles.pager} aria-label={t("table.pages")}>
      <button
        type="button"
        className={styles.pageButton}
        aria-label={t("table.previous")}
        {...unlessOff(page <= 1, () => onPage(page - 1))}
      >
        <IconChevronLeft size={15} stroke={1.5} />
      </button>
      {pageNumbers(page, pages).map((number, index) =>
        number === null ? (
          <span key={`gap${index}`}>…</span>
        ) : (
          <button
            key={number}
            type="button"
            className={styles.pageButton}
            aria-current={number === page ? "page" : undefined}
            aria-label={t("table.page", { number: formatNumber(number) })}
            onClick={() => onPage(number)}
          >
            {formatNumber(number)}
          </button>
        ),
      )}
      <button
        type="button"
        className={styles.pageButton}
        aria-label={t("table.next")}
        {...unlessOff(page >= pages, () => onPage(page + 1))}
      >
        <IconChevronRight size={15} stroke={1.5} />
      </button>
    </nav>
  );
}

export interface Paging {
  page: number;
  size: number;
  total: number;
  onPage: (page: number) => void;
  onSize: (size: number) => void;
}

/** @param paging undefined where the list is endless */
export function TableFooter({ count, paging }: { count: ReactNode; paging: Paging | undefined }) {
  return (
    <footer className={styles.footer}>
      <div className={styles.count}>{count}</div>
      {paging && (
        <>
          <SizeMenu size={paging.size} onSize={paging.onSize} />
          <Pages page={paging.page} pages={pagesOf(paging.total, paging.size)} onPage={paging.onPage} />
        </>
      )}
    </footer>
  );
}
