/** Tests of text.ts. */
import { expect, test } from "vitest";
import { firstCodePoints, storable, storableCut } from "./text.ts";

test("what no column takes is dropped or replaced", () => {
  expect(["plain", "a\0b", "\u{1f600}", "\ud83d"].map(storable)).toEqual(["plain", "ab", "\u{1f600}", "\ufffd"]);
});

test("a cut through a character removes both halves", () => {
  expect(storableCut("ab", 2)).toBe("ab");
  expect(storableCut("abc", 2)).toBe("ab");
  expect(storableCut("a\u{1f600}", 2)).toBe("a\ufffd");
});

test("code points are counted as the reader sees them", () => {
  expect(firstCodePoints("a\u{1f600}b", 2)).toBe("a\u{1f600}");
  expect(firstCodePoints("a", 2)).toBe("a");
});
