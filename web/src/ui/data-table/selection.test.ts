/** Selecting rows: one, a group with the rows under it, the whole page. */
import { expect, test } from "vitest";
import {
  ALL_MATCHING,
  leavesOf,
  NOTHING_SELECTED as NONE,
  rangeOf,
  type Selection,
  selectedCount,
  stateOf,
  toggled,
} from "./selection.ts";

interface Entry {
  id: string;
  children?: Entry[];
}
const parts = { rowKey: ({ id }: Entry) => id, subRows: ({ children }: Entry) => children };
const keysOf = (rows: Entry[]): string[] => leavesOf(rows, parts).map(({ id }) => id);

const CHILDREN = [{ id: "a1" }, { id: "a2" }];
const GROUP: Entry = { id: "tag-a", children: CHILDREN };
const listed = (selection: Selection): string[] => [...(selection.allMatching ? selection.excluded : selection.keys)];

test("a group gives the rows under it, and rows that are drawn under it are not counted twice", () => {
  expect(keysOf([GROUP, { id: "b" }])).toEqual(["a1", "a2", "b"]);
  expect(keysOf([GROUP, ...CHILDREN, { id: "b" }])).toEqual(["a1", "a2", "b"]);
  expect(keysOf([{ id: "empty", children: [] }])).toEqual([]);
  expect(leavesOf([{ id: "b" }], { rowKey: parts.rowKey })).toEqual([{ id: "b" }]);
});

test("a click selects one row, and a second click deselects it and no other", () => {
  const one = toggled(NONE, ["b"]);
  expect(listed(one)).toEqual(["b"]);
  expect(listed(toggled(toggled(one, ["c"]), ["b"]))).toEqual(["c"]);
});

test("a group is partly selected by one of its rows; a click selects the rest, the next one none", () => {
  const keys = keysOf([GROUP]);
  const some = toggled(NONE, ["a2"]);
  expect(stateOf(some, keys)).toBe("some");
  const all = toggled(some, keys);
  expect(stateOf(all, keys)).toBe("all");
  expect(listed(toggled(all, keys))).toEqual([]);
});

test("the page is wholly selected once every row is, however that came about", () => {
  const page = keysOf([GROUP, { id: "b" }]);
  const byGroup = toggled(toggled(NONE, keysOf([GROUP])), ["b"]);
  expect(stateOf(byGroup, page)).toBe("all");
  expect(stateOf(toggled(byGroup, ["a1"]), page)).toBe("some");
  expect(stateOf(NONE, page)).toBe("none");
});

test("a page without rows is never shown as wholly selected", () =>
  expect(stateOf(toggled(NONE, ["gone"]), [])).toBe("none"));

test("of all that match, rows are taken out and put back, on whatever page they are", () => {
  const some = toggled(toggled(ALL_MATCHING, ["a"]), ["k"]);
  expect(some).toEqual({ allMatching: true, excluded: new Set(["a", "k"]) });
  expect(stateOf(some, ["a", "b"])).toBe("some");
  expect(selectedCount(some, 37)).toBe(35);
  expect(selectedCount(toggled(some, ["k"]), 37)).toBe(36);
  expect(stateOf(toggled(some, ["a", "b"]), ["a", "b"])).toBe("all");
});

test("a range goes from the row clicked last to this one, in either direction, with the groups between", () => {
  const keys = ["a", "b", "c", "d", "e"];
  expect(rangeOf(keys, "b", ["d"])).toEqual(["b", "c", "d"]);
  expect(rangeOf(keys, "d", ["b"])).toEqual(["b", "c", "d"]);
  expect(rangeOf(keys, "a", ["c", "d"])).toEqual(["a", "b", "c", "d"]);
  expect(rangeOf(keys, undefined, ["c"])).toEqual(["c"]);
  expect(rangeOf(keys, "gone", ["c"])).toEqual(["c"]);
});
