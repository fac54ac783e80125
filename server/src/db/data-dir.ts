/** The data folder with the embedded database, readable by its owner alone. Permissions of earlier versions are tightened at startup. */
import type { Stats } from "node:fs";
import { chmod, lstat, readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Config } from "../config.ts";

/** Read, write or execute permissions of the group or of others. */
const OTHERS = 0o077;
/** The sticky bit, set for folders that many accounts share, such as /tmp. */
const STICKY = 0o1000;

/** The key file has a separate rule (`refuseOpenKeyFile`). */
const OWN_FILE = /^turnpike\.db|\.journal/;
export const KEY_FILE = "secret.key";

/** Windows has other permissions, and files of other accounts cannot be changed. */
const isOurs = ({ uid }: Stats): boolean => process.getuid?.() === uid;

async function close(path: string, stats: Stats): Promise<void> {
  if (isOurs(stats) && (stats.mode & OTHERS) !== 0) await chmod(path, stats.mode & 0o777 & ~OTHERS);
}

/**
 * Removes the permissions of group and others from the folder and from the files of this program in it. A folder that is used for something else
 * too (it has files and none of ours, or many accounts share it) is not changed.
 */
export async function restrictDataDir(dataDir: string): Promise<void> {
  const all = await readdir(dataDir);
  const names = all.filter((name) => OWN_FILE.test(name) || name === KEY_FILE);
  const folder = await stat(dataDir);
  if ((names.length > 0 || all.length === 0) && (folder.mode & STICKY) === 0) await close(dataDir, folder);
  for (const name of names) {
    const path = join(dataDir, name);
    const stats = await lstat(path).catch(ignoreGone);
    if (name !== KEY_FILE && stats?.isFile() === true) await close(path, stats);
  }
}

/** SQLite removes its -wal when the last process ends, which may be now. */
function ignoreGone(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
  throw error;
}

/** Throws an Error of one line if other accounts may read the key file: they may have read it already. */
export async function refuseOpenKeyFile(path: string): Promise<void> {
  const { mode } = await stat(path);
  if (process.getuid === undefined || (mode & OTHERS) === 0) return;
  throw new Error(
    `The key file ${path} can be read by other accounts (mode ${(mode & 0o777).toString(8)}). Make it yours alone with: chmod 600 '${path}'`,
  );
}

const SQLITE_FILE = "turnpike.db";

/** Absolute path of the embedded database. */
export const sqliteFile = (dataDir: string): string => join(resolve(dataDir), SQLITE_FILE);

/** For example `/srv/turnpike/data/turnpike.db`, or `db.internal:5432/turnpike`. */
export function databasePlace({ databaseUrl, dataDir }: Pick<Config, "databaseUrl" | "dataDir">): string {
  if (databaseUrl === undefined) return sqliteFile(dataDir);
  const { host, pathname } = new URL(databaseUrl);
  return host + pathname;
}
