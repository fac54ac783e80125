/** Fresh databases for tests, migrated ones as copies of the run's templates; each is dropped afterwards. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../../server/src/config.ts";
import type { Config } from "../../../server/src/config.ts";
import { openDatabase } from "../../../server/src/db/database.ts";
import type { Database, DatabaseOptions, Engine } from "../../../server/src/db/database.ts";
import { migrate } from "../../../server/src/db/migrations/migrate.ts";
import { createSecrets } from "../../../server/src/db/secrets.ts";
import type { Secrets } from "../../../server/src/db/secrets.ts";
import { SERVERS, type ServerEngine, databaseUrl, isReachable } from "./servers.ts";
import { copySqliteTemplate, makeDatabase, removeFromServer } from "./templates.ts";
import { IS_LONG } from "../soak/short-or-long.ts";

const TEST_SECRET_KEY = "tests-only-7f3a91c0d2e84b56a1f09c3d";

async function reachable(wanted: readonly ServerEngine[]): Promise<readonly Engine[]> {
  const found: Engine[] = ["sqlite"];
  for (const engine of wanted) {
    if (await isReachable(SERVERS[engine])) found.push(engine);
    else if (process.env["REQUIRE_ALL"] === "1")
      throw new Error(`REQUIRE_ALL=1, but ${engine} does not answer at ${new URL(SERVERS[engine]).host}`);
    else console.log(`skipped: ${engine} does not answer at ${new URL(SERVERS[engine]).host}`);
  }
  return found;
}

/**
 * Every engine that answers here, for the suites of the stores and of the ledger: SQLite always, PostgreSQL and MySQL at
 * TEST_POSTGRES_URL and TEST_MYSQL_URL or their usual local addresses. A missing one costs a printed line, and with REQUIRE_ALL=1 an error.
 */
export const allEngines = (): Promise<readonly Engine[]> => reachable(["postgres", "mysql"]);

/** As `allEngines`, for everything else: MySQL joins in the long form, since what differs there is held by the stores' own suites. */
export const engines = (): Promise<readonly Engine[]> => reachable(IS_LONG ? ["postgres", "mysql"] : ["postgres"]);

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
