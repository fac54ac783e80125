/** A small dialog in the middle of the window, with its title as its name. */
import { Modal } from "@mantine/core";
import type { ReactNode } from "react";
import { useEscapeLayer } from "../escape-layer.ts";
import { useReturnedFocus } from "../return-focus.ts";
import { ToastPlace } from "./toast-place.tsx";
import styles from "./dialog.module.css";

/** Trapped focus, closed by Escape or its buttons; `layer` is its z-index. */
export function Dialog({
  isOpen,
  onClose,
  title,
  layer,
  size = 420,
  hasOwnToasts = false,
  closesByButtonOnly = false,
  children,
}: {
  isOpen: boolean;
  onClose: () => void;
  title: ReactNode;
  layer: number;
  /** Its width in px; 420 for questions. */
  size?: number;
  /** Toasts are not shown at its end: it says itself where, or it is a question that is over in a moment. */
  hasOwnToasts?: boolean;
  /** Its content is lost when it closes: neither Escape nor a press beside it closes it. */
  closesByButtonOnly?: boolean;
  children: ReactNode;
}) {
  useReturnedFocus(isOpen);
  const escape = useEscapeLayer(isOpen, layer);
  return (
    <Modal.Root
      {...escape}
      opened={isOpen}
      onClose={onClose}
      centered
      size={size}
      zIndex={layer}
      closeOnEscape={escape.closeOnEscape && !closesByButtonOnly}
      closeOnClickOutside={!closesByButtonOnly}
    >
      <Modal.Overlay />
      <Modal.Content radius={12}>
        <div className={styles.body}>
          <Modal.Title className={styles.title ?? ""}>{title}</Modal.Title>
          {children}
          {isOpen && !hasOwnToasts && <ToastPlace />}
        </div>
      </Modal.Content>
    </Modal.Root>
  );
}
