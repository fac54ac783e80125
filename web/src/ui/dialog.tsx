/** A small dialog in the middle of the window, with its title as its name. */
import { Modal } from "@mantine/core";
import type { ReactNode } from "react";
import styles from "./dialog.module.css";

/** @param isAlert a question that needs an answer (role alertdialog) */
export function Dialog({ isOpen, onClose, title, isAlert = false, layer, children }: { isOpen: boolean; onClose: () => void; title: ReactNode; isAlert?: boolean; layer: number; children: ReactNode }) {
  return (
    <Modal.Root opened={isOpen} onClose={onClose} centered size={420} zIndex={layer}>
      <Modal.Overlay />
      <Modal.Content radius={12} {...(isAlert ? { role: "alertdialog" } : {})}>
        <div className={styles.body}>
          <Modal.Title className={styles.title ?? ""}>{title}</Modal.Title>
          {children}
        </div>
      </Modal.Content>
    </Modal.Root>
  );
}
