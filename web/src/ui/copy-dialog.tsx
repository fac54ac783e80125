/** The dialog for copying by hand, shown where the browser refuses the clipboard (spec section 8). */
import { Button, Modal, Textarea } from "@mantine/core";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { onClipboardRefused } from "../lib/clipboard.ts";
import dialog from "./dialog.module.css";

/** Mounted once in the providers. */
export function CopyDialog() {
  const { t } = useTranslation("ui");
  const [text, setText] = useState<string>();
  useEffect(() => onClipboardRefused(setText), []);
  const close = () => setText(undefined);
  return (
    <Modal opened={text !== undefined} onClose={close} withCloseButton={false} centered size={420} padding={20} zIndex={500} aria-labelledby="copy-dialog-title">
      <h2 id="copy-dialog-title" className={dialog.title}>
        {t("copy.failedTitle")}
      </h2>
      <p className={dialog.text}>{t("copy.failed")}</p>
      <Textarea className={dialog.field ?? ""} value={text ?? ""} readOnly autosize minRows={2} maxRows={8} aria-label={t("copy.failedTitle")} onFocus={(event) => event.currentTarget.select()} data-autofocus />
      <div className={dialog.actions}>
        <Button onClick={close}>{t("close")}</Button>
      </div>
    </Modal>
  );
}
