/** Tests that addresses which people cut, mistype or make up still open the page. */
import { expect, test } from "vitest";
import { oneOf, positive, searchReader, text } from "./search.ts";

const read = searchReader({ p: positive, keyword: text, status: oneOf("1", "2") });

test("known values are read, and unknown ones are ignored", () =>
  expect(read({ p: "3", keyword: "two words", status: "2", unknown: "1" })).toEqual({
    p: 3,
    keyword: "two words",
    status: "2",
  }));

test.each([
  [{ p: "0" }],
  [{ p: "-4" }],
  [{ p: "1e9" }],
  [{ p: "2.5" }],
  [{ p: "9".repeat(40) }],
  [{ p: ["2"] }],
  [{ p: {} }],
  [{ keyword: "  " }],
  [{ keyword: "x".repeat(1001) }],
  [{ status: "x" }],
  [{ status: "__proto__" }],
  [{}],
])("%j reads as nothing, and hides the raw value", (raw) =>
  expect(read(raw)).toStrictEqual({ p: undefined, keyword: undefined, status: undefined }),
);

test("what was read can be read again: the router does so", () => {
  const once = read({ p: "3", keyword: "a", status: "1" });
  expect(read(once)).toEqual(once);
});
