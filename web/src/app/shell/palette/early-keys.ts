/** Collects the text that is typed after the palette's shortcut and before its field has the focus, while its code may still be loading. */

/** After this time the palette has failed to open, and keys go to the page again. */
const LIMIT_MS = 10_000;

export interface EarlyKeys {
  /** Stops collecting and returns the typed text. */
  take: () => string;
}

/** Starts to collect printable keys; none of them reaches the page below. */
export function collectKeys(): EarlyKeys {
  let text = "";
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Backspace") text = text.slice(0, -1);
    else if (event.key.length === 1) text += event.key;
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const end = () => window.removeEventListener("keydown", onKeyDown, true);
  const timer = setTimeout(end, LIMIT_MS);
  window.addEventListener("keydown", onKeyDown, true);
  return {
    take: () => {
      clearTimeout(timer);
      end();
      const taken = text;
      text = "";
      return taken;
    },
  };
}
