/** The monitor and the gauges of the event loop's delay: a loop that is held up shows, one that is not is near 0, and prom-client's own are gone. */
import { setTimeout as delay } from "node:timers/promises";
import { Registry, collectDefaultMetrics } from "prom-client";
import { expect, test } from "vitest";
import { LoopDelayMonitor, WITHOUT_LOOP_DELAY, watchLoopDelay } from "./loop-delay.ts";

const HELD_UP_MS = 400;
/** Longer than two looks. */
const LOOKED_MS = 250;

function holdUp(): void {
  const endMs = performance.now() + HELD_UP_MS;
  while (performance.now() < endMs);
}

test("a loop that was held up was late by that, and is forgotten with the next call", async () => {
  const monitor = new LoopDelayMonitor();
  expect(monitor.take()).toEqual({ min: 0, max: 0, mean: 0, stddev: 0, p50: 0, p90: 0, p99: 0 });
  await delay(LOOKED_MS);
  holdUp();
  await delay(LOOKED_MS);
  const { max, p99 } = monitor.take();
  // The look was due at some time of the hold-up.
  expect(max).toBeGreaterThan(HELD_UP_MS / 2);
  expect(p99).toBeGreaterThan(HELD_UP_MS / 2);
  expect(monitor.take().max).toBe(0);
  monitor.stop();
});

test("the gauges are seconds beyond the time that was due, each once, under prom-client's names", async () => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, ...WITHOUT_LOOP_DELAY });
  watchLoopDelay(registry);
  await delay(LOOKED_MS);
  holdUp();
  await delay(LOOKED_MS);
  const text = await registry.metrics();
  const valueOf = (figure: string): number =>
    Number(new RegExp(`^nodejs_eventloop_lag_${figure}_seconds (\\S+)$`, "m").exec(text)?.[1]);
  expect(valueOf("p99")).toBeGreaterThan(HELD_UP_MS / 2000);
  expect(valueOf("max")).toBeGreaterThanOrEqual(valueOf("p50"));
  expect(text.match(/^# TYPE nodejs_eventloop_lag_p99_seconds /gm)).toHaveLength(1);
});
