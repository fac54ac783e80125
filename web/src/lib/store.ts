/** A store: one value outside of React, with listeners. Components read it with `useStore`. */
import { useSyncExternalStore } from "react";

/** What readers need of a store. */
export interface Readable<Value> {
  /** The current value; the same object until it changes. */
  get: () => Value;
  /** Calls `listener` after each change. @returns what ends it */
  subscribe: (listener: () => void) => () => void;
}

export interface Store<Value> extends Readable<Value> {
  /** Replaces the value. Listeners are not called where it is the same one (`Object.is`). */
  set: (next: Value) => void;
  /** Replaces the value by one made from the current one. */
  update: (change: (current: Value) => Value) => void;
}

/**
 * @param first gives the value to begin with; called when the store is first read or updated
 * @example const sheet = createStore(() => ({ isOpen: false })); sheet.set({ isOpen: true });
 */
export function createStore<Value>(first: () => Value): Store<Value> {
  const listeners = new Set<() => void>();
  let held: { value: Value } | undefined;
  const get = (): Value => (held ??= { value: first() }).value;
  const set = (next: Value): void => {
    if (held !== undefined && Object.is(held.value, next)) return;
    held = { value: next };
    for (const listener of listeners) listener();
  };
  return {
    get,
    set,
    update: (change) => set(change(get())),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/**
 * The value of a store, or the part of it that `select` takes; rendered again when that changes.
 * @param select must give the same object while nothing about it has changed
 * @example const isOpen = useStore(sheet, (value) => value.isOpen);
 */
export function useStore<Value>(store: Readable<Value>): Value;
export function useStore<Value, Part>(store: Readable<Value>, select: (value: Value) => Part): Part;
export function useStore<Value, Part>(
  { get, subscribe }: Readable<Value>,
  select?: (value: Value) => Part,
): Value | Part {
  const read = () => (select === undefined ? get() : select(get()));
  return useSyncExternalStore(subscribe, read, read);
}
