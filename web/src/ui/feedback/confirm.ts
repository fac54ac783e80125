/** Asks once before something that cannot be undone; the question names the thing and the safe button has the focus. */
import { useSyncExternalStore } from "react";

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
  /** A box to tick below the text; `keep` runs where the action's button was pressed with the tick in it. */
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
