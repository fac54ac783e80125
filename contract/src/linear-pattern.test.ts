/** Patterns of operators: they match what RE2 matches, in time that grows with the text alone. */
import { expect, test } from "vitest";
import { PATTERN_MAX, PatternError, linearPattern } from "./linear-pattern.ts";

const PATTERNS = [
  "^gpt-.*$",
  "^claude-.*$",
  "/v1/responses",
  "^x-(stainless|codex)-.+",
  "a?b+c*",
  "[a-c]+[^0-9]$",
  "^$",
  "x|y|",
  "\\d\\w\\s",
  "a\\.b",
  "(?:ab)*c",
  "^(a|b)*$",
  "[]a]",
  "[a-]",
];
const TEXTS = [
  "",
  "gpt-5",
  "my-gpt-5",
  "claude-opus",
  "/v1/responses/compact",
  "x-stainless-os",
  "x-codex-",
  "abbc",
  "ac",
  "abca!",
  "1a ",
  "a.b",
  "aXb",
  "ababc",
  "abba",
  "]",
  "-",
  "z",
];

// `[]a]` is a set of two characters to RE2, and an empty set to JavaScript.
const forJavaScript = (pattern: string): RegExp => new RegExp(pattern.replace("[]a]", "[\\]a]"));

test.each(PATTERNS)("%s matches what a regular expression matches", (pattern) => {
  const isMatch = linearPattern(pattern);
  for (const text of TEXTS) expect([text, isMatch(text)]).toEqual([text, forJavaScript(pattern).test(text)]);
});

test("case counts unless the pattern or its place says otherwise", () => {
  expect(linearPattern("^x-app$")("X-App")).toBe(false);
  expect(linearPattern("(?i)^x-app$")("X-App")).toBe(true);
  expect(linearPattern("^X-[A-Z]pp$", true)("x-app")).toBe(true);
});

test.each([
  "(",
  ")",
  "a{3}",
  "*a",
  "a**",
  "(?=a)",
  "(?<n>a)",
  "[a",
  "[z-a]",
  "\\b",
  "\\1",
  "a".repeat(PATTERN_MAX + 1),
])("%s is refused", (pattern) => expect(() => linearPattern(pattern)).toThrow(PatternError));

test("a pattern that makes a backtracking matcher take years takes no longer than any other", () => {
  const isMatch = linearPattern("^(a|a|aa)*(a*)*$");
  const startedMs = performance.now();
  expect(isMatch(`${"a".repeat(5_000)}!`)).toBe(false);
  expect(performance.now() - startedMs).toBeLessThan(2_000);
});
