/** Registers shortcuts while a component is mounted. */
import { useEffect, useRef } from "react";
import { addShortcuts, type Shortcut } from "./shortcuts.ts";

/**
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
