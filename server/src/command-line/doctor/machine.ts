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
  if (major >= NEEDED_NODE) return ok(`Node ${version}, Turnpike ${PROGRAM.version}`);
  return fail(
    `Node ${version}`,
    `Install Node ${NEEDED_NODE} or newer, or start with \`npm start\`, which brings its own.`,
  );
}

async function checkFolder({ dataDir }: Config): Promise<Finding> {
  const folder = await stat(dataDir).catch(() => undefined);
  if (folder === undefined)
    return warn(
      `${dataDir} does not exist`,
      "It is made at the first start; name the right folder in DATA_DIR if there was one.",
    );
  if (!folder.isDirectory()) return fail(`${dataDir} is not a folder`, "Name a folder in DATA_DIR.");
  const isWritable = await access(dataDir, constants.W_OK | constants.R_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable)
    return fail(
      `${dataDir} cannot be written by this account`,
      `Give it to the account that runs the server: chown -R <account> '${dataDir}'`,
    );
  const mode = (folder.mode & 0o777).toString(8);
  if ((folder.mode & OTHERS) !== 0)
    return warn(
      `${dataDir} can be read by other accounts (mode ${mode})`,
      `Make it the server's alone: chmod 700 '${dataDir}'`,
    );
  return ok(`${dataDir}, mode ${mode}`);
}

export function judgeSpace(freeBytes: number, place: string): Finding {
  const finding = `${Math.floor(freeBytes / MIB).toLocaleString("en")} MiB free at ${place}`;
  if (freeBytes < TOO_LITTLE_BYTES)
    return fail(finding, "Free space on this disk now: without it no settlement can be written.");
  if (freeBytes < LITTLE_BYTES) return warn(finding, "Free space on this disk, or move DATA_DIR to a larger one.");
  return ok(finding);
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
  if (refused.length > 0)
    return fail(
      `${refused.length} settlements were refused by the database`,
      "See docs/billing.md: `turnpike audit` lists them with their reasons.",
    );
  const { entries, ageMs } = await waitingIn(dataDir);
  if (entries === 0) return ok("no settlement waits");
  const finding = `${entries} settlements wait in DATA_DIR, the oldest for ${Math.round(ageMs / 1000)} s`;
  if (ageMs < OLD_JOURNAL_MS) return ok(finding);
  return fail(finding, "Start a server with this DATA_DIR, and make the database reachable: it books them by itself.");
}

/** The checks that need neither database nor network. The folder is looked into only where there is one. */
export async function checkMachine(config: Config, checked: Checker): Promise<Check[]> {
  const folder = await checked("data_dir", "Name a folder that this account can read in DATA_DIR.", () =>
    checkFolder(config),
  );
  if (folder.status === "fail" || folder.finding.endsWith("does not exist")) return [folder];
  const others = [
    checked("disk", "Look at the disk of DATA_DIR.", () => checkSpace(config)),
    checked("journal", "Make DATA_DIR readable for this account.", () => checkJournal(config)),
  ];
  return [folder, ...(await Promise.all(others))];
}
