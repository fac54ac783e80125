/** The one table of the console: pages from the server, pinned edges, chosen columns, selection and its bar, opened rows, cards on a phone. */
import { ActionIcon, Tooltip, Button, Checkbox, Popover } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconFilter, IconRefresh, IconColumns3, IconX, IconChevronDown, IconChevronUp } from "@tabler/icons-react";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { PHONE_QUERY } from "../../lib/widths.ts";
import { ErrorState, NothingFound, NotRefreshed } from "../feedback/empty.tsx";
import filterStyles from "./filters.module.css";
import styles from "./data-table.module.css";
import { TableFooter } from "./pager.tsx";
import { usePageInRange } from "./page-range.ts";
import type { DataTableProps, Opened, RowSelection } from "./table-props.ts";
import { useKeptPlace, useTableKeys } from "./table-keys.ts";
import { TableGrid } from "./table-grid.tsx";
import { useRowSelection } from "./use-selection.ts";
import { readStoredJson, writeStoredJson } from "../../lib/storage.ts";
import type { Column } from "./columns.ts";
import { formatNumber } from "../../lib/format.ts";

type CardProps<Row> = DataTableProps<Row> & { opened: Opened };

const SKELETON_CARDS = [1, 0.7, 0.4];
/** Of a card with a head and three lines, as most lists have. */
const SKELETON_CARD_PX = 120;

/** The rows of a table as cards, at 600 px and below. */
function CardList<Row>(props: CardProps<Row>) {
  if (props.data.rows === undefined) {
    return (
      <ul className={styles.cards} aria-busy>
        {SKELETON_CARDS.map((opacity) => (
          <li key={opacity} className={styles.card} style={{ opacity, height: SKELETON_CARD_PX }}>
            <span className={styles.skeleton} style={{ width: "45%" }} />
          </li>
        ))}
      </ul>
    );
  }
  const draw = (row: Row) => <RowCard key={props.rowKey(row)} row={row} props={props} />;
  if (props.layOut)
    return props.layOut({ draw, columns: undefined, label: props.label, cardsClass: styles.cards ?? "" });
  return (
    <ul className={styles.cards} aria-label={props.label} data-is-old={props.data.isOld || undefined}>
      {props.data.rows.map(draw)}
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

/** Replaces the filter row while rows are selected: their number, 'select all that match', and the bulk actions. */
function SelectionBar<Row>({
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

/** Column id -> on; ids that are absent follow the column's own default. */
type Choice = Record<string, boolean>;

function storedChoice(name: string): Choice {
  const stored = readStoredJson(`columns:${name}`);
  if (typeof stored !== "object" || stored === null) return {};
  return Object.fromEntries(
    Object.entries(stored).filter((entry): entry is [string, boolean] => typeof entry[1] === "boolean"),
  );
}

/** The chosen columns of the table `name`, and how to change them. */
function useColumnChoice<Row>(name: string, columns: readonly Column<Row>[]) {
  const [choice, setChoice] = useState(() => storedChoice(name));
  const isOn = (column: Column<Row>): boolean => choice[column.id] ?? column.isOffAtFirst !== true;
  const toggle = (column: Column<Row>): void => {
    const next = { ...choice, [column.id]: !isOn(column) };
    setChoice(next);
    writeStoredJson(`columns:${name}`, next);
  };
  return { chosen: columns.filter(isOn), isOn, toggle };
}

/** Lets people choose the columns of a table; the choice is remembered per table. */
function ColumnChooser<Row>({
  columns,
  isOn,
  onToggle,
  isIcon,
}: {
  columns: readonly Column<Row>[];
  isOn: (column: Column<Row>) => boolean;
  onToggle: (column: Column<Row>) => void;
  /** Shown as an icon without its label. */
  isIcon: boolean;
}) {
  const { t } = useTranslation("ui");
  const [first, ...rest] = columns;
  if (first === undefined) return null;
  return (
    <Popover position="bottom-end" trapFocus>
      <Popover.Target>
        {isIcon ? (
          <ActionIcon variant="subtle" size={32} aria-label={t("table.columns")} title={t("table.columns")}>
            <IconColumns3 size={17} stroke={1.5} />
          </ActionIcon>
        ) : (
          <Button variant="subtle" leftSection={<IconColumns3 size={16} stroke={1.5} />}>
            {t("table.columns")}
          </Button>
        )}
      </Popover.Target>
      <Popover.Dropdown>
        <div className={styles.chooser}>
          {rest.map((column) => (
            <Checkbox
              key={column.id}
              size="xs"
              className={styles.choice ?? ""}
              label={column.header}
              checked={isOn(column)}
              onChange={() => onToggle(column)}
            />
          ))}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

/**
 * @example
 * const list = useListState(["keyword", "status"]);
 * const query = useQuery({ ...tokensQuery(list), placeholderData: keepPreviousData });
 * <DataTable name="tokens" label={t("title")} columns={columns} list={list} rowKey={(token) => String(token.id)} rowName={(token) => token.name}
 *   data={queryRows(query, query.data?.items, query.data?.total ?? 0)}
 *   filters={<><SearchFilter … /><ChoiceFilter … /></>} selection={(rows, clear) => <Button …/>}
 *   card={(token) => <TokenCard token={token} />} empty={<Empty … />} count={t("count", { count: total })} errorTitle={t("notLoaded")} />
 */
export function DataTable<Row>(given: DataTableProps<Row>) {
  const { list } = given;
  const isLeavingPage = usePageInRange(list, given.data);
  const props = isLeavingPage ? { ...given, data: { ...given.data, rows: undefined } } : given;
  const { data } = props;
  const isPhone = useMediaQuery(PHONE_QUERY, false, { getInitialValueInEffect: false }) ?? false;
  const selected = useRowSelection(props);
  const choice = useColumnChoice(props.name, props.columns);
  const opened = useOpened(props.opensRows === true);
  const place = useRef<HTMLDivElement>(null);
  const canSelect = !isPhone && (props.selection !== undefined || props.onSelection !== undefined);
  const canOpen = props.onOpen !== undefined || props.openedRow !== undefined;
  useTableKeys({ place, props, selected, canOpen, canSelect });
  useKeptPlace(place, data.rows);
  const isEmpty = data.rows?.length === 0 && !props.instead;
  if (isEmpty && !list.isFiltered && !data.error) return <div className={styles.place}>{props.empty}</div>;

  const stale =
    data.error && data.rows !== undefined ? <NotRefreshed onRetry={() => void data.refetch()} /> : undefined;
  return (
    <div className={styles.place} ref={place}>
      {selected.count > 0 && props.selection ? (
        <SelectionBar selected={selected} total={data.total}>
          {props.selection(selected.rows, selected.clear, selected.selection)}
        </SelectionBar>
      ) : (
        props.hasFilterRow !== false && <FilterRow {...props} choice={choice} isPhone={isPhone} />
      )}
      {isPhone && stale && <div className={styles.staleRow}>{stale}</div>}
      {props.instead || <ContentAndFooter {...props} {...{ choice, selected, isPhone, opened, isEmpty, stale }} />}
    </div>
  );
}

function ContentAndFooter<Row>({
  choice,
  stale,
  ...props
}: Omit<Parameters<typeof Content<Row>>[0], "columns"> &
  Pick<DataTableProps<Row>, "columns"> & { choice: ReturnType<typeof useColumnChoice<Row>>; stale: ReactNode }) {
  const { data, list, isPhone } = props;
  return (
    <>
      <Content {...props} columns={choice.chosen} />
      {/* On a phone the footer stands below the cards: while their number is unknown it would only jump. */}
      {(data.rows !== undefined || !isPhone) && (
        <TableFooter
          count={
            data.rows === undefined ? (
              <SlowNote isLoading={!data.error} />
            ) : (
              ((isPhone ? undefined : stale) ?? props.count)
            )
          }
          paging={
            props.layOut
              ? undefined
              : { page: list.page, size: list.size, total: data.total, onPage: list.setPage, onSize: list.setSize }
          }
        />
      )}
    </>
  );
}

const SLOW_MS = 6000;

/** After a while, says that loading is still going on. */
function SlowNote({ isLoading }: { isLoading: boolean }) {
  const { t } = useTranslation("ui");
  const [isSlow, setIsSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);
  return <span role="status">{isSlow && isLoading && t("table.slow")}</span>;
}

const NONE_TOGGLED: ReadonlySet<string> = new Set();

/** Which rows are expanded: those that were opened or, where all start expanded, those that were not closed. */
function useOpened(areOpenAtFirst: boolean): Opened {
  const [last, setLast] = useState({ areOpenAtFirst, keys: NONE_TOGGLED });
  const toggledOf = (state: typeof last) => (state.areOpenAtFirst === areOpenAtFirst ? state.keys : NONE_TOGGLED);
  return {
    isOpen: (key) => toggledOf(last).has(key) !== areOpenAtFirst,
    // Several may be toggled before anything is drawn anew.
    toggle: (key) =>
      setLast((state) => {
        const keys = toggledOf(state);
        const others = new Set([...keys].filter((other) => other !== key));
        return { areOpenAtFirst, keys: keys.has(key) ? others : others.add(key) };
      }),
  };
}

function Content<Row>(
  props: DataTableProps<Row> & { selected: RowSelection<Row>; isPhone: boolean; opened: Opened; isEmpty: boolean },
) {
  const { data, list } = props;
  if (data.error && data.rows === undefined)
    return <ErrorState title={props.errorTitle} error={data.error} onRetry={() => void data.refetch()} />;
  if (props.isEmpty) return <NothingFound onClear={list.clearFilters} />;
  return props.isPhone ? <CardList {...props} /> : <TableGrid {...props} />;
}

function FilterRow<Row>(
  props: DataTableProps<Row> & { choice: ReturnType<typeof useColumnChoice<Row>>; isPhone: boolean },
) {
  const { t } = useTranslation("ui");
  const { choice, data } = props;
  const [isFolded, setIsFolded] = useState(true);
  const isRefetching = data.isFetching && data.rows !== undefined;
  return (
    <div className={styles.filterRow}>
      {/* On a phone only the first filter (the search) and those in force are shown until the funnel is pressed. */}
      <div
        className={`${styles.filters} ${isFolded ? styles.isFolded : ""} ${props.hasManyFilters ? filterStyles.many : ""}`}
        data-is-dense={props.hasManyFilters || undefined}
        data-filters
      >
        {props.filters}
      </div>
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
      <div className={styles.tools}>
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
                aria-busy={isRefetching}
                onClick={() => void data.refetch()}
              >
                <IconRefresh size={16} stroke={1.5} className={isRefetching ? styles.turning : undefined} />
              </ActionIcon>
            </Tooltip>
          </>
        )}
      </div>
    </div>
  );
}
