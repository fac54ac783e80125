/** Protects unsaved input against Back, links, reloads and closing the window. */
import { useBlocker } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { translate } from "../../lib/i18n.ts";
import { confirm } from "../feedback/confirm.ts";

/** Asks whether unsaved changes may be discarded. */
export const confirmDiscard = (): Promise<boolean> =>
  confirm({
    title: translate("ui:unsaved.title"),
    text: translate("ui:unsaved.text"),
    action: translate("ui:unsaved.leave"),
    keep: translate("ui:unsaved.stay"),
  });

/**
 * While `isDirty` holds, leaving the address asks first and the browser asks before the page is reloaded or closed.
 * @param isWithin whether a path is still the same page, where nothing is lost; asked for the path that is being opened
 * @returns `freely(act)`: navigates (closing after the question, saving) without asking again
 */
export function useUnsavedGuard(
  isDirty: boolean,
  isWithin: (pathname: string) => boolean = () => false,
): { freely: <Result>(act: () => Result) => Result } {
  const dirty = useRef(isDirty);
  useEffect(() => {
    dirty.current = isDirty;
  });
  const free = useRef(0);
  const holds = () => dirty.current && free.current === 0;
  useBlocker({
    shouldBlockFn: async ({ next }) => holds() && !isWithin(next.pathname) && !(await confirmDiscard()),
    enableBeforeUnload: holds,
    disabled: !isDirty,
  });
  const freely = <Result>(act: () => Result): Result => {
    free.current += 1;
    const done = () => {
      free.current -= 1;
    };
    const result = act();
    // The router starts to navigate a moment after the call.
    void Promise.resolve(result).then(
      () => setTimeout(done),
      () => setTimeout(done),
    );
    return result;
  };
  return { freely };
}
