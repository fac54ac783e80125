/** Reads the headers of one recording in a thread of its own, since a file may keep its parser busy without end. */
import { parentPort, workerData } from "node:worker_threads";
import { parseBuffer } from "music-metadata";

const { bytes, mimeType } = workerData as { bytes: Uint8Array; mimeType: string };
// Without a duration in the headers of the container its frames are counted.
const { format } = await parseBuffer(bytes, { mimeType, size: bytes.length }, { duration: true, skipCovers: true });
const { container, lossless, sampleRate, numberOfChannels, bitsPerSample, duration } = format;
parentPort?.postMessage({ container, lossless, sampleRate, numberOfChannels, bitsPerSample, duration });
