/** The keys of a list: `/` focuses the search, `j` and `k` move between rows, `x` selects, Escape clears. Enter opens a row, which the rows handle. The focus stays in its place where a row is removed. */
import { type RefObject, useEffect, useRef } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import type { Shortcut } from "../shortcuts/shortcuts.ts";
import { useShortcuts } from "../shortcuts/shortcuts.ts";
import type { DataTableProps, RowSelection } from "./table-props.ts";

const ROW = "[data-row-key]";
/** The page's search field or, where there is none, its first filter. */
const SEARCHES = ["#content input[type=search]", "#content [data-filters] :is(button, input)"];

const searchField = (): HTMLElement | undefined =>
  SEARCHES.map((selector) => document.querySelector<HTMLElement>(selector)).find((found) => found !== null) ??
  undefined;

function focusSearch(): void {
  const field = searchField();
  field?.focus();
  if (field instanceof HTMLInputElement) field.select();
}

/** The row that has or contains the focus. */
const rowInFocus = (): HTMLElement | null => document.activeElement?.closest<HTMLElement>(ROW) ?? null;

/** Moves the focus by `step` rows, starting at the first; it stops at both ends. */
function moveFocus(place: HTMLElement | null, step: 1 | -1): void {
  const rows = [...(place?.querySelectorAll<HTMLElement>(ROW) ?? [])];
  const present = rows.findIndex((row) => row === rowInFocus());
  const next = rows[present === -1 ? 0 : Math.min(Math.max(present + step, 0), rows.length - 1)];
  // The browser would scroll the row underneath the sticky header.
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "nearest" });
}

/** A question that was answered gives the focus back when it has faded out. */
const DIALOG_ENDS_MS = 250;

/** Where the row that had the focus is gone, the one in its place gets it: lost, it would be at the top of the page. */
export function useKeptPlace(place: RefObject<HTMLElement | null>, rows: readonly unknown[] | undefined): void {
  const last = useRef<{ row: HTMLElement; index: number }>(undefined);
  useEffect(() => {
    const remember = () => {
      const row = rowInFocus();
      if (row === null || place.current?.contains(row) !== true) return;
      last.current = { row, index: [...place.current.querySelectorAll(ROW)].indexOf(row) };
    };
    document.addEventListener("focusin", remember);
    return () => document.removeEventListener("focusin", remember);
  }, [place]);
  useEffect(() => {
    const left = last.current;
    if (left === undefined || left.row.isConnected) return undefined;
    last.current = undefined;
    const keep = () => {
      const inPlace = [...(place.current?.querySelectorAll<HTMLElement>(ROW) ?? [])].slice(0, left.index + 1).at(-1);
      if (document.activeElement === document.body) inPlace?.focus({ preventScroll: true });
    };
    keep();
    const timer = setTimeout(keep, DIALOG_ENDS_MS);
    return () => clearTimeout(timer);
  }, [place, rows]);
}

interface TableKeys<Row> {
  place: RefObject<HTMLElement | null>;
  props: DataTableProps<Row>;
  selected: RowSelection<Row>;
  canOpen: boolean;
  canSelect: boolean;
}

export function useTableKeys<Row>({ place, props, selected, canOpen, canSelect }: TableKeys<Row>): void {
  const { t } = useTranslation("ui");
  const toggle = () => {
    const key = rowInFocus()?.dataset["rowKey"];
    const row = props.data.rows?.find((each) => props.rowKey(each) === key);
    if (row !== undefined) selected.toggle(row);
  };
  const row = (keys: string, label: string, run?: () => void): Shortcut => ({
    keys,
    label: t(`shortcuts.${label}`),
    section: "list",
    ...(run && { run }),
  });
  useShortcuts([
    row("/", "search", focusSearch),
    row("j", "next", () => moveFocus(place.current, 1)),
    row("k", "previous", () => moveFocus(place.current, -1)),
    ...(canOpen ? [row("Enter", "open")] : []),
    ...(canSelect ? [row("x", "select", toggle)] : []),
    ...(canSelect ? [row("Escape", "clear", selected.count > 0 ? selected.clear : undefined)] : []),
  ]);
}
