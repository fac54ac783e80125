/** Texts are found by key, form and namespace, and filled with values that cannot change what stands around them. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type * as I18n from "./i18n.ts";
import { fillIn, joinTexts, keysOf, sentences, textAt } from "./translate.ts";

// The language is read from the browser.
vi.stubGlobal("localStorage", { getItem: () => null, setItem: () => undefined, removeItem: () => undefined });
vi.stubGlobal("navigator", { language: "en" });

let i18n: typeof I18n;
beforeAll(async () => {
  i18n = await import("./i18n.ts");
  i18n.addTexts("en", "sample", {
    days_zero: "today",
    days_one: "{{count, number}} day",
    days_other: "{{count, number}} days",
    greeting: "Hello {{name}}",
    long: "It failed: $t(sample:why.{{reason}})",
    why: { full: "the disk is full of {{name}}" },
  });
  i18n.addTexts("zh", "sample", { days_other: "{{count, number}} 天" });
});
afterAll(() => i18n.showLanguage("en"));

test.each([
  ["a.b", "text"],
  ["a", undefined],
  ["a.c", undefined],
  ["a.b.length", undefined],
  ["constructor.name", undefined],
  ["", undefined],
])("the key %j leads to %j", (key, text) => {
  expect(textAt({ a: { b: "text" } }, key)).toBe(text);
});

test("the form follows the count by the rules of the language, with a form of its own for none", () => {
  expect(keysOf("en", "days", 1)).toEqual(["days_one", "days"]);
  expect(keysOf("en", "days", 0)).toEqual(["days_zero", "days_other", "days"]);
  expect(keysOf("zh", "days", 1)).toEqual(["days_other", "days"]);
  expect(keysOf("en", "days", "1")).toEqual(["days"]);
  const days = [0, 1, 2, 12_345].map((count) => i18n.translate("sample:days", { count }));
  expect(days).toEqual(["today", "1 day", "2 days", "12,345 days"]);
  expect(i18n.translator("sample", "zh")("days", { count: 12_345 })).toBe("12,345 天");
});

test("a value is filled in as it is, once, and keeps its direction to itself", () => {
  expect(fillIn("{{a}} and {{ b }}", { a: "$& {{b}}", b: 2 }, "en")).toBe("$& {{b}} and 2");
  expect(fillIn("{{a}}!", { a: "x\u202Ey" }, "en")).toBe("x[U+202E]y!");
  expect(fillIn("{{a}}{{b}}", { a: null, b: undefined }, "en")).toBe("");
  expect(fillIn("{{missing}}", {}, "en")).toBe("{{missing}}");
});

test("a text takes in another one, chosen by a value", () => {
  expect(i18n.translate("sample:long", { reason: "full", name: "logs" })).toBe("It failed: the disk is full of logs");
  expect(i18n.translate("sample:long", { reason: "odd" })).toBe("It failed: why.odd");
});

test("what has no text gives its default, or the key", () => {
  expect(i18n.hasText("sample:greeting")).toBe(true);
  expect(i18n.hasText("sample:why")).toBe(false);
  expect(i18n.translate("sample:none", { defaultValue: "gpt-4o" })).toBe("gpt-4o");
  expect(i18n.translate("sample:none")).toBe("none");
  expect(i18n.translator(["nothing-loaded", "sample"])("greeting", { name: "Ada" })).toBe("Hello Ada");
});

test("texts that come later join the groups that are there", () => {
  expect(joinTexts({ a: { b: "1", c: "2" }, d: "3" }, { a: { c: "4" } })).toEqual({ a: { b: "1", c: "4" }, d: "3" });
});

test("sentences have a space between them in English and none in Chinese", () => {
  expect(sentences("It is late.", undefined, "", "Wait.")).toBe("It is late. Wait.");
  expect(sentences("已经很晚。", "请稍候。", "More")).toBe("已经很晚。请稍候。More");
  expect(sentences(undefined, "One.")).toBe("One.");
});
