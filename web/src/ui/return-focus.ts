/** Returns the focus to the element that had it before a dialog or drawer opened. */
import { useEffect, useRef } from "react";

/** Mantine returns it when `opened` becomes false; a component that simply unmounts would leave the focus at the top of the page. */
export function useReturnedFocus(): void {
  const opener = useRef(document.activeElement);
  useEffect(() => {
    const element = opener.current;
    return () => {
      const isLost = document.activeElement === null || document.activeElement === document.body;
      if (isLost && element instanceof HTMLElement) element.focus({ preventScroll: true });
    };
  }, []);
}
