/** Text state of a search field whose value lives elsewhere (the address): the field keeps the typed text and reports it after a pause. */
import { useCallback, useEffect, useRef, useState } from "react";
import type { HistoryStep } from "../../lib/search.ts";

const PAUSE_MS = 300;
/** Time after which a reported value must have come back; from then on the outside value counts. */
const ANSWER_MS = 1000;

/** Values that were reported and have not come back yet, oldest first. */
type Sent = string[];

/** Whether `value` is a value that was reported from here; if so, forgets it and all earlier ones. */
function takeEcho(sent: Sent, value: string): boolean {
  const index = sent.lastIndexOf(value);
  if (index === -1) return false;
  sent.splice(0, index + 1);
  return true;
}

/**
 * Typing is handed on after a pause, trimmed, and not while an input method is composing. A change of `value` that does not come
 * from here (Back, a reset) is shown, unless something is being typed: then the typing wins when its pause is over.
 * @param value the current outside value
 */
export function useTypedText(value: string, onChange: (value: string, step: HistoryStep) => void, pauseMs = PAUSE_MS) {
  const [text, setText] = useState(value);
  const isComposing = useRef(false);
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined);
  const answer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const sent = useRef<Sent>([]);
  const held = useRef(value);

  const show = useCallback(() => {
    const isTyping = isComposing.current || pause.current !== undefined;
    if (isTyping || sent.current.length > 0) return;
    setText((old) => (old.trim() === held.current ? old : held.current));
  }, []);
  const stop = () => {
    clearTimeout(pause.current);
    pause.current = undefined;
  };
  const send = (next: string, step: HistoryStep) => {
    stop();
    if (next === held.current && sent.current.length === 0) return;
    sent.current.push(next);
    clearTimeout(answer.current);
    // The value never came back because another change replaced it.
    answer.current = setTimeout(() => {
      sent.current = [];
      show();
    }, ANSWER_MS);
    onChange(next, step);
  };
  const type = (next: string) => {
    stop();
    pause.current = setTimeout(() => send(next.trim(), "replace"), pauseMs);
  };
  useEffect(() => {
    held.current = value;
    if (takeEcho(sent.current, value)) return;
    sent.current = [];
    show();
  }, [value, show]);
  useEffect(
    () => () => {
      clearTimeout(pause.current);
      clearTimeout(answer.current);
    },
    [],
  );
  return {
    text,
    onInput: (next: string) => {
      setText(next);
      if (!isComposing.current) type(next);
    },
    onCompositionStart: () => {
      isComposing.current = true;
      stop();
    },
    onCompositionEnd: (next: string) => {
      isComposing.current = false;
      type(next);
    },
    /** Reports the typed text immediately, on Enter or blur. */
    handOn: () => {
      if (pause.current !== undefined) send(text.trim(), "replace");
    },
    /** Clears the field immediately and adds a history entry. */
    clear: () => {
      setText("");
      send("", "push");
    },
  };
}
