/** Cuts a growing Markdown text into blocks that never change once they are followed by others, so that each is drawn once. Pure. */

export interface MarkdownBlock {
  kind: "markdown";
  text: string;
  /** Goes on a table that was cut: its head is repeated for the parser and not shown again. */
  isTableRest?: boolean;
  /** Belongs to a table that was cut: all pieces have columns of equal width. */
  isTablePiece?: boolean;
  /** Its last paragraph continues in the next block: both are drawn as one. */
  isCutShort?: boolean;
  /** Its first paragraph began in the block before. */
  isGoneOn?: boolean;
}

export interface CodeBlockPiece {
  kind: "code";
  text: string;
  /** First word after the fence. */
  language: string;
}

export type Block = MarkdownBlock | CodeBlockPiece;

/** No block that can be cut is longer, so that none takes long to draw. Characters. */
export const BLOCK_MOST = 4000;

const FENCE = /^(\s*)(`{3,}|~{3,})\s*([^`\s]*)[^`]*$/;
const ITEM = /^(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
/** The three spaces before which Markdown still takes a fence for one of the text itself. */
const OUTER_INDENT = 3;

interface Fence {
  mark: string;
  indent: number;
  language: string;
}

function fenceOf(line: string): Fence | undefined {
  const [, space = "", mark, language = ""] = FENCE.exec(line) ?? [];
  return mark === undefined ? undefined : { mark, indent: space.length, language };
}

function closes(line: string, { mark }: Fence): boolean {
  const text = line.trim();
  return text.length >= mark.length && text === (mark[0] ?? "").repeat(text.length);
}

const withoutIndent = (line: string, indent: number): string => {
  const own = /^ */.exec(line)?.[0].length ?? 0;
  return line.slice(Math.min(own, indent));
};

/** The block that is being read, line by line. */
class Cutter {
  readonly blocks: Block[] = [];
  #lines: string[] = [];
  #length = 0;
  /** Of a code block of the text itself. */
  #fence: Fence | undefined;
  /** Of code within a list or a quotation, which is part of its block. */
  #inner: Fence | undefined;
  /** What ends a formula that has lines of its own. */
  #formulaEnd = "";
  #hasBlank = false;
  /** The first two lines of a table. */
  #tableHead: string[] = [];

  take(line: string): void {
    if (this.#fence !== undefined) return this.#takeCode(line, this.#fence);
    if (this.#inner !== undefined || this.#formulaEnd !== "") return this.#takeWhole(line);
    if (line.trim() === "") return this.#takeBlank(line);
    this.#endBefore(line);
    const fence = fenceOf(line);
    if (fence !== undefined && fence.indent <= OUTER_INDENT && !(this.#isList() && fence.indent > 0)) {
      this.#end();
      this.#fence = fence;
      return undefined;
    }
    this.#inner = fence;
    this.#formulaEnd = formulaEndOf(line);
    return this.#add(line);
  }

  finish(): Block[] {
    if (this.#fence === undefined) this.#end();
    else this.#endCode(this.#fence);
    return this.blocks;
  }

  #isList = (): boolean => ITEM.test(this.#lines[0] ?? "");

  #takeCode(line: string, fence: Fence): void {
    if (closes(line, fence)) this.#endCode(fence);
    else this.#add(withoutIndent(line, fence.indent));
  }

  #endCode(fence: Fence): void {
    this.blocks.push({ kind: "code", text: this.#lines.join("\n"), language: fence.language });
    this.#fence = undefined;
    this.#clear();
  }

  /** Lines of inner code and of formulas belong together, blank ones too. */
  #takeWhole(line: string): void {
    this.#add(line);
    if (this.#inner !== undefined && closes(line, this.#inner)) this.#inner = undefined;
    if (this.#formulaEnd !== "" && line.includes(this.#formulaEnd)) this.#formulaEnd = "";
  }

  #takeBlank(line: string): void {
    this.#hasBlank = true;
    if (this.#isList()) this.#add(line);
    else this.#end();
  }

  /** Ends the block where this line begins another. */
  #endBefore(line: string): void {
    const isIndented = /^(?: {2,}|\t)/.test(line);
    if (this.#isList()) {
      // After a blank line only what is indented belongs to the item.
      if (this.#hasBlank && !isIndented) return this.#end();
      if (this.#length > BLOCK_MOST && ITEM.test(line)) this.#end();
      return undefined;
    }
    if (this.#length <= BLOCK_MOST) return undefined;
    return this.#isTable() ? this.#cutTable() : this.#cutParagraph();
  }

  /** Ends the block within a paragraph. */
  #cutParagraph(): void {
    this.#end({ isCutShort: true });
    this.#isGoneOn = true;
  }

  /** The block that is read began in the one before. */
  #isGoneOn = false;

  #isTable = (): boolean => this.#tableHead.length === 2;

  #cutTable(): void {
    const head = this.#tableHead;
    const text = this.#lines.join("\n");
    const isRest = this.#lines[0] === head[0] && this.blocks.at(-1) === this.#cutBefore;
    const piece: MarkdownBlock = {
      kind: "markdown",
      text,
      isTablePiece: true,
      ...(isRest ? { isTableRest: true } : {}),
    };
    this.blocks.push(piece);
    this.#clear();
    this.#cutBefore = piece;
    this.#tableHead = head;
    for (const line of head) this.#push(line);
  }

  /** The last piece of the table that is being read. */
  #cutBefore: MarkdownBlock | undefined;

  #end(cut: Pick<MarkdownBlock, "isCutShort"> = {}): void {
    const isRest = this.#cutBefore !== undefined && this.blocks.at(-1) === this.#cutBefore && this.#isTable();
    const table = isRest ? { isTableRest: true, isTablePiece: true } : {};
    const text = this.#lines.join("\n");
    // Of a table that was cut nothing may be left but its head.
    const isEmpty = text.trim() === "" || (isRest && this.#lines.length <= this.#tableHead.length);
    const before = this.#isGoneOn ? { isGoneOn: true } : {};
    if (!isEmpty) this.blocks.push({ kind: "markdown", text, ...table, ...before, ...cut });
    this.#isGoneOn = false;
    this.#cutBefore = undefined;
    this.#clear();
  }

  #clear(): void {
    this.#lines = [];
    this.#length = 0;
    this.#hasBlank = false;
    this.#tableHead = [];
  }

  #push(line: string): void {
    this.#lines.push(line);
    this.#length += line.length + 1;
  }

  #add(line: string): void {
    this.#hasBlank = line.trim() === "";
    if (this.#fence === undefined && line.length > BLOCK_MOST) return this.#addLong(line);
    this.#push(line);
    const [head, rule] = this.#lines;
    if (this.#lines.length === 2 && head?.includes("|") === true && TABLE_RULE.test(rule ?? ""))
      this.#tableHead = [head, rule ?? ""];
  }

  /** A line that is longer than a block is cut between words. */
  #addLong(line: string): void {
    let rest = line;
    while (rest.length > BLOCK_MOST) {
      const space = rest.lastIndexOf(" ", BLOCK_MOST);
      const end = space > 0 ? space : BLOCK_MOST;
      this.#push(rest.slice(0, end));
      this.#cutParagraph();
      rest = rest.slice(end).trimStart();
    }
    this.#push(rest);
  }
}

/** What ends the formula that this line begins and does not end; "" where it begins none. */
function formulaEndOf(line: string): string {
  const text = line.trim();
  if (text.startsWith("$$") && !text.slice(2).includes("$$")) return "$$";
  return text.startsWith("\\[") && !text.includes("\\]") ? "\\]" : "";
}

/** The blocks of a text. Those of a longer text that begins with it are the same, but for the last one or two. */
export function blocksOf(text: string): Block[] {
  const cutter = new Cutter();
  for (const line of text.replaceAll("\r\n", "\n").split("\n")) cutter.take(line);
  return cutter.finish();
}

const DEFINITION = /^ {0,3}\[([^\]^\n]+)\]:[ \t]*\S.*$/gm;

/** Where the labels of links lead, which a text may say in any of its blocks: lines of Markdown by label. */
export const definitionsOf = (text: string): ReadonlyMap<string, string> =>
  new Map([...text.matchAll(DEFINITION)].map(([line, label = ""]) => [label.toLowerCase(), line]));

/** The block with the definitions that it names and does not have itself. */
export function withDefinitions(text: string, definitions: ReadonlyMap<string, string>): string {
  if (definitions.size === 0 || !text.includes("]")) return text;
  const named = [...text.matchAll(/\[([^\]\n]+)\]/g)].map(([, label = ""]) => definitions.get(label.toLowerCase()));
  const missing = [...new Set(named)].filter((line) => line !== undefined && !text.includes(line));
  return missing.length === 0 ? text : `${text}\n\n${missing.join("\n")}`;
}
