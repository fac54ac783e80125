/** Prepares formulas for the Markdown parser: TeX's own brackets become dollars, and prices stay prices. Pure. */

/** Code spans and fences, whose text stays as it is. */
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

/** Escapes dollars outside of formulas, so that the parser ignores them. */
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
