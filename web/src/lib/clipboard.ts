/** Copies text; where the browser refuses, a dialog shows it for copying by hand. */

type ManualCopy = (text: string) => void;
let showManualCopy: ManualCopy = () => undefined;

/** The dialog registers itself here; see ui/copy-dialog.tsx. */
export function onClipboardRefused(show: ManualCopy): () => void {
  showManualCopy = show;
  return () => {
    showManualCopy = () => undefined;
  };
}

/** Fallback for plain http, where navigator.clipboard does not exist. */
function copyBySelection(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.setAttribute("readonly", "");
  area.style.position = "fixed";
  area.style.opacity = "0";
  const focused = document.activeElement;
  // Inside an open dialog the focus trap would take the selection back, so the area goes where the focus is.
  (focused?.closest("[role=dialog]") ?? document.body).append(area);
  area.select();
  const isDone = document.execCommand("copy");
  area.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return isDone;
}

/** True when the text is on the clipboard; false after the manual dialog was opened instead. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    if (copyBySelection(text)) return true;
  }
  showManualCopy(text);
  return false;
}
