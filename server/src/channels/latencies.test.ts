/** Averages of latencies: the past fades by the clock and by what comes after it, kinds of calls stay apart, and memory is bounded. */
import { expect, test } from "vitest";
import { ChannelLatencies } from "./latencies.ts";

const CHAT = { operation: "chat", model: "m", isStream: true };
const of = (latencies: ChannelLatencies, id: number) => latencies.of("chat", "m", true)?.averageMs(id);

test("one slow answer is a fifth of the average, and what was long ago hardly counts", () => {
  const latencies = new ChannelLatencies();
  latencies.note(CHAT, 1, 100, 0);
  latencies.note(CHAT, 1, 1_100, 1_000);
  expect(of(latencies, 1)).toBeCloseTo(300);
  latencies.note(CHAT, 1, 100, 3_600_000);
  expect(of(latencies, 1)).toBeCloseTo(100);
});

test("models, operations and whole answers are measured apart, and every time raises the version", () => {
  const latencies = new ChannelLatencies();
  latencies.note(CHAT, 1, 100, 0);
  latencies.note({ ...CHAT, isStream: false }, 1, 900, 0);
  latencies.note({ ...CHAT, operation: "embeddings" }, 1, 20, 0);
  expect([of(latencies, 1), latencies.of("chat", "m", false)?.averageMs(1), of(latencies, 2)]).toEqual([
    100,
    900,
    undefined,
  ]);
  expect(latencies.of("chat", "other", true)).toBeUndefined();
  const before = latencies.of("chat", "m", true)?.version ?? 0;
  latencies.note(CHAT, 2, 100, 0);
  expect(latencies.of("chat", "m", true)?.version).toBe(before + 1);
});

test("over the bound the model that was measured least lately is forgotten", () => {
  const latencies = new ChannelLatencies(2);
  for (const model of ["a", "b", "a", "c"]) latencies.note({ ...CHAT, model }, 1, 100, 0);
  expect(["a", "b", "c"].map((model) => latencies.of("chat", model, true) !== undefined)).toEqual([true, false, true]);
  for (let id = 2; id < 10; id += 1) latencies.note({ ...CHAT, model: "c" }, id, 100, 0);
  expect(latencies.of("chat", "a", true)).toBeUndefined();
  expect(latencies.of("chat", "c", true)?.averageMs(9)).toBe(100);
});
