/** Holds the draft of the open settings page outside of React, so that typing in one field draws that field alone. */
import { type Draft, EMPTY_DRAFT, type OptionState, stateOf } from "../model/draft.ts";

export interface DraftStore {
  get(): Draft;
  /** One option; the same object until something about it changes. */
  option(name: string): OptionState;
  change(next: (draft: Draft) => Draft): void;
  subscribe(listener: () => void): () => void;
  /** Work that changes the draft when it is done, such as asking another site: a save waits for it. It must not reject. */
  hold(work: Promise<void>): void;
  /** Resolves once nothing is held. */
  settled(): Promise<unknown>;
}

const isSame = (a: OptionState, b: OptionState): boolean =>
  a.row === b.row && a.text === b.text && a.isDirty === b.isDirty && a.problem === b.problem && a.theirs === b.theirs;

export function createDraftStore(): DraftStore {
  let draft = EMPTY_DRAFT;
  const listeners = new Set<() => void>();
  const states = new Map<string, OptionState>();
  const held = new Set<Promise<void>>();
  return {
    hold(work) {
      held.add(work);
      void work.finally(() => held.delete(work));
    },
    settled: () => Promise.all(held),
    get: () => draft,
    option(name) {
      const now = stateOf(draft, name);
      const before = states.get(name);
      if (before !== undefined && isSame(before, now)) return before;
      states.set(name, now);
      return now;
    },
    change(next) {
      draft = next(draft);
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
