/** Deadlines: timeouts for promises, and for functions that accept an abort signal. */

/**
 * What `work` gives or throws, or what `onLate` does where `work` has not ended after `limitMs` milliseconds. `work` itself continues then,
 * and what it throws later is dropped.
 */
export async function withTimeout<Value>(work: Promise<Value>, limitMs: number, onLate: () => Value): Promise<Value> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limitMs);
  try {
    return await Promise.race([work, late.then(onLate)]);
  } finally {
    clearTimeout(timer);
  }
}

/** False where `work` has not ended after `limitMs` milliseconds; it continues then. Throws what `work` throws until then. */
export const endsWithin = (work: Promise<unknown>, limitMs: number): Promise<boolean> =>
  withTimeout(
    work.then(() => true),
    limitMs,
    () => false,
  );

/** A limit of time for a call that can be stopped from outside as well. */
export interface Deadline {
  /** Aborts when the time is over, or with `stop`. */
  signal: AbortSignal;
  /** True once the time is over, whatever `stop` says. */
  isOver: () => boolean;
  /** What `work` gives or throws; rejects as soon as the signal aborts, whether `work` listens to it or not. */
  race: <Value>(work: Promise<Value>) => Promise<Value>;
}

/** A deadline that begins now and is over after `limitMs` milliseconds, or when `stop` aborts. */
export function startDeadline(limitMs: number, stop?: AbortSignal): Deadline {
  const timeout = AbortSignal.timeout(limitMs);
  const signal = stop === undefined ? timeout : AbortSignal.any([timeout, stop]);
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error("the call was given up")), { once: true });
  });
  aborted.catch(() => undefined); // it may abort while nothing races
  return { signal, isOver: () => timeout.aborted, race: (work) => Promise.race([work, aborted]) };
}
