/** Tests of shortcuts: keys mean the same on every keyboard, and one key means one thing. */
import { expect, test } from "vitest";
import { addShortcuts, keyOf, presentShortcuts } from "./shortcuts.ts";

const press = (key: string, code: string, shiftKey = false) => keyOf({ key, code, shiftKey });

test("letters are read by their key position where the keyboard has another script, signs by their character", () => {
  expect(press("j", "KeyJ")).toBe("j");
  expect(press("о", "KeyJ")).toBe("j");
  expect(press("J", "KeyJ")).toBe("j");
  expect(press("/", "Digit7", true)).toBe("/");
  expect(press("?", "Slash", true)).toBe("?");
  expect(press("Enter", "Enter")).toBe("Enter");
});

test("a letter with Shift is no shortcut: people press it to write", () =>
  expect(press("J", "KeyJ", true)).not.toBe("j"));

test("of the same keys the part that came last has them, until it goes", () => {
  const row = (label: string) => () => [{ keys: "n", label, section: "page" as const }];
  const removeFirst = addShortcuts(row("first"));
  const removeSecond = addShortcuts(row("second"));
  expect(presentShortcuts().map(({ label }) => label)).toEqual(["second"]);
  removeSecond();
  expect(presentShortcuts().map(({ label }) => label)).toEqual(["first"]);
  removeFirst();
  expect(presentShortcuts()).toEqual([]);
});
