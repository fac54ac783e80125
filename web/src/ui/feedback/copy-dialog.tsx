/** The dialog for copying by hand, shown where the browser refuses the clipboard. */
import { Button, Textarea } from "@mantine/core";
import { useTranslation } from "../../lib/i18n.ts";
import { Dialog } from "./dialog.tsx";
import styles from "./dialog.module.css";

/** z-index above everything that can copy. */
const LAYER = 500;

export function CopyDialog({ text, onClose }: { text: string; onClose: () => void }) {
  const { t } = useTranslation("ui");
  return (
    <Dialog isOpen onClose={onClose} title={t("copy.failedTitle")} layer={LAYER} hasOwnToasts>
      <p className={styles.text}>{t("copy.failed")}</p>
      <Textarea
        className={styles.field ?? ""}
        value={text}
        readOnly
        autosize
        minRows={2}
        maxRows={8}
        aria-label={t("copy.failedTitle")}
        onFocus={(event) => event.currentTarget.select()}
        data-autofocus
      />
      <div className={styles.actions}>
        <Button onClick={onClose}>{t("close")}</Button>
      </div>
    </Dialog>
  );
}
