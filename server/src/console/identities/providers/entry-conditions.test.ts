/** Tests of conditions for signing in by an OAuth 2.0 site: their syntax, the paths of fields, and who meets them. */
import { expect, test } from "vitest";
import { AppError } from "../../../../../contract/src/errors.ts";
import { fieldAt, mayEnter, readConditions } from "./entry-conditions.ts";

const USER = {
  id: 7,
  trust_level: 2,
  level_text: "3",
  email: "ann@x.org",
  active: true,
  data: { user: { id: "u-1" }, groups: ["staff", 5] },
  "https://x.org/team": "red",
  empty: null,
};

test.each([
  ["id", 7],
  ["data.user.id", "u-1"],
  ["data.groups.1", 5],
  ["https://x.org/team", "red"],
  ["", undefined],
  ["data.user.name", undefined],
  ["data..id", undefined],
  ["id.toString", undefined],
  ["__proto__", undefined],
  ["constructor.name", undefined],
  ["data.groups.length.toString", undefined],
])("the path %j leads to %j", (path, value) => {
  expect(fieldAt(USER, path)).toEqual(value);
});

test.each([
  ["trust_level >= 2", true],
  ["trust_level > 2", false],
  ["level_text >= 2", true],
  ["trust_level < 10", true],
  ["email >= 2", false],
  ["email ends with @x.org", true],
  ["email ends with @y.org", false],
  ["email starts with ann@", true],
  ["active = true", true],
  ["active != true", false],
  ["missing != true", false],
  ["empty = null", false],
  ["missing <= 5", false],
  ["data.groups contains staff", true],
  ["data.groups contains 5", true],
  ["data.groups contains sta", false],
  ["data.groups = staff", false],
  ["email contains @x.", true],
  ["trust_level >= 2\n\nemail ends with @y.org", false],
  ["", true],
])("%j lets the person in: %j", (text, expected) => {
  expect(mayEnter(USER, readConditions(text))).toBe(expected);
});

test.each([
  ["trust_level", 1],
  ["trust_level ~ 2", 1],
  ["id = 7\ntrust_level >= two", 2],
  ["id =", 1],
  [Array.from({ length: 21 }, () => "id = 7").join("\n"), 21],
])("%j is refused with the number of its line", (text, line) => {
  const refusal = (() => {
    try {
      return readConditions(text);
    } catch (error) {
      return error;
    }
  })();
  expect(refusal).toBeInstanceOf(AppError);
  expect(refusal).toMatchObject({ code: "entry_condition_invalid", field: "entry_conditions", values: { line } });
});

test("a long line of blanks is read in no time", () => {
  const started = performance.now();
  expect(() => readConditions(`a${" ".repeat(3990)}`.concat("b"))).toThrow(AppError);
  expect(performance.now() - started).toBeLessThan(200);
});
