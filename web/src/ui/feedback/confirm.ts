/** Asks for confirmation before something that cannot be undone. The question names the object, and the safe button has the focus. */
import { createStore, useStore } from "../../lib/store.ts";

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

const asked = createStore<Asked | undefined>(() => undefined);

/**
 * Resolves true only when the action's button was pressed.
 * @example if (await confirm({ title: t("delete.title", { name }), text: t("delete.text"), action: t("delete.action") })) remove();
 */
export function confirm(question: Question): Promise<boolean> {
  asked.get()?.answer(false);
  return new Promise((resolve) => asked.set({ ...question, answer: resolve }));
}

/** The open question, and how to answer it; undefined where nothing is asked. */
export function useQuestion(): { question: Question | undefined; answer: (isSure: boolean) => void } {
  const question = useStore(asked);
  return {
    question,
    answer: (isSure) => {
      const latest = asked.get();
      // Another question may have taken the place of the one that is drawn: what was never seen is not agreed to.
      latest?.answer(isSure && latest === question);
      asked.set(undefined);
    },
  };
}
