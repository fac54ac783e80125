/** The table as a grid of rows and columns, on screens wider than a phone. */
import { Checkbox } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { Fragment, type MouseEvent, type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { type Column, fitColumns, nextSort } from "./columns.ts";
import type { DataTableProps, Opened, RowSelection, Span } from "./table-props.ts";
import { directionOf, SortButton } from "../sort-button.tsx";
import styles from "./data-table.module.css";

const CHECK_WIDTH = 48;
const OPEN_WIDTH = 36;
const EDGE_WIDTH = 14;

type GridProps<Row> = DataTableProps<Row> & { selected: RowSelection<Row>; opened: Opened };

interface Frame<Row> extends GridProps<Row> {
  shown: Column<Row>[];
  hasCheck: boolean;
  hasOpen: boolean;
  hasActions: boolean;
}

/** Width of an element in px, measured before the first paint so that no column disappears afterwards and shifts the others. */
function useWidth() {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return undefined;
    const measure = () => setWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, width };
}

export function TableGrid<Row>(props: GridProps<Row>) {
  const { ref, width } = useWidth();
  const hasCheck = props.selection !== undefined || props.onSelection !== undefined;
  const hasOpen = props.opened !== undefined && props.openedRow !== undefined;
  const hasActions = props.actions !== undefined;
  const actionsWidth = (props.actionsWidth ?? 120) + EDGE_WIDTH;
  const fixed =
    (hasCheck ? CHECK_WIDTH : 0) + (hasOpen ? OPEN_WIDTH : 0) + (hasActions ? actionsWidth : 0) + EDGE_WIDTH;
  const { shown, widths } = fitColumns(props.columns, (width || 1200) - fixed);
  const frame: Frame<Row> = { ...props, shown, hasCheck, hasOpen, hasActions };
  return (
    <div
      className={styles.scroller}
      ref={ref}
      aria-busy={props.data.isFetching}
      data-is-old={props.data.isOld || undefined}
    >
      <table
        className={styles.table}
        aria-label={props.label}
        style={{ ["--row-height" as string]: `${props.rowHeight ?? 44}px` }}
      >
        <colgroup>
          {hasCheck && <col style={{ width: CHECK_WIDTH }} />}
          {hasOpen && <col style={{ width: OPEN_WIDTH }} />}
          {shown.map((column, index) => (
            <col
              key={column.id}
              style={{ width: (widths[index] ?? 0) + (index === 0 && !hasCheck && !hasOpen ? EDGE_WIDTH : 0) }}
            />
          ))}
          {hasActions && <col style={{ width: actionsWidth }} />}
        </colgroup>
        <Head {...frame} />
        <Body {...frame} />
      </table>
    </div>
  );
}

function Body<Row>(frame: Frame<Row>) {
  const { data, layOut, rowKey, label } = frame;
  const draw = (row: Row) => <GridRow key={rowKey(row)} row={row} frame={frame} />;
  if (data.rows !== undefined && layOut) return layOut({ draw, columns: columnCount(frame), label, cardsClass: "" });
  return <tbody>{data.rows === undefined ? <SkeletonRows {...frame} /> : data.rows.map(draw)}</tbody>;
}

/** The classes of a cell by its place: pinned first, last with the edge's padding. */
function cellClass<Row>(frame: Frame<Row>, column: Column<Row>, index: number): string {
  const isFirst = index === 0;
  const leads = frame.hasCheck || frame.hasOpen;
  return [
    column.isNumeric ? styles.numeric : "",
    isFirst && !leads ? styles.first : "",
    isFirst && frame.hasCheck && !frame.hasOpen ? styles.afterCheck : "",
    index === frame.shown.length - 1 && !frame.hasActions ? styles.last : "",
  ].join(" ");
}

const openerClass = <Row,>(frame: Frame<Row>): string => `${styles.opener} ${frame.hasCheck ? "" : styles.first}`;

function Head<Row>(frame: Frame<Row>) {
  const { t } = useTranslation("ui");
  const { selected } = frame;
  return (
    <thead>
      <tr>
        {frame.hasCheck && (
          <th scope="col" className={`${styles.first} ${styles.check}`}>
            <Checkbox
              size="xs"
              aria-label={t("table.selectAll")}
              checked={selected.all === "all"}
              indeterminate={selected.all === "some"}
              onChange={selected.toggleAll}
            />
          </th>
        )}
        {frame.hasOpen && (
          <th scope="col" className={openerClass(frame)}>
            <span className="tp-visually-hidden">{t("table.details")}</span>
          </th>
        )}
        {frame.shown.map((column, index) => (
          <HeadCell key={column.id} frame={frame} column={column} index={index} />
        ))}
        {frame.hasActions && (
          <th scope="col" className={`${styles.actions} ${styles.last}`}>
            <span className="tp-visually-hidden">{t("table.actions")}</span>
          </th>
        )}
      </tr>
    </thead>
  );
}

function HeadCell<Row>({ frame, column, index }: { frame: Frame<Row>; column: Column<Row>; index: number }) {
  const { sort, setSort } = frame.list;
  const { sortBy } = column;
  const direction = sortBy !== undefined && sort?.by === sortBy ? directionOf(sort.isDescending) : undefined;
  const text = column.isHeaderHidden ? (
    <span className="tp-visually-hidden">{column.header}</span>
  ) : (
    (column.drawnHeader ?? column.header)
  );
  return (
    <th scope="col" className={cellClass(frame, column, index)} aria-sort={direction}>
      {sortBy === undefined ? (
        text
      ) : (
        <SortButton direction={direction} onClick={() => setSort(nextSort(sort, sortBy))}>
          {text}
        </SortButton>
      )}
    </th>
  );
}

const isOwnClick = (event: MouseEvent): boolean =>
  event.target instanceof Element &&
  event.target.closest("button, a, input, label, [role=menu], time") === null &&
  !window.getSelection()?.toString();

function GridRow<Row>({ row, frame }: { row: Row; frame: Frame<Row> }) {
  const { t } = useTranslation("ui");
  const key = frame.rowKey(row);
  const content = frame.openedRow?.(row);
  const canOpen = content !== undefined && content !== null;
  const isOpen = canOpen && frame.opened.isOpen(key);
  const toggle = () => frame.opened.toggle(key);
  const selection = frame.selected.stateOf(row);
  return (
    <>
      <tr
        className={styles.row}
        data-row-key={key}
        // Focused by the list's shortcuts; Tab continues into the row.
        tabIndex={-1}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.target !== event.currentTarget) return;
          event.preventDefault();
          if (frame.onOpen) frame.onOpen(row);
          else if (canOpen) toggle();
        }}
        data-tone={frame.tone?.(row)}
        data-can-open={canOpen || undefined}
        data-is-open={isOpen || undefined}
        data-is-selected={(frame.hasCheck && selection === "all") || undefined}
        onClick={canOpen ? (event) => isOwnClick(event) && toggle() : undefined}
      >
        {frame.hasCheck && (
          <td
            className={`${styles.first} ${styles.check}`}
            // With Shift, the browser would select the text of the rows in between.
            onMouseDown={(event) => event.shiftKey && event.preventDefault()}
          >
            <Checkbox
              size="xs"
              aria-label={t("table.selectRow", { name: frame.rowName(row) })}
              checked={selection === "all"}
              indeterminate={selection === "some"}
              onChange={({ nativeEvent }) =>
                frame.selected.toggle(row, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
              }
            />
          </td>
        )}
        {frame.hasOpen && (
          <td className={openerClass(frame)}>
            {canOpen && (
              <button
                type="button"
                className={styles.chevron}
                aria-expanded={isOpen}
                aria-label={t("table.detailsOf", { name: frame.rowName(row) })}
                onClick={toggle}
              >
                <IconChevronRight size={14} stroke={1.5} />
              </button>
            )}
          </td>
        )}
        <Cells row={row} frame={frame} />
        {frame.hasActions && (
          <td className={`${styles.actions} ${styles.last}`}>
            <span className={styles.actionsBox}>{frame.actions?.(row)}</span>
          </td>
        )}
      </tr>
      {isOpen && (
        <tr className={styles.opened}>
          <td colSpan={columnCount(frame)}>
            <div className={styles.openedBox}>{content}</div>
          </td>
        </tr>
      )}
    </>
  );
}

const columnCount = <Row,>(frame: Frame<Row>): number =>
  frame.shown.length + Number(frame.hasCheck) + Number(frame.hasOpen) + Number(frame.hasActions);

interface PlacedCell {
  key: string;
  columns: number;
  className: string;
  content: ReactNode;
}

/** The cells of a row; a span replaces the columns between its two ends. */
function placeCells<Row>(row: Row, frame: Frame<Row>): PlacedCell[] {
  const spans = frame.spans?.(row) ?? [];
  const order = frame.columns.map((column) => column.id);
  const spanOf = (id: string): Span | undefined =>
    spans.find((span) => order.indexOf(span.from) <= order.indexOf(id) && order.indexOf(id) <= order.indexOf(span.to));
  const cells: PlacedCell[] = [];
  const drawn = new Map<Span, PlacedCell>();
  frame.shown.forEach((column, index) => {
    const span = spanOf(column.id);
    const open = span && drawn.get(span);
    if (open) {
      open.columns += 1;
      return;
    }
    const cell = {
      key: column.id,
      columns: 1,
      className: cellClass(frame, span ? { ...column, isNumeric: span.isNumeric ?? false } : column, index),
      content: span ? span.content : column.cell(row),
    };
    if (span) drawn.set(span, cell);
    cells.push(cell);
  });
  return cells;
}

function Cells<Row>({ row, frame }: { row: Row; frame: Frame<Row> }) {
  return placeCells(row, frame).map((cell, index) => {
    const Tag = index === 0 ? "th" : "td";
    return (
      <Tag
        key={cell.key}
        className={cell.className}
        colSpan={cell.columns}
        {...(index === 0 ? { scope: "row" as const } : {})}
      >
        {cell.content}
      </Tag>
    );
  });
}

/** Widths in % of the placeholder bars; they vary so that the bars look like text. */
const BAR_WIDTHS = [70, 52, 60, 46, 64, 40];
const FADING = [1, 0.7, 0.4];

function SkeletonRows<Row>(frame: Frame<Row>) {
  return FADING.map((opacity, rowIndex) => (
    <tr key={opacity} className={styles.row} style={{ opacity }} aria-hidden>
      {frame.hasCheck && <td className={styles.first} />}
      {frame.hasOpen && <td className={openerClass(frame)} />}
      {frame.shown.map((column, index) => (
        <Fragment key={column.id}>
          <td className={cellClass(frame, column, index)}>
            <span
              className={styles.skeleton}
              style={{ width: `${BAR_WIDTHS[(index + rowIndex * 2) % BAR_WIDTHS.length]}%` }}
            />
          </td>
        </Fragment>
      ))}
      {frame.hasActions && <td className={styles.actions} />}
    </tr>
  ));
}
