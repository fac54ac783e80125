/** Returns the focus to the element that had it before a dialog or drawer opened. */
import { useEffect, useState } from "react";

/** Elements that had the focus, the latest first: the opener of a dialog may be gone when it closes, as an item of a menu is. */
let history: WeakRef<HTMLElement>[] = [];
const MOST = 12;

document.addEventListener("focusin", ({ target }) => {
  if (!(target instanceof HTMLElement)) return;
  history = [new WeakRef(target), ...history.filter((each) => each.deref() !== target)].slice(0, MOST);
});

const canTakeFocus = (element: HTMLElement): boolean =>
  element.isConnected && element.checkVisibility() && !element.matches(":disabled");

/** The closing dialog may still fade out; nothing is focused after this long. */
const CLOSED_AFTER_MS = 10;

/** Mantine does it only for what was closed when it was first drawn, and not for what is unmounted while it is open. */
export function useReturnedFocus(isOpen = true): void {
  const [opened, setOpened] = useState(() => ({ isOpen, by: document.activeElement }));
  // While rendering, before the dialog takes the focus.
  if (opened.isOpen !== isOpen) setOpened({ isOpen, by: document.activeElement });
  useEffect(() => {
    if (!opened.isOpen) return undefined;
    return () => {
      const atClose = document.activeElement;
      const closing = atClose?.closest("[role=dialog]");
      const giveBack = () => {
        const now = document.activeElement;
        // Whatever the close has led to may have the focus already.
        if (now !== null && now !== document.body && (now !== atClose || closing === null)) return;
        const known = [opened.by, ...history.map((each) => each.deref())];
        const next = known.find(
          (each): each is HTMLElement =>
            each instanceof HTMLElement && each !== document.body && canTakeFocus(each) && !closing?.contains(each),
        );
        next?.focus({ preventScroll: true });
      };
      if (atClose === null || atClose === document.body) giveBack();
      setTimeout(giveBack, CLOSED_AFTER_MS);
    };
  }, [opened]);
}
