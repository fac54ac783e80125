/** Tests of groups by paid amount: exactly at the bounds, and never downwards. */
import { expect, test } from "vitest";
import { raisedGroup } from "./group-rules.ts";

const GROUPS = { bronze: "0.5", gold: "100", silver: "10" };
const UNIT = 500_000;

test.each([
  ["default", 249_999, undefined],
  ["default", 250_000, "bronze"],
  ["default", 10 * UNIT, "silver"],
  ["default", 1_000 * UNIT, "gold"],
  ["bronze", 10 * UNIT - 1, undefined],
  ["bronze", 10 * UNIT, "silver"],
  // Who was put into a higher one, or into one that cannot be paid for, stays there.
  ["gold", 10 * UNIT, undefined],
  ["staff", 1_000 * UNIT, undefined],
  ["default", -5, undefined],
])("of %s with %s paid: %s", (group, paidQuota, raised) => {
  expect(raisedGroup(GROUPS, group, { paidQuota, quotaPerUnit: UNIT })).toBe(raised);
});

test("without groups to rise into everybody stays", () => {
  expect(raisedGroup({}, "default", { paidQuota: 1e12, quotaPerUnit: UNIT })).toBeUndefined();
});
