/** Recovery codes, shown once: copied, downloaded or printed. The dialog closes only after confirming that they are stored. */
import { Button } from "@mantine/core";
import { useTranslation } from "../../../lib/i18n.ts";
import { saveFile } from "../../../lib/download.ts";
import { useStatus } from "../../../lib/status.ts";
import { useCopy } from "../../../ui/display/copy.tsx";
import { Dialog } from "../../../ui/feedback/dialog.tsx";
import { Notice } from "../../../ui/feedback/notice.tsx";
import styles from "./security.module.css";

const LAYER = 300;
const HALF = 5;

/** In two halves, as they are read aloud. */
const grouped = (code: string): string => `${code.slice(0, HALF)}-${code.slice(HALF)}`;

interface RecoveryCodesProps {
  codes: readonly string[];
  /** They are kept. */
  onClose: () => void;
}

export function RecoveryCodes({ codes, onClose }: RecoveryCodesProps) {
  const { t } = useTranslation("personal");
  const { system_name } = useStatus();
  const text = codes.map(grouped).join("\n");
  const { isCopied, copy } = useCopy(text);
  const title = t("security.codes.fileTitle", { site: system_name, host: location.host });
  const download = () =>
    saveFile(new Blob([`${title}\n\n${text}\n`], { type: "text/plain" }), `recovery-codes-${location.hostname}.txt`);
  return (
    <>
      <div className={styles.parts}>
        <p className={styles.text}>{t("security.codes.text")}</p>
        <Notice tone="amber">{t("security.codes.once")}</Notice>
        <ul className={`tp-printed ${styles.codes}`} data-print-title={title}>
          {codes.map((code) => (
            <li key={code}>{grouped(code)}</li>
          ))}
        </ul>
      </div>
      <div className={styles.actions}>
        <Button onClick={copy}>{isCopied ? t("security.codes.copied") : t("security.codes.copy")}</Button>
        <Button onClick={download}>{t("security.codes.download")}</Button>
        <Button onClick={() => window.print()}>{t("security.codes.print")}</Button>
        <Button variant="filled" onClick={onClose}>
          {t("security.codes.kept")}
        </Button>
      </div>
    </>
  );
}

export function RecoveryCodesDialog(props: RecoveryCodesProps) {
  const { t } = useTranslation("personal");
  return (
    <Dialog isOpen onClose={props.onClose} title={t("security.codes.title")} layer={LAYER} closesByButtonOnly>
      <RecoveryCodes {...props} />
    </Dialog>
  );
}
