/** A small dialog in the middle of the window, with its title as its name. */
import { Modal } from "@mantine/core";
import type { ReactNode } from "react";
import { useReturnedFocus } from "../return-focus.ts";
import styles from "./dialog.module.css";

/** Trapped focus, closed by Escape or its buttons; `layer` is its z-index. */
export function Dialog({
  isOpen,
  onClose,
  title,
  layer,
  size = 420,
  children,
}: {
  isOpen: boolean;
  onClose: () => void;
  title: ReactNode;
  layer: number;
  /** Its width in px; 420 for questions. */
  size?: number;
  children: ReactNode;
}) {
  useReturnedFocus();
  return (
    <Modal.Root opened={isOpen} onClose={onClose} centered size={size} zIndex={layer}>
      <Modal.Overlay />
      <Modal.Content radius={12}>
        <div className={styles.body}>
          <Modal.Title className={styles.title ?? ""}>{title}</Modal.Title>
          {children}
        </div>
      </Modal.Content>
    </Modal.Root>
  );
}
