/** Which rows of a page are selected: by their keys, where a group row stands for the rows under it. Pure. */

/** How rows are told apart, and which rows a group row stands for. */
export interface SelectableParts<Row> {
  rowKey: (row: Row) => string;
  /** The rows a group row stands for, whether they are drawn or not; undefined for a row that is no group. */
  subRows?: ((row: Row) => readonly Row[] | undefined) | undefined;
}

export type SelectionState = "none" | "some" | "all";

/** Rows that can be selected themselves, each once, in the order in which they are drawn: group rows give the rows under them. */
export function leavesOf<Row>(rows: readonly Row[], { rowKey, subRows }: SelectableParts<Row>): Row[] {
  const leaves = rows.flatMap((row) => subRows?.(row) ?? [row]);
  return [...new Map(leaves.map((row) => [rowKey(row), row])).values()];
}

/** What acts on many rows work on: these rows, or all that the filters match, on every page, but for some. */
export type Selection =
  | { allMatching: false; keys: ReadonlySet<string> }
  | { allMatching: true; excluded: ReadonlySet<string> };

export const NOTHING_SELECTED: Selection = { allMatching: false, keys: new Set() };
export const ALL_MATCHING: Selection = { allMatching: true, excluded: new Set() };

const isSelected = (selection: Selection, key: string): boolean =>
  selection.allMatching ? !selection.excluded.has(key) : selection.keys.has(key);

/** How many rows that is, where the filters match `total`. */
export const selectedCount = (selection: Selection, total: number): number =>
  selection.allMatching ? Math.max(0, total - selection.excluded.size) : selection.keys.size;

/** How many of `keys` are selected; of none, none are. */
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

/** The same selection with `keys` in it, or out of it. */
export function withSelected(selection: Selection, keys: readonly string[], isOn: boolean): Selection {
  if (selection.allMatching)
    return { allMatching: true, excluded: (isOn ? withoutKeys : withKeys)(selection.excluded, keys) };
  return { allMatching: false, keys: (isOn ? withKeys : withoutKeys)(selection.keys, keys) };
}

/** A click on the checkbox of `keys`: selects what is missing, or takes all of them out where none is missing. */
export const toggled = (selection: Selection, keys: readonly string[]): Selection =>
  withSelected(selection, keys, stateOf(selection, keys) !== "all");

/** Of the rows in their order, those from `anchor` to the last of `target`, both included; `target` alone where the anchor is gone. */
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
