/** What the table of the console is given, and what its parts hand each other. */
import type { ReactNode } from "react";
import type { Column } from "./columns.ts";
import type { ListState } from "./list-state.ts";
import type { SelectableParts, Selection, SelectionState } from "./selection.ts";

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
  isOld: boolean;
  refetch: () => unknown;
}

export interface RowParts<Row> extends SelectableParts<Row> {
  /** What tells the row from the others, read out with its checkbox and with the button that opens it: "ci-evals". */
  rowName: (row: Row) => string;
  /** `off`: all faint, the element with class `tp-name` a level above; `group`: a tag row on chrome. */
  tone?: (row: Row) => RowTone;
  /** The row's own actions; give hover-only ones the class `tp-row-action`. `actionsWidth` is always reserved. */
  actions?: (row: Row) => ReactNode;
  /** Opened below the row (a receipt). Undefined for a row that does not open. */
  openedRow?: (row: Row) => ReactNode;
  /** Rows are open from the start, each until it is closed: where one was asked for by its id. */
  opensRows?: boolean;
  spans?: (row: Row) => readonly Span[];
  /** What Enter does on a row that has the focus; without it, it opens what is below the row. */
  onOpen?: (row: Row) => void;
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
  /**
   * The action bar that takes the filter row's place; turns row selection on. `rows` are the selected ones of this page; where
   * `selection` says all that match, the acts work on those of the other pages too.
   */
  selection?: (rows: readonly Row[], clear: () => void, selection: Selection) => ReactNode;
  /** Offers to select all that match, up to so many: as many as the acts can work on. Without it only the page's rows are. */
  matchingMost?: number;
  /** Told of the selected rows, where the page itself acts on them; turns row selection on. Must be the same function in every drawing. */
  onSelection?: (rows: readonly Row[]) => void;
  /** False: the page has search and tools of its own, and the table begins with its header. */
  hasFilterRow?: boolean;
  /** A row on a phone: the 3 to 5 things that matter. Put `actions(row)` into it yourself. */
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

/** The selected rows of this page, and how to change them. */
export interface RowSelection<Row> {
  rows: readonly Row[];
  selection: Selection;
  /** How many rows are selected, on all pages. */
  count: number;
  /** Of one row, or of the rows under a group row. */
  stateOf: (row: Row) => SelectionState;
  /** `isRange`: with all rows from the one before. */
  toggle: (row: Row, isRange?: boolean) => void;
  all: SelectionState;
  toggleAll: () => void;
  /** The whole page is selected, and there is more that matches. */
  canTakeAllMatching: boolean;
  takeAllMatching: () => void;
  clear: () => void;
}

export interface Opened {
  isOpen: (key: string) => boolean;
  toggle: (key: string) => void;
}
