/** Fresh databases for tests, migrated ones as copies of the run's templates; each is dropped afterwards. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { readConfig } from "../../../server/src/config.ts";
import type { Config } from "../../../server/src/config.ts";
import { openDatabase } from "../../../server/src/db/database.ts";
import type { Database, DatabaseOptions, Engine } from "../../../server/src/db/database.ts";
import { migrate } from "../../../server/src/db/migrations/migrate.ts";
import { createSecrets } from "../../../server/src/db/secrets.ts";
import type { Secrets } from "../../../server/src/db/secrets.ts";
import { SERVERS, databaseUrl, isReachable } from "./servers.ts";
import { copySqliteTemplate, makeDatabase, removeFromServer } from "./templates.ts";
import { inTurn, IS_SHORT, LEAVES_TO_ALL } from "../soak/short-or-long.ts";

const TEST_SECRET_KEY = "tests-only-7f3a91c0d2e84b56a1f09c3d";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * Every engine that answers here: SQLite always, PostgreSQL and MySQL at TEST_POSTGRES_URL and TEST_MYSQL_URL or their usual local
 * addresses. A missing one costs a printed line, and with REQUIRE_ALL=1 an error.
 */
export async function enginesHere(): Promise<readonly Engine[]> {
  const found: Engine[] = ["sqlite"];
  for (const engine of ["postgres", "mysql"] as const) {
    if (await isReachable(SERVERS[engine])) found.push(engine);
    else if (process.env["REQUIRE_ALL"] === "1")
      throw new Error(`REQUIRE_ALL=1, but ${engine} does not answer at ${new URL(SERVERS[engine]).host}`);
    else console.log(`skipped: ${engine} does not answer at ${new URL(SERVERS[engine]).host}`);
  }
  return found;
}

/** Tests of the whole system: their processes take seconds on each engine, and most of what they hold is the same on all. */
const IS_WHOLE_SYSTEM = /^tests\/(?:faults|attacks)\//;
/** Features of the console and what stands beside them, whose statements are of a few kinds; not those that move money. */
const IS_FEATURE = /^server\/src\/(?:console\/(?!wallet|redemptions|groups)|notify|tasks|command-line)/;

/**
 * The engines of these on which a test file runs in the short form: SQLite and the one of the others that falls to its path. A test of
 * the whole system runs on the one of all that falls to it, and so does one of a feature, but for who names it on the command line.
 */
export const shortEngines = (here: readonly Engine[], path: string, isNamed = false): Engine[] => {
  // Its key is not the path alone, by which one engine would have twice the files of another.
  if (IS_WHOLE_SYSTEM.test(path) || (IS_FEATURE.test(path) && !isNamed)) return inTurn(`on ${path}`, here);
  const servers = here.filter((engine) => engine !== "sqlite");
  return [...here.filter((engine) => engine === "sqlite"), ...inTurn(path, servers)];
};

/** The engines that the test file which asks runs on: all that are here, in the short form some of them. */
export async function engines(): Promise<readonly Engine[]> {
  const here = await enginesHere();
  // Programs that are no tests ask too, and Vitest cannot be loaded in them.
  if (!IS_SHORT || process.env["VITEST"] === undefined) return here;
  const { expect } = await import("vitest");
  const { testPath } = expect.getState();
  if (testPath === undefined) throw new Error("engines() is asked outside of a test file");
  return shortEngines(here, relative(ROOT, testPath).replaceAll("\\", "/"), !LEAVES_TO_ALL);
}

export interface TestPlace {
  config: Config;
  /** Drops the database and removes the folder. */
  remove(): Promise<void>;
}

export interface PlaceOptions {
  /** More of its configuration. */
  env?: Readonly<Record<string, string>>;
  /** A database server of the test's own, instead of the one all tests share. */
  server?: string;
  /** Nothing is migrated yet: for tests of just that. */
  isEmpty?: boolean;
}

/**
 * A database and data folder, with the configuration that leads there; nothing is opened yet. It is migrated where the run has a
 * template, but migrate it all the same: that then finds nothing to do.
 */
export async function createTestPlace(
  engine: Engine,
  { env = {}, server, isEmpty = false }: PlaceOptions = {},
): Promise<TestPlace> {
  const dataDir = await mkdtemp(join(tmpdir(), "turnpike-test-"));
  const serverUrl = engine === "sqlite" ? "" : (server ?? SERVERS[engine]);
  const name = engine === "sqlite" ? "" : await makeDatabase(engine, serverUrl, isEmpty);
  if (engine === "sqlite" && !isEmpty) await copySqliteTemplate(dataDir);
  const address = engine === "sqlite" ? {} : { DATABASE_URL: databaseUrl(serverUrl, name) };
  const config = readConfig({
    DATA_DIR: dataDir,
    SECRET_KEY: TEST_SECRET_KEY,
    PORT: "0",
    LOG_LEVEL: "silent",
    ...address,
    ...env,
  });
  const remove = async () => {
    if (engine !== "sqlite") await removeFromServer(engine, serverUrl, name);
    await rm(dataDir, { recursive: true, force: true });
  };
  return { config, remove };
}

export interface TestDatabase {
  database: Database;
  secrets: Secrets;
  config: Config;
  /** Closes and drops it. */
  close(): Promise<void>;
}

/** A fresh migrated database. `env` adds to its configuration. */
export async function openTestDatabase(
  engine: Engine,
  options: DatabaseOptions = {},
  env: Readonly<Record<string, string>> = {},
): Promise<TestDatabase> {
  const place = await createTestPlace(engine, { env });
  const database = await openDatabase(place.config, options);
  await migrate(database);
  const close = async () => {
    await database.close();
    await place.remove();
  };
  return { database, secrets: createSecrets(TEST_SECRET_KEY), config: place.config, close };
}

/** Runs `work` on a fresh migrated database and drops it after. */
export async function withDatabase<T>(
  engine: Engine,
  work: (database: Database, secrets: Secrets, config: Config) => Promise<T>,
  options: DatabaseOptions = {},
): Promise<T> {
  const { database, secrets, config, close } = await openTestDatabase(engine, options);
  try {
    return await work(database, secrets, config);
  } finally {
    await close();
  }
}
