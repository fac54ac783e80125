/** The time of one small durable write on this disk: the reference for the time of a commit. */
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { median } from "../run/statistics.ts";

const WRITES = 200;
const BLOCK = Buffer.alloc(4096, 1);

/** Median of appending 4 KiB and making them durable, in milliseconds, on the disk of the folder. */
export function medianFdatasyncMs(folder: string): number {
  const path = join(folder, "fdatasync-probe");
  const file = openSync(path, "w");
  try {
    const times = Array.from({ length: WRITES }, () => {
      const begin = performance.now();
      writeSync(file, BLOCK);
      fdatasyncSync(file);
      return performance.now() - begin;
    });
    return median(times);
  } finally {
    closeSync(file);
    rmSync(path);
  }
}
