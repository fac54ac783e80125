/** Holds the draft of the open settings page outside of React, so that typing in one field draws that field alone. */
import { createStore, type Readable } from "../../../lib/store.ts";
import { type Draft, EMPTY_DRAFT, type OptionState, stateOf } from "./draft.ts";

export interface DraftStore extends Readable<Draft> {
  /** One option; the same object until something about it changes. */
  option(name: string): OptionState;
  change(next: (draft: Draft) => Draft): void;
  /** Work that changes the draft when it is done, such as asking another site: a save waits for it. It must not reject. */
  hold(work: Promise<void>): void;
  /** Resolves once nothing is held. */
  settled(): Promise<unknown>;
}

const isSame = (a: OptionState, b: OptionState): boolean =>
  a.row === b.row && a.text === b.text && a.isDirty === b.isDirty && a.problem === b.problem && a.theirs === b.theirs;

export function createDraftStore(): DraftStore {
  const { get, subscribe, update } = createStore<Draft>(() => EMPTY_DRAFT);
  const states = new Map<string, OptionState>();
  const held = new Set<Promise<void>>();
  return {
    hold(work) {
      held.add(work);
      void work.finally(() => held.delete(work));
    },
    settled: () => Promise.all(held),
    get,
    subscribe,
    change: update,
    option(name) {
      const now = stateOf(get(), name);
      const before = states.get(name);
      if (before !== undefined && isSame(before, now)) return before;
      states.set(name, now);
      return now;
    },
  };
}
