/** Tests of lists.ts. */
import { expect, test } from "vitest";
import { idIn, sortedPageOf, sortingOf } from "./lists.ts";

const SORTS = ["id", "name"] as const;

test("an order that is none of the list's is by id, and descends unless it says otherwise", () => {
  expect(sortingOf({}, SORTS)).toEqual({ sort: "id", isDescending: true });
  expect(sortingOf({ sort: "password", order: "up" }, SORTS)).toEqual({ sort: "id", isDescending: true });
  expect(sortingOf({ sort: "name", order: "asc" }, SORTS)).toEqual({ sort: "name", isDescending: false });
});

test("pages are counted from 1", () => {
  expect(sortedPageOf({ p: 1, page_size: 20 }, SORTS)).toMatchObject({ offset: 0, limit: 20 });
  expect(sortedPageOf({ p: 3, page_size: 20, sort: "name" }, SORTS)).toMatchObject({ sort: "name", offset: 40 });
});

test("only an exact whole number above 0 is an id", () => {
  expect(["7", "123456789012345", "0", "07", "1.5", "1234567890123456", "x", ""].map(idIn)).toEqual([
    7,
    123_456_789_012_345,
    ...Array<undefined>(6).fill(undefined),
  ]);
});
