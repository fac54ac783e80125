/** The position of broken JSON is the place where a person would mend it. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { findJsonError, formatJson } from "./json-error.ts";
import { runs } from "../../../../tests/support/soak/short-or-long.ts";

test.each([
  ['{\n  "a": 1,\n  "b" "c"\n}', 3, 6, "colon"],
  ['{"a": 1 "b": 2}', 1, 8, "comma"],
  ['{"a": }', 1, 7, "value"],
  ['{"a": [1, 2', 1, 12, "close"],
  ['{"a": "b}', 1, 7, "quote"],
  ["{a: 1}", 1, 2, "name"],
  ['{"a": 1,}', 1, 8, "trailing"],
  ["{} {}", 1, 4, "extra"],
])("%s breaks in line %i, column %i: %s", (text, line, column, problem) => {
  expect(findJsonError(text)).toMatchObject({ line, column, problem });
});

test("it agrees with JSON.parse on any text", () => {
  const accepts = (text: string): boolean => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  const cut = fc
    .tuple(fc.json(), fc.nat(40), fc.constantFrom("", ",", '"', "}", "1"))
    .map(([json, at, put]) => json.slice(0, at) + put + json.slice(at + 1));
  fc.assert(
    fc.property(fc.oneof(fc.json(), cut), (text) => {
      fc.pre(text.trim() !== "");
      expect(findJsonError(text) === undefined).toBe(accepts(text));
    }),
    { numRuns: runs(300) },
  );
});

test("formatting keeps the value and leaves broken text alone", () => {
  expect(formatJson('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
  expect(formatJson('{"a":')).toBe('{"a":');
});
