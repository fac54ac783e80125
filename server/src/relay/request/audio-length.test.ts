/** The length of a recording is read from its headers, but not believed where its bytes cannot be of so few seconds. */
import type { Worker } from "node:worker_threads";
import { describe, expect, test } from "vitest";
import { Places } from "../call/queues.ts";
import { audioLength } from "./audio-length.ts";
import { silence } from "../probe-questions.ts";

const PLACES = new Places(4);

/** FLAC of 16 kHz, mono, 16 bit that claims so many samples before bytes that are no frames. */
function flac(samples: number, size: number): Buffer {
  const info = Buffer.alloc(34);
  info.writeUInt16BE(4096, 0);
  info.writeUInt16BE(4096, 2);
  info.writeUInt32BE((16_000 << 12) | (15 << 4), 10);
  info.writeUInt32BE(samples, 14);
  return Buffer.concat([Buffer.from("fLaC"), Buffer.from([0x80, 0, 0, 34]), info, Buffer.alloc(size, 7)]);
}

describe("headers", () => {
  test("that may be right are believed", async () => {
    expect(await audioLength(PLACES, silence(9.2), "audio/wav")).toEqual({ seconds: 9.2, isEstimated: false });
    expect(await audioLength(PLACES, flac(1_600_000, 2_000_000), "audio/flac")).toEqual({
      seconds: 100,
      isEstimated: false,
    });
    // A cover of 300 kB before three seconds of sound.
    expect(await audioLength(PLACES, flac(48_000, 360_000), "audio/flac")).toEqual({ seconds: 3, isEstimated: false });
  });

  test.each([1, 16_000, 160_000])("of %i samples before minutes of sound are not", async (samples) => {
    const { seconds, isEstimated } = await audioLength(PLACES, flac(samples, 3_200_000), "audio/flac");
    expect([Math.round(seconds), isEstimated]).toEqual([100, true]);
  });

  test("of a WAV that is cut short by its own length are not", async () => {
    const file = Buffer.concat([silence(1), Buffer.alloc(800_000)]);
    const { seconds, isEstimated } = await audioLength(PLACES, file, "audio/wav");
    expect([Math.round(seconds), isEstimated]).toEqual([101, true]);
  });
});

test("what cannot be read is estimated by its size, at 64 kbit/s", async () => {
  expect(await audioLength(PLACES, Buffer.alloc(80_000, 1), "audio/mpeg")).toEqual({ seconds: 10, isEstimated: true });
});

/** An ID3 tag of very many entries, and marks of frames that begin at each byte: both keep a parser at work for minutes. */
const ENTRIES = Buffer.concat([
  Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, 14, 32, 0, 0]),
  Buffer.alloc(30_000_000, Buffer.from("TXXX\u0000\u0000\u0000\u0001\u0000\u0000\u0000", "latin1")),
]);

test.each([
  ["marks of frames", Buffer.alloc(30_000_000, 0xff)],
  ["entries of a tag", ENTRIES],
])("a file of nothing but %s keeps no other call waiting, and is estimated by its size", async (_what, bytes) => {
  const before = process.threadCpuUsage();
  const { seconds, isEstimated } = await audioLength(PLACES, bytes, "audio/mpeg", 1_000);
  // Time of the thread that serves calls: what a busy machine does elsewhere changes nothing.
  expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(1_000);
  expect([Math.round(seconds), isEstimated]).toEqual([3_750, true]);
});

test("of many recordings a few are read at a time, and each gets its length", async () => {
  let [alive, most] = [0, 0];
  const count = (worker: Worker): void => {
    most = Math.max(most, (alive += 1));
    worker.once("exit", () => (alive -= 1));
  };
  process.on("worker", count);
  const lengths = await Promise.all(
    Array.from({ length: 12 }, (_, index) => audioLength(PLACES, silence(index + 1), "audio/wav", 60_000)),
  );
  process.off("worker", count);
  expect(lengths).toEqual(Array.from({ length: 12 }, (_, index) => ({ seconds: index + 1, isEstimated: false })));
  expect(most).toBeGreaterThan(1);
  // One that has posted its length may not have ended when the next begins.
  expect(most).toBeLessThanOrEqual(8);
});
