/** Tests of several models of one channel: a few at a time, each with its result, stopped on demand and when the dialog closes. */
import { useEffect, useRef, useState } from "react";
import { describeError } from "../../ui/feedback/describe-error.ts";

export type TestResult = { kind: "running" } | { kind: "passed"; ms: number } | { kind: "failed"; message: string };

/** One upstream is asked no more at a time: a burst of tests would meet its limits. */
const AT_ONCE = 3;

export interface TestBatch {
  results: Readonly<Record<string, TestResult>>;
  /** How many of the batch under way have ended, and of how many; undefined where none runs. */
  progress: { done: number; total: number } | undefined;
  /** It was stopped, and its last tests are under way. */
  isStopping: boolean;
  /** Several make a batch, of which one runs at a time; a single one may be tested beside it. */
  run(models: readonly string[]): void;
  /** Begins no more tests; those under way end. */
  stop(): void;
}

/** `test` gives the time of a test in milliseconds, and rejects where it failed. */
export function useTestBatch(test: (model: string) => Promise<number>): TestBatch {
  const [results, setResults] = useState<TestBatch["results"]>({});
  const [progress, setProgress] = useState<TestBatch["progress"]>();
  const [isStopping, setIsStopping] = useState(false);
  const isStopped = useRef(false);
  useEffect(() => () => void (isStopped.current = true), []);

  const keep = (model: string, result: TestResult) => setResults((old) => ({ ...old, [model]: result }));
  const one = async (model: string): Promise<void> => {
    keep(model, { kind: "running" });
    await test(model).then(
      (ms) => keep(model, { kind: "passed", ms }),
      (error: unknown) => keep(model, { kind: "failed", message: describeError(error).message }),
    );
  };
  const batch = async (models: readonly string[]): Promise<void> => {
    const waiting = [...models];
    const lane = async (): Promise<void> => {
      for (let model = waiting.shift(); model !== undefined && !isStopped.current; model = waiting.shift()) {
        await one(model);
        setProgress((old) => old && { ...old, done: old.done + 1 });
      }
    };
    isStopped.current = false;
    setProgress({ done: 0, total: models.length });
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    setProgress(undefined);
    setIsStopping(false);
  };
  return {
    results,
    progress,
    run(models) {
      void (models.length === 1 ? one(models[0] ?? "") : batch(models));
    },
    isStopping,
    stop() {
      isStopped.current = true;
      setIsStopping(true);
    },
  };
}
