/** JSON for a narrow place: what fits on a line stands on it, everything else is broken as usual. Pure. */

const INDENT = "  ";

const entriesOf = (value: object): [name: string | undefined, value: unknown][] =>
  Array.isArray(value) ? value.map((each: unknown) => [undefined, each]) : Object.entries(value);

const named = (name: string | undefined, text: string): string =>
  name === undefined ? text : `${JSON.stringify(name)}: ${text}`;

/** On one line, with the spaces people set: { "modality": "TEXT", "tokenCount": 60 }. */
function onOneLine(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const parts = entriesOf(value).map(([name, each]) => named(name, onOneLine(each)));
  if (Array.isArray(value)) return `[${parts.join(", ")}]`;
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}

/** @param room characters left on the first line, behind what stands before the value */
function broken(value: unknown, indent: string, room: number, width: number): string {
  // Spaces are the first to go.
  const lines = [onOneLine(value), JSON.stringify(value) ?? "null"];
  const line = lines.find(({ length }) => length <= room) ?? lines[0] ?? "null";
  if (typeof value !== "object" || value === null || (indent !== "" && line.length <= room)) return line;
  const inner = indent + INDENT;
  const parts = entriesOf(value).map(([name, each]) => {
    const before = named(name, "");
    return `${inner}${before}${broken(each, inner, width - inner.length - before.length - 1, width)}`;
  });
  if (parts.length === 0) return line;
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return `${open}\n${parts.join(",\n")}\n${indent}${close}`;
}

/**
 * The value as JSON text that still parses; the outermost object is always broken.
 * @param width characters a line has room for
 */
export const compactJson = (value: unknown, width: number): string => broken(value, "", width, width);
