/** Promises of tables in the operator's Markdown: GitHub's way of writing them, and nothing that runs in their cells. */
import { renderToStaticMarkup } from "react-dom/server";
import ReactMarkdown from "react-markdown";
import { expect, it } from "vitest";
import { tables, withBarsKept } from "./tables.ts";

const html = (text: string): string =>
  renderToStaticMarkup(<ReactMarkdown remarkPlugins={[tables]}>{withBarsKept(text)}</ReactMarkdown>).replaceAll(
    "\n",
    "",
  );

const cells = (text: string): string[] =>
  [...html(text).matchAll(/<t[hd](?: [^>]*)?>(.*?)<\/t[hd]>/g)].map(([, cell = ""]) => cell);

it("a head, a row of delimiters and rows are a table", () => {
  expect(html("| plan | price |\n| --- | --- |\n| one | $1 |\n| two | $2 |")).toBe(
    "<table><thead><tr><th>plan</th><th>price</th></tr></thead>" +
      "<tbody><tr><td>one</td><td>$1</td></tr><tr><td>two</td><td>$2</td></tr></tbody></table>",
  );
});

it("columns are aligned as the colons say, with and without bars at the ends", () => {
  const drawn = html("a | b | c | d\n:-- | --: | :-: | ---\n1 | 2 | 3 | 4");
  expect([...drawn.matchAll(/<td( style="[^"]*")?>/g)].map(([, style]) => style?.match(/align:(\w+)/)?.[1])).toEqual([
    "left",
    "right",
    "center",
    undefined,
  ]);
});

it("cells hold marks, code and links, and escaped bars", () => {
  expect(cells("| a | b |\n|---|---|\n| **x** y | `p \\| q` |\n| [z](/z) | 1 \\| 2 |")).toEqual([
    "a",
    "b",
    "<strong>x</strong> y",
    "<code>p | q</code>",
    '<a href="/z">z</a>',
    "1 | 2",
  ]);
});

it("rows have as many cells as the head", () => {
  expect(cells("| a | b |\n|---|---|\n| 1 |\n| 1 | 2 | 3 |")).toEqual(["a", "b", "1", "", "1", "2"]);
  expect(cells("| a | b |\n|---|---|\n|  | 2 |")).toEqual(["a", "b", "", "2"]);
});

it("words before stay a paragraph, and tables stand in lists and quotes too", () => {
  expect(html("Prices\nof today\n| a |\n|---|\n| 1 |")).toMatch(/^<p>Prices ?of today<\/p><table>/);
  expect(html("> | a | b |\n> |---|---|\n> | 1 | 2 |")).toContain("<blockquote><table>");
});

it("what is no table stays as it was written", () => {
  for (const text of ["a | b", "a | b\n--- | --- | ---", "| a |\n| b |", "|---|\n| 1 |"])
    expect(html(text)).not.toContain("<table>");
  expect(html("a \\| b")).toBe("<p>a | b</p>");
  expect(html("`a \\| b`")).toBe("<p><code>a \\| b</code></p>");
  expect(html("    a \\| b")).toBe("<pre><code>a \\| b</code></pre>");
});

it("nothing in a cell runs", () => {
  const drawn = html("| a | b |\n|---|---|\n| <img src=x onerror=alert(1)> | [x](javascript:alert(1)) |");
  expect(drawn).toContain("<table>");
  expect(drawn).not.toContain("<img");
  expect(drawn).not.toContain("javascript:");
});
