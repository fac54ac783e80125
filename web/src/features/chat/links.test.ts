/** Tests of chat pages: they lead where the settings say, else show that they cannot. */
import { expect, test } from "vitest";
import { isBroken, isWeb, linkAt, withSettings } from "./links.ts";

const LINKS = [
  { name: "A", template: "https://a.example" },
  { name: "B", template: "b://x" },
];

test("a place in the list is one link, anything else none", () => {
  expect(["0", "1", "2", "-1", "x", "", "1e0", undefined].map((id) => linkAt(LINKS, id)?.name)).toEqual([
    "A",
    "B",
    ...Array.from({ length: 6 }),
  ]);
  expect(LINKS.map(({ template }) => isWeb(template))).toEqual([true, false]);
});

test("a damaged list is distinguished from an empty one", () => {
  expect([null, "[]", '[{"A":"https://a.example"}]', "[", "{}", '"x"'].map(isBroken)).toEqual([
    false,
    false,
    false,
    true,
    true,
    true,
  ]);
});

test("key and address go into the settings, unless the template has a place for the key", () => {
  const own = "https://a.example/?k={key}";
  expect(withSettings(own)).toBe(own);
  for (const base of ["https://a.example", "https://a.example/", "https://a.example/#/"])
    expect(withSettings(base)).toBe('https://a.example/#/?settings={"key":"{key}","url":"{address}"}');
});
