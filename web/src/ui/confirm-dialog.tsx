/** The dialog of an open question (confirm.ts); loaded when something is asked for the first time. */
import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Question } from "./confirm.ts";
import { Dialog } from "./dialog.tsx";
import styles from "./dialog.module.css";

/** Over drawers (200) and under toasts. */
const LAYER = 400;

export function ConfirmDialog({
  question,
  answer,
}: {
  question: Question | undefined;
  answer: (isSure: boolean) => void;
}) {
  const { t } = useTranslation("ui");
  return (
    <Dialog isOpen={question !== undefined} onClose={() => answer(false)} title={question?.title} layer={LAYER}>
      <p className={styles.text}>{question?.text}</p>
      <div className={styles.actions}>
        <Button data-autofocus onClick={() => answer(false)}>
          {question?.keep ?? t("cancel")}
        </Button>
        <Button
          variant="filled"
          data-tone={question?.tone === "plain" ? undefined : "danger"}
          onClick={() => answer(true)}
        >
          {question?.action}
        </Button>
      </div>
    </Dialog>
  );
}
