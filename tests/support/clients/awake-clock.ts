/** A clock that stops while this process is not scheduled, so that a busy machine is not taken for a slow program. */

const TICK_MS = 5;
/** The most that one look at the clock may move it: a process that runs looks every few milliseconds. */
const LONGEST_STEP_MS = 15;

let [awake, lastMs, isTicking] = [0, 0, false];

function step(): void {
  const nowMs = performance.now();
  awake += Math.min(nowMs - lastMs, LONGEST_STEP_MS);
  lastMs = nowMs;
}

/** Milliseconds during which this process could run, from any beginning; timers and sockets that it waits for count in full. */
export function awakeMs(): number {
  if (!isTicking) {
    [isTicking, lastMs] = [true, performance.now()];
    setInterval(step, TICK_MS).unref();
  }
  step();
  return awake;
}
