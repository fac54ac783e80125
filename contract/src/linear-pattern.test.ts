/** Tests of operators' patterns: RE2's syntax, the flag for case, and bounds that hold for hostile ones. */
import { expect, test } from "vitest";
import { compilePattern, linearPattern, PatternError } from "./linear-pattern.ts";

test.each([
  ["^gpt-.*$", "gpt-5", true],
  ["^gpt-.*$", "my-gpt-5", false],
  ["/v1/responses", "/v1/responses/compact", true],
  ["^x-(stainless|codex)-.+", "x-codex-", false],
  ["\\bpro\\b", "gemini-3-pro-preview", true],
  ["[]a]", "]", true],
])("%s in %s: %s", (pattern, text, isMatch) => expect(linearPattern(pattern)(text)).toBe(isMatch));

test("case counts unless the pattern or its place says otherwise", () => {
  expect(linearPattern("^x-app$")("X-App")).toBe(false);
  expect(linearPattern("(?i)^x-app$")("X-App")).toBe(true);
  expect(linearPattern("^X-[A-Z]pp$", true)("x-app")).toBe(true);
});

test.each(["(", ")", "*a", "(?=a)", "[a", "[z-a]", "\\1"])("%s is refused", (pattern) =>
  expect(() => linearPattern(pattern)).toThrow(PatternError),
);

test.each(["a".repeat(513), "(?:[a-z]{100}|[0-9]{100})", "(?:abcdefghij|klmnopqrst)".repeat(20)])(
  "%s is too large",
  (pattern) => {
    const tooLarge = expect.objectContaining({ isTooLarge: true });
    expect(() => compilePattern(pattern, { characters: 512, instructions: 150 })).toThrow(tooLarge);
  },
);

test("a pattern that makes a backtracking matcher take years ends", () => {
  expect(linearPattern("^(a|a|aa)*(a*)*$")(`${"a".repeat(5_000)}!`)).toBe(false);
});
