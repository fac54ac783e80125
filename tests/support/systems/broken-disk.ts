/** A disk that can become full or fail under a server process: gcc builds a library that is loaded before its own. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export type DiskFault = "ENOSPC" | "EIO";

export interface BrokenDisk {
  /** For the process whose disk it is. */
  readonly env: Readonly<Record<string, string>>;
  /** From now on every write and sync in the folder fails like this. */
  fail(fault: DiskFault): void;
  mend(): void;
  remove(): void;
}

/** Whether the library can be built here; with REQUIRE_ALL=1 its absence is an error. */
export function canBreakDisks(): boolean {
  const hasCompiler = (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, "gcc")));
  if (process.platform === "linux" && hasCompiler) return true;
  if (process.env["REQUIRE_ALL"] === "1") throw new Error("REQUIRE_ALL=1, but there is no gcc on Linux here");
  console.log("skipped: no gcc on Linux here to make a disk fail with");
  return false;
}

/** A disk for everything below `folder`; it works until it is set to fail. */
export function createBrokenDisk(folder: string): BrokenDisk {
  const place = mkdtempSync(join(tmpdir(), "turnpike-disk-"));
  const library = join(place, "broken-disk.so");
  const control = join(place, "switch");
  const source = fileURLToPath(new URL("broken-disk.c", import.meta.url));
  execFileSync("gcc", ["-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, source, "-ldl"]);
  // Written in place: the process has the file mapped.
  const set = (code: number): void =>
    writeFileSync(control, Buffer.from([code]), { flag: existsSync(control) ? "r+" : "w" });
  set(0);
  return {
    env: { LD_PRELOAD: library, BROKEN_DISK_SWITCH: control, BROKEN_DISK_FOLDER: folder },
    fail: (fault) => set(constants.errno[fault]),
    mend: () => set(0),
    remove: () => rmSync(place, { recursive: true, force: true }),
  };
}
