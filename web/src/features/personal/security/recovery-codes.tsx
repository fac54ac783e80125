/** Recovery codes, shown this once: read, copied, kept. */
import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useCopy } from "../../../ui/display/copy.tsx";
import { Dialog } from "../../../ui/feedback/dialog.tsx";
import { Notice } from "../../../ui/feedback/notice.tsx";
import styles from "./security.module.css";

const LAYER = 300;
const HALF = 5;

/** In two halves, as they are read aloud. */
const grouped = (code: string): string => `${code.slice(0, HALF)}-${code.slice(HALF)}`;

export function RecoveryCodesDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const { t } = useTranslation("personal");
  const { isCopied, copy } = useCopy(codes.map(grouped).join("\n"));
  return (
    <Dialog isOpen onClose={onClose} title={t("security.codes.title")} layer={LAYER}>
      <div className={styles.parts}>
        <p className={styles.text}>{t("security.codes.text")}</p>
        <Notice tone="amber">{t("security.codes.once")}</Notice>
        <ul className={styles.codes}>
          {codes.map((code) => (
            <li key={code}>{grouped(code)}</li>
          ))}
        </ul>
      </div>
      <div className={styles.actions}>
        <Button onClick={copy}>{isCopied ? t("security.codes.copied") : t("security.codes.copy")}</Button>
        <Button variant="filled" onClick={onClose}>
          {t("security.codes.kept")}
        </Button>
      </div>
    </Dialog>
  );
}
