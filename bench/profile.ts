/**
 * Where Turnpike's CPU goes: profiles one warm Turnpike under calls without streaming (or `streams`) and prints the functions
 * with the most self time, each thread of the server separately. Run with `npm run bench -- profile [streams]`.
 */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { monotonicMicroseconds } from "./provider/answers.ts";
import { startTurnpike } from "./gateways/turnpike.ts";
import type { Gateway } from "./gateways/gateway.ts";
import type { Provider } from "./provider/provider.ts";
import { clientLoad } from "./load/load.ts";
import { wrkLoad } from "./load/wrk.ts";

const SECONDS = 6;
/** Of load before the profile is read: what is compiled by then is what a busy server runs. */
const WARM_SECONDS = 20;
const CONNECTIONS = 64;
const LINES_PER_THREAD = 45;
const PROJECT = fileURLToPath(new URL("../", import.meta.url));

/** The part of V8's .cpuprofile format that is read here: a tree of call frames, and which was on top at each sample. */
interface CpuProfile {
  readonly nodes: readonly { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
  /** Microseconds of the monotonic clock. */
  readonly startTime: number;
}

/** Runs the load and prints the tables; microseconds are per call, or per relayed chunk for streams. */
export async function profileTurnpike(provider: Provider, folder: string, streams: boolean): Promise<void> {
  const profiles = join(folder, "profiles");
  const flags = ["--cpu-prof", `--cpu-prof-dir=${profiles}`, "--cpu-prof-interval=500"];
  const turnpike = await startTurnpike(provider.direct.port, join(folder, "profiled"), {}, flags);
  await wrkLoad(turnpike, CONNECTIONS, WARM_SECONDS, folder);
  const loadBegan = monotonicMicroseconds();
  const units = streams ? await streamUnits(provider, turnpike) : await callUnits(turnpike, folder);
  await turnpike.stop();
  for (const file of readdirSync(profiles))
    process.stdout.write(`\n${hottest(readProfile(join(profiles, file)), units, loadBegan)}\n`);
}

async function callUnits(turnpike: Gateway, folder: string): Promise<number> {
  const { calls, failures, callsPerSecond } = await wrkLoad(turnpike, CONNECTIONS, SECONDS, folder);
  process.stdout.write(`${calls} calls, ${failures} failed, ${callsPerSecond} a second; microseconds are per call\n`);
  return calls;
}

async function streamUnits(provider: Provider, turnpike: Gateway): Promise<number> {
  await provider.setPace({ chunks: SECONDS * 20, paceMs: 50 });
  const { chunks, failures } = await clientLoad(turnpike, { calls: 500, intervalMs: 2, stream: true });
  process.stdout.write(`${chunks} chunks, ${failures} streams failed; microseconds are per chunk\n`);
  return chunks;
}

function readProfile(file: string): CpuProfile {
  return JSON.parse(readFileSync(file, "utf8"));
}

/** Self time by function since the load began, idle time left out, most expensive first. */
function hottest(profile: CpuProfile, units: number, since: number): string {
  const names = new Map(profile.nodes.map(({ id, callFrame }) => [id, place(callFrame)]));
  const self = new Map<string, number>();
  let now = profile.startTime;
  profile.samples.forEach((id, index) => {
    now += profile.timeDeltas[index] ?? 0;
    if (now < since) return;
    const name = names.get(id) ?? "(unknown)";
    if (name !== "(idle)") self.set(name, (self.get(name) ?? 0) + (profile.timeDeltas[index] ?? 0));
  });
  const total = [...self.values()].reduce((sum, time) => sum + time, 0);
  const rows = [...self].toSorted(([, left], [, right]) => right - left).slice(0, LINES_PER_THREAD);
  const line = ([name, time]: [string, number]): string =>
    `${((100 * time) / total).toFixed(1).padStart(5)} %  ${(time / units).toFixed(2).padStart(6)} µs  ${name}`;
  return [`one thread, ${(total / units).toFixed(1)} µs`, ...rows.map(line)].join("\n");
}

function place({ functionName, url, lineNumber }: CpuProfile["nodes"][number]["callFrame"]): string {
  const file = url.replace("file://", "").replace(PROJECT, "").replace("node_modules/", "");
  return url === "" ? functionName : `${functionName || "(anonymous)"} ${file}:${lineNumber + 1}`;
}
