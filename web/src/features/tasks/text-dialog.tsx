/** One text of a task in full, to read and to copy. */
import { Button } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { visible } from "../../lib/names.ts";
import { CopyWord } from "../../ui/display/code-block.tsx";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import styles from "./tasks.module.css";

/** Above the page, below questions. */
const LAYER = 300;

export interface ShownText {
  title: string;
  text: string;
}

/** Opens while `shown` is given. */
export function TextDialog({ shown, onClose }: { shown: ShownText | undefined; onClose: () => void }) {
  const { t } = useTranslation(["tasks", "ui"]);
  // Closed in its first drawing: the dialog notes where the focus was, to give it back, only when it opens after that.
  const isDrawn = useMounted();
  // The last text stays while the dialog fades.
  const [last, setLast] = useState(shown);
  if (shown !== undefined && shown !== last) setLast(shown);
  return (
    <Dialog
      isOpen={isDrawn && shown !== undefined}
      onClose={onClose}
      title={last?.title ?? ""}
      layer={LAYER}
      size={560}
    >
      <pre className={styles.dialogText} tabIndex={0}>
        {visible(last?.text ?? "")}
      </pre>
      <div className={styles.dialogFoot}>
        <CopyWord text={last?.text ?? ""} />
        <Button onClick={onClose}>{t("ui:close")}</Button>
      </div>
    </Dialog>
  );
}
