/** Keyboard shortcuts: one table that the mounted components fill, and one listener that runs them. */
import { useEffect, useRef } from "react";

export type ShortcutSection = "everywhere" | "goTo" | "list" | "page";

export interface Shortcut {
  /** Values of `KeyboardEvent.key` in sequence: "?", "j", "g t". */
  keys: string;
  /** Description for the sheet, in the reader's language. */
  label: string;
  section: ShortcutSection;
  /** Absent where the browser or another listener handles the key; the row is then only listed. */
  run?: () => void;
}

type Source = () => readonly Shortcut[];

/** The rows of all mounted components, the latest last. */
const sources = new Set<Source>();

/** Adds rows; the returned function removes them. */
export function addShortcuts(source: Source): () => void {
  sources.add(source);
  return () => sources.delete(source);
}

/**
 * Registers rows while a component is mounted.
 * @param rows the current rows; they may change with every render
 * @example useShortcuts([{ keys: "n", label: t("create"), section: "page", run: create }]);
 */
export function useShortcuts(rows: readonly Shortcut[]): void {
  const latest = useRef(rows);
  useEffect(() => {
    latest.current = rows;
  });
  useEffect(() => addShortcuts(() => latest.current), []);
}

/** All current rows; for the same keys, the latest one. */
export function presentShortcuts(): Shortcut[] {
  const rows = [...sources].flatMap((source) => source());
  return [...new Map(rows.map((row) => [row.keys, row])).values()];
}

/** The longest pause between the keys of a sequence. */
const SEQUENCE_MS = 1000;

/** Input types that do not take letters. */
const LETTERLESS = new Set(["button", "checkbox", "radio", "submit", "reset", "image", "color", "file", "range"]);
/** Elements that handle keys themselves. */
const OWN_KEYS = "textarea, select, [contenteditable]:not([contenteditable=false]), [role=textbox], [role=combobox]";
/** Layers that own the keyboard while they are open. */
const OVERLAYS = "[role=dialog], [role=alertdialog], [role=menu], [role=listbox]";

function takesLetters(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !LETTERLESS.has(target.type);
  return target.closest(OWN_KEYS) !== null;
}

const isOverlayOpen = (): boolean => [...document.querySelectorAll(OVERLAYS)].some((found) => found.checkVisibility());

const isForUs = (event: KeyboardEvent): boolean =>
  !event.defaultPrevented &&
  !event.isComposing &&
  !(event.ctrlKey || event.metaKey || event.altKey) &&
  !takesLetters(event.target) &&
  !isOverlayOpen();

/** The key as a shortcut names it: on keyboards of other scripts the Latin letter of the same place; with Shift a letter is none. */
export function keyOf(event: Pick<KeyboardEvent, "key" | "code" | "shiftKey">): string {
  const { key, code, shiftKey } = event;
  const isLatin = /^[\u0021-\u007e]$/.test(key);
  const letter = isLatin ? key : (/^Key([A-Z])$/.exec(code)?.[1] ?? key);
  if (!/^[a-z]$/i.test(letter)) return key;
  return shiftKey ? `Shift+${letter}` : letter.toLowerCase();
}

/**
 * Listens on the window and runs what is pressed; never while the user types or a dialog or menu is open. Gives what ends it.
 * @param isOn asked at each key: users may disable single keys, since speech input and slips press them too
 */
export function listenToShortcuts(isOn: () => boolean): () => void {
  let begun: { keys: string; atMs: number } | undefined;
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOn() || !isForUs(event)) return;
    const key = keyOf(event);
    if (key === "Shift") return;
    const isInTime = begun !== undefined && event.timeStamp - begun.atMs <= SEQUENCE_MS;
    const keys = isInTime ? `${begun?.keys} ${key}` : key;
    begun = undefined;
    const rows = presentShortcuts();
    const row = rows.find((each) => each.keys === keys && each.run !== undefined);
    if (row === undefined) {
      if (rows.some((each) => each.keys.startsWith(`${keys} `))) begun = { keys, atMs: event.timeStamp };
      return;
    }
    event.preventDefault();
    row.run?.();
  };
  window.addEventListener("keydown", onKeyDown);
  return () => window.removeEventListener("keydown", onKeyDown);
}
