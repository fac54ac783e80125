/** The JSON editor until somebody uses it: a text area over the same coloured lines, in the same place and height as CodeMirror's. */
import { memo, type ReactNode, type Ref } from "react";
import styles from "./json-plain.module.css";
import type { JsonTextProps } from "./json-text.ts";

/** A string with the colon that makes it a name, a string, a number, a word. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|(true|false|null)/g;

/** The text of one line in the colours of its kinds. */
function coloured(line: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const match of line.matchAll(TOKEN)) {
    const [whole, text, colon, number] = match;
    const kind = text === undefined ? (number === undefined ? "keyword" : "number") : colon ? "name" : "string";
    const token = text ?? whole;
    parts.push(line.slice(end, match.index));
    parts.push(
      <span key={match.index} className={styles[kind]}>
        {token}
      </span>,
    );
    end = match.index + token.length;
  }
  return [...parts, line.slice(end)];
}

const Line = memo(function Line({ text, isWrong }: { text: string; isWrong: boolean }) {
  return (
    <div className={styles.line} data-is-wrong={isWrong || undefined}>
      {text === "" ? "\u200B" : coloured(text)}
    </div>
  );
});

interface Props extends JsonTextProps {
  input: Ref<HTMLTextAreaElement>;
  /** It is about to be used: the editor may take its place. */
  onUse: () => void;
  /** An input method begins or ends to write. */
  onCompose: (is: boolean) => void;
}

export function JsonPlain({ id, labelledBy, value, onChange, errorLine, isInvalid, input, onUse, onCompose }: Props) {
  const lines = value.split("\n");
  return (
    <div className={styles.place} onPointerEnter={onUse}>
      <div className={styles.text}>
        <div aria-hidden>
          {lines.map((text, index) => (
            // Lines have no identity but their place.
            <Line key={index} text={text} isWrong={index + 1 === errorLine} />
          ))}
        </div>
        <textarea
          ref={input}
          id={id}
          className={styles.input}
          aria-labelledby={labelledBy}
          aria-invalid={isInvalid}
          spellCheck={false}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          onFocus={onUse}
          onCompositionStart={() => onCompose(true)}
          onCompositionEnd={() => onCompose(false)}
        />
      </div>
    </div>
  );
}
