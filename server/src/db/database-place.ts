/** Where the database is, in words for the operator: the file of SQLite, else host and name; never its user or password. */
import { join, resolve } from "node:path";
import type { Config } from "../config.ts";

const SQLITE_FILE = "turnpike.db";

/** Absolute path of the embedded database. */
export const sqliteFile = (dataDir: string): string => join(resolve(dataDir), SQLITE_FILE);

/** For example `/srv/turnpike/data/turnpike.db`, or `db.internal:5432/turnpike`. */
export function databasePlace({ databaseUrl, dataDir }: Pick<Config, "databaseUrl" | "dataDir">): string {
  if (databaseUrl === undefined) return sqliteFile(dataDir);
  const { host, pathname } = new URL(databaseUrl);
  return host + pathname;
}
