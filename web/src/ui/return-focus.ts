/** Gives the focus back to what had it, when a dialog or drawer goes away all at once. */
import { useEffect, useRef } from "react";

/** Mantine gives it back where `opened` becomes false; a part that is simply no longer drawn would leave the keyboard at the page's top. */
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
