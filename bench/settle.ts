/** Settlements a second through the books on SQLite, log rows included, and the CPU each costs; prints one table. */
import { mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { type Scene, openTestBilling, setScene, settlementOf, tryHold } from "../server/src/billing/testing.ts";
import { SQLITE_WRITER_MODULES } from "../server/src/billing/sqlite-books.ts";
import { readConfig } from "../server/src/config.ts";
import { openDatabase } from "../server/src/db/database.ts";
import { migrate } from "../server/src/db/migrations/migrate.ts";
import type { Billing } from "../server/src/billing/billing.ts";

const CALLS = 100_000;
const ROUNDS = 3;
const SCENES = 20;
const OTHER = JSON.stringify({
  usage: { input: 1200, output: 350 },
  steps: ["input", "output"],
  ratio: "1.25",
  formula: "x".repeat(200),
});

/** `inFlight` callers, each holding and settling one call after the other. */
async function round(billing: Billing, scenes: readonly Scene[], label: string, inFlight: number): Promise<void> {
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < CALLS) {
      const index = next++;
      const scene = scenes[index % scenes.length];
      if (scene === undefined) return;
      const requestId = `${label}-${String(index).padStart(24, "0")}`;
      const hold = await tryHold(billing, scene, 100, requestId);
      if (typeof hold === "string") throw new Error(hold);
      const settlement = settlementOf(scene, requestId, 90, 1_700_000_000 + Math.floor(index / 1000));
      if (settlement.log !== undefined) settlement.log.other = OTHER;
      await billing.settle(hold, { ...settlement, detail: OTHER });
    }
  };
  const cpu = process.cpuUsage();
  const started = performance.now();
  await Promise.all(Array.from({ length: inFlight }, caller));
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  console.log(
    `${label}: ${inFlight} in flight, ${Math.round(CALLS / seconds)} settlements/s, ${((user + system) / CALLS).toFixed(1)} µs CPU each (all threads)`,
  );
}

const directory = await mkdtemp(join(tmpdir(), "turnpike-bench-"));
const config = readConfig({ DATA_DIR: directory });
const database = await openDatabase(config, { writerModules: SQLITE_WRITER_MODULES });
await migrate(database);
const billing = await openTestBilling(database, directory);
const scenes: Scene[] = [];
for (let index = 0; index < SCENES; index += 1) scenes.push(await setScene(database, billing, 1e12, 1e12));
console.log(
  `SQLite ${database.version}, Node ${process.version}, ${cpus()[0]?.model ?? "unknown CPU"} x ${cpus().length}`,
);
for (const inFlight of [64, 256, 1024]) {
  for (let index = 1; index <= ROUNDS; index += 1) await round(billing, scenes, `round-${inFlight}-${index}`, inFlight);
}
await billing.close();
await database.close();
await rm(directory, { recursive: true, force: true });
