/** Tests of views: valid ones of an earlier version in the browser are read, and one view stands for one set of filters. */
import { expect, test } from "vitest";
import { LOG_VIEWS_MAX } from "../../../../../contract/src/logs/filters.ts";
import { isSameSearch, readViews } from "./saved-views.ts";

const SLOW = { name: "Slow opus", search: { model_name: "%opus%", min_time_ms: "30000" } };

test("what was stored is read again, up to the number that an account may have", () => {
  expect(readViews({ version: 1, views: [SLOW] })).toEqual([SLOW]);
  const many = Array.from({ length: LOG_VIEWS_MAX + 5 }, (_, index) => ({ name: String(index), search: {} }));
  expect(readViews({ version: 1, views: many })).toHaveLength(LOG_VIEWS_MAX);
});

test.each([undefined, null, [], "x", { version: 2, views: [SLOW] }, { version: 1, views: "x" }])(
  "%j holds none",
  (stored) => {
    expect(readViews(stored)).toEqual([]);
  },
);

test("of damaged views the sound ones and their sound filters are kept", () => {
  const sound = { name: "b", search: { type: "5", p: 7, secret: "x" } };
  const views = [null, { name: 3, search: {} }, { name: "a" }, { name: " ", search: {} }, sound, SLOW];
  expect(readViews({ version: 1, views })).toEqual([{ name: "b", search: { type: "5" } }, SLOW]);
});

test("views are the same where every filter is", () => {
  expect(isSameSearch({ type: "5" }, { type: "5", model_name: undefined })).toBe(true);
  expect(isSameSearch({ type: "5" }, {})).toBe(false);
  expect(isSameSearch({ type: "5" }, { type: "2" })).toBe(false);
});
