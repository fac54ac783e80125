/** Sections of docs/benchmarks.md, each written by a command of its own: one is put in, the others stay. Pure. */

/** The section of that heading up to the next of its rank; empty where there is none. */
export function sectionOf(document: string, heading: string): string {
  const start = document.indexOf(`${heading}\n`);
  if (start < 0) return "";
  const end = document.indexOf("\n## ", start);
  return end < 0 ? document.slice(start) : document.slice(start, end + 1);
}

/** The document with this section in place of the one of that heading, or behind everything where there is none. */
export function withSection(document: string, heading: string, text: string): string {
  const old = sectionOf(document, heading);
  return old === "" ? `${document.trimEnd()}\n\n${text}` : document.replace(old, () => text);
}

/** A new document with the sections of these headings as an old one has them. */
export const withKept = (text: string, old: string, headings: readonly string[]): string =>
  headings
    .map((heading) => [heading, sectionOf(old, heading)] as const)
    .filter(([, kept]) => kept !== "")
    .reduce((document, [heading, kept]) => withSection(document, heading, kept), text);
