/** The selected rows of a table: of the page in view, or of all that match. */
import { useEffect, useEffectEvent, useState } from "react";
import {
  ALL_MATCHING,
  leavesOf,
  NOTHING_SELECTED,
  rangeOf,
  type Selection,
  selectedCount,
  stateOf,
  toggled,
  withSelected,
} from "./selection.ts";
import type { DataTableProps, RowSelection } from "./table-props.ts";

interface Kept {
  /** The page or filters for which the selection is valid. */
  scope: string;
  selection: Selection;
  /** The row whose checkbox was used last; a range starts there. */
  anchor: string | undefined;
}

/** Single rows stay selected on their page only, so that nothing invisible is selected; 'all that match' holds for the filters, on any page. */
function useKept(pageScope: string, filterScope: string) {
  const scopeOf = (selection: Selection): string => (selection.allMatching ? filterScope : pageScope);
  const nothing: Kept = { scope: pageScope, selection: NOTHING_SELECTED, anchor: undefined };
  const [last, setLast] = useState(nothing);
  const holds = last.scope === scopeOf(last.selection);
  const kept = holds ? last : nothing;
  if (!holds) setLast(nothing);
  const keep = (selection: Selection, anchor?: string) => setLast({ scope: scopeOf(selection), selection, anchor });
  return { kept, keep };
}

/** Notifies the page when its selected rows change. */
function useTelling<Row>(props: DataTableProps<Row>, rows: readonly Row[]): void {
  const keys = rows.map(props.rowKey).join("\n");
  const tell = useEffectEvent(() => props.onSelection?.(rows));
  useEffect(() => tell(), [keys, props.onSelection]);
}

export function useRowSelection<Row>(props: DataTableProps<Row>): RowSelection<Row> {
  const { list, data, rowKey } = props;
  const { kept, keep } = useKept(`${list.page}/${list.size}`, JSON.stringify(list.filters));
  const { selection, anchor } = kept;
  const leaves = leavesOf(data.rows ?? [], props);
  const pageKeys = leaves.map(rowKey);
  const keysOf = (row: Row): string[] => leavesOf([row], props).map(rowKey);
  const rows = leaves.filter((row) => stateOf(selection, [rowKey(row)]) === "all");
  useTelling(props, rows);
  const all = stateOf(selection, pageKeys);
  return {
    rows,
    selection,
    count: selection.allMatching ? selectedCount(selection, data.total) : rows.length,
    stateOf: (row) => stateOf(selection, keysOf(row)),
    toggle: (row, isRange = false) => {
      const keys = keysOf(row);
      const isOn = stateOf(selection, keys) !== "all";
      keep(withSelected(selection, isRange ? rangeOf(pageKeys, anchor, keys) : keys, isOn), keys.at(-1));
    },
    all,
    toggleAll: () => keep(selection.allMatching ? NOTHING_SELECTED : toggled(selection, pageKeys)),
    canTakeAllMatching:
      all === "all" && !selection.allMatching && data.total > rows.length && data.total <= (props.matchingMost ?? 0),
    takeAllMatching: () => keep(ALL_MATCHING),
    clear: () => keep(NOTHING_SELECTED),
  };
}
