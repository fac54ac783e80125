/** Tests of cutting a text into blocks where its meaning allows it, and of its links, pictures and formulas. */
import { expect, test } from "vitest";
import { type Block, BLOCK_MOST, blocksOf, definitionsOf, withDefinitions } from "./blocks.ts";
import { piecesOf } from "./code-view.tsx";
import { linkOf, pictureOf } from "./links.ts";
import { hasMath, mathText } from "./math-text.ts";
import { isMarked } from "./lazy-markdown.tsx";

const shortOf = (block: Block) => (block.kind === "code" ? `${block.language}:${block.text}` : block.text);
const cut = (text: string) => blocksOf(text).map(shortOf);

test("paragraphs, code and lists are blocks of their own", () => {
  expect(cut("one\ntwo\n\n# three\n\n```py\na\n\nb\n```\nfour")).toEqual(["one\ntwo", "# three", "py:a\n\nb", "four"]);
  expect(cut("```\nstill open\n")).toEqual([":still open\n"]);
  expect(cut("~~~js\n```\n~~~")).toEqual(["js:```"]);
  expect(cut("  ```\n  a\n    b\n  ```")).toEqual([":a\n  b"]);
});

test("what belongs to an item stays with it: indented paragraphs, code, blank lines in both", () => {
  const item = "1. one\n\n   more\n\n   ```js\n   a\n\n   b\n   ```";
  expect(cut(`${item}\n\n2. two\n\nafter`)).toEqual([`${item}\n`, "2. two\n", "after"]);
  expect(cut("$$\na\n\nb\n$$")).toEqual(["$$\na\n\nb\n$$"]);
});

test("no block grows beyond its limit by more than a line, and long tables keep their head", () => {
  const list = Array.from({ length: 800 }, (_, index) => `- item ${index}`).join("\n");
  expect(cut(list).length).toBeGreaterThan(2);
  expect(cut(list).join("\n")).toBe(list);
  expect(cut(`word ${"long ".repeat(4000)}`).every((text) => text.length <= BLOCK_MOST)).toBe(true);
  const head = "| a | b |\n| - | - |";
  const rows = Array.from({ length: 900 }, (_, index) => `| ${index} | x |`);
  const blocks = blocksOf(`${head}\n${rows.join("\n")}`);
  expect(blocks.length).toBeGreaterThan(2);
  for (const [index, block] of blocks.entries()) {
    expect(shortOf(block).startsWith(head)).toBe(true);
    expect(block).toMatchObject({ isTablePiece: true, ...(index > 0 ? { isTableRest: true } : {}) });
  }
  expect(blocks.flatMap((block) => shortOf(block).split("\n").slice(2))).toEqual(rows);
});

test("a paragraph that is cut says so at both ends, and the one after it is its own", () => {
  const words = "long ".repeat(2000).trim();
  const blocks = blocksOf(`${words}\n\nafter`);
  const ends = blocks.map((block) =>
    block.kind === "code" ? [] : [block.isGoneOn === true, block.isCutShort === true],
  );
  expect(ends).toEqual([
    [false, true],
    [true, true],
    [true, false],
    [false, false],
  ]);
  expect(blocks.slice(0, 3).map(shortOf).join(" ")).toBe(words);
});

test("a growing text changes none but its last two blocks", () => {
  const text = `# a\n\n- x\n- y\n\n  z\n\n\`\`\`ts\n${"code();\n".repeat(300)}\`\`\`\n\n| a |\n| - |\n${"| 1 |\n".repeat(900)}\nend`;
  const whole = cut(text);
  for (let at = 0; at < text.length; at += 97) {
    const part = cut(text.slice(0, at));
    expect(part.slice(0, -2)).toEqual(whole.slice(0, Math.max(0, part.length - 2)));
  }
});

test("labels of links hold in every block", () => {
  const definitions = definitionsOf("see [docs][d]\n\n[d]: https://d.example\n");
  expect(withDefinitions("see [docs][d]", definitions)).toBe("see [docs][d]\n\n[d]: https://d.example");
  expect(withDefinitions("nothing", definitions)).toBe("nothing");
});

test("code is cut into whole lines and stays what it was", () => {
  const code = Array.from({ length: 201 }, (_, index) => `line ${index}`).join("\n");
  expect(piecesOf(code)).toHaveLength(3);
  expect(piecesOf(code).join("")).toBe(code);
});

test("TeX's brackets become dollars, prices stay prices, and code is not changed", () => {
  expect(mathText(String.raw`so \(a_1\) and \[b\]`)).toBe("so $a_1$ and $b$");
  expect(mathText(String.raw`\[ x` + "\n y \\]")).toBe("$$\nx\ny\n$$");
  expect(mathText("$$x$$")).toBe("$$\nx\n$$");
  expect(mathText("from $5 to $10, or $x$")).toBe("from \\$5 to \\$10, or $x$");
  expect(mathText("`$a$` and ``\\(b\\)``")).toBe("`$a$` and ``\\(b\\)``");
  expect(["$5", "`$x$`", "none"].map((text) => hasMath(mathText(text)))).toEqual([false, false, false]);
  expect(hasMath(mathText("an $x$"))).toBe(true);
});

test("plain words need no Markdown", () => {
  expect(["Hello! How can I help you today?", "你好，请问有什么可以帮助你的吗？"].map(isMarked)).toEqual([
    false,
    false,
  ]);
  expect(["**a**", "a\nb", "1. a", "see https://a.example", "$x$"].map(isMarked)).not.toContain(false);
});

test("links lead to other sites alone, and pictures wait unless they are in the answer", () => {
  const origin = "https://gate.acme.dev";
  const dead = [
    "javascript:alert(1)",
    "JaVaScRiPt:x",
    "data:text/html,x",
    "vbscript:x",
    "/api/user/token",
    "?expired=true",
    "//gate.acme.dev/log",
    `${origin}/log`,
    "blob:x",
    undefined,
  ];
  expect(dead.map((href) => linkOf(href, origin))).toEqual(dead.map(() => undefined));
  expect(linkOf("https://a.example/x", origin)).toBe("https://a.example/x");
  expect(linkOf("mailto:a@b.example", origin)).toBe("mailto:a@b.example");
  expect(pictureOf("data:image/png;base64,AAAA", origin)).toEqual({
    kind: "inline",
    src: "data:image/png;base64,AAAA",
  });
  expect(pictureOf("https://a.example/p.png", origin)).toMatchObject({ kind: "remote", host: "a.example" });
  expect(pictureOf("data:image/svg+xml;base64,AAAA", origin)).toBeUndefined();
});
