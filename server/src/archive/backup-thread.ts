/** The thread of a scheduled backup: reads a snapshot through its own connection and writes the file, so that calls never wait for it. */
import { workerData } from "node:worker_threads";
import type { Config } from "../config.ts";
import { writeArchive } from "./file.ts";
import { headOf } from "./head.ts";
import { openSnapshot } from "./snapshot.ts";

/** What the thread is started with; everything in it survives a structured clone. */
export interface BackupThreadSettings {
  config: Config;
  /** Of the file, which must not exist yet. */
  path: string;
  /** Version of the program. */
  program: string;
  passphrase: string | undefined;
}

async function backUp({ config, path, program, passphrase }: BackupThreadSettings): Promise<void> {
  const snapshot = await openSnapshot(config);
  try {
    await writeArchive(path, await headOf(snapshot, program), snapshot.rows(), passphrase);
  } finally {
    await snapshot.close();
  }
}

// The only caller is jobs/backups.ts, which passes exactly these settings. What it throws ends the thread with an error.
await backUp(workerData as BackupThreadSettings);
