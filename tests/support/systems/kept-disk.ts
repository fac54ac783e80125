/** A disk that keeps a copy of each file as its last finished sync found it: what a power cut would leave of a server's folder. */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface KeptDisk {
  /** For the process whose disk it is. */
  readonly env: Readonly<Record<string, string>>;
  /** From now on each sync takes so many tenths of a second longer. */
  stall(tenths: number): void;
  /** Leaves in the folder what the disk had to keep, and nothing else. The process has to be dead. */
  cutPower(): void;
  remove(): void;
}

/** A disk for the files of `folder`, where canBreakDisks says that one can be built. */
export function createKeptDisk(folder: string): KeptDisk {
  const place = mkdtempSync(join(tmpdir(), "turnpike-kept-disk-"));
  const [library, control, copies] = [join(place, "kept-disk.so"), join(place, "stall"), join(place, "copies")];
  const source = fileURLToPath(new URL("kept-disk.c", import.meta.url));
  execFileSync("gcc", ["-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, source, "-ldl"]);
  mkdirSync(copies);
  // What stood there before the process began is on the disk.
  const files = (from: string): string[] =>
    readdirSync(from, { withFileTypes: true }).flatMap((entry) =>
      entry.isFile() && !entry.name.startsWith(".") ? [entry.name] : [],
    );
  for (const name of files(folder)) copyFileSync(join(folder, name), join(copies, name));
  writeFileSync(control, Buffer.from([0]));
  return {
    env: { LD_PRELOAD: library, KEPT_DISK_STALL: control, KEPT_DISK_FOLDER: folder, KEPT_DISK_COPY: copies },
    // Written in place: the process has the file mapped.
    stall: (tenths) => writeFileSync(control, Buffer.from([tenths]), { flag: "r+" }),
    cutPower: () => {
      for (const name of files(folder)) rmSync(join(folder, name));
      for (const name of files(copies)) copyFileSync(join(copies, name), join(folder, name));
    },
    remove: () => rmSync(place, { recursive: true, force: true }),
  };
}
