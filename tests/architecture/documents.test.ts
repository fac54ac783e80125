/** Tests of the documents: each is in the navigation of the site, every link and anchor resolves, and translations have the same parts. */
import { existsSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { ERRORS } from "../../contract/src/error-codes.ts";
import { OPTION_NAMES } from "../../contract/src/options/options.ts";
import { COMMANDS } from "../../server/src/command-line/commands.ts";
import { RELAY_ERRORS } from "../../server/src/relay/call/relay-error.ts";
import { addressOf, FILES } from "../../site/.vitepress/links.ts";
import {
  DECISIONS,
  LEFT_OUT,
  listedNames,
  type Locale,
  otherLanguageOf,
  rewritesOf,
  SECTIONS,
  sidebarOf,
  sourceOf,
  titleOf,
} from "../../site/.vitepress/pages.ts";
import { errorPage, unexplained } from "../../tools/error-page.ts";
import { CONSOLE_REPAIRS, RELAY_REPAIRS } from "../../tools/error-repairs.ts";
import { optionPage } from "../../tools/option-page.ts";
import { type Document, documentsIn, parseDocument, readDocument } from "./documents.ts";
import { ROOT } from "./tree.ts";

const FOLDERS = ["", "docs", "docs/zh", DECISIONS];
const documents = new Map(FOLDERS.flatMap(documentsIn).map((path) => [path, readDocument(path)]));
const namesIn = (folder: string): string[] => documentsIn(folder).map((path) => posix.basename(path, ".md"));

/** Links of a document that lead nowhere. */
function deadLinks({ path, links, anchors }: Document, others: ReadonlyMap<string, Document>): string[] {
  return links.filter((href) => {
    const [file = "", anchor] = href.split("#");
    const target = file === "" ? path : posix.normalize(posix.join(posix.dirname(path), file));
    if (file !== "" && !existsSync(`${ROOT}${target}`)) return true;
    const there = file === "" ? anchors : others.get(target)?.anchors;
    return anchor !== undefined && there !== undefined && !there.has(anchor);
  });
}

/** What a translation has to have as often, and as it is, in its document. */
const partsOf = ({ headings, blocks }: Document) => ({
  headings: headings.length,
  blocks: blocks.map(({ language, text }) => `${language}\n${text}`),
});

describe("navigation", () => {
  test.each<[Locale, string]>([
    ["en", "docs"],
    ["zh", "docs/zh"],
  ])("has every document of its language (%s), and no other", (locale, folder) => {
    const there = namesIn(folder);
    const listed = listedNames(locale);
    const missing = there
      .filter((name) => !listed.includes(name) && !(locale === "en" && Object.hasOwn(LEFT_OUT, name)))
      .map((name) =>
        locale === "en"
          ? `${folder}/${name}.md: add { name: "${name}", title: "…" } to a section of site/.vitepress/pages.ts, or its reason to LEFT_OUT`
          : `${folder}/${name}.md: add its title as chinese to "${name}" in site/.vitepress/pages.ts`,
      );
    expect(missing).toEqual([]);
    expect(listed.filter((name) => !there.includes(name)).map((name) => `${folder}/${name}.md is not there`)).toEqual(
      [],
    );
    expect(new Set(listed).size).toBe(listed.length);
    expect(Object.keys(LEFT_OUT).filter((name) => !there.includes(name) || listed.includes(name))).toEqual([]);
  });

  test("leads to sources that are there, and to the decisions in a section of their own", () => {
    const sources = SECTIONS.flatMap(({ pages }) => pages.map(sourceOf));
    expect(sources.filter((path) => !existsSync(`${ROOT}${path}`))).toEqual([]);
    const titles = Object.fromEntries(namesIn(DECISIONS).map((name) => [name, name]));
    for (const locale of ["en", "zh"] as const)
      expect(
        sidebarOf(locale, titles)
          .at(-1)
          ?.items.map(({ text }) => text),
      ).toEqual(Object.keys(titles));
  });

  test("gives each source one page", () => {
    const rewrites = rewritesOf(["docs/backup.md", "docs/zh/backup.md", "docs/decisions/001-one-package.md"]);
    expect(rewrites).toMatchObject({
      "docs/backup.md": "backup.md",
      "docs/zh/backup.md": "zh/backup.md",
      "docs/decisions/001-one-package.md": "decisions/001-one-package.md",
      "SECURITY.md": "security.md",
    });
  });
});

test("a page knows its title, and the same page in the other language", () => {
  expect([titleOf("backup.md"), titleOf("zh/backup.md"), titleOf("zh/limits.md"), titleOf("none.md")]).toEqual([
    "Backup and restore",
    "备份与恢复",
    undefined,
    undefined,
  ]);
  expect(["backup.md", "zh/backup.md", "limits.md", "none.md"].map(otherLanguageOf)).toEqual([
    "/zh/backup.html",
    "/backup.html",
    undefined,
    undefined,
  ]);
});

describe("links", () => {
  test("lead to files and headings that are there", () => {
    const dead = [...documents.values()].flatMap((document) =>
      deadLinks(document, documents).map((href) => `${document.path}: ${href}`),
    );
    expect(dead).toEqual([]);
    expect([...documents.values()].flatMap(({ links }) => links).length).toBeGreaterThan(100);
  });

  test("that lead nowhere are found", () => {
    const text = "# One\n\n[a](two.md) [b](#none) [c](#one) [d](backup.md#none) [e](backup.md#restore) `[f](x.md)`\n";
    expect(deadLinks(parseDocument("docs/planted.md", text), documents)).toEqual(["two.md", "#none", "backup.md#none"]);
  });

  test("lead to pages on the site, and where it has none to nothing", () => {
    const rewrites = rewritesOf(["docs/backup.md", "docs/zh/backup.md"]);
    const lead = (href: string, source = "docs/monitoring.md") => addressOf(href, source, rewrites);
    expect(lead("backup.md#every-day")).toBe("/backup.md#every-day");
    expect(lead("../SECURITY.md")).toBe("/security.md");
    expect(lead("../backup.md", "docs/zh/backup.md")).toBe("/backup.md");
    expect(lead("openapi.json")).toBe("/openapi.json");
    expect(lead("https://example.org/a")).toBe("https://example.org/a");
    expect(lead("#here")).toBe("#here");
    expect(lead("../tests/access/expected-options.txt")).toBeUndefined();
  });

  test("to files that the site hands out are those that its build copies", () => {
    const build = readFileSync(`${ROOT}tools/site.mjs`, "utf8");
    const copied = /const FILES = \[([^\]]*)\]/.exec(build)?.[1]?.match(/[^"\s,]+/g);
    expect(copied).toEqual(Object.keys(FILES));
    expect(Object.keys(FILES).filter((path) => !existsSync(`${ROOT}${path}`))).toEqual([]);
  });
});

describe("translations", () => {
  test.each(namesIn("docs/zh"))("%s has the headings and blocks of the English document", (name) => {
    const english = documents.get(`docs/${name}.md`);
    const chinese = documents.get(`docs/zh/${name}.md`);
    expect(english).toBeDefined();
    if (english === undefined || chinese === undefined) return;
    expect(partsOf(chinese)).toEqual(partsOf(english));
    expect(chinese.headings.filter((heading) => !/\p{Script=Han}|^\w+$/u.test(heading))).toEqual([]);
  });
});

describe("reference", () => {
  test("every error code has its meaning and what to do, and no repair is of a code that is gone", () => {
    expect(unexplained(ERRORS, CONSOLE_REPAIRS)).toEqual([]);
    expect(unexplained(RELAY_ERRORS, RELAY_REPAIRS)).toEqual([]);
    expect(Object.keys(CONSOLE_REPAIRS).filter((code) => !Object.hasOwn(ERRORS, code))).toEqual([]);
    expect(Object.keys(RELAY_REPAIRS).filter((code) => !Object.hasOwn(RELAY_ERRORS, code))).toEqual([]);
    expect(unexplained({ planted: { status: 200, message: "It is so" } }, {})).toEqual(["planted"]);
  });

  test("the pages of error codes and options are what the code says: npm run generate", () => {
    const pages = { "docs/error-codes.md": errorPage(), "docs/option-list.md": optionPage() };
    for (const [path, text] of Object.entries(pages)) expect(readFileSync(`${ROOT}${path}`, "utf8")).toBe(text);
    expect(OPTION_NAMES.filter((name) => !pages["docs/option-list.md"].includes(`| \`${name}\` |`))).toEqual([]);
  });

  test("the page of the command line has every command", () => {
    const codes = documents.get("docs/command-line.md")?.codes ?? [];
    const isThere = (name: string): boolean => codes.some((code) => code === name || code.startsWith(`${name} `));
    expect(COMMANDS.map(({ name }) => name).filter((name) => !isThere(name))).toEqual([]);
  });
});
