/** A temporary folder in memory for a run of the tests, so that no write of theirs waits for the disk; each run has its own. */
import { mkdirSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

/** Where Linux keeps files in memory. */
const PLACE = "/dev/shm";
const PREFIX = "turnpike-tests-";
/** The largest tests write some 100 MB each; containers often have 64 MB there. */
const NEEDED_BYTES = 4 * 1024 ** 3;

function freeBytes(place) {
  try {
    const { bavail, bsize } = statfsSync(place);
    return bavail * bsize;
  } catch {
    return 0; // there is no such place here
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Removes what runs have left that were killed: each folder is named by the id of its process. */
function removeLeftOvers(place) {
  for (const name of readdirSync(place).filter((each) => each.startsWith(PREFIX)))
    if (!isRunning(Number(name.slice(PREFIX.length)))) rmSync(join(place, name), { recursive: true, force: true });
}

/** Makes the folder of this process. @returns its path, or undefined where memory has no such room */
export function makeMemoryFolder(place = PLACE, neededBytes = NEEDED_BYTES) {
  if (freeBytes(place) < neededBytes) return undefined;
  removeLeftOvers(place);
  const folder = join(place, `${PREFIX}${process.pid}`);
  mkdirSync(folder, { recursive: true });
  return folder;
}
