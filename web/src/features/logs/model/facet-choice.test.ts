/** Tests of a text typed into a filter of the log: it selects what its reader expects. */
import { expect, test } from "vitest";
import { appliedText, containedText, valuesWith } from "./facet-choice.ts";

const MODELS = ["gpt-5", "gpt-5-mini", "Claude-Opus"].map((value) => ({ value, name: "", calls: 1 }));
const CHANNELS = [
  { value: "7", name: "Anthropic main", calls: 3 },
  { value: "17", name: "Azure", calls: 1 },
];

test.each([
  ["model", "gpt-5", MODELS, "gpt-5"],
  ["model", " opus ", MODELS, "%opus%"],
  ["model", "gpt%", MODELS, "gpt%"],
  ["model", "  ", MODELS, undefined],
  ["error_code", "upstream", [], "upstream"],
  ["channel", "#7", CHANNELS, "7"],
  ["channel", "99", CHANNELS, "99"],
  ["channel", "azure", CHANNELS, "17"],
  ["channel", "a", CHANNELS, undefined],
] as const)("%s: %j", (field, text, values, expected) => {
  expect(appliedText(field, text, values)).toBe(expected);
});

test("values are found by any part of them or of their name", () => {
  expect(valuesWith(CHANNELS, "ANTHROPIC").map(({ value }) => value)).toEqual(["7"]);
  expect(valuesWith(MODELS, "GPT")).toHaveLength(2);
  expect(valuesWith(MODELS, "")).toHaveLength(3);
});

test("what was typed stands in the field again, a whole name does not", () => {
  expect([containedText("%opus%"), containedText("gpt-5"), containedText("gpt%"), containedText(undefined)]).toEqual([
    "opus",
    "",
    "",
    "",
  ]);
});
