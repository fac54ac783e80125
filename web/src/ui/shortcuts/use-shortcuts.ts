/** Adds keys while a part is on the screen. */
import { useEffect, useRef } from "react";
import { addShortcuts, type Shortcut } from "./shortcuts.ts";

/**
 * @param rows of now; they may change with every drawing
 * @example useShortcuts([{ keys: "n", label: t("create"), section: "page", run: create }]);
 */
export function useShortcuts(rows: readonly Shortcut[]): void {
  const latest = useRef(rows);
  useEffect(() => {
    latest.current = rows;
  });
  useEffect(() => addShortcuts(() => latest.current), []);
}
