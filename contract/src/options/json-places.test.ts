/** The reported position of broken JSON is where a human would mend it. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { findJsonError, formatJson, membersOf, placeOfPath } from "./json-places.ts";
import { runs } from "../../../tests/support/soak/short-or-long.ts";

test.each([
  ['{\n  "a": 1,\n  "b" "c"\n}', 3, 6, "colon"],
  ['{"a": 1 "b": 2}', 1, 8, "comma"],
  ['{"a": }', 1, 7, "value"],
  ['{"a": [1, 2', 1, 12, "close"],
  ['{"a": "b}', 1, 7, "quote"],
  ["{a: 1}", 1, 2, "name"],
  ['{"a": 1,}', 1, 8, "trailing"],
  ["{} {}", 1, 4, "extra"],
  ['{\n  "a": 1,\n  "a": 2\n}', 3, 3, "duplicate"],
  ['{"x": [{"a": 1, "b": 2, "\\u0061": 3}]}', 1, 25, "duplicate"],
  ["[".repeat(65) + "]".repeat(65), 1, 65, "deep"],
])("%s breaks in line %i, column %i: %s", (text, line, column, problem) => {
  expect(findJsonError(text)).toMatchObject({ line, column, problem });
});

test("a name may stand once in each of several objects", () => {
  expect(findJsonError('{"a": {"a": 1}, "b": [{"a": 1}, {"a": 1}]}')).toBeUndefined();
});

test("a string of two million escapes is read", () => {
  expect(findJsonError(`"${"\\n".repeat(2_000_000)}"`)).toBeUndefined();
});

test("it agrees with JSON.parse on any text, but for names that stand twice", () => {
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
      const found = findJsonError(text);
      fc.pre(found?.problem !== "duplicate");
      expect(found === undefined).toBe(accepts(text));
    }),
    { numRuns: runs(300) },
  );
});

const TEXT = '{\n  "gpt-4o": 1,\n  "tiers": [\n    { "above": 1, "ratio": -2 }\n  ]\n}';

test.each([
  [["gpt-4o"], "value", 2, 13],
  [["gpt-4o"], "name", 2, 3],
  [["tiers", 0, "ratio"], "value", 4, 28],
  [["tiers", 0, "ratio"], "name", 4, 19],
  [[], "value", 1, 1],
  // What is not there: the place of what should hold it.
  [["tiers", 0, "cache"], "name", 4, 5],
  [["nothing"], "value", 1, 1],
] as const)("the place of %j, its %s, is line %i, column %i", (path, part, line, column) => {
  expect(placeOfPath(TEXT, path, part)).toMatchObject({ line, column });
});

type Path = (string | number)[];

function valuesInside(value: unknown, path: Path = []): [Path, unknown][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]): [Path, unknown][] => {
    const at = [...path, Array.isArray(value) ? Number(name) : name];
    return [[at, inner], ...valuesInside(inner, at)];
  });
}

test("the place of every value of any JSON is where that value stands", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      for (const [path, inner] of valuesInside(JSON.parse(text)))
        expect(text.startsWith(JSON.stringify(inner), placeOfPath(text, path).offset)).toBe(true);
    }),
    { numRuns: runs(200) },
  );
});

test("the members of an object come with their text as it was written", () => {
  const text = '{"a": {"b": 0.10, "c": {"d": 1}}, "e": [ 1e0 ]}';
  expect(membersOf(text)).toEqual([
    ["a", '{"b": 0.10, "c": {"d": 1}}'],
    ["e", "[ 1e0 ]"],
  ]);
  expect(membersOf(text, ["a"])).toEqual([
    ["b", "0.10"],
    ["c", '{"d": 1}'],
  ]);
  expect(membersOf(text, ["e"])).toEqual([]);
  expect(membersOf("[1]")).toEqual([]);
});

test("formatting keeps numbers and strings as they were written, and does not change broken text", () => {
  expect(formatJson('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
  expect(formatJson('{"b":0.30000000000000000004,"2":1e0,"1":{},"c":[ ],"d":"{\\u0061: [,"}')).toBe(
    '{\n  "b": 0.30000000000000000004,\n  "2": 1e0,\n  "1": {},\n  "c": [],\n  "d": "{\\u0061: [,"\n}',
  );
  expect(formatJson('{"a":')).toBe('{"a":');
  expect(formatJson('{"a":1,"a":2}')).toBe('{"a":1,"a":2}');
});

test("formatted text is the same JSON, laid out as JSON.stringify does", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      fc.pre(findJsonError(text) === undefined);
      expect(formatJson(text)).toBe(JSON.stringify(JSON.parse(text), null, 2));
    }),
    { numRuns: runs(200) },
  );
});
