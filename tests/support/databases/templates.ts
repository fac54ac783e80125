/**
 * Migrated databases that tests copy instead of migrating their own. vitest creates them once for a run (`setup`), drops them after it, and drops
 * those of killed runs before it; without them, as in a benchmark, there is nothing to copy and the database is migrated when opened.
 */
import { existsSync } from "node:fs";
import { copyFile, mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { readConfig } from "../../../server/src/config.ts";
import { openDatabase } from "../../../server/src/db/database.ts";
import { migrate } from "../../../server/src/db/migrations/migrate.ts";
import { dropLeftOvers, dropTestDatabase, testDatabaseName } from "./left-overs.ts";
import { keepStock, leaveToStock, takeFromStock } from "./stock.ts";
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

/** Makes the template of a server and keeps a stock of its copies. Gives what drops them all. */
async function makeOnServer(engine: ServerEngine, folder: string): Promise<() => Promise<void>> {
  const server = SERVERS[engine];
  if (!(await isReachable(server))) return () => Promise.resolve();
  await dropLeftOvers(engine);
  const name = basename(folder);
  await administer(engine, server, `CREATE DATABASE ${name}`);
  await migrateAt(folder, { DATABASE_URL: databaseUrl(server, name) });
  // PostgreSQL copies a database only when it has no connections, and a pool that has ended may be so for a moment longer.
  if (engine === "postgres")
    await administer(
      engine,
      server,
      endSessions(name),
      `ALTER DATABASE ${name} IS_TEMPLATE true ALLOW_CONNECTIONS false`,
    );
  const endStock = keepStock(
    join(folder, engine),
    (copy) => createFromTemplate(engine, server, copy),
    (copy) => dropFromServer(engine, server, copy),
  );
  return () => endStock().finally(() => dropTestDatabase(engine, name));
}

const endSessions = (name: string): string =>
  `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${name}'`;

/** Remaining connections are closed. */
async function dropFromServer(engine: ServerEngine, serverUrl: string, name: string): Promise<void> {
  const force = engine === "postgres" ? " WITH (FORCE)" : "";
  await administer(engine, serverUrl, `DROP DATABASE IF EXISTS ${name}${force}`);
}

/** The folder of the stock that a server has in this run. */
function stockOf(engine: ServerEngine, serverUrl: string): string | undefined {
  const { folder } = templates() ?? {};
  return folder === undefined || serverUrl !== SERVERS[engine] ? undefined : join(folder, engine);
}

/** A new database on a server: a copy of the template where this run has one and none is asked for that is empty. Gives its name. */
export async function makeDatabase(engine: ServerEngine, serverUrl: string, isEmpty: boolean): Promise<string> {
  const stock = isEmpty ? undefined : stockOf(engine, serverUrl);
  const made = stock === undefined ? undefined : takeFromStock(stock);
  if (made !== undefined) return made;
  const name = testDatabaseName("test");
  if (stock === undefined) await administer(engine, serverUrl, ...createEmpty(engine, serverUrl, name));
  else await createFromTemplate(engine, serverUrl, name);
  return name;
}

/** Drops a database of the tests, now or soon. */
export async function removeFromServer(engine: ServerEngine, serverUrl: string, name: string): Promise<void> {
  const stock = stockOf(engine, serverUrl);
  if (stock === undefined || !leaveToStock(stock, name)) await dropFromServer(engine, serverUrl, name);
}

/** Makes the templates of a run. Gives what drops them. vitest calls it for each project that may need a database, one after the other. */
export async function setup(): Promise<() => Promise<void>> {
  if (templates() !== undefined) return () => Promise.resolve(); // another project's; it drops them when all have ended
  const folder = join(tmpdir(), testDatabaseName("template"));
  await mkdir(folder);
  process.env[FOLDER] = folder;
  const [, ...endings] = await Promise.all([
    migrateAt(folder, {}),
    makeOnServer("postgres", folder),
    makeOnServer("mysql", folder),
  ]);
  return async () => {
    await Promise.all(endings.map((end) => end()));
    await rm(folder, { recursive: true, force: true });
  };
}

/**
 * What makes an empty database. On the server that all tests share no commit waits for the disk, in any configuration of the server:
 * nothing of them need outlive a power cut. A server of a test's own may be killed, and must have then what it said it had.
 */
function createEmpty(engine: ServerEngine, serverUrl: string, name: string): readonly string[] {
  const isShared = engine === "postgres" && serverUrl === SERVERS.postgres;
  return [`CREATE DATABASE ${name}`, ...(isShared ? [asyncCommit(name)] : [])];
}

const asyncCommit = (name: string): string => `ALTER DATABASE ${name} SET synchronous_commit TO off`;

async function createFromTemplate(engine: ServerEngine, serverUrl: string, name: string): Promise<void> {
  const template = templates()?.name ?? "";
  if (engine === "postgres") {
    wayOfCopying ??= readWayOfCopying(serverUrl);
    const make = `CREATE DATABASE ${name} TEMPLATE ${template}${await wayOfCopying}`;
    await administer(engine, serverUrl, make, asyncCommit(name));
    return;
  }
  tablesOfTemplate ??= readTables(engine, serverUrl, template);
  const { all, filled } = await tablesOfTemplate;
  const copies = [
    ...all.map((table) => `CREATE TABLE ${name}.${table} LIKE ${template}.${table}`),
    ...filled.map((table) => `INSERT INTO ${name}.${table} SELECT * FROM ${template}.${table}`),
  ];
  await administer(engine, serverUrl, ...createEmpty(engine, serverUrl, name), ...copies);
}

/** Of the run's PostgreSQL. */
let wayOfCopying: Promise<string> | undefined;

/**
 * From version 15 on a copy goes through the log, page by page, which takes twice the processor's time of copied files, 35 ms more a database.
 * A server that waits for its disk would wait for each of those files.
 */
async function readWayOfCopying(serverUrl: string): Promise<string> {
  const [found] = await administer(
    "postgres",
    serverUrl,
    "SELECT current_setting('fsync') = 'off' AND current_setting('server_version_num')::int >= 150000 AS copies_files",
  );
  return found?.["copies_files"] === true ? " STRATEGY file_copy" : "";
}

/** Of the run's template on MariaDB, which is made once. Most of its tables are empty: to copy nothing into each took a tenth of a database's time. */
let tablesOfTemplate: Promise<{ all: readonly string[]; filled: readonly string[] }> | undefined;

async function readTables(engine: ServerEngine, serverUrl: string, template: string) {
  const ask = async (statement: string): Promise<string[]> =>
    (await administer(engine, serverUrl, statement)).map(({ name }) => String(name));
  const all = await ask(`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = '${template}'`);
  const filled = all.map((table) => `SELECT '${table}' AS name FROM ${template}.${table} GROUP BY 1`);
  return { all, filled: await ask(filled.join(" UNION ALL ")) };
}

/** Puts a migrated SQLite database into a data folder, where this run has one. */
export async function copySqliteTemplate(dataDir: string): Promise<void> {
  const source = join(templates()?.folder ?? dataDir, SQLITE_FILE);
  const target = join(dataDir, SQLITE_FILE);
  if (source !== target && existsSync(source)) await copyFile(source, target);
}
