/** Where a dry run stands, outside of any component: after a change of page it is still running or done. */
import type { DryRunResult, PriceDraft } from "../../../../../contract/src/pricing/dry-run.ts";
import { createStore, type Readable } from "../../../lib/store.ts";
import { type Progress, runDryRun } from "./run.ts";

export type DryRunState =
  | { stage: "idle" }
  | { stage: "running"; progress: Progress }
  | { stage: "done"; days: number; result: DryRunResult }
  | { stage: "failed"; error: unknown };

export interface DryRun {
  readonly state: Readable<DryRunState>;
  /** Ends the run before it, if there is one. */
  start(draft: PriceDraft, days: number): void;
  cancel(): void;
}

const IDLE: DryRunState = { stage: "idle" };

export function createDryRun(): DryRun {
  const state = createStore(() => IDLE);
  let running: AbortController | undefined;
  const cancel = () => {
    running?.abort();
    running = undefined;
    state.set(IDLE);
  };
  const run = async (draft: PriceDraft, days: number, own: AbortController): Promise<void> => {
    const tell = (next: DryRunState) => {
      if (running === own) state.set(next);
    };
    try {
      const result = await runDryRun(draft, days, own.signal, (progress) => tell({ stage: "running", progress }));
      tell({ stage: "done", days, result });
    } catch (error) {
      tell({ stage: "failed", error });
    }
  };
  return {
    state,
    start(draft, days) {
      running?.abort();
      running = new AbortController();
      state.set({ stage: "running", progress: { done: 0, total: 0 } });
      void run(draft, days, running);
    },
    cancel,
  };
}
