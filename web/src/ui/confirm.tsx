/** Asks once before something that cannot be undone; the question names the thing and the safe button has the focus. */
import { Button, Modal } from "@mantine/core";
import { useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import dialog from "./dialog.module.css";

export interface Question {
  /** Names the thing: "Delete the token ci-evals?" */
  title: string;
  /** What happens then. */
  text?: string;
  /** The button that does it: "Delete token". */
  action: string;
  /** The safe button; "Cancel" without it. */
  keep?: string;
  /** `danger` (the default) is a red button. */
  tone?: "danger" | "plain";
}

interface Asked extends Question {
  answer: (isSure: boolean) => void;
}

let asked: Asked | undefined;
const listeners = new Set<() => void>();

function setAsked(next: Asked | undefined): void {
  asked = next;
  for (const listener of listeners) listener();
}

/**
 * Resolves true only when the action's button was pressed.
 * @example if (await confirm({ title: t("delete.title", { name }), text: t("delete.text"), action: t("delete.action") })) remove();
 */
export function confirm(question: Question): Promise<boolean> {
  asked?.answer(false);
  return new Promise((resolve) => setAsked({ ...question, answer: resolve }));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Mounted once in the providers. */
export function ConfirmHost() {
  const { t } = useTranslation("ui");
  const question = useSyncExternalStore(subscribe, () => asked);
  const answer = (isSure: boolean) => {
    question?.answer(isSure);
    setAsked(undefined);
  };
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
