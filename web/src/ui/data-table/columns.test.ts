/** Columns are dropped by their written priority and never get narrower than asked. */
import { expect, test } from "vitest";
import { type Column, fitColumns, nextSort, pageNumbers, parseSort } from "./columns.ts";

const column = (id: string, width: number, dropPriority?: number): Column<object> => ({
  id,
  header: id,
  width,
  cell: () => null,
  ...(dropPriority === undefined ? {} : { dropPriority }),
});
const COLUMNS = [column("name", 200), column("key", 150, 3), column("used", 100), column("created", 150, 5)];

test("all columns show where there is room, and share what is left over", () => {
  const { shown, widths } = fitColumns(COLUMNS, 1200);
  expect(shown.map(({ id }) => id)).toEqual(["name", "key", "used", "created"]);
  expect(widths).toEqual([400, 300, 200, 300]);
});

test("names take more of what is left over than numbers do, and all of it is taken", () => {
  const { widths } = fitColumns([column("name", 100), { ...column("used", 100), isNumeric: true }], 470);
  expect(widths).toEqual([300, 170]);
});

test("the highest number is dropped first, and columns without one stay in any width", () => {
  expect(fitColumns(COLUMNS, 500).shown.map(({ id }) => id)).toEqual(["name", "key", "used"]);
  expect(fitColumns(COLUMNS, 320).shown.map(({ id }) => id)).toEqual(["name", "used"]);
  expect(fitColumns(COLUMNS, 100)).toEqual({ shown: [COLUMNS[0], COLUMNS[2]], widths: [200, 100] });
});

test("a header goes from descending to ascending to off", () => {
  expect(nextSort(undefined, "used")).toBe("-used");
  expect(nextSort(parseSort("-used"), "used")).toBe("used");
  expect(nextSort(parseSort("used"), "used")).toBeUndefined();
  expect(nextSort(parseSort("used"), "name")).toBe("-name");
});

test("the pager shows the ends, the neighbours and gaps", () => {
  expect(pageNumbers(1, 2)).toEqual([1, 2]);
  expect(pageNumbers(1, 475)).toEqual([1, 2, 3, null, 475]);
  expect(pageNumbers(10, 475)).toEqual([1, null, 9, 10, 11, null, 475]);
  expect(pageNumbers(475, 475)).toEqual([1, null, 473, 474, 475]);
});
