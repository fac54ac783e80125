/** Tests of the operator's Markdown: GitHub's additions are drawn, and nothing in it runs. */
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it, vi } from "vitest";

/** The language is read from the browser's storage. */
vi.stubGlobal("localStorage", { getItem: () => null, setItem: () => undefined, removeItem: () => undefined });
vi.stubGlobal("navigator", { language: "en" });
const { Markdown } = await import("./markdown.tsx");

const html = (text: string): string => renderToStaticMarkup(<Markdown text={text} />).replaceAll("\n", "");

it("tables have their marks, their alignment and a place to scroll in", () => {
  const drawn = html("| plan | price |\n| --- | --: |\n| **one** | `a \\| b` |");
  expect(drawn).toMatch(/^<div [^>]*role="region"[^>]*tabindex="0"[^>]*><table>/);
  expect(drawn).toContain("<td><strong>one</strong></td>");
  expect(drawn).toMatch(/<td style="text-align:right"><code>a \| b<\/code><\/td>/);
});

it("plain addresses are links, lists to tick show what is done, and struck words are struck", () => {
  expect(html("see https://example.com/a")).toContain('href="https://example.com/a" target="_blank"');
  const list = html("- [x] done\n- [ ] open");
  expect(list).toContain("☑");
  expect(list).toContain("☐");
  expect(list).not.toContain("<input");
  expect(html("~~old~~")).toContain("<del>old</del>");
});

it("a footnote leads there and back on the same page", () => {
  const drawn = html("word[^1]\n\n[^1]: meant so");
  const [, there] = /<a id="([^"]+)" href="#[^"]+">1</.exec(drawn) ?? [];
  expect(there).toBeDefined();
  expect(drawn).toContain(`href="#${there}"`);
  expect(drawn).not.toContain("_blank");
});

it("nothing in it runs", () => {
  const drawn = html("| a | b |\n|---|---|\n| <img src=x onerror=alert(1)> | [x](javascript:alert(1)) |");
  expect(drawn).toContain("<table>");
  expect(drawn).not.toContain("<img");
  expect(drawn).not.toContain("javascript:");
});
