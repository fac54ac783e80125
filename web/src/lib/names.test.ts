/** Tests of shown names: no character of a name changes the order of the text around it. */
import { describe, expect, it } from "vitest";
import { apart, visible } from "./names.ts";

const MARKS = ["\u202A", "\u202B", "\u202C", "\u202D", "\u202E", "\u2066", "\u2067", "\u2068", "\u2069"];

describe("a name that is shown", () => {
  it("has each direction mark written out", () => {
    for (const mark of MARKS)
      expect(visible(`a${mark}b`)).toBe(`a[U+${mark.codePointAt(0)?.toString(16).toUpperCase()}]b`);
  });

  it("cannot end an isolate that it did not begin, nor leave one open", () => {
    expect(visible("\u2069a\u2068")).toBe("[U+2069]a[U+2068]");
    expect(visible("\u2068a\u2069")).toBe("\u2068a\u2069");
  });

  it("is not changed otherwise, in every script", () => {
    for (const name of ["ada", "客服机器人", "مستخدم", "משתמש", "a‍b 👩‍👩‍👧", ""]) expect(visible(name)).toBe(name);
  });

  it("stands apart in a sentence where it runs from right to left, once", () => {
    expect(apart("ada 3")).toBe("ada 3");
    expect(apart("مستخدم 3")).toBe("\u2068مستخدم 3\u2069");
    expect(apart(apart("مستخدم 3"))).toBe("\u2068مستخدم 3\u2069");
    expect(apart("مستخدم\u202Eevil")).toBe("\u2068مستخدم[U+202E]evil\u2069");
    expect(apart(`About ${apart("مستخدم")}, 3 calls`)).toBe("\u2068About \u2068مستخدم\u2069, 3 calls\u2069");
  });
});
