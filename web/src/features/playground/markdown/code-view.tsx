/** A block of code: its language, a button that copies it, and its lines in pieces, so that long code that still grows draws its end alone. */
import { memo, useEffect, useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { CodeFrame } from "../../../ui/display/code-block.tsx";
import styles from "./code.module.css";
import { piecesOf } from "./code-pieces.ts";
import { highlighter, wantHighlighter, watchHighlighter } from "./highlighter.ts";

/** As code.module.css has it. */
const LINE_HEIGHT_PX = 20;

/** What is not on the screen is not laid out; lines are not wrapped, so that its height is known. */
const heightOf = (text: string): string => `auto ${text.replace(/\n$/, "").split("\n").length * LINE_HEIGHT_PX}px`;

const Piece = memo(({ text, language }: { text: string; language: string }) => {
  const highlight = useSyncExternalStore(watchHighlighter, highlighter);
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
