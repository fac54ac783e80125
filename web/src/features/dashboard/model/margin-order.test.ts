/** Tests of the margin table: it can be sorted by every column, and unknown values are last. */
import { expect, test } from "vitest";
import { inOrder, type MarginColumn, nextOrder } from "./figures.ts";

const gain = { name: "gain", quota: 100, cost: 40, costed_quota: 100 };
const loss = { name: "loss", quota: 50, cost: 60, costed_quota: 25 };
const unknown = { name: "unknown", quota: 200, cost: 0, costed_quota: 0 };
const nothing = { name: "nothing", quota: 0, cost: 0, costed_quota: 0 };

test.each<[MarginColumn, string, string]>([
  ["charged", "unknown gain loss nothing", "nothing loss gain unknown"],
  ["cost", "loss gain unknown nothing", "gain loss unknown nothing"],
  ["margin", "gain loss unknown nothing", "loss gain unknown nothing"],
  ["share", "gain loss unknown nothing", "loss gain unknown nothing"],
  ["known", "gain loss unknown nothing", "unknown loss gain nothing"],
])("by %s", (by, descending, ascending) => {
  const rows = [unknown, nothing, loss, gain];
  const names = (isDescending: boolean) =>
    inOrder(rows, { by, isDescending })
      .map(({ name }) => name)
      .join(" ");
  expect([names(true), names(false)]).toEqual([descending, ascending]);
  expect(inOrder(rows, undefined)).toBe(rows);
});

test("a header sorts descending, ascending and not at all", () => {
  const down = nextOrder(undefined, "cost");
  const up = nextOrder(down, "cost");
  expect([down, up, nextOrder(up, "cost"), nextOrder(up, "share")]).toEqual([
    { by: "cost", isDescending: true },
    { by: "cost", isDescending: false },
    undefined,
    { by: "share", isDescending: true },
  ]);
});
