/** Sources of the system page beside the database: checks of the doctor, support bundle, disk, and backup destinations. */
import { statfs } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { SYSTEM_LIMIT_MS, type SystemCheck } from "../../../contract/src/features/system.ts";
import { progressFact, readBackupState, readProgress, requestFact, stateFact } from "../archive/backup-state.ts";
import { type Destination, destinationsOf } from "../archive/destinations.ts";
import type { Check } from "../command-line/doctor/check.ts";
import { type TarFile, tarGz } from "../command-line/doctor/tar.ts";
import type { DoctorThreadSettings } from "../command-line/doctor/thread.ts";
import type { Config } from "../config.ts";
import type { BackupFacts, SystemTools } from "../console/system/tools.ts";
import { keyValueStore } from "../db/key-value-store.ts";
import type { Database } from "../db/database.ts";
import type { Vitals } from "./process-vitals.ts";
import { nowSeconds } from "../util/clock.ts";
import { withTimeout } from "../util/deadline.ts";
import { clock } from "./parts.ts";

/** Starting a thread, the connection to the database, and then each check side by side. */
const CHECKS_LIMIT_MS = 15_000;
const BUNDLE_LIMIT_MS = 60_000;
/** Backups that are listed of each destination: the newest. */
const FILES_MOST = 50;

/** Runs the doctor's thread. Throws what it threw, and an Error of one line where it did not end in time. */
async function runThread(settings: DoctorThreadSettings, limitMs: number): Promise<unknown> {
  const worker = new Worker(new URL("../command-line/doctor/thread.ts", import.meta.url), {
    workerData: settings,
    execArgv: [],
  });
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  worker.on("message", resolve);
  worker.on("error", reject);
  worker.on("exit", () => reject(new Error("The thread of the checks ended without a result")));
  const timer = setTimeout(() => reject(new Error(`no answer within ${limitMs / 1000} s`)), limitMs);
  return promise.finally(() => {
    clearTimeout(timer);
    void worker.terminate();
  });
}

const shownCheck = ({ repair = "", repairCode, ...check }: Check): SystemCheck => ({
  ...check,
  repair,
  repair_code: repairCode ?? "",
});

/** One run at a time serves everybody who asks meanwhile. */
function shared<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined;
  return () => (running ??= run().finally(() => (running = undefined)));
}

/** The stored state of a destination, and its backups where it answers in time. */
async function factsOf(database: Database, destination: Destination): Promise<BackupFacts> {
  const { name, shown } = destination;
  const facts = keyValueStore(database);
  const [state, progress, request] = await Promise.all([
    facts.read(stateFact(name)),
    facts.read(progressFact(name)),
    facts.read(requestFact(name)),
  ]);
  const { tried_time, finished_time, failure } = readBackupState(state);
  const running = readProgress(progress, nowSeconds(clock));
  const listing = destination.list().then(
    (files) => ({ files: files.toReversed().slice(0, FILES_MOST), files_failure: "" }),
    (error: unknown) => ({ files: null, files_failure: error instanceof Error ? error.message : String(error) }),
  );
  const late = () => ({ files: null, files_failure: "late" });
  return {
    name,
    shown,
    tried_time,
    finished_time,
    failure,
    is_requested: Number(request ?? 0) > tried_time && running === undefined,
    progress: running ?? null,
    ...(await withTimeout(listing, SYSTEM_LIMIT_MS - 500, late)),
  };
}

/** @param vitals of all processes, once the background work has started */
export function systemTools(config: Config, database: Database, vitals: () => Vitals | undefined): SystemTools {
  const destinations = destinationsOf(config);
  const thread = (task: DoctorThreadSettings["task"], limitMs: number) =>
    runThread({ config, task, limitMs: SYSTEM_LIMIT_MS }, limitMs);
  return {
    poolSize: config.databaseUrl === undefined ? 0 : config.databasePoolSize,
    checks: shared(async () => ((await thread("checks", CHECKS_LIMIT_MS)) as Check[]).map(shownCheck)),
    bundle: shared(async () => {
      const files = (await thread("bundle", BUNDLE_LIMIT_MS)) as TarFile[];
      return { files, archive: (await tarGz(files, nowSeconds(clock))).toString("base64") };
    }),
    async disk() {
      const { bavail, blocks, bsize } = await statfs(config.dataDir);
      return { free_bytes: bavail * bsize, total_bytes: blocks * bsize };
    },
    processes: async () => (await vitals()?.all()) ?? [],
    backups: () => Promise.all(destinations.map((destination) => factsOf(database, destination))),
    async requestBackup(name) {
      const destination = destinations.find((each) => each.name === name);
      if (destination === undefined) return undefined;
      await keyValueStore(database).write(requestFact(destination.name), String(nowSeconds(clock) + 1));
      return destination.shown;
    },
  };
}
