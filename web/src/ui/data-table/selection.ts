/** The selection of rows by their keys; a group row stands for the rows under it. Pure. */

/** How rows are identified, and which rows a group row stands for. */
export interface SelectableParts<Row> {
  rowKey: (row: Row) => string;
  /** The rows under a group row, visible or not; undefined for a row that is not a group. */
  subRows?: ((row: Row) => readonly Row[] | undefined) | undefined;
}

export type SelectionState = "none" | "some" | "all";

/** The selectable rows, each once and in display order; a group row is replaced by the rows under it. */
export function leavesOf<Row>(rows: readonly Row[], { rowKey, subRows }: SelectableParts<Row>): Row[] {
  const leaves = rows.flatMap((row) => subRows?.(row) ?? [row]);
  return [...new Map(leaves.map((row) => [rowKey(row), row])).values()];
}

/** The rows that a bulk action affects: individual ones, or all that match the filters on every page, except the excluded ones. */
export type Selection =
  | { allMatching: false; keys: ReadonlySet<string> }
  | { allMatching: true; excluded: ReadonlySet<string> };

export const NOTHING_SELECTED: Selection = { allMatching: false, keys: new Set() };
export const ALL_MATCHING: Selection = { allMatching: true, excluded: new Set() };

const isSelected = (selection: Selection, key: string): boolean =>
  selection.allMatching ? !selection.excluded.has(key) : selection.keys.has(key);

/** Number of selected rows, where the filters match `total`. */
export const selectedCount = (selection: Selection, total: number): number =>
  selection.allMatching ? Math.max(0, total - selection.excluded.size) : selection.keys.size;

/** Whether none, some or all of `keys` are selected; "none" for an empty list. */
export function stateOf(selection: Selection, keys: readonly string[]): SelectionState {
  const count = keys.filter((key) => isSelected(selection, key)).length;
  if (count === 0) return "none";
  return count === keys.length ? "all" : "some";
}

const withKeys = (set: ReadonlySet<string>, keys: readonly string[]): ReadonlySet<string> => new Set([...set, ...keys]);
const withoutKeys = (set: ReadonlySet<string>, keys: readonly string[]): ReadonlySet<string> => {
  const gone = new Set(keys);
  return new Set([...set].filter((key) => !gone.has(key)));
};

/** The selection with `keys` added or removed. */
export function withSelected(selection: Selection, keys: readonly string[], isOn: boolean): Selection {
  if (selection.allMatching)
    return { allMatching: true, excluded: (isOn ? withoutKeys : withKeys)(selection.excluded, keys) };
  return { allMatching: false, keys: (isOn ? withKeys : withoutKeys)(selection.keys, keys) };
}

/** The selection after a click on the checkbox of `keys`: selects all of them, or none where all were selected. */
export const toggled = (selection: Selection, keys: readonly string[]): Selection =>
  withSelected(selection, keys, stateOf(selection, keys) !== "all");

/** The rows from `anchor` to the last of `target`, both included; only `target` where the anchor no longer exists. */
export function rangeOf(
  keys: readonly string[],
  anchor: string | undefined,
  target: readonly string[],
): readonly string[] {
  const places = [anchor, ...target].map((key) => (key === undefined ? -1 : keys.indexOf(key)));
  if (places[0] === -1 || places.length < 2) return target;
  const known = places.filter((place) => place >= 0);
  return keys.slice(Math.min(...known), Math.max(...known) + 1);
}
