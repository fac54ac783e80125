/** Asks for confirmation before something that cannot be undone. The question names the object, and the safe button has the focus. */
import { useSyncExternalStore } from "react";

export interface Question {
  /** Names the object: "Delete the token ci-evals?" */
  title: string;
  /** Describes the consequences. */
  text?: string;
  /** Label of the button that confirms: "Delete token". */
  action: string;
  /** Label of the safe button; "Cancel" by default. */
  keep?: string;
  /** `danger` (the default) makes the confirming button red. */
  tone?: "danger" | "plain";
  /** A checkbox below the text; `keep` runs on confirmation while it is ticked. */
  remember?: { label: string; keep: () => void };
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

/** The open question, and how to answer it; undefined where nothing is asked. */
export function useQuestion(): { question: Question | undefined; answer: (isSure: boolean) => void } {
  const question = useSyncExternalStore(subscribe, () => asked);
  return {
    question,
    answer: (isSure) => {
      question?.answer(isSure);
      setAsked(undefined);
    },
  };
}
