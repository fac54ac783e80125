/** Tests of lru.ts. */
import { expect, test } from "vitest";
import { LruMap } from "./lru.ts";

test("beyond its limit a map forgets what was set least recently", () => {
  const map = new LruMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.set("a", 3);
  map.set("c", 4);
  expect(["a", "b", "c"].map((key) => map.get(key))).toEqual([3, undefined, 4]);
  expect(map.size).toBe(2);
});

test("reading does not make an entry more recent", () => {
  const map = new LruMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.get("a");
  map.set("c", 3);
  expect(map.get("a")).toBeUndefined();
});

test("entries are deleted one by one and all at once", () => {
  const map = new LruMap<string, number>(3);
  for (const key of ["a", "b", "c"]) map.set(key, 1);
  map.delete("a");
  expect([map.size, map.get("a")]).toEqual([2, undefined]);
  map.clear();
  expect([map.size, map.get("b")]).toEqual([0, undefined]);
});
