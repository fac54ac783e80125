/**
 * Migrated databases that tests copy instead of migrating their own. vitest makes them once for a run (`setup`), and drops them after it,
 * and before it what killed runs left;
 * without them, as when a benchmark asks, there is nothing to copy and whoever opens the database migrates it.
 */
import { existsSync } from "node:fs";
import { copyFile, mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { readConfig } from "../../../server/src/config.ts";
import { openDatabase } from "../../../server/src/db/database.ts";
import { migrate } from "../../../server/src/db/migrations/migrate.ts";
import { dropLeftOvers, dropTestDatabase, testDatabaseName } from "./left-overs.ts";
import { SERVERS, type ServerEngine, administer, databaseUrl, isReachable } from "./servers.ts";

/** Environment variable with the folder of the run's templates; its name is also theirs on the servers. */
const FOLDER = "TURNPIKE_TEST_TEMPLATES";
const SQLITE_FILE = "turnpike.db";

/** The folder and the name of this run's templates; undefined outside of vitest. */
function templates(): { folder: string; name: string } | undefined {
  const folder = process.env[FOLDER];
  return folder === undefined ? undefined : { folder, name: basename(folder) };
}

async function migrateAt(folder: string, address: Readonly<Record<string, string>>): Promise<void> {
  const database = await openDatabase(readConfig({ DATA_DIR: folder, PORT: "0", LOG_LEVEL: "silent", ...address }));
  await migrate(database).finally(() => database.close());
}

async function makeOnServer(engine: ServerEngine, folder: string): Promise<void> {
  const server = SERVERS[engine];
  if (!(await isReachable(server))) return;
  await dropLeftOvers(engine);
  const name = basename(folder);
  await administer(engine, server, `CREATE DATABASE ${name}`);
  await migrateAt(folder, { DATABASE_URL: databaseUrl(server, name) });
  // PostgreSQL copies a database only when nobody is connected to it, and a pool that has ended may be so for a moment longer.
  if (engine === "postgres")
    await administer(
      engine,
      server,
      endSessions(name),
      `ALTER DATABASE ${name} IS_TEMPLATE true ALLOW_CONNECTIONS false`,
    );
}

const endSessions = (name: string): string =>
  `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${name}'`;

async function dropFromServer(engine: ServerEngine, name: string): Promise<void> {
  if (await isReachable(SERVERS[engine])) await dropTestDatabase(engine, name);
}

/** Makes the templates of a run. Gives what drops them. vitest calls it for each project that may need a database, one after the other. */
export async function setup(): Promise<() => Promise<void>> {
  if (templates() !== undefined) return () => Promise.resolve(); // another project's; it drops them when all have ended
  const folder = join(tmpdir(), testDatabaseName("template"));
  await mkdir(folder);
  process.env[FOLDER] = folder;
  await Promise.all([migrateAt(folder, {}), makeOnServer("postgres", folder), makeOnServer("mysql", folder)]);
  return async () => {
    await Promise.all([dropFromServer("postgres", basename(folder)), dropFromServer("mysql", basename(folder))]);
    await rm(folder, { recursive: true, force: true });
  };
}

/** A new database on a server: a copy of the template where this run has one, else empty. */
export async function createFromTemplate(engine: ServerEngine, serverUrl: string, name: string): Promise<void> {
  const template = serverUrl === SERVERS[engine] ? templates()?.name : undefined;
  if (engine === "postgres") {
    const source = template === undefined ? "" : ` TEMPLATE ${template}`;
    await administer(engine, serverUrl, `CREATE DATABASE ${name}${source}`);
    return;
  }
  await administer(engine, serverUrl, `CREATE DATABASE ${name}`);
  if (template === undefined) return;
  const tables = await administer(
    engine,
    serverUrl,
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = '${template}'`,
  );
  const copies = tables.flatMap(({ name: table }) => [
    `CREATE TABLE ${name}.${String(table)} LIKE ${template}.${String(table)}`,
    `INSERT INTO ${name}.${String(table)} SELECT * FROM ${template}.${String(table)}`,
  ]);
  await administer(engine, serverUrl, ...copies);
}

/** Puts a migrated SQLite database into a data folder, where this run has one. */
export async function copySqliteTemplate(dataDir: string): Promise<void> {
  const source = join(templates()?.folder ?? dataDir, SQLITE_FILE);
  const target = join(dataDir, SQLITE_FILE);
  if (source !== target && existsSync(source)) await copyFile(source, target);
}
