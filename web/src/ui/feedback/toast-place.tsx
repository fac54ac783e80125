/** The part of an open form or dialog in which toasts are shown while it is open, so that they cover nothing of it. */
import { type Ref, useEffect, useImperativeHandle, useRef } from "react";
import { closeErrorsIn, openToastPlace } from "./toast-store.ts";
import styles from "./toast.module.css";

export interface ToastPlaceHandle {
  /** Removes errors of the last try: the form is sent again. */
  clear: () => void;
}

/** @param isInset of a drawer: its surroundings have no padding, and it covers the corner where toasts are shown otherwise */
export function ToastPlace({ isInset = false, ref }: { isInset?: boolean; ref?: Ref<ToastPlaceHandle> }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(
    () => (place.current === null ? undefined : openToastPlace({ element: place.current, takesAll: isInset })),
    [isInset],
  );
  useImperativeHandle(ref, () => ({ clear: () => place.current !== null && closeErrorsIn(place.current) }), []);
  return <div ref={place} className={styles.place} data-inset={isInset || undefined} />;
}
