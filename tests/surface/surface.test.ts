/** What clients and users rely on exists under its name; what is missing is in a reviewed list, which must not become outdated. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { AppError } from "../../contract/src/errors.ts";
import {
  type OptionName,
  OPTION_NAMES,
  optionDefinition,
  parseOptions,
  validateOption,
} from "../../contract/src/options/options.ts";
import { NUMBERS, WRITTEN } from "./constants.ts";
import { FACTS } from "./facts.ts";
import { FAMILY_OPTIONS, OPTION_BOUNDS, OPTION_DEFAULTS, OPTION_SPELLINGS, OWN_OPTIONS } from "./options.ts";
import { OTHERWISE } from "./otherwise.ts";
import { WAITING } from "./waiting.ts";

const covers = (line: string, name: string): boolean => name === line || name.startsWith(`${line} `);
const excused = [...WAITING, ...OTHERWISE.flatMap(({ fact }) => fact ?? [])];
const coveredBy = (line: string) => FACTS.filter(({ name }) => covers(line, name));

test("everything in the tables is in the product, under its name", () => {
  const missing = FACTS.filter(({ name, isThere }) => !isThere && !excused.some((line) => covers(line, name)));
  expect(FACTS.length).toBeGreaterThan(500);
  expect(missing.map(({ name }) => name)).toEqual([]);
});

test("no fact stands twice", () => {
  const names = FACTS.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test("what is excused is in the tables, and is really missing", () => {
  expect(excused.filter((line) => coveredBy(line).length === 0)).toEqual([]);
  expect(excused.filter((line) => coveredBy(line).some(({ isThere }) => isThere))).toEqual([]);
});

test("everything that is otherwise has its reason", () => {
  expect(OTHERWISE.filter(({ what, reason }) => what.length < 20 || reason.length < 40)).toEqual([]);
});

test("the catalogue of options has exactly those of the tables", () => {
  expect([...OPTION_NAMES].toSorted()).toEqual([...FAMILY_OPTIONS, ...OWN_OPTIONS].toSorted());
});

/** Layout of JSON does not count. */
const plain = (text: string): string => (text.startsWith("{") ? JSON.stringify(JSON.parse(text)) : text);

test.each(Object.entries(OPTION_DEFAULTS))("option %s is %s on a new site", (name, expected) => {
  expect(plain(optionDefinition(name as OptionName).defaultText)).toBe(expected);
});

const NEW_SITE = parseOptions(new Map());
const isTaken = (name: OptionName, text: string): boolean => {
  try {
    validateOption(name, text, NEW_SITE);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
};

test.each(OPTION_BOUNDS)("option $name takes $taken and refuses $refused", ({ name, refused, taken }) => {
  expect(refused.filter((text) => isTaken(name, text))).toEqual([]);
  expect(taken.filter((text) => !isTaken(name, text))).toEqual([]);
});

test.each(OPTION_SPELLINGS)("option $name is stored as $stored", ({ name, typed, stored }) => {
  expect(validateOption(name, typed, NEW_SITE).normalised).toBe(stored);
});

describe("numbers", () => {
  test.each(NUMBERS)("$name", ({ is, expected }) => expect(is).toEqual(expected));

  test.each(WRITTEN)("$name", ({ file, text }) => {
    expect(readFileSync(new URL(`../../${file}`, import.meta.url), "utf8")).toContain(text);
  });
});
