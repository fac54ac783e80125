/** Parses documents for their tests: headings with their anchors, links, and blocks of code. */
import { readFileSync, readdirSync } from "node:fs";
import { slugOf } from "../../site/.vitepress/links.ts";
import { ROOT } from "./tree.ts";

export interface Block {
  language: string;
  text: string;
}

export interface Document {
  /** From the root. */
  path: string;
  headings: readonly string[];
  /** One for each heading, those that are alike with a number behind them. */
  anchors: ReadonlySet<string>;
  /** Relative ones, as they stand. */
  links: readonly string[];
  /** Fenced blocks, `text` where they name no language, and indented ones, whose language is "". */
  blocks: readonly Block[];
  /** What stands between backquotes, outside of blocks. */
  codes: readonly string[];
}

/** The documents of a folder, from the root; "" for the root itself. */
export const documentsIn = (folder: string): string[] =>
  readdirSync(`${ROOT}${folder}`)
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}${folder === "" ? "" : "/"}${name}`);

const FENCE = /^```(\w*)\n([\s\S]*?)^```$/gm;
const INDENTED = /(?<=\n\n)(?: {4}\S.*\n)+/g;

function anchorsOf(headings: readonly string[]): Set<string> {
  const found = new Set<string>();
  for (const heading of headings) {
    const slug = slugOf(heading);
    let anchor = slug;
    for (let count = 1; found.has(anchor); count += 1) anchor = `${slug}-${count}`;
    found.add(anchor);
  }
  return found;
}

/** A heading as it is read: without backquotes and the addresses of links. */
const plain = (heading: string): string => heading.replaceAll("`", "").replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");

/** Reads the text of a document. */
export function parseDocument(path: string, text: string): Document {
  const prose = text.replaceAll(FENCE, "");
  const headings = [...prose.matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = ""]) => plain(heading));
  const fenced = [...text.matchAll(FENCE)].map(([, language, code = ""]) => ({
    language: language || "text",
    text: code,
  }));
  const indented = [...prose.matchAll(INDENTED)].map(([code]) => ({
    language: "",
    text: code.replaceAll(/^ {4}/gm, ""),
  }));
  const outside = prose.replaceAll(INDENTED, "");
  const links = [...outside.replaceAll(/`[^`\n]*`/g, "").matchAll(/\]\(([^)\s]+)\)/g)].map(([, href = ""]) => href);
  return {
    path,
    headings,
    anchors: anchorsOf(headings),
    links: links.filter((href) => !/^[a-z]+:/.test(href)),
    blocks: [...fenced, ...indented],
    codes: [...outside.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code),
  };
}

export const readDocument = (path: string): Document => parseDocument(path, readFileSync(`${ROOT}${path}`, "utf8"));
