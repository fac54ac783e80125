/** Tables in Markdown as GitHub writes them (https://github.github.com/gfm/#tables-extension-): paragraphs of the parsed text become tables. Pure. */

type Align = "left" | "right" | "center" | null;

/** What is read and made of the tree: https://github.com/syntax-tree/mdast. */
interface MarkdownNode {
  type: string;
  value?: string;
  url?: string;
  title?: string | null;
  alt?: string | null;
  align?: Align[];
  children?: MarkdownNode[];
}
type Nodes = MarkdownNode[];

/** Stands for `\|` while the text is parsed, which forgets that a bar was escaped. Of no language: nobody writes it. */
const BAR = "\uF8FE";
const DELIMITERS = /^\s*\|?(?:\s*:?-+:?\s*\|)*\s*:?-+:?\s*\|?\s*$/;

/** The text to parse. */
export const withBarsKept = (text: string): string => text.replaceAll(String.raw`\|`, BAR);

const textNode = (value: string): MarkdownNode => ({ type: "text", value });

/** The inline nodes of a paragraph, line by line. */
function linesOf(children: readonly MarkdownNode[]): Nodes[] {
  const lines: Nodes[] = [[]];
  for (const node of children) {
    if (node.type === "break") lines.push([]);
    else if (node.type !== "text") lines.at(-1)?.push(node);
    else
      for (const [index, part] of (node.value ?? "").split("\n").entries()) {
        if (index > 0) lines.push([]);
        if (part !== "") lines.at(-1)?.push(textNode(part));
      }
  }
  return lines;
}

const isBlank = (cell: Nodes): boolean => cell.every(({ type, value = "" }) => type === "text" && value.trim() === "");

/** Without the spaces around it. */
function trimmed(cell: Nodes): Nodes {
  const at = (index: number): string | undefined =>
    cell.at(index)?.type === "text" ? cell.at(index)?.value : undefined;
  const [first, last] = [at(0), at(-1)];
  if (cell.length === 1 && first !== undefined) return [textNode(first.trim())];
  return [
    ...(first === undefined ? [] : [textNode(first.trimStart())]),
    ...cell.slice(first === undefined ? 0 : 1, last === undefined ? undefined : -1),
    ...(last === undefined ? [] : [textNode(last.trimEnd())]),
  ];
}

/** A line's cells; the bars at its two ends are the frame. */
function cellsOf(line: Nodes): Nodes[] {
  const cells: Nodes[] = [[]];
  for (const node of line) {
    if (node.type !== "text") cells.at(-1)?.push(node);
    else
      for (const [index, part] of (node.value ?? "").split("|").entries()) {
        if (index > 0) cells.push([]);
        if (part !== "") cells.at(-1)?.push(textNode(part));
      }
  }
  const from = cells.length > 1 && isBlank(cells[0] ?? []) ? 1 : 0;
  const to = cells.length > from + 1 && isBlank(cells.at(-1) ?? []) ? -1 : undefined;
  return cells.slice(from, to).map(trimmed);
}

const plainText = (line: Nodes): string =>
  line.map(({ type, value = "" }) => (type === "text" ? value : "\0")).join("");

/** How the columns are aligned; undefined where the line is no row of delimiters. */
function alignsOf(line: Nodes): Align[] | undefined {
  const text = plainText(line);
  if (!text.includes("|") || !DELIMITERS.test(text)) return undefined;
  return cellsOf(line).map((cell): Align => {
    const dashes = plainText(cell);
    const isRight = dashes.endsWith(":");
    if (dashes.startsWith(":")) return isRight ? "center" : "left";
    return isRight ? "right" : null;
  });
}

function rowOf(line: Nodes, columns: number): MarkdownNode {
  const cells = cellsOf(line);
  return {
    type: "tableRow",
    children: Array.from({ length: columns }, (_, index) => ({ type: "tableCell", children: cells[index] ?? [] })),
  };
}

/** What a paragraph becomes: the words before the table's head, and the table; itself where there is none. */
function tableIn(paragraph: MarkdownNode): Nodes {
  const lines = linesOf(paragraph.children ?? []);
  for (const [index, line] of lines.entries()) {
    const align = alignsOf(line);
    const head = lines[index - 1];
    if (align === undefined || head === undefined || cellsOf(head).length !== align.length) continue;
    const rows = [head, ...lines.slice(index + 1)].map((row) => rowOf(row, align.length));
    const before = lines.slice(0, index - 1).flatMap((words, at) => (at === 0 ? words : [textNode("\n"), ...words]));
    const table = { type: "table", align, children: rows };
    return before.length === 0 ? [table] : [{ type: "paragraph", children: before }, table];
  }
  return [paragraph];
}

/** Puts back what `withBarsKept` took: code outside of tables shows its bar as it was written. */
function putBarsBack(node: MarkdownNode, isInTable: boolean): void {
  const isCode = node.type === "code" || node.type === "inlineCode" || node.type === "html";
  const back = (text: string): string => text.replaceAll(BAR, isCode && !isInTable ? String.raw`\|` : "|");
  for (const name of ["value", "url", "title", "alt"] as const) {
    const text = node[name];
    if (typeof text === "string") node[name] = back(text);
  }
  for (const child of node.children ?? []) putBarsBack(child, isInTable || node.type === "table");
}

function withTables(node: MarkdownNode): void {
  if (node.children === undefined) return;
  node.children = node.children.flatMap((child) => (child.type === "paragraph" ? tableIn(child) : [child]));
  for (const child of node.children) if (child.type !== "table") withTables(child);
}

/** A plugin of remark: makes tables of the paragraphs that are written as such. Its text must come from `withBarsKept`. */
export const tables = () => (tree: MarkdownNode) => {
  withTables(tree);
  putBarsBack(tree, false);
};
