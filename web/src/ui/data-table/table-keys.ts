/** The keys of a list: `/` focuses the search, `j` and `k` move between rows, `x` selects, Escape clears. Enter opens a row, which the rows handle. The focus stays in its place where a row is removed. */
import { type RefObject, useEffect, useRef } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import type { Shortcut } from "../shortcuts/shortcuts.ts";
import { useShortcuts } from "../shortcuts/shortcuts.ts";
import type { DataTableProps, RowSelection } from "./table-props.ts";

const ROW = "[data-row-key]";
/** Where rows of a list are not drawn, or not loaded yet: they are once it comes near the view. */
const GOES_ON = "[data-goes-on]";
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

/** Focuses a row and shows it. */
function focusRow(row: HTMLElement | undefined): void {
  // The browser would scroll the row underneath the sticky header.
  row?.focus({ preventScroll: true });
  row?.scrollIntoView({ block: "nearest" });
}

/** The rows in their order, with the gaps between them. */
const placesIn = (place: HTMLElement): HTMLElement[] => [...place.querySelectorAll<HTMLElement>(`${ROW}, ${GOES_ON}`)];

const isGap = (element: HTMLElement | undefined): boolean => element?.matches(GOES_ON) === true;

/** More steps are not kept: a key that is held down would run far ahead of the rows. */
const WAITING_STEPS_MAX = 50;

/**
 * Moves the focus by one row, starting at the first; it stops at both ends. At the end of what is drawn of a list that goes on, steps down wait
 * for the next rows, and are taken once those are there, unless the focus has left the row meanwhile.
 */
function useRowSteps(place: RefObject<HTMLElement | null>): (step: 1 | -1) => void {
  const waiting = useRef<{ row: HTMLElement; count: number; observer: MutationObserver }>(undefined);
  const end = (): void => {
    waiting.current?.observer.disconnect();
    waiting.current = undefined;
  };
  useEffect(() => end, []);
  const goOn = (): void => {
    const left = waiting.current;
    if (left === undefined || place.current === null) return;
    if (rowInFocus() !== left.row) return end();
    const places = placesIn(place.current);
    let at = places.indexOf(left.row);
    if (at < 0) return end();
    while (left.count > 0 && at + 1 < places.length && !isGap(places[at + 1])) {
      at += 1;
      left.count -= 1;
    }
    const row = places[at];
    if (row !== undefined && row !== left.row) {
      focusRow(row);
      left.row = row;
    }
    if (left.count === 0 || !isGap(places[at + 1])) end();
  };
  return (step) => {
    const element = place.current;
    if (element === null) return;
    const left = waiting.current;
    if (left !== undefined && rowInFocus() === left.row) {
      left.count = Math.min(left.count + step, WAITING_STEPS_MAX);
      if (left.count === 0) end();
      return;
    }
    end();
    const places = placesIn(element);
    const at = places.findIndex((each) => each === rowInFocus());
    const row = places[at];
    if (row === undefined) return focusRow(places.find((each) => !isGap(each)));
    const next = places[at + step];
    if (!isGap(next)) return focusRow(next);
    if (step === -1) return;
    const observer = new MutationObserver(goOn);
    waiting.current = { row, count: 1, observer };
    observer.observe(element, { childList: true, subtree: true });
  };
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
  const move = useRowSteps(place);
  const row = (keys: string, label: string, run?: () => void): Shortcut => ({
    keys,
    label: t(`shortcuts.${label}`),
    section: "list",
    ...(run && { run }),
  });
  useShortcuts([
    row("/", "search", focusSearch),
    row("j", "next", () => move(1)),
    row("k", "previous", () => move(-1)),
    ...(canOpen ? [row("Enter", "open")] : []),
    ...(canSelect ? [row("x", "select", toggle)] : []),
    ...(canSelect ? [row("Escape", "clear", selected.count > 0 ? selected.clear : undefined)] : []),
  ]);
}
