/** How long an uploaded recording is: read from its own headers, else estimated from its size. */
import { Worker } from "node:worker_threads";
import type { IFormat } from "music-metadata";
import type { Places } from "../call/queues.ts";

export interface AudioLength {
  seconds: number;
  /** True where the file could not be read and its size had to do. */
  isEstimated: boolean;
}

/** Speech at 64 kbit/s, as phones and meeting tools record it. */
const BYTES_PER_SECOND = 8000;
/** A parser that works longer than this is given up: the size has to do. */
const PARSE_LIMIT_MS = 10_000;
/** No recording is longer. */
const MAX_SECONDS = 86_400;

/** No second of sound is more: 96 kHz, 24 bit, stereo; and Ogg's codecs at their best. */
const MAX_LOSSLESS_BYTES_PER_SECOND = 600_000;
const MAX_OGG_BYTES_PER_SECOND = 64_000;
/** What a file may have beside its sound, in seconds of it: pictures of covers and the like. */
const BESIDE_SOUND_SECONDS = 10;
const BESIDE_SOUND_FACTOR = 1.5;

/** Most bytes of a second by what the file says it is; undefined where there may be pictures in it, or where frames were counted. */
function mostBytesPerSecond({ container, lossless, sampleRate = 0, numberOfChannels = 0, bitsPerSample = 0 }: IFormat) {
  if (container === "Ogg") return MAX_OGG_BYTES_PER_SECOND;
  const raw = (sampleRate * numberOfChannels * bitsPerSample) / 8;
  return lossless === true && raw > 0 ? Math.min(raw, MAX_LOSSLESS_BYTES_PER_SECOND) : undefined;
}

/** The length that a file's headers claim, unless so many bytes cannot be of so few seconds: an upstream decodes them all. */
function readLength(format: IFormat, size: number): AudioLength | undefined {
  const { duration: seconds } = format;
  if (seconds === undefined || seconds <= 0 || seconds > MAX_SECONDS) return undefined;
  const least = size / (mostBytesPerSecond(format) ?? Number.POSITIVE_INFINITY);
  const isClaim = least > seconds * BESIDE_SOUND_FACTOR + BESIDE_SOUND_SECONDS;
  return isClaim ? { seconds: Math.min(MAX_SECONDS, least), isEstimated: true } : { seconds, isEstimated: false };
}

const WORKER = new URL("./audio-length-worker.ts", import.meta.url);

/**
 * What the headers of a recording say; undefined where they cannot be read in time. On a thread of its own, which is ended then: a parser
 * that reads memory never yields.
 */
function readHeaders(bytes: Buffer, mimeType: string, limitMs: number): Promise<IFormat | undefined> {
  const { promise, resolve } = Promise.withResolvers<IFormat | undefined>();
  const worker = new Worker(WORKER, {
    workerData: { bytes, mimeType },
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  const timer = setTimeout(() => resolve(undefined), limitMs);
  worker.once("message", resolve);
  worker.once("error", () => resolve(undefined));
  worker.once("exit", () => resolve(undefined));
  return promise.finally(() => {
    clearTimeout(timer);
    void worker.terminate();
  });
}

/**
 * Seconds of a recording in any common container, read where one of the `places` is free. Never throws: what cannot be read, or not in
 * time, is estimated by its size.
 */
export async function audioLength(
  places: Places,
  bytes: Buffer,
  mimeType: string,
  limitMs = PARSE_LIMIT_MS,
): Promise<AudioLength> {
  const format = await places.within(limitMs, (leftMs) => readHeaders(bytes, mimeType, leftMs));
  const read = format === undefined ? undefined : readLength(format, bytes.length);
  return read ?? { seconds: Math.min(MAX_SECONDS, bytes.length / BYTES_PER_SECOND), isEstimated: true };
}
