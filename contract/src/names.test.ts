/** Names: invisible and text-reversing characters are refused; ordinary text of any language is accepted. */
import { expect, test } from "vitest";
import { hasUnseen, nameList, nameText } from "./names.ts";

test.each([
  ["BEL", "ro\u0007ot"],
  ["DEL", "root\u007f!"],
  ["a control of the second row", "ro\u0085ot"],
  ["a zero-width space", "ro\u200bot"],
  ["a zero-width joiner", "ro\u200dot"],
  ["a soft hyphen", "ro\u00adot"],
  ["a byte order mark inside", "ro\ufeffot"],
  ["a right-to-left override", "\u202etoor"],
  ["an isolate", "\u2066root\u2069"],
  ["a tag character", "root\u{e0041}"],
  ["a lone surrogate", "ro\ud800ot"],
  ["a low surrogate alone", "\udc00root"],
  ["a line separator", "ro\u2028ot"],
  ["a filler of Hangul", "ro\u3164ot"],
])("%s is refused", (_, name) => {
  expect(hasUnseen(name)).toBe(true);
  expect(nameText.safeParse(name).success).toBe(false);
  expect(nameList.safeParse(`good,${name}`).success).toBe(false);
});

test.each(["root", "Zoë", "管理员", "مدير", "מנהל", "Админ", "🚀", "⚡️ fast", "a b-c_d.e/f", "", " padded "])(
  "%j is taken",
  (name) => {
    expect(nameText.safeParse(name).success).toBe(true);
  },
);

test("a line end inside is refused, where it does not part two names", () => {
  expect(nameText.safeParse("ro\not").success).toBe(false);
});

test("a list may have its line ends and a text blanks around it", () => {
  expect(nameList.safeParse("a,b\nc\r\n").success).toBe(true);
  expect(nameText.safeParse("root\n").success).toBe(true);
});
