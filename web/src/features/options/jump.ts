/** Shows the field of one option: scrolls to it, focuses its control, marks it for a moment, and turns its switch where that was asked. */
import { rowId } from "./rows/option-row.tsx";
import { takeTurn } from "./turn.ts";

const MARKED_MS = 2000;
const CONTROL = "input, textarea, button:not([title]), [contenteditable='true']";

/** Waits for what loads with the section, at most this many frames. */
const MOST_FRAMES = 120;

function control(row: HTMLElement, name: string): HTMLElement | null {
  return (
    document.getElementById(`${rowId(name)}-control`) ??
    row.querySelector<HTMLElement>(`:scope > :last-child :is(${CONTROL})`)
  );
}

/** Does nothing where the option does not come to stand on the page. */
export function showOption(name: string, framesLeft = MOST_FRAMES): void {
  const row = document.getElementById(rowId(name));
  const target = row && control(row, name);
  if (row === null || target === null) {
    if (framesLeft > 0) requestAnimationFrame(() => showOption(name, framesLeft - 1));
    return;
  }
  row.scrollIntoView({ block: "center" });
  target.focus({ preventScroll: true });
  const isOn = takeTurn(name);
  if (isOn !== undefined && target instanceof HTMLInputElement && target.checked !== isOn) target.click();
  row.dataset["isFound"] = "true";
  setTimeout(() => delete row.dataset["isFound"], MARKED_MS);
}
