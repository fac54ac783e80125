/** The CSV of a dry run: what stands in which line, and what a spreadsheet must not run. */
import { expect, test } from "vitest";
import { csvOf } from "./csv.ts";

test("totals, then every list with what is beyond it; nothing runs in a spreadsheet", () => {
  const sums = { calls: 2, old: 10, new: 7 };
  const text = csvOf({
    kind: "result",
    from: 0,
    to: 1,
    totals: sums,
    charged: 9,
    free_calls: 0,
    models: [{ name: '=cmd("x")', is_unpriced: false, ...sums }],
    users: [{ id: 3, name: "a,b", ...sums }],
    groups: [{ name: "vip", ...sums }],
    others: { users: sums },
    running_out: { count: 0, people: [] },
    notes: [],
  });
  expect(text.split("\r\n")).toEqual([
    "\uFEFFkind,id,name,calls,current_quota,draft_quota,difference_quota",
    "total,,,2,10,7,-3",
    `model,,"'=cmd(""x"")",2,10,7,-3`,
    'user,3,"a,b",2,10,7,-3',
    "user,,others,2,10,7,-3",
    "group,,vip,2,10,7,-3",
    "",
  ]);
});
