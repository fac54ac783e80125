/** A row of tabs that is wider than its place scrolls sideways; the open one is brought into sight, and the page stays where it is. */
import { type RefObject, useLayoutEffect, useRef } from "react";

/** How tabs, choices side by side and places of a page say which of them is open. */
const OPEN = "[aria-selected=true], [aria-checked=true], [aria-current]";

function bringIntoSight(row: HTMLElement): void {
  const open = row.querySelector(OPEN)?.getBoundingClientRect();
  const frame = row.getBoundingClientRect();
  if (open === undefined) return;
  // A row as wide as the window has its edges' air inside itself.
  const { paddingLeft, paddingRight } = getComputedStyle(row);
  const [left, right] = [frame.left + Number.parseFloat(paddingLeft), frame.right - Number.parseFloat(paddingRight)];
  if (open.left < left) row.scrollLeft -= left - open.left;
  else if (open.right > right) row.scrollLeft += open.right - right;
}

/**
 * @param open which one is open: the row moves when another one is
 * @returns for the element that scrolls
 * @example const row = useOpenInView<HTMLDivElement>(tab); <div ref={row} className={styles.tabs}>
 */
export function useOpenInView<Row extends HTMLElement>(open: string): RefObject<Row | null> {
  const row = useRef<Row>(null);
  useLayoutEffect(() => {
    if (row.current !== null) bringIntoSight(row.current);
  }, [open]);
  return row;
}
