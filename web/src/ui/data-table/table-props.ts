/** Props of the table, the types that its parts share, and a query's result as rows. */
import type { ReactNode } from "react";
import type { Column } from "./columns.ts";
import type { ListState } from "./list-state.ts";
import type { SelectableParts, Selection, SelectionState } from "./selection.ts";

/** The part of a query's result that the table reads besides the rows. */
interface QueryState {
  error: unknown;
  isFetching: boolean;
  isPlaceholderData: boolean;
  refetch: () => unknown;
}

/**
 * @param rows undefined while nothing was loaded
 * @example const query = useQuery({ ...tokensQuery(list), placeholderData: keepPreviousData });
 *          <DataTable data={queryRows(query, query.data?.items, query.data?.total ?? 0)} … />
 */
export const queryRows = <Row>(
  { error, isFetching, isPlaceholderData, refetch }: QueryState,
  rows: readonly Row[] | undefined,
  total: number,
): Rows<Row> => ({ rows, total, error, isFetching, isOld: isPlaceholderData, refetch });

export type RowTone = "off" | "group" | undefined;

/** One text across several columns, from `from` to `to` (column ids; hidden columns are skipped). */
export interface Span {
  from: string;
  to: string;
  content: ReactNode;
  isNumeric?: boolean;
}

/** The result of the list's query; keep the old rows while the next page loads (`placeholderData: keepPreviousData`). */
export interface Rows<Row> {
  /** Undefined until the first load. */
  rows: readonly Row[] | undefined;
  total: number;
  error: unknown;
  isFetching: boolean;
  /** The rows belong to the previous query (another page, other filters) and are faded until the new ones arrive. */
  isOld: boolean;
  refetch: () => unknown;
}

export interface RowParts<Row> extends SelectableParts<Row> {
  /** The accessible name of a row, used by its checkbox and its expand button: "ci-evals". */
  rowName: (row: Row) => string;
  /** `off`: all faint, the element with class `tp-name` a level above; `group`: a tag row on chrome. */
  tone?: (row: Row) => RowTone;
  /** The row's own actions; give hover-only ones the class `tp-row-action`. `actionsWidth` is always reserved. */
  actions?: (row: Row) => ReactNode;
  /** Content that expands below the row (a receipt). Undefined for a row that cannot expand. */
  openedRow?: (row: Row) => ReactNode;
  /** Rows start expanded, for lists that were opened by the id of one entry. */
  opensRows?: boolean;
  spans?: (row: Row) => readonly Span[];
  /** Runs on Enter while the row has the focus. Without it, Enter expands the row. */
  onOpen?: (row: Row) => void;
}

/** Props of a component that lays out the rows itself. */
export interface LayOutParts<Row> {
  draw: (row: Row) => ReactNode;
  /** Of a grid; undefined for cards. */
  columns: number | undefined;
  label: string;
  cardsClass: string;
}

export interface DataTableProps<Row> extends RowParts<Row> {
  /** Key under which the column choice is stored. */
  name: string;
  /** Accessible name of the table: "Tokens". */
  label: string;
  columns: readonly Column<Row>[];
  data: Rows<Row>;
  list: ListState<string>;
  /** Left side of the filter row: search and filter chips. */
  filters?: ReactNode;
  /** Right side of the filter row, before the column chooser. */
  tools?: ReactNode;
  /** Reduces the gaps between filters and the column chooser to an icon, to save room. */
  hasManyFilters?: boolean;
  /**
   * The action bar that takes the filter row's place; enables row selection. `rows` are the selected ones of this page; where
   * `selection` says all that match, the acts work on those of the other pages too.
   */
  selection?: (rows: readonly Row[], clear: () => void, selection: Selection) => ReactNode;
  /** Offers to select all that match, up to the number that the bulk actions accept. Without it, only the page's rows can be selected. */
  matchingMost?: number;
  /** Called with the selected rows, where the page itself acts on them; enables row selection. Must be the same function in every drawing. */
  onSelection?: (rows: readonly Row[]) => void;
  /** False where the page has its own search and tools; the table then starts with its header. */
  hasFilterRow?: boolean;
  /** A row on a phone: the 3 to 5 things that matter. Put `actions(row)` into it yourself. */
  card: (row: Row) => ReactNode;
  actionsWidth?: number;
  /** Row height in px: 44, or 38 for logs and prices. */
  rowHeight?: number;
  /** Lays out the rows of an endless list, which has no pages. */
  layOut?: (parts: LayOutParts<Row>) => ReactNode;
  /** Stands in place of the rows and the footer, below the filter row. */
  instead?: ReactNode;
  /** Shown when the list has nothing and no filter is set. */
  empty: ReactNode;
  /** Left side of the footer: "37 tokens, 31 enabled". */
  count: ReactNode;
  /** Title of the error state: "Tokens could not be loaded". */
  errorTitle: string;
}

/** The selected rows of this page, and how to change them. */
export interface RowSelection<Row> {
  rows: readonly Row[];
  selection: Selection;
  /** How many rows are selected, on all pages. */
  count: number;
  /** State of one row, or of the rows under a group row. */
  stateOf: (row: Row) => SelectionState;
  /** `isRange`: includes all rows since the one that was toggled before. */
  toggle: (row: Row, isRange?: boolean) => void;
  all: SelectionState;
  toggleAll: () => void;
  /** The whole page is selected, and more rows match. */
  canTakeAllMatching: boolean;
  takeAllMatching: () => void;
  clear: () => void;
}

export interface Opened {
  isOpen: (key: string) => boolean;
  toggle: (key: string) => void;
}
