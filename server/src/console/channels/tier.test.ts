/** Tests of a channel's competitors: enabled, of its priority, with a model and a group in common, and never itself. */
import { expect, test } from "vitest";
import { tierOf } from "./tier.ts";

const place = { id: 1, priority: 10, models: ["gpt-4o", "o3"], groups: ["default", "vip"] };
const rival = (changes: object = {}) => ({
  id: 2,
  status: 1,
  priority: 10,
  weight: 5,
  models: new Set(["gpt-4o"]),
  groupNames: ["vip"],
  ...changes,
});

test("others are counted with their weights", () => {
  expect(tierOf([rival(), rival({ id: 3, weight: 2 })], place)).toEqual({ others: 2, weight: 7 });
});

test.each([
  ["itself", { id: 1 }],
  ["another priority", { priority: 0 }],
  ["disabled", { status: 2 }],
  ["auto-disabled", { status: 3 }],
  ["other models", { models: new Set(["claude"]) }],
  ["other groups", { groupNames: ["svip"] }],
])("%s is none of them", (_, changes) => {
  expect(tierOf([rival(changes)], place)).toEqual({ others: 0, weight: 0 });
});
