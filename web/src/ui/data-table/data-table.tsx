/** The one table of the console: pages from the server, pinned edges, chosen columns, selection, opened rows, cards on a phone. */
import { ActionIcon, Checkbox, Tooltip } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconFilter, IconRefresh, IconX } from "@tabler/icons-react";
import { rowSelectionFeature, tableFeatures, useTable } from "@tanstack/react-table";
import { type ReactNode, useEffect, useEffectEvent, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { PHONE_QUERY } from "../../lib/widths.ts";
import { ErrorState, NothingFound, NotRefreshed } from "../empty.tsx";
import filterStyles from "../filters.module.css";
import { ColumnChooser, useColumnChoice } from "./column-chooser.tsx";
import type { Column } from "./columns.ts";
import styles from "./data-table.module.css";
import type { ListState } from "./list-state.ts";
import { TableFooter } from "./pager.tsx";
import { CardList } from "./table-cards.tsx";
import { TableGrid } from "./table-grid.tsx";

export type RowTone = "off" | "group" | undefined;

/** A stretch of columns that one text takes over, from `from` to `to` (ids; hidden ones are skipped). */
export interface Span {
  from: string;
  to: string;
  content: ReactNode;
  isNumeric?: boolean;
}

/** What the list's query says; keep the old rows while the next page loads (`placeholderData: keepPreviousData`). */
export interface Rows<Row> {
  /** Undefined while nothing was loaded yet. */
  rows: readonly Row[] | undefined;
  total: number;
  error: unknown;
  isFetching: boolean;
  /** The rows answer the question before (another page, other filters): they are drawn fainter until the new ones come. */
  isOld?: boolean;
  refetch: () => unknown;
}

export interface RowParts<Row> {
  rowKey: (row: Row) => string;
  /** What tells the row from the others, read out with its checkbox and with the button that opens it: "ci-evals". */
  rowName: (row: Row) => string;
  /** `off`: all faint, the element with class `tp-name` a level above; `group`: a tag row on chrome. */
  tone?: (row: Row) => RowTone;
  /** The row's own actions; give hover-only ones the class `tp-row-action`. `actionsWidth` is always reserved. */
  actions?: (row: Row) => ReactNode;
  /** Opened below the row (a receipt). Undefined for a row that does not open. */
  openedRow?: (row: Row) => ReactNode;
  spans?: (row: Row) => readonly Span[];
}

export interface DataTableProps<Row> extends RowParts<Row> {
  /** Names the stored column choice. */
  name: string;
  /** What the table is, for screen readers: "Tokens". */
  label: string;
  columns: readonly Column<Row>[];
  data: Rows<Row>;
  list: ListState<string>;
  /** Left in the filter row: search and filter chips. */
  filters?: ReactNode;
  /** Right in the filter row, before the column chooser. */
  tools?: ReactNode;
  /** Filters stand closer and the column chooser is an icon: they need the room. */
  hasManyFilters?: boolean;
  /** The action bar that takes the filter row's place; turns row selection on. */
  selection?: (rows: readonly Row[], clear: () => void) => ReactNode;
  /** Told of the selected rows, where the page itself acts on them; turns row selection on. Must be the same function in every drawing. */
  onSelection?: (rows: readonly Row[]) => void;
  /** False: the page has search and tools of its own, and the table begins with its header. */
  hasFilterRow?: boolean;
  /** Whether a row can be selected; all without it. */
  canSelect?: (row: Row) => boolean;
  /** The rows a group row stands for, whether they are drawn or not: its checkbox selects them, and only they count as selected. */
  subRows?: (row: Row) => readonly Row[] | undefined;
  /** A row on a phone: the 3 to 5 facts that matter. Put `actions(row)` into it yourself. */
  card: (row: Row) => ReactNode;
  actionsWidth?: number;
  /** 44; logs and prices 38. */
  rowHeight?: number;
  /** Shown when the list has nothing and no filter is set. */
  empty: ReactNode;
  /** Left in the footer: "37 tokens, 31 enabled". */
  count: ReactNode;
  /** "Tokens could not be loaded". */
  errorTitle: string;
}

const features = tableFeatures({ rowSelectionFeature });

/** The rows that stand under no group. */
function topRows<Row>(
  rows: readonly Row[],
  rowKey: (row: Row) => string,
  subRows: DataTableProps<Row>["subRows"],
): Row[] {
  if (subRows === undefined) return [...rows];
  const inGroups = new Set(rows.flatMap((row) => (subRows(row) ?? []).map(rowKey)));
  return rows.filter((row) => !inGroups.has(rowKey(row)));
}

/** Finds the top rows anew where the rows are others, and only then: the table builds itself anew for each list it is given. */
function useTopRows<Row>(rows: readonly Row[] | undefined, find: () => Row[]): object[] {
  const [last, setLast] = useState(() => ({ rows, found: find() }));
  const present = last.rows === rows ? last : { rows, found: find() };
  if (present !== last) setLast(present);
  return present.found as object[];
}

/** Row selection by TanStack Table: selected rows of this page, and how to change them. */
function useRowSelection<Row>(props: DataTableProps<Row>) {
  const { columns, rowKey, canSelect, subRows } = props;
  const rows = props.data.rows;
  const data = useTopRows(rows, () => topRows(rows ?? [], rowKey, subRows));
  const definitions = useMemo(() => columns.map(({ id, header }) => ({ id, header })), [columns]);
  const table = useTable({
    features,
    columns: definitions,
    data,
    getRowId: (row) => rowKey(row as Row),
    getSubRows: (row) => subRows?.(row as Row) as object[] | undefined,
    enableRowSelection: (row) => canSelect?.(row.original as Row) ?? true,
  });
  const selected = table
    .getSelectedRowModel()
    .flatRows.map((row) => row.original as Row)
    .filter((row) => subRows?.(row) === undefined);
  const clear = useEffectEvent(() => table.resetRowSelection(true));
  // Another page has other rows: what is not seen is not selected.
  useEffect(() => clear(), [props.list.page, props.list.size]);
  const selectedKeys = selected.map(rowKey).join("\n");
  const tell = useEffectEvent(() => props.onSelection?.(selected));
  useEffect(() => tell(), [selectedKeys, props.onSelection]);
  return { table, selected };
}

export type RowSelection = ReturnType<typeof useRowSelection>["table"];

/**
 * @example
 * const list = useListState(["keyword", "status"]);
 * const query = useQuery({ ...tokensQuery(list), placeholderData: keepPreviousData });
 * <DataTable name="tokens" label={t("title")} columns={columns} list={list} rowKey={(token) => String(token.id)} rowName={(token) => token.name}
 *   data={{ rows: query.data?.items, total: query.data?.total ?? 0, error: query.error, isFetching: query.isFetching, refetch: query.refetch }}
 *   filters={<><SearchFilter … /><ChoiceFilter … /></>} selection={(rows, clear) => <Button …/>}
 *   card={(token) => <TokenCard token={token} />} empty={<Empty … />} count={t("count", { count: total })} errorTitle={t("notLoaded")} />
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { data, list } = props;
  const isPhone = useMediaQuery(PHONE_QUERY, false, { getInitialValueInEffect: false }) ?? false;
  const { table, selected } = useRowSelection(props);
  const choice = useColumnChoice(props.name, props.columns);
  const opened = useOpened();
  const isEmpty = data.rows?.length === 0;
  if (isEmpty && !list.isFiltered && list.page === 1 && !data.error)
    return <div className={styles.place}>{props.empty}</div>;

  const clearSelection = () => table.resetRowSelection(true);
  const stale =
    data.error && data.rows !== undefined ? <NotRefreshed onRetry={() => void data.refetch()} /> : undefined;
  return (
    <div className={styles.place}>
      {selected.length > 0 && props.selection ? (
        <SelectionRow table={table} count={selected.length} onClear={clearSelection}>
          {props.selection(selected, clearSelection)}
        </SelectionRow>
      ) : (
        props.hasFilterRow !== false && <FilterRow {...props} choice={choice} isPhone={isPhone} />
      )}
      {isPhone && stale && <div className={styles.staleRow}>{stale}</div>}
      <Content {...props} columns={choice.chosen} table={table} isPhone={isPhone} opened={opened} isEmpty={isEmpty} />
      {/* On a phone the footer stands below the cards: while their number is unknown it would only jump. */}
      {(data.rows !== undefined || !isPhone) && (
        <TableFooter
          count={data.rows === undefined ? "" : ((isPhone ? undefined : stale) ?? props.count)}
          paging={{ page: list.page, size: list.size, total: data.total, onPage: list.setPage, onSize: list.setSize }}
        />
      )}
    </div>
  );
}

export interface Opened {
  isOpen: (key: string) => boolean;
  toggle: (key: string) => void;
}

function useOpened(): Opened {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  return {
    isOpen: (key) => keys.has(key),
    toggle: (key) =>
      setKeys((old) => (old.has(key) ? new Set([...old].filter((other) => other !== key)) : new Set([...old, key]))),
  };
}

function Content<Row>(
  props: DataTableProps<Row> & { table: RowSelection; isPhone: boolean; opened: Opened; isEmpty: boolean },
) {
  const { data, list } = props;
  if (data.error && data.rows === undefined)
    return <ErrorState title={props.errorTitle} error={data.error} onRetry={() => void data.refetch()} />;
  if (props.isEmpty) return <NothingFound onClear={list.isFiltered ? list.clearFilters : () => list.setPage(1)} />;
  return props.isPhone ? <CardList {...props} /> : <TableGrid {...props} />;
}

function FilterRow<Row>(
  props: DataTableProps<Row> & { choice: ReturnType<typeof useColumnChoice<Row>>; isPhone: boolean },
) {
  const { t } = useTranslation("ui");
  const { choice, data } = props;
  const [isFolded, setIsFolded] = useState(true);
  return (
    <div className={styles.filterRow}>
      {/* On a phone only the first filter (the search) and those in force are shown until the funnel is pressed. */}
      <div
        className={`${styles.filters} ${isFolded ? styles.isFolded : ""} ${props.hasManyFilters ? filterStyles.many : ""}`}
        data-is-dense={props.hasManyFilters || undefined}
      >
        {props.filters}
      </div>
      <div className={styles.tools}>
        {props.isPhone && props.filters && (
          <ActionIcon
            variant="default"
            size={40}
            aria-label={t("table.filters")}
            aria-expanded={!isFolded}
            onClick={() => setIsFolded(!isFolded)}
          >
            <IconFilter size={17} stroke={1.5} />
          </ActionIcon>
        )}
        {props.tools}
        {!props.isPhone && (
          <>
            <ColumnChooser
              columns={props.columns}
              isOn={choice.isOn}
              onToggle={choice.toggle}
              isIcon={props.hasManyFilters === true}
            />
            <Tooltip label={t("table.refresh")}>
              <ActionIcon
                variant="subtle"
                size={32}
                aria-label={t("table.refresh")}
                loading={data.isFetching && data.rows !== undefined}
                onClick={() => void data.refetch()}
              >
                <IconRefresh size={16} stroke={1.5} />
              </ActionIcon>
            </Tooltip>
          </>
        )}
      </div>
    </div>
  );
}

function SelectionRow({
  table,
  count,
  onClear,
  children,
}: {
  table: RowSelection;
  count: number;
  onClear: () => void;
  children: ReactNode;
}) {
  const { t } = useTranslation("ui");
  return (
    <div className={styles.filterRow} role="toolbar" aria-label={t("table.selected", { count })}>
      <div className={styles.filters}>
        <Checkbox
          size="xs"
          aria-label={t("table.selectAll")}
          checked={table.getIsAllRowsSelected()}
          indeterminate={!table.getIsAllRowsSelected()}
          onChange={() => table.toggleAllRowsSelected(!table.getIsAllRowsSelected())}
        />
        <span className={styles.selected}>{t("table.selected", { count })}</span>
        {children}
      </div>
      <ActionIcon variant="subtle" size={32} aria-label={t("table.clearSelection")} onClick={onClear}>
        <IconX size={16} stroke={1.5} />
      </ActionIcon>
    </div>
  );
}
