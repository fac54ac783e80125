/** Checks of the machine: the program and its Node, the folder of its data, the space there, and settlements that wait in it. */
import { constants } from "node:fs";
import { access, readFile, readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { readRefused } from "../../billing/journal.ts";
import { PROGRAM } from "../../composition/program.ts";
import type { Config } from "../../config.ts";
import { type Check, type Checker, type Finding, fail, ok, warn } from "./check.ts";

const NEEDED_NODE = 26;
const MIB = 1024 * 1024;
/** Less stops the ledger within hours on a busy site; SQLite needs room for its write-ahead log. */
const LITTLE_BYTES = 2048 * MIB;
const TOO_LITTLE_BYTES = 256 * MIB;
/** Permissions of group and others. */
const OTHERS = 0o077;
/** A running server books what waits within seconds. */
const OLD_JOURNAL_MS = 60_000;

export function checkNode(version: string): Finding {
  const major = Number(/^v?(\d+)/.exec(version)?.[1]);
  if (major >= NEEDED_NODE) return ok("program.node", { node: version, version: PROGRAM.version });
  return fail("program.old", "program.old", { node: version, needed: NEEDED_NODE });
}

async function checkFolder({ dataDir }: Config): Promise<Finding> {
  const folder = await stat(dataDir).catch(() => undefined);
  if (folder === undefined) return warn("data_dir.absent", "data_dir.absent", { folder: dataDir });
  if (!folder.isDirectory()) return fail("data_dir.no_folder", "data_dir.no_folder", { folder: dataDir });
  const isWritable = await access(dataDir, constants.W_OK | constants.R_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable) return fail("data_dir.not_writable", "data_dir.not_writable", { folder: dataDir });
  const mode = (folder.mode & 0o777).toString(8);
  if ((folder.mode & OTHERS) !== 0) return warn("data_dir.open", "data_dir.open", { folder: dataDir, mode });
  return ok("data_dir.own", { folder: dataDir, mode });
}

export function judgeSpace(freeBytes: number, place: string): Finding {
  const values = { free_bytes: freeBytes, folder: place };
  if (freeBytes < TOO_LITTLE_BYTES) return fail("disk.free", "disk.full", values);
  return freeBytes < LITTLE_BYTES ? warn("disk.free", "disk.little", values) : ok("disk.free", values);
}

async function checkSpace({ dataDir }: Config): Promise<Finding> {
  const { bavail, bsize } = await statfs(dataDir);
  return judgeSpace(bavail * bsize, dataDir);
}

interface Waiting {
  entries: number;
  /** Age of the oldest file that holds one, in milliseconds. */
  ageMs: number;
}

/** Settlements in the journals of DATA_DIR, of this process's server and of those that ended. */
async function waitingIn(dataDir: string): Promise<Waiting> {
  const names = (await readdir(dataDir)).filter((name) => /^settlements-.*\.journal/.test(name));
  const waiting: Waiting = { entries: 0, ageMs: 0 };
  for (const name of names) {
    const path = join(dataDir, name);
    const text = await readFile(path, "utf8").catch(() => ""); // booked and removed meanwhile
    const lines = text.split("\n").filter((line) => line !== "").length;
    if (lines === 0) continue;
    waiting.entries += lines;
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    waiting.ageMs = Math.max(waiting.ageMs, Date.now() - mtimeMs);
  }
  return waiting;
}

async function checkJournal({ dataDir }: Config): Promise<Finding> {
  const refused = await readRefused(dataDir);
  if (refused.length > 0) return fail("journal.refused", "journal.refused", { number: refused.length });
  const { entries, ageMs } = await waitingIn(dataDir);
  if (entries === 0) return ok("journal.none");
  const values = { number: entries, age: Math.round(ageMs / 1000) };
  if (ageMs < OLD_JOURNAL_MS) return ok("journal.waiting", values);
  return fail("journal.waiting", "journal.waiting", values);
}

/** The checks that need neither database nor network. The folder is looked into only where there is one. */
export async function checkMachine(config: Config, checked: Checker): Promise<Check[]> {
  const folder = await checked("data_dir", "data_dir.any", () => checkFolder(config));
  if (folder.status === "fail" || folder.code === "data_dir.absent") return [folder];
  const others = [
    checked("disk", "disk.any", () => checkSpace(config)),
    checked("journal", "journal.any", () => checkJournal(config)),
  ];
  return [folder, ...(await Promise.all(others))];
}
