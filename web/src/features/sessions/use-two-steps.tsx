/** Login in one or two steps: the first opens the console, or asks for the second factor of the account. */
import { lazy, type ReactNode, type RefObject, Suspense, useRef, useState } from "react";
import { type LoginAnswer, useEnter } from "./enter.ts";
import styles from "./page.module.css";

/** Comes only to accounts that have one. */
const SecondStep = lazy(async () => ({ default: (await import("./second-step.tsx")).SecondStep }));

interface TwoSteps {
  /** Takes the place of the first step's form; undefined while that is asked for. */
  second: ReactNode | undefined;
  onLogin: (answer: LoginAnswer) => Promise<void>;
  /** Why the first step has to be done again; "" where nothing was refused. */
  refusal: string;
  setRefusal: (reason: string) => void;
  /** The element of the first step: the second one is given no less room, so that the card neither shrinks nor moves. */
  frame: RefObject<HTMLDivElement | null>;
}

export function useTwoSteps(): TwoSteps {
  const enter = useEnter();
  const [first, setFirst] = useState<{ answer: LoginAnswer; heightPx: number }>();
  const frame = useRef<HTMLDivElement>(null);
  const [refusal, setRefusal] = useState("");
  const onLogin = async (answer: LoginAnswer) => {
    setRefusal("");
    if (answer.require_second_factor) setFirst({ answer, heightPx: frame.current?.offsetHeight ?? 0 });
    else await enter(answer);
  };
  const goBack = (reason = "") => {
    setFirst(undefined);
    setRefusal(reason);
  };
  const second = first && (
    <div className={styles.second} style={{ minHeight: first.heightPx }}>
      <Suspense fallback={<div className={styles.ghost} aria-busy />}>
        <SecondStep first={first.answer} onLogin={onLogin} onBack={goBack} />
      </Suspense>
    </div>
  );
  return { second, onLogin, refusal, setRefusal, frame };
}
