/** Tests of presets: stored for each user, bounded, and filled with the typed values alone. */
import { expect, test } from "vitest";
import { added, filled, PRESETS_MOST, presetsOf, variablesOf, withPresets } from "./presets.ts";

test("each person has their own, and what storage holds wrongly is left out", () => {
  const stored = withPresets(withPresets(undefined, 1, [{ name: "a", text: "x" }]), 2, [{ name: "b", text: "y" }]);
  expect(presetsOf(stored, 1)).toEqual([{ name: "a", text: "x" }]);
  expect(presetsOf(stored, 3)).toEqual([]);
  expect(presetsOf({ 1: [{ name: "", text: "x" }, 5, { name: "c" }] }, 1)).toEqual([]);
  expect(presetsOf("broken", 1)).toEqual([]);
});

test("a name stands once, and beyond the bound the first goes", () => {
  const many = Array.from({ length: PRESETS_MOST }, (_, index) => ({ name: `n${index}`, text: "" }));
  expect(added(many, { name: "new", text: "" })).toHaveLength(PRESETS_MOST);
  expect(added(many, { name: "new", text: "" })[0]?.name).toBe("n1");
  expect(added([{ name: "a", text: "old" }], { name: "a", text: "new" })).toEqual([{ name: "a", text: "new" }]);
});

test("places are filled as typed, more than once, and those without a value stay", () => {
  const text = "Translate into {{ language }}: {{text}}. Only {{language}}, not {{ }} or {{a{b}}.";
  expect(variablesOf(text)).toEqual(["language", "text"]);
  expect(filled(text, { language: "$& 中文", text: "" })).toBe(
    "Translate into $& 中文: {{text}}. Only $& 中文, not {{ }} or {{a{b}}.",
  );
});
