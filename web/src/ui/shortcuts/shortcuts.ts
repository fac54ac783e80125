/** The console's keys: one table of what is pressed and what it does, filled by whatever is on the screen, and one listener. */

export type ShortcutSection = "everywhere" | "goTo" | "list" | "page";

export interface Shortcut {
  /** As `KeyboardEvent.key` has them, one after the other: "?", "j", "g t". */
  keys: string;
  /** What it does, for the sheet, in the reader's language. */
  label: string;
  section: ShortcutSection;
  /** Absent where the browser or another listener does it: then the row is only listed. */
  run?: () => void;
}

type Source = () => readonly Shortcut[];

/** What is on the screen, the latest last. */
const sources = new Set<Source>();

/** Adds rows for as long as they are wanted; gives what takes them away again. */
export function addShortcuts(source: Source): () => void {
  sources.add(source);
  return () => sources.delete(source);
}

/** All rows of now; of the same keys the latest. */
export function presentShortcuts(): Shortcut[] {
  const rows = [...sources].flatMap((source) => source());
  return [...new Map(rows.map((row) => [row.keys, row])).values()];
}

/** Between the keys of a sequence, at most. */
const SEQUENCE_MS = 1000;

/** Kinds of input that take no letters. */
const LETTERLESS = new Set(["button", "checkbox", "radio", "submit", "reset", "image", "color", "file", "range"]);
/** What has keys of its own. */
const OWN_KEYS = "textarea, select, [contenteditable]:not([contenteditable=false]), [role=textbox], [role=combobox]";
/** While one of these is open, keys belong to it. */
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
 * Listens on the window and runs what is pressed; never while somebody types or a dialog or menu is open. Gives what ends it.
 * @param isOn asked at each key: people may turn single keys off, since speech input and slips press them too
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
