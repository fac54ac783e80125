/** Tests of the kind of an operator's text, and that a notice stays the same only while every letter does. */
import { expect, test } from "vitest";
import { contentOf, hashOf } from "./content-of.ts";

test.each([
  ["", "none"],
  ["  \n", "none"],
  ["https://example.com/welcome", "frame"],
  ["http://example.com/welcome", "markdown"],
  ["https://example.com is ours", "markdown"],
  ["<h1>Hello</h1>", "html"],
  ["\n  <!doctype html><p>Hello", "html"],
  ["# Hello <b>you</b>", "markdown"],
  ["1 < 2", "markdown"],
  ["< 2", "markdown"],
])("%j is %s", (text, kind) => {
  expect(contentOf(text).kind).toBe(kind);
});

test("a changed notice has another hash, the same text the same one", () => {
  const texts = ["", "a", "b", "ab", "ba", "Down on Monday", "Down on monday", "停机维护"];
  expect(new Set(texts.map(hashOf)).size).toBe(texts.length);
  expect(hashOf("停机维护")).toBe(hashOf("停机维护"));
});
