/** One user without quota who tries every attack beside twenty ordinary users: the server's resources afterwards, and the others' waiting times. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { callChat } from "../clients/calls.ts";
import { TestClient } from "../systems/server.ts";
import { MODELS, type Person } from "../systems/site.ts";
import type { HostileOrder, Outcomes } from "./hostile-attacks.ts";
import { type SoakScene, startSoakScene } from "./scene.ts";

const ORDINARY = 20;
/** Accounts of theirs: making more would be refused, as many sign-ins from one address are. */
const ACCOUNTS = 14;
/** Pause of an ordinary user between two calls, and how many calls there are to one page of the console. */
const PACE_MS = 400;
const CALLS_PER_PAGE = 4;
/** The limits of a real site; the others each have an address of their own. */
const ENVIRONMENT = { GLOBAL_API_RATE_LIMIT_ENABLE: "true", TRUSTED_PROXIES: "127.0.0.1" };
const MEBIBYTE = 2 ** 20;
/** What one user may make the server hold, in memory and on disk. */
export const MOST_BYTES = 64 * MEBIBYTE;

interface HostileResult {
  /** Growth of the process as the machine sees it, with what its allocator keeps in reserve. */
  residentBytes: number;
  /** Growth of what the program holds. */
  heldBytes: number;
  diskBytes: number;
  /** Milliseconds in which 95 % of the others' calls were answered, before and beside the hostile user. */
  quietP95Ms: number;
  besideP95Ms: number;
  /** Ordinary calls that were not answered with 200. */
  failed: number;
  calls: number;
  /** Statuses that the hostile user got, by attack. */
  attacks: Outcomes;
}

interface Waits {
  ms: number[];
  failed: number;
}

/** Twenty users at work until `isOver`; returns how long each answer took. */
async function ordinaryWork({ url }: SoakScene, people: readonly Person[], isOver: () => boolean): Promise<Waits> {
  const waits: Waits = { ms: [], failed: 0 };
  const measured = async (call: () => Promise<number>): Promise<void> => {
    const startMs = performance.now();
    const status = await call();
    waits.ms.push(performance.now() - startMs);
    if (status !== 200) waits.failed += 1;
  };
  await Promise.all(
    people.map(async ({ key }, index) => {
      await pause((index * PACE_MS) / people.length);
      const client = new TestClient(url);
      const headers = { "x-forwarded-for": `198.51.100.${index + 1}` };
      for (let made = 0; !isOver(); made += 1) {
        await measured(
          async () => (await callChat(url, key, { model: MODELS.fixed, isStream: made % 2 === 0 })).status,
        );
        if (made % CALLS_PER_PAGE === 0)
          await measured(async () => (await client.get("/api/status", { headers })).status);
        await pause(PACE_MS);
      }
    }),
  );
  return waits;
}

const p95 = (ms: readonly number[]): number => ms.toSorted((a, b) => a - b)[Math.floor(ms.length * 0.95)] ?? 0;

function diskBytes({ site }: SoakScene): number {
  const folder = site.place.config.dataDir;
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => statSync(join(folder, name)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);
}

/** The hostile user in a thread of its own, for so many seconds; 0 for each attack once. */
function hostile({ url }: SoakScene, { key, username }: Person, seconds: number): Promise<Outcomes> {
  const workerData: HostileOrder = { url, key, username, seconds };
  const thread = new Worker(new URL("hostile-attacks.ts", import.meta.url), { workerData });
  return new Promise((resolve, reject) => {
    thread.once("message", resolve);
    thread.once("error", reject);
  });
}

/** A quarter of the time quiet, then the hostile user for all of it. */
export async function hostileRun(seconds: number): Promise<HostileResult> {
  const quotas = [0, 0, ...Array.from({ length: ACCOUNTS }, () => 10 ** 12)];
  const scene = await startSoakScene(() => ({ text: "hello" }), ENVIRONMENT, quotas);
  try {
    const [attacker, earlier, ...accounts] = scene.site.people;
    if (attacker === undefined || earlier === undefined) throw new Error("nobody is there");
    const people = Array.from({ length: ORDINARY }, (_, index) => accounts[index % accounts.length] ?? earlier);
    // Each once by another user: the server's warm-up is not the hostile user's.
    await hostile(scene, earlier, 0);
    const until = (lengthMs: number): (() => boolean) => {
      const end = performance.now() + lengthMs;
      return () => performance.now() >= end;
    };
    const quiet = await ordinaryWork(scene, people, until(seconds * 250));
    const [memory, disk] = [await scene.measure(), diskBytes(scene)];
    const isOver = until(seconds * 1_000);
    const [beside, seen] = await Promise.all([ordinaryWork(scene, people, isOver), hostile(scene, attacker, seconds)]);
    const after = await scene.measure();
    return {
      residentBytes: after.residentBytes - memory.residentBytes,
      heldBytes: after.heapBytes + after.externalBytes - memory.heapBytes - memory.externalBytes,
      diskBytes: diskBytes(scene) - disk,
      quietP95Ms: p95(quiet.ms),
      besideP95Ms: p95(beside.ms),
      failed: quiet.failed + beside.failed,
      calls: beside.ms.length,
      attacks: seen,
    };
  } finally {
    await scene.close();
  }
}
