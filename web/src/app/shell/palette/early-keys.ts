/** Keeps what is typed between the key that opens the command palette and its field having the focus: its code may still be loading. */

/** A palette that has not come by then will not: the keys are the page's again. */
const LIMIT_MS = 10_000;

export interface EarlyKeys {
  /** Ends the collecting and gives what was typed. */
  take: () => string;
}

/** Collects printable keys from now on; none of them reaches the page below. */
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
