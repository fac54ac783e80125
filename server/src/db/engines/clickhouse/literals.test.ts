/** No text leaves its literal, whatever it holds; and each value is the one that was meant. */
import { expect, test } from "vitest";
import { literal } from "./literals.ts";

/** As a server reads it: \xHH is one byte. */
const readBack = (text: string): string => {
  const parts = [...text.slice(1, -1).matchAll(/\\x([0-9a-f]{2})|(.)/gs)];
  const bytes = parts.map(([, hex, plain]) =>
    hex === undefined ? (plain ?? "").charCodeAt(0) : Number.parseInt(hex, 16),
  );
  return Buffer.from(bytes).toString("utf8");
};

const STRANGE = [
  "'",
  "\\",
  '"',
  "`",
  "\n",
  "\0",
  "--",
  "/*",
  "{a:String}",
  "%",
  "_",
  "ü",
  "😀",
  "\u2028",
  "\\'",
  "'; drop table logs --",
];

test("every text of strange parts stays between its quotes and is read back as it was", () => {
  let seed = 7;
  const next = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let round = 0; round < 2_000; round += 1) {
    const part = () => (next(3) === 0 ? String.fromCodePoint(1 + next(0xd7ff)) : (STRANGE[next(STRANGE.length)] ?? ""));
    const text = Array.from({ length: next(12) }, part).join("");
    const written = literal(text);
    expect(written).toMatch(/^'(?:[A-Za-z0-9_.:/@ -]|\\x[0-9a-f]{2})*'$/);
    expect(readBack(written)).toBe(text);
  }
});

test("a lone surrogate becomes the replacement character", () => {
  expect(readBack(literal("a\ud800b"))).toBe("a\ufffdb");
});

test("numbers below zero have parentheses, which keep two signs apart", () => {
  expect([literal(0), literal(-5), literal(2 ** 53 - 1), literal(1.5), literal(-7n), literal(null)]).toEqual([
    "0",
    "(-5)",
    "9007199254740991",
    "1.5",
    "(-7)",
    "null",
  ]);
});

test.each([2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, undefined, true, new Date(0), {}, ["a"]])(
  "%s is refused",
  (value) => {
    expect(() => literal(value)).toThrow(TypeError);
  },
);
