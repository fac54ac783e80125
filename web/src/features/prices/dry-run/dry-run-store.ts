/** Where a dry run stands, outside of any component: whoever leaves the page and comes back finds it running or done. */
import { useSyncExternalStore } from "react";
import type { DryRunResult, PriceDraft } from "../../../../../contract/src/pricing/dry-run.ts";
import { type Progress, runDryRun } from "./run.ts";

export type DryRunState =
  | { stage: "idle" }
  | { stage: "running"; progress: Progress }
  | { stage: "done"; days: number; result: DryRunResult }
  | { stage: "failed"; error: unknown };

export interface DryRun {
  readonly state: DryRunState;
  subscribe(listener: () => void): () => void;
  /** Ends the run before it, if there is one. */
  start(draft: PriceDraft, days: number): void;
  cancel(): void;
}

const IDLE: DryRunState = { stage: "idle" };

export function createDryRun(): DryRun {
  const listeners = new Set<() => void>();
  let state = IDLE;
  let running: AbortController | undefined;
  const become = (next: DryRunState) => {
    state = next;
    for (const listener of listeners) listener();
  };
  const cancel = () => {
    running?.abort();
    running = undefined;
    become(IDLE);
  };
  const run = async (draft: PriceDraft, days: number, own: AbortController): Promise<void> => {
    const tell = (next: DryRunState) => {
      if (running === own) become(next);
    };
    try {
      const result = await runDryRun(draft, days, own.signal, (progress) => tell({ stage: "running", progress }));
      tell({ stage: "done", days, result });
    } catch (error) {
      tell({ stage: "failed", error });
    }
  };
  return {
    get state() {
      return state;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    start(draft, days) {
      running?.abort();
      running = new AbortController();
      become({ stage: "running", progress: { done: 0, total: 0 } });
      void run(draft, days, running);
    },
    cancel,
  };
}

export const useDryRun = (dryRun: DryRun): DryRunState =>
  useSyncExternalStore(
    (listener) => dryRun.subscribe(listener),
    () => dryRun.state,
  );
