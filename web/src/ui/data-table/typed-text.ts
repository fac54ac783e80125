/** A text that is typed here and held elsewhere: the field owns what stands in it, the holder follows after a pause. */
import { useCallback, useEffect, useRef, useState } from "react";
import type { HistoryStep } from "../../lib/search.ts";

const PAUSE_MS = 300;
/** The holder has answered by then; what it holds after that is what counts. */
const ANSWER_MS = 1000;

/** What the holder was told and has not shown yet, oldest first. */
type Sent = string[];

/** Whether `value` is only the echo of something sent from here; forgets what came before it. */
function takeEcho(sent: Sent, value: string): boolean {
  const index = sent.lastIndexOf(value);
  if (index === -1) return false;
  sent.splice(0, index + 1);
  return true;
}

/**
 * Typing is handed on after a pause, trimmed, and not while an input method is composing. A change of `value` that does not come
 * from here (Back, a reset) is shown, unless something is being typed: then the typing wins when its pause is over.
 * @param value what the holder has
 */
export function useTypedText(value: string, onChange: (value: string, step: HistoryStep) => void) {
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
    // An answer that never came was overtaken by another change of what is held.
    answer.current = setTimeout(() => {
      sent.current = [];
      show();
    }, ANSWER_MS);
    onChange(next, step);
  };
  const type = (next: string) => {
    stop();
    pause.current = setTimeout(() => send(next.trim(), "replace"), PAUSE_MS);
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
    /** What was typed counts at once: Enter, or the field is left. */
    handOn: () => {
      if (pause.current !== undefined) send(text.trim(), "replace");
    },
    /** Empties the field at once; a step of its own. */
    clear: () => {
      setText("");
      send("", "push");
    },
  };
}
