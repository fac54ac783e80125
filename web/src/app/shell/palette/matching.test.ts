/** The palette understands words in any order, over an action and the object that it acts on. */
import { expect, test } from "vitest";
import { beginsWordOf, isMeant, lookupsOf, markedParts, matches, requestIdIn, wantedOf } from "./matching.ts";

const CHANNEL_ACTIONS = ["Test channel", "Disable channel", "Enable channel"];

test("words match a name in any order and case", () => {
  expect(matches("Create token", "TOK cre")).toBe(true);
  expect(matches("Create token", "cre chan")).toBe(false);
});

test("a text names a page where a word of its name begins with it", () => {
  expect(["chan", "health", "Channel  h"].map((text) => beginsWordOf("Channel health", text))).toEqual(
    Array(3).fill(true),
  );
  expect(["ealth", "anne"].map((text) => beginsWordOf("Channel health", text))).toEqual([false, false]);
});

test("'test anth' looks for the whole text and for 'anth' alone, and means the test of what was found", () => {
  const wanted = wantedOf("test anth", CHANNEL_ACTIONS);
  expect(lookupsOf(wanted)).toEqual(["test anth", "anth"]);
  expect(isMeant("Test channel Anthropic main", wanted)).toBe(true);
  expect(isMeant("Disable channel Anthropic main", wanted)).toBe(false);
});

test("the object may come first, and its words may be of another field than its name", () => {
  const wanted = wantedOf("10.0.0.7 dis", CHANNEL_ACTIONS);
  expect(lookupsOf(wanted)).toEqual(["10.0.0.7 dis", "10.0.0.7"]);
  expect(isMeant("Disable channel Ollama", wanted)).toBe(true);
  expect(isMeant("Test channel Ollama", wanted)).toBe(false);
});

test("a text of one kind alone is looked up once", () => {
  expect(lookupsOf(wantedOf("anthropic", CHANNEL_ACTIONS))).toEqual(["anthropic"]);
  expect(lookupsOf(wantedOf("test", CHANNEL_ACTIONS))).toEqual(["test"]);
  expect(lookupsOf(wantedOf("测试 主渠道", ["测试渠道"]))).toEqual(["测试 主渠道", "主渠道"]);
});

test("request ids are recognised with blanks around them, and nothing else is", () => {
  expect(requestIdIn(" 20261122094113123AbCd_-gh12345x ")).toBe("20261122094113123AbCd_-gh12345x");
  for (const other of ["20261122", "20261122094113123", "gpt-4o", ""]) expect(requestIdIn(other)).toBeUndefined();
});

test("each word is marked where it stands, special characters as they are", () => {
  expect(markedParts("Test channel a.b", "a.b tes")).toEqual([
    { text: "Tes", isMarked: true },
    { text: "t channel ", isMarked: false },
    { text: "a.b", isMarked: true },
  ]);
  expect(markedParts("plain", "")).toEqual([{ text: "plain", isMarked: false }]);
});
