/**
 * A whole server in a process of its own that reports its memory and descriptors on request: the subject of soak runs, without the memory of their
 * client and upstream. It also has the providers of one format each, and is started with the server's environment and --expose-gc.
 */
import { readdirSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { startApp } from "../../../server/src/app.ts";
import { readConfig } from "../../../server/src/config.ts";
import { ONE_FORMAT_PROVIDERS } from "../clients/upstream-formats.ts";
import { releaseStartupMemory, limitStartupMemory } from "../../../server/src/composition/memory.ts";

export interface Footprint {
  /** Resident memory of the whole process, its database threads included, in bytes. */
  residentBytes: number;
  heapBytes: number;
  /** Buffers and everything else outside the heap that V8 knows of. */
  externalBytes: number;
  descriptors: number;
  /** Processor time since the last measure, in milliseconds: of the thread that serves calls, and of all of them. */
  mainCpuMs: number;
  cpuMs: number;
}

/** Sockets that were closed just now, and the pools' own timers, are given this long. */
const QUIET_MS = 300;
const COLLECTIONS = 4;

const inMs = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1_000;
const processorTime = (): { mainCpuMs: number; cpuMs: number } => ({
  mainCpuMs: inMs(process.threadCpuUsage()),
  cpuMs: inMs(process.cpuUsage()),
});
/** At the end of the last measure, whose collections are not the server's work. */
let lastTime = processorTime();

async function footprint(): Promise<Footprint> {
  const time = processorTime();
  const used = { mainCpuMs: time.mainCpuMs - lastTime.mainCpuMs, cpuMs: time.cpuMs - lastTime.cpuMs };
  for (let index = 0; index < COLLECTIONS; index += 1) {
    // Like this it also gives back the pages it keeps in reserve, by chance up to 70 MB: what is left is what is held.
    globalThis.gc?.({ type: "major", flavor: "last-resort" });
    await pause(QUIET_MS);
  }
  lastTime = processorTime();
  const { rss: residentBytes, heapUsed: heapBytes, external: externalBytes } = process.memoryUsage();
  return { residentBytes, heapBytes, externalBytes, descriptors: readdirSync("/proc/self/fd").length, ...used };
}

async function run(): Promise<void> {
  if (globalThis.gc === undefined) throw new Error("start this with --expose-gc");
  limitStartupMemory();
  const app = await startApp(readConfig(process.env), { moreProviders: ONE_FORMAT_PROVIDERS });
  releaseStartupMemory();
  process.on("message", (id: number) => void footprint().then((seen) => process.send?.({ id, seen })));
  const end = (): void => void app.close().then(() => process.exit(0));
  process.on("SIGTERM", end);
  // Its parent has ended.
  process.on("disconnect", end);
  process.send?.({ url: app.url });
}

if (import.meta.main) await run();
