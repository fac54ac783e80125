/** The confirmation dialog of confirm.ts; loaded when it is first needed. */
import { Button, Checkbox } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import type { Question } from "./confirm.ts";
import { Dialog } from "./dialog.tsx";
import styles from "./dialog.module.css";

/** z-index above drawers (200) and below toasts. */
const LAYER = 400;

export function ConfirmDialog({
  question: open,
  answer,
}: {
  question: Question | undefined;
  answer: (isSure: boolean) => void;
}) {
  const { t } = useTranslation("ui");
  // Keeps the question while fading out: a screen reader must not meet a dialog without a name.
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
    <Dialog
      isOpen={open !== undefined}
      onClose={() => answer(false)}
      title={question?.title}
      layer={LAYER}
      hasOwnToasts
    >
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
