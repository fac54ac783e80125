/** Named views survive a reload, and what is stored badly is no view. */
import { expect, test, vi } from "vitest";
import { MOST_VIEWS, readViews, storedViews, storeViews, withView } from "./saved-views.ts";

const SLOW = { name: "Slow opus", search: { model_name: "%opus%", min_time_ms: "30000" } };

test("what is stored is read again", () => {
  const stored = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, text: string) => stored.set(key, text),
  });
  expect(storedViews()).toEqual([]);
  storeViews([SLOW]);
  expect(storedViews()).toEqual([SLOW]);
});

test.each([undefined, null, [], "x", { version: 2, views: [SLOW] }, { version: 1, views: "x" }])(
  "%j holds none",
  (stored) => {
    expect(readViews(stored)).toEqual([]);
  },
);

test("of damaged views the sound ones and their sound filters are kept", () => {
  const views = [null, { name: 3, search: {} }, { name: "a" }, { name: "b", search: { type: "5", p: 7 } }, SLOW];
  expect(readViews({ version: 1, views })).toEqual([{ name: "b", search: { type: "5" } }, SLOW]);
});

test("a name stands for one view, and the oldest is removed when there are too many", () => {
  const again = { ...SLOW, search: { type: "5" } };
  expect(withView([SLOW], again)).toEqual([again]);
  const many = Array.from({ length: MOST_VIEWS }, (_, index) => ({ name: String(index), search: {} }));
  const more = withView(many, SLOW);
  expect([more.length, more[0]?.name, more.at(-1)]).toEqual([MOST_VIEWS, "1", SLOW]);
});
