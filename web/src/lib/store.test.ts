/** A store keeps one value, calls its listeners only for changes, and reads its first value when it is needed. */
import { expect, test } from "vitest";
import { createStore } from "./store.ts";

test("listeners are called after each change, and find the new value", () => {
  const store = createStore(() => 1);
  const seen: number[] = [];
  store.subscribe(() => seen.push(store.get()));
  store.set(2);
  store.update((value) => value * 10);
  expect(seen).toEqual([2, 20]);
});

test("the same value again is no change", () => {
  const value = { count: 1 };
  const store = createStore(() => value);
  let calls = 0;
  store.subscribe(() => (calls += 1));
  expect(store.get()).toBe(value);
  store.set(value);
  store.update((current) => current);
  expect(calls).toBe(0);
  store.set({ count: 1 });
  expect(calls).toBe(1);
});

test("a listener that has ended is not called, and others are", () => {
  const store = createStore(() => "a");
  const called: string[] = [];
  const end = store.subscribe(() => called.push("first"));
  store.subscribe(() => called.push("second"));
  end();
  store.set("b");
  expect(called).toEqual(["second"]);
});

test("the first value is read once, when it is asked for, and not at all where another was set before", () => {
  let reads = 0;
  const first = () => (reads += 1);
  const store = createStore(first);
  expect(reads).toBe(0);
  expect([store.get(), store.get(), reads]).toEqual([1, 1, 1]);
  const other = createStore(first);
  other.set(7);
  expect([other.get(), reads]).toEqual([7, 1]);
});

test("a value may be undefined or a function", () => {
  const store = createStore<(() => string) | undefined>(() => undefined);
  expect(store.get()).toBeUndefined();
  store.set(() => "called");
  expect(store.get()?.()).toBe("called");
});
