/** The dialog for copying by hand, shown where the browser refuses the clipboard (spec section 8). */
import { Button, Modal, Textarea } from "@mantine/core";
import { useTranslation } from "react-i18next";
import dialog from "./dialog.module.css";

export function CopyDialog({ text, onClose }: { text: string; onClose: () => void }) {
  const { t } = useTranslation("ui");
  return (
    <Modal opened onClose={onClose} withCloseButton={false} centered size={420} padding={20} zIndex={500} aria-labelledby="copy-dialog-title">
      <h2 id="copy-dialog-title" className={dialog.title}>
        {t("copy.failedTitle")}
      </h2>
      <p className={dialog.text}>{t("copy.failed")}</p>
      <Textarea className={dialog.field ?? ""} value={text} readOnly autosize minRows={2} maxRows={8} aria-label={t("copy.failedTitle")} onFocus={(event) => event.currentTarget.select()} data-autofocus />
      <div className={dialog.actions}>
        <Button onClick={onClose}>{t("close")}</Button>
      </div>
    </Modal>
  );
}
