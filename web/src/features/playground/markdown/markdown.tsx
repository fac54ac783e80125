/** A model's words as Markdown, block by block, so that a long answer that still grows draws its end alone. Nothing in it runs or loads. */
import { lazy, memo, Suspense, use, useMemo } from "react";
import { type Block, blocksOf, definitionsOf, withDefinitions } from "./blocks.ts";
import { CodeView } from "./code-view.tsx";
import { Stored } from "./stored.ts";
import { useSteps } from "./use-steps.ts";
import { Parsed } from "./parsed.tsx";
import styles from "./markdown.module.css";

/** Code spans and fences, whose text nobody touches. */
const CODE = /(`{3,}|~{3,})[\s\S]*?(?:\1|$)|(`+)(?!`)[\s\S]*?(?<!`)\2(?!`)/g;
const DISPLAY = /^([ \t]*)\\\[([\s\S]+?)\\\]/gm;
const INLINE_DISPLAY = /\\\[([\s\S]+?)\\\]/g;
const INLINE = /\\\(([^\n]+?)\\\)/g;
/** A dollar that begins a formula has no blank after it; one that ends it none before it and no digit after it (pandoc's rule). */
const DOLLARS = /(?<![\\$])\$(?![\s$])((?:\\.|[^$\\\n])*?)(?<![\s\\])\$(?![\d$])/g;

const indented = (text: string, indent: string): string =>
  text
    .trim()
    .split("\n")
    .map((line) => indent + line.trim())
    .join("\n");

/** Dollars that are no formula's are written so that the parser leaves them alone. */
function pricesKept(text: string): string {
  let end = 0;
  let kept = "";
  const escaped = (part: string): string => part.replaceAll(/(?<![\\$])\$(?!\$)/g, "\\$");
  for (const match of text.matchAll(DOLLARS)) {
    kept += escaped(text.slice(end, match.index)) + match[0];
    end = match.index + match[0].length;
  }
  return kept + escaped(text.slice(end));
}

function plainPart(text: string): string {
  const displayed = text
    .replaceAll(
      DISPLAY,
      (_, indent: string, formula: string) => `${indent}$$\n${indented(formula, indent)}\n${indent}$$`,
    )
    .replaceAll(INLINE_DISPLAY, (_, formula: string) => `$${formula.trim()}$`)
    .replaceAll(INLINE, (_, formula: string) => `$${formula.trim()}$`)
    // The parser wants a displayed formula's marks on lines of their own.
    .replaceAll(
      /^([ \t]*)\$\$([^\n$]+)\$\$[ \t]*$/gm,
      (_, indent: string, formula: string) => `${indent}$$\n${indent}${formula.trim()}\n${indent}$$`,
    );
  return pricesKept(displayed);
}

/** The text with its formulas between dollars. */
export function mathText(text: string): string {
  let end = 0;
  let made = "";
  for (const match of text.matchAll(CODE)) {
    made += plainPart(text.slice(end, match.index)) + match[0];
    end = match.index + match[0].length;
  }
  return made + plainPart(text.slice(end));
}

/** Whether a text in that form has a formula. */
export const hasMath = (text: string): boolean => /(?<!\\)\$/.test(text.replaceAll(CODE, ""));

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

const BlockView = memo(
  ({ kind, text, language, table }: { kind: Block["kind"]; text: string; language: string; table: string }) =>
    kind === "code" ? (
      <CodeView code={text} language={language} />
    ) : (
      <div className={styles.block} data-table={table || undefined}>
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
        />
      ))}
    </div>
  );
}
