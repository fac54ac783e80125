/** The dialog of an open question (confirm.ts); loaded when something is asked for the first time. */
import { Button, Checkbox } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Question } from "./confirm.ts";
import { Dialog } from "./dialog.tsx";
import styles from "./dialog.module.css";

/** Over drawers (200) and under toasts. */
const LAYER = 400;

export function ConfirmDialog({
  question: open,
  answer,
}: {
  question: Question | undefined;
  answer: (isSure: boolean) => void;
}) {
  const { t } = useTranslation("ui");
  // While it fades out it still says what was asked: a dialog without a name is a riddle to a screen reader.
  const [question, setQuestion] = useState(open);
  const [isTicked, setIsTicked] = useState(false);
  if (open !== undefined && open !== question) {
    setQuestion(open);
    setIsTicked(false);
  }
  const act = () => {
    if (isTicked) question?.remember?.keep();
    answer(true);
  };
  return (
    <Dialog isOpen={open !== undefined} onClose={() => answer(false)} title={question?.title} layer={LAYER}>
      <p className={styles.text}>{question?.text}</p>
      {question?.remember !== undefined && (
        <Checkbox
          className={styles.remember ?? ""}
          label={question.remember.label}
          checked={isTicked}
          onChange={(event) => setIsTicked(event.currentTarget.checked)}
        />
      )}
      <div className={styles.actions}>
        <Button data-autofocus onClick={() => answer(false)}>
          {question?.keep ?? t("cancel")}
        </Button>
        <Button variant="filled" data-tone={question?.tone === "plain" ? undefined : "danger"} onClick={act}>
          {question?.action}
        </Button>
      </div>
    </Dialog>
  );
}
