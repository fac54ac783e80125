/** The matching entry of a map by model: the longest pattern, the first of equally long ones, else the default. */
import { expect, test } from "vitest";
import { entryFor } from "./model-patterns.ts";

test.each([
  ["gpt-4o", "plain"],
  ["GPT-4O", "plain"],
  ["gpt-4o-mini", "mini"],
  ["gpt-4o-mini-2024", "mini"],
  ["gpt-5", "gpt"],
  ["claude", "rest"],
  ["constructor", "rest"],
])("%s is charged by %s", (model, entry) => {
  const map = { "*": "rest", "gpt*": "gpt", "gpt-4o": "plain", "gpt-4o*": "late", "gpt-4o-mini*": "mini" };
  expect(entryFor(map, [model])).toBe(entry);
});

test("of equally long entries the first one applies, a pattern or a name, and so do two spellings of a name", () => {
  expect(entryFor({ "*": "rest", "gpt-4o*": "pattern", "gpt-4o": "name" }, ["gpt-4o"])).toBe("pattern");
  expect(entryFor({ "*": "rest", Model: "first", model: "second" }, ["model"])).toBe("first");
});

test("of several names any may match, and the longest entry of all applies", () => {
  const map = { "*": "rest", "gpt-4o": "plain", "gpt-4o* preview": "preview" };
  expect(entryFor(map, ["gpt-4o", "gpt-4o preview"])).toBe("preview");
  expect(entryFor({ gone: "x" }, ["gpt-4o"])).toBeUndefined();
});

test("many entries cost no more than few", () => {
  const map = Object.fromEntries([["*", "rest"], ...Array.from({ length: 20_000 }, (_, index) => [`m-${index}`, "x"])]);
  let found = 0;
  for (let index = 0; index < 20_000; index += 1) found += entryFor(map, [`m-${index}`]) === "x" ? 1 : 0;
  expect(found).toBe(20_000);
});
