/** The dialog of an open question (confirm.ts); loaded when something is asked for the first time. */
import { Button, Modal } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Question } from "./confirm.ts";
import dialog from "./dialog.module.css";

export function ConfirmDialog({ question, answer }: { question: Question | undefined; answer: (isSure: boolean) => void }) {
  const { t } = useTranslation("ui");
  return (
    <Modal opened={question !== undefined} onClose={() => answer(false)} withCloseButton={false} centered size={420} padding={20} zIndex={400} role="alertdialog" aria-labelledby="confirm-title" aria-describedby="confirm-text">
      <h2 id="confirm-title" className={dialog.title}>
        {question?.title}
      </h2>
      <p id="confirm-text" className={dialog.text}>
        {question?.text}
      </p>
      <div className={dialog.actions}>
        <Button data-autofocus onClick={() => answer(false)}>
          {question?.keep ?? t("cancel")}
        </Button>
        <Button variant="filled" data-tone={question?.tone === "plain" ? undefined : "danger"} onClick={() => answer(true)}>
          {question?.action}
        </Button>
      </div>
    </Modal>
  );
}
