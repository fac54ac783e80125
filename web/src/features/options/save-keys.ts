/** Saves the settings by keys: Ctrl+S or Cmd+S anywhere on the page, Enter in the field of an option. */
import { useEffect, useRef } from "react";

const isSaveKey = (event: KeyboardEvent): boolean =>
  (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "s";

const TYPED = new Set(["text", "password", "url", "search"]);

/** Enter chooses in lists and breaks lines in longer texts; only fields of one line save by it. */
function isEnterInField(event: KeyboardEvent): boolean {
  const { target } = event;
  if (event.key !== "Enter" || event.isComposing || event.defaultPrevented) return false;
  return target instanceof HTMLInputElement && TYPED.has(target.type) && target.closest("[data-option]") !== null;
}

export function useSaveKeys(save: () => Promise<boolean>): void {
  const latest = useRef(save);
  useEffect(() => {
    latest.current = save;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!isSaveKey(event) && !isEnterInField(event)) return;
      event.preventDefault();
      void latest.current();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}
