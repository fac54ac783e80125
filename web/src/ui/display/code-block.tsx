/** A snippet to read and copy, coloured without an editor. */
import { IconCheck, IconCopy } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { type CodeLanguage, tokenizeLine } from "./code-tokens.ts";
import styles from "./code-block.module.css";
import { useCopy } from "./copy.tsx";

/** Copy with its word, for heads of blocks and sections. */
export function CopyWord({ text }: { text: string }) {
  const { t } = useTranslation("ui");
  const { isCopied, copy } = useCopy(text);
  const Icon = isCopied ? IconCheck : IconCopy;
  return (
    <button type="button" className={styles.copy} onClick={copy}>
      <Icon size={14} stroke={1.5} aria-hidden />
      <span aria-live="polite">{isCopied ? t("copy.done") : t("copy.word")}</span>
    </button>
  );
}

interface CodeFrameProps {
  /** The head; without it the frame is bare. */
  title: string | undefined;
  /** The copied text. */
  code: string;
  children: ReactNode;
}

/** The frame of a snippet: what it is, and its copy. */
export const CodeFrame = ({ title, code, children }: CodeFrameProps) => (
  <div className={styles.block}>
    {title !== undefined && (
      <div className={styles.head}>
        <span>{title}</span>
        <CopyWord text={code} />
      </div>
    )}
    {children}
  </div>
);

function Line({ line, language, number }: { line: string; language: CodeLanguage; number: number | undefined }) {
  return (
    <span className={styles.line}>
      {number !== undefined && (
        <span className={styles.number} aria-hidden>
          {number}
        </span>
      )}
      {tokenizeLine(line, language).map((token, index) => (
        <span key={index} data-kind={token.kind}>
          {token.text}
        </span>
      ))}
      {line === "" && " "}
    </span>
  );
}

/**
 * @param shown what is drawn where it differs from what is copied (a shortened key)
 * @param title the head, with line numbers; without it the block is bare
 * @example <CodeBlock title="Shell, this session" language="shell" code={withKey} shown={withShortKey} />
 */
export function CodeBlock({
  code,
  shown = code,
  language,
  title,
}: {
  code: string;
  shown?: string;
  language: CodeLanguage;
  title?: string;
}) {
  const lines = shown.split("\n");
  return (
    <CodeFrame title={title} code={code}>
      <pre className={`${styles.code} ${title === undefined ? styles.bare : ""}`} tabIndex={0}>
        <code style={{ fontSize: "inherit" }}>
          {lines.map((line, index) => (
            <Line key={index} line={line} language={language} number={title === undefined ? undefined : index + 1} />
          ))}
        </code>
      </pre>
    </CodeFrame>
  );
}
