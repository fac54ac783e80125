/** A small form in a dialog: it sends once, shows what is refused at its field, and puts the focus there. */
import { Button } from "@mantine/core";
import { type FormEvent, type ReactNode, useRef, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { BusyButton } from "../busy-button.tsx";
import { Dialog } from "../feedback/dialog.tsx";
import { ToastPlace, type ToastPlaceHandle } from "../feedback/toast-place.tsx";
import styles from "./form-dialog.module.css";

/** Above the page, below questions and the question for the password. */
const LAYER = 300;

export interface FormDialogProps {
  title: string;
  text?: ReactNode;
  submitLabel: string;
  isDangerous?: boolean;
  isDisabled?: boolean;
  /** False: a field is wrong, and the first one gets the focus. */
  onSubmit: () => Promise<boolean>;
  onClose: () => void;
  children: ReactNode;
}

/** Drawn while it is open. */
export function FormDialog(props: FormDialogProps) {
  const { title, text, submitLabel, isDangerous = false, isDisabled = false, onSubmit, onClose, children } = props;
  const { t } = useTranslation("ui");
  const form = useRef<HTMLFormElement>(null);
  const messages = useRef<ToastPlaceHandle>(null);
  const [isBusy, setIsBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || isDisabled) return;
    setIsBusy(true);
    messages.current?.clear();
    const isDone = await onSubmit().finally(() => setIsBusy(false));
    // The errors are drawn by the next frame.
    if (!isDone) requestAnimationFrame(() => form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
  };
  return (
    <Dialog isOpen onClose={onClose} title={title} layer={LAYER} hasOwnToasts>
      {text && <p className={styles.text}>{text}</p>}
      <form ref={form} onSubmit={(event) => void submit(event)} noValidate>
        <div className={styles.fields}>{children}</div>
        <ToastPlace ref={messages} />
        <div className={styles.actions}>
          <Button onClick={onClose}>{t("cancel")}</Button>
          <BusyButton
            type="submit"
            variant="filled"
            isBusy={isBusy}
            disabled={isDisabled}
            data-tone={isDangerous ? "danger" : undefined}
          >
            {submitLabel}
          </BusyButton>
        </div>
      </form>
    </Dialog>
  );
}
