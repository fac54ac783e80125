/** CPU time and resident memory of a process and its children, read from Linux's /proc. */
import { readFileSync, readdirSync } from "node:fs";

/** Linux reports CPU time in ticks of a hundredth of a second (USER_HZ, fixed at 100 on every architecture Node runs on). */
const CPU_TICK_MICROSECONDS = 10_000;

/** One reading of a gateway: CPU microseconds since its start, and the clock of the reading. */
export interface CpuReading {
  readonly cpuMicroseconds: number;
  readonly atMilliseconds: number;
}

/** Reads user and system time of the process, all its threads and its living descendants. Throws when it has ended. */
export function readCpu(processId: number): CpuReading {
  const ticks = processTree(processId).reduce((sum, id) => sum + cpuTicks(id), 0);
  return { cpuMicroseconds: ticks * CPU_TICK_MICROSECONDS, atMilliseconds: performance.now() };
}

/**
 * The same in microseconds to the nanosecond, from the scheduler's own account, for spans of a second. A thread that ends takes its time
 * with it, so both readings must see the same threads. Throws when the process has ended.
 */
export function readFineCpu(processId: number): number {
  return processTree(processId).reduce((sum, id) => sum + threadNanoseconds(id), 0) / 1000;
}

function threadNanoseconds(processId: number): number {
  const threads = readdirSync(`/proc/${processId}/task`);
  const runs = threads.map((thread) => readIfThere(`/proc/${processId}/task/${thread}/schedstat`).split(" ")[0]);
  return runs.reduce((sum, nanoseconds) => sum + Number(nanoseconds), 0);
}

/** Resident memory of the process and its living descendants, in bytes (VmRSS). Throws when it has ended. */
export function readResidentBytes(processId: number): number {
  return processTree(processId).reduce((sum, id) => sum + residentBytes(id), 0);
}

function processTree(processId: number): number[] {
  const found = [processId];
  for (const id of found) found.push(...childrenOf(id));
  return found;
}

/** The file exists per thread, because the thread that forked is the one that lists the child. */
function childrenOf(processId: number): number[] {
  const threads = readdirSync(`/proc/${processId}/task`);
  const lists = threads.map((thread) => readIfThere(`/proc/${processId}/task/${thread}/children`));
  return lists.flatMap((list) => list.split(" ").filter(Boolean).map(Number));
}

/** A thread may end between listing and reading; its children then belong to another. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH")) return "";
    throw error;
  }
}

/** proc(5): utime and stime are fields 14 and 15; the second field is a name in brackets that may hold spaces. */
function cpuTicks(processId: number): number {
  const line = readFileSync(`/proc/${processId}/stat`, "utf8");
  const fieldsAfterName = line.slice(line.lastIndexOf(")") + 2).split(" ");
  return Number(fieldsAfterName[11]) + Number(fieldsAfterName[12]);
}

function residentBytes(processId: number): number {
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${processId}/status`, "utf8"));
  if (!match) throw new Error(`process ${processId} has no resident memory: it has ended`);
  return Number(match[1]) * 1024;
}

/**
 * The thread beside the main one that works most from now on, which on a server of one database is the one that writes it.
 * `sinceMicroseconds` is its CPU since the call.
 */
export function busiestThread(processId: number): { sinceMicroseconds(): number } {
  const read = (): Map<string, number> =>
    new Map(
      readdirSync(`/proc/${processId}/task`)
        .filter((thread) => Number(thread) !== processId)
        .map((thread) => [thread, Number(readIfThere(`/proc/${processId}/task/${thread}/schedstat`).split(" ")[0])]),
    );
  const before = read();
  const sinceMicroseconds = (): number =>
    Math.max(0, ...[...read()].map(([thread, nanoseconds]) => nanoseconds - (before.get(thread) ?? 0))) / 1000;
  return { sinceMicroseconds };
}
