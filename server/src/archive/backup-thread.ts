/**
 * The thread of a scheduled backup: reads a snapshot through its own connection, writes it, and reads it back, so that calls never wait for it.
 */
import { parentPort, workerData } from "node:worker_threads";
import type { Config } from "../config.ts";
import { readArchive, writeArchive } from "./file.ts";
import { headOf } from "./head.ts";
import { placeOf } from "./places.ts";
import { type Snapshot, type TableRows, openSnapshot } from "./snapshot.ts";

/** The start data of the thread; all of it survives a structured clone. */
export interface BackupThreadSettings {
  config: Config;
  /** Path of a file, or `s3://bucket/name`; nothing is there yet. */
  place: string;
  /** Version of the program. */
  program: string;
  passphrase: string | undefined;
}

/** What it reports about once a second; `bytes` at the end, when the backup is whole and was read back. */
export interface BackupReport {
  step: "writing" | "checking" | "done";
  /** Rows that this step has behind it. */
  rows: number;
  /** Rows of the whole database. */
  total: number;
  /** Size of the backup; 0 before the end. */
  bytes: number;
}

const REPORT_EVERY_MS = 1_000;

const report = (each: BackupReport): void => parentPort?.postMessage(each);

async function* reported(pages: AsyncIterable<TableRows>, step: BackupReport["step"], total: number) {
  let [rows, saidMs] = [0, 0];
  for await (const page of pages) {
    yield page;
    rows += page.rows.length;
    const nowMs = performance.now();
    if (nowMs - saidMs < REPORT_EVERY_MS) continue;
    saidMs = nowMs;
    report({ step, rows, total, bytes: 0 });
  }
}

async function totalOf({ tables, count }: Snapshot): Promise<number> {
  let total = 0;
  for (const { name } of tables) total += await count(name);
  return total;
}

async function backUp({ config, place: name, program, passphrase }: BackupThreadSettings): Promise<void> {
  const place = placeOf(name, config.s3);
  const snapshot = await openSnapshot(config);
  let total = 0;
  try {
    total = await totalOf(snapshot);
    const pages = reported(snapshot.rows(), "writing", total);
    await writeArchive(place, await headOf(snapshot, program), pages, passphrase);
  } finally {
    await snapshot.close();
  }
  // What was written is proven by what is read: its last line vouches for all rows.
  let rows = 0;
  for await (const page of reported(readArchive(place, passphrase), "checking", total)) rows += page.rows.length;
  report({ step: "done", rows, total, bytes: (await place.size()) ?? 0 });
}

// The only caller is jobs/backups.ts, which passes exactly these settings. What it throws ends the thread with an error.
await backUp(workerData as BackupThreadSettings);
