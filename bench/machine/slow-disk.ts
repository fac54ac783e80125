/** Builds the library that makes every fsync 5 ms slower, and counts how often it was in effect. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The environment that puts a process on a slow disk, and the number of delayed calls so far. */
export interface SlowDisk {
  readonly environment: NodeJS.ProcessEnv;
  delayedCalls(): number;
}

/** Compiles the library into the folder. Throws when gcc is missing or fails. */
export function buildSlowDisk(folder: string): SlowDisk {
  const library = join(folder, "slow-fsync.so");
  const count = join(folder, "slow-fsync.count");
  const source = fileURLToPath(new URL("slow-fsync.c", import.meta.url));
  execFileSync("gcc", ["-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, source, "-ldl"], {
    stdio: "inherit",
  });
  writeFileSync(count, Buffer.alloc(8));
  return {
    environment: { LD_PRELOAD: library, SLOW_FSYNC_COUNT: count },
    delayedCalls: () => Number(readFileSync(count).readBigUInt64LE(0)),
  };
}
