/** A dialog without Mantine, for pages that must be light: the browser's own, which traps the focus and gives it back. */
import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { createPortal } from "react-dom";
import { PlainButton } from "./plain.tsx";
import styles from "./plain-dialog.module.css";

interface PlainDialogProps {
  title: string;
  /** The word on the button that closes it. */
  close: string;
  onClose: () => void;
  /** Its text, and the action left of the closing button. */
  children: ReactNode;
  action?: ReactNode;
}

/** Open while it is drawn; Escape and its button close it. */
export function PlainDialog({ title, close, onClose, children, action }: PlainDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Closed while it is still on the page, so that the focus goes back to where it was.
  useLayoutEffect(() => {
    const opened = dialog.current;
    if (opened?.open === false) opened.showModal();
    return () => opened?.close();
  }, []);
  // Outside of the form around it, whose looks and keys are not its own.
  return createPortal(
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 className={styles.title} id={id}>
        {title}
      </h2>
      {children}
      <div className={styles.actions}>
        <PlainButton onClick={onClose}>{close}</PlainButton>
        {action}
      </div>
    </dialog>,
    document.body,
  );
}
