/** A block of code: its language, a button that copies it, and its lines in pieces, so that long code that still grows draws its end alone. Code is plain until the highlighter is there. */
import { memo, type ReactNode, useEffect } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { createStore, useStore } from "../../../lib/store.ts";
import { CodeFrame } from "../../../ui/display/code-block.tsx";
import styles from "./code.module.css";

const LINES = 80;

/** The pieces of at most 80 lines; joined they are the code again. */
export function piecesOf(code: string): string[] {
  const lines = code.split("\n");
  const pieces: string[] = [];
  for (let start = 0; start < lines.length; start += LINES) {
    const isLast = start + LINES >= lines.length;
    pieces.push(lines.slice(start, start + LINES).join("\n") + (isLast ? "" : "\n"));
  }
  return pieces;
}

type Highlight = (code: string, language: string) => ReactNode;

/** Undefined until it is loaded. */
const highlighter = createStore<Highlight | undefined>(() => undefined);
let isWanted = false;

/** Loads the highlighter once. Where that fails, code stays plain and the next block tries again. */
function wantHighlighter(): void {
  if (isWanted) return;
  isWanted = true;
  import("./highlight.tsx").then(
    ({ highlight }) => highlighter.set(highlight),
    () => void (isWanted = false),
  );
}

/** As code.module.css has it. */
const LINE_HEIGHT_PX = 20;

/** What is not on the screen is not laid out; lines are not wrapped, so that its height is known. */
const heightOf = (text: string): string => `auto ${text.replace(/\n$/, "").split("\n").length * LINE_HEIGHT_PX}px`;

const Piece = memo(({ text, language }: { text: string; language: string }) => {
  const highlight = useStore(highlighter);
  return (
    <span className={styles.piece} style={{ containIntrinsicSize: heightOf(text) }}>
      {highlight?.(text, language) ?? text}
    </span>
  );
});
Piece.displayName = "Piece";

export function CodeView({ code, language }: { code: string; language: string }) {
  const { t } = useTranslation("playground");
  useEffect(() => {
    if (language !== "") wantHighlighter();
  }, [language]);
  return (
    <CodeFrame title={language || t("code.plain")} code={code}>
      <pre
        className={styles.code}
        tabIndex={0}
        aria-label={t("code.label", { language: language || t("code.plain") })}
        role="region"
      >
        <code>
          {piecesOf(code).map((piece, index) => (
            <Piece key={index} text={piece} language={language} />
          ))}
        </code>
      </pre>
    </CodeFrame>
  );
}
