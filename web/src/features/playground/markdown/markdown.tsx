/** A model's answer as Markdown, block by block, so that a growing answer redraws its end alone. Nothing in it runs or loads. */
import { lazy, memo, Suspense, use, useMemo } from "react";
import { type Block, blocksOf, definitionsOf, withDefinitions } from "./blocks.ts";
import { CodeView } from "./code-view.tsx";
import { Stored } from "./stored.ts";
import { useSteps } from "./use-steps.ts";
import { Parsed } from "./parsed.tsx";
import styles from "./markdown.module.css";
import { hasMath, mathText } from "./math-text.ts";

const Formulas = lazy(async () => ({ default: (await import("./formulas.tsx")).Formulas }));

export /** A paragraph, list, table or other part that is no code, with its formulas. */
function Words({ text }: { text: string }) {
  const isStored = use(Stored);
  const written = mathText(text);
  if (!hasMath(written)) return <Parsed text={written} />;
  if (isStored) return <Formulas text={written} />;
  return (
    <Suspense fallback={<Parsed text={text} />}>
      <Formulas text={written} />
    </Suspense>
  );
}

interface BlockProps {
  kind: Block["kind"];
  text: string;
  language: string;
  table: string;
  /** Which of its ends a paragraph crosses: `start`, `end`, both or neither. */
  open: string;
}

const BlockView = memo(({ kind, text, language, table, open }: BlockProps) =>
  kind === "code" ? (
    <CodeView code={text} language={language} />
  ) : (
    <div className={styles.block} data-table={table || undefined} data-open={open || undefined}>
      <Words text={text} />
    </div>
  ),
);
BlockView.displayName = "BlockView";

/** From so many characters on an answer is laid out as it comes into sight. */
const LONG_CHARACTERS = 8_000;

const tableOf = (block: Block): string => {
  if (block.kind === "code" || block.isTablePiece !== true) return "";
  return block.isTableRest === true ? "rest" : "first";
};

const openOf = (block: Block): string =>
  block.kind === "code" ? "" : [block.isGoneOn ? "start" : "", block.isCutShort ? "end" : ""].filter(Boolean).join(" ");

export function Markdown({ text }: { text: string }) {
  const shown = useSteps(text, use(Stored));
  const blocks = useMemo(() => blocksOf(shown), [shown]);
  const definitions = useMemo(() => definitionsOf(shown), [shown]);
  return (
    <div className={styles.markdown} data-is-long={shown.length >= LONG_CHARACTERS || undefined}>
      {blocks.map((block, index) => (
        <BlockView
          key={index}
          kind={block.kind}
          text={block.kind === "code" ? block.text : withDefinitions(block.text, definitions)}
          language={block.kind === "code" ? block.language : ""}
          table={tableOf(block)}
          open={openOf(block)}
        />
      ))}
    </div>
  );
}
