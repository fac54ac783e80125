/** The thread that runs the doctor's checks for a running server, so that none delays a call; a check that hangs ends with it. */
import { parentPort, workerData } from "node:worker_threads";
import type { Config } from "../../config.ts";
import { bundleFiles } from "./bundle.ts";
import { examine } from "./doctor.ts";

/** The start data of the thread; all of it survives a structured clone. */
export interface DoctorThreadSettings {
  config: Config;
  task: "checks" | "bundle";
  /** That each check has. */
  limitMs: number;
}

// The only caller is composition/system-tools.ts, which passes exactly these settings. What it throws ends the thread with an error.
const { config, task, limitMs } = workerData as DoctorThreadSettings;
parentPort?.postMessage(task === "checks" ? await examine(config, limitMs) : await bundleFiles(config));
