/** Column definitions, and which columns fit into the available width. Pure. */
import type { ReactNode } from "react";

export interface Column<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** Minimum width in px for the widest real value, including 20 px of padding. Spare width is shared in proportion; numbers get less of it. */
  width: number;
  /** Numbers, money and durations: right-aligned with tabular figures. */
  isNumeric?: boolean;
  /** Columns are hidden when there is no room, those with the highest number first. Without it a column always stays (identity, state, money). */
  dropPriority?: number;
  /** The server can sort by it, under this name. */
  sortBy?: string;
  /** Off until chosen in the column chooser. */
  isOffAtFirst?: boolean;
  /** Shown instead of the header text: an icon, or the text with a help button. The text still names the column. */
  drawnHeader?: ReactNode;
  /** The header is only for screen readers (columns of icons or bars). */
  isHeaderHidden?: boolean;
}

export interface Fit<Row> {
  shown: Column<Row>[];
  /** Width of each shown column in px. */
  widths: number[];
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

/** Removes columns, those with the highest `dropPriority` first, until the rest fits into `room` px. */
function leaveUntilFit<Row>(columns: readonly Column<Row>[], room: number): Column<Row>[] {
  const rest = [...columns];
  while (sumOf(rest.map((column) => column.width)) > room) {
    const most = Math.max(...rest.map((column) => column.dropPriority ?? 0));
    const index = rest.findLastIndex((column) => column.dropPriority === most);
    if (index === -1) break;
    rest.splice(index, 1);
  }
  return rest;
}

/** Weight of a column when spare width is shared: names can use it, numbers are easier to compare close together. */
const growthOf = (column: Column<never>): number => column.width * (column.isNumeric === true ? 0.35 : 1);

/** Chooses the columns for `room` px and shares the spare width, more of it to names than to numbers. No column gets less than its minimum. */
export function fitColumns<Row>(columns: readonly Column<Row>[], room: number): Fit<Row> {
  const shown = leaveUntilFit(columns, room);
  const free = Math.max(0, room - sumOf(shown.map((column) => column.width)));
  const growth = sumOf(shown.map(growthOf));
  const share = growth > 0 ? free / growth : 0;
  return { shown, widths: shown.map((column) => Math.floor(column.width + growthOf(column) * share)) };
}

export type Sort = { by: string; isDescending: boolean } | undefined;

/** "-used" <-> descending by used. */
export function parseSort(text: string | undefined): Sort {
  if (!text) return undefined;
  return text.startsWith("-") ? { by: text.slice(1), isDescending: true } : { by: text, isDescending: false };
}

/** A click on a header: descending, ascending, off. */
export function nextSort(current: Sort, by: string): string | undefined {
  if (current?.by !== by) return `-${by}`;
  return current.isDescending ? by : undefined;
}

/** The page numbers of the pager, null for a gap: 1 2 3 … 475. */
export function pageNumbers(page: number, pages: number): (number | null)[] {
  if (pages <= 5) return Array.from({ length: pages }, (_, index) => index + 1);
  const middle = Math.min(Math.max(page, 2), pages - 1);
  const near = [1, middle - 1, middle, middle + 1, pages].filter((number) => number >= 1 && number <= pages);
  const sorted = [...new Set(near)].toSorted((a, b) => a - b);
  return sorted.flatMap((number, index) =>
    index > 0 && number - (sorted[index - 1] ?? 0) > 1 ? [null, number] : [number],
  );
}
