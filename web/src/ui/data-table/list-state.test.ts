/** Tests of how many rows a window has room for, and of the page shown where the requested one is absent. */
import { expect, test } from "vitest";
import { LEAST_ROWS, sizeThatFits } from "./list-state.ts";
import { betterPage } from "./page-range.ts";

test.each([
  [600, 44, 10],
  [900, 44, 10],
  [1210, 44, 20],
  [1209, 44, 10],
  [1200, 38, 20],
  [2600, 44, 50],
  [9000, 38, 100],
])("a window %i px high has room for a page of rows of %i px: %i", (windowHeightPx, rowHeightPx, size) =>
  expect(sizeThatFits(windowHeightPx, rowHeightPx)).toBe(size),
);

test("no list begins with less than twenty rows, which fill a window of 900 px", () => {
  expect(LEAST_ROWS).toBe(20);
  expect(LEAST_ROWS * 44).toBeGreaterThan(900 - 330);
});

const nothing = { rows: [], total: 23, error: null, isFetching: false, isOld: false };
const asked = { page: 99, size: 10 };

test("behind the last page comes the last page; of an empty list the first", () => {
  expect(betterPage(asked, nothing)).toBe(3);
  expect(betterPage(asked, { ...nothing, total: 0 })).toBe(1);
});

test.each([
  ["rows are there", { rows: [{}] }],
  ["the rows are those of the question before", { isOld: true }],
  ["an answer is under way", { isFetching: true }],
  ["nothing was loaded", { rows: undefined }],
  ["the last answer failed", { error: new Error("gone") }],
])("a page stays while %s", (_case, change) => expect(betterPage(asked, { ...nothing, ...change })).toBeUndefined());

test("a page within the list stays, also where it came back empty", () =>
  expect(betterPage({ page: 3, size: 10 }, nothing)).toBeUndefined());
