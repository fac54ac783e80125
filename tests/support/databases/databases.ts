/** Fresh migrated databases for tests, on every engine that answers here; each is dropped afterwards. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mysql from "mysql2/promise";
import pg from "pg";
import { readConfig } from "../../server/src/config.ts";
import type { Config } from "../../server/src/config.ts";
import { openDatabase } from "../../server/src/db/database.ts";
import type { Database, DatabaseOptions, Engine } from "../../server/src/db/database.ts";
import { migrate } from "../../server/src/db/migrations/migrate.ts";
import { createSecrets } from "../../server/src/db/secrets.ts";
import type { Secrets } from "../../server/src/db/secrets.ts";

/** Where tests make their databases; the account must be allowed to create some. */
const SERVERS: Record<Exclude<Engine, "sqlite">, string> = {
  postgres: process.env["TEST_POSTGRES_URL"] ?? "postgres://postgres@127.0.0.1:5432/postgres",
  mysql: process.env["TEST_MYSQL_URL"] ?? "mysql://root@127.0.0.1:3306/",
};

const TEST_SECRET_KEY = "tests-only-7f3a91c0d2e84b56a1f09c3d";

const USUAL_PORTS: Record<string, number> = { "postgres:": 5432, "postgresql:": 5432, "mysql:": 3306 };

function answers(url: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname,
      port: port === "" ? (USUAL_PORTS[protocol] ?? 0) : Number(port),
      timeout: 2000,
    });
    const end = (isReachable: boolean) => {
      socket.destroy();
      resolve(isReachable);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
    socket.once("timeout", () => end(false));
  });
}

/**
 * The engines that answer here: SQLite always, PostgreSQL and MySQL at TEST_POSTGRES_URL and TEST_MYSQL_URL or their usual local
 * addresses. A missing one costs a printed line, and with REQUIRE_ALL=1 an error.
 */
export async function engines(): Promise<readonly Engine[]> {
  const found: Engine[] = ["sqlite"];
  for (const engine of ["postgres", "mysql"] as const) {
    if (await answers(SERVERS[engine])) found.push(engine);
    else if (process.env["REQUIRE_ALL"] === "1")
      throw new Error(`REQUIRE_ALL=1, but ${engine} does not answer at ${new URL(SERVERS[engine]).host}`);
    else console.log(`skipped: ${engine} does not answer at ${new URL(SERVERS[engine]).host}`);
  }
  return found;
}

/** One statement on the server itself, outside any test database. */
async function administer(engine: Exclude<Engine, "sqlite">, serverUrl: string, statement: string): Promise<void> {
  if (engine === "postgres") {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    await client.query(statement).finally(() => client.end());
    return;
  }
  const connection = await mysql.createConnection(serverUrl);
  await connection.query(statement).finally(() => connection.end());
}

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

export interface TestPlace {
  config: Config;
  /** Drops the database and removes the folder. */
  remove(): Promise<void>;
}

/**
 * An empty database and data folder, with the configuration that leads there; nothing is opened or migrated yet.
 * `server` is a database server of the test's own, instead of the one all tests share.
 */
export async function createTestPlace(
  engine: Engine,
  env: Readonly<Record<string, string>> = {},
  server?: string,
): Promise<TestPlace> {
  const dataDir = await mkdtemp(join(tmpdir(), "turnpike-test-"));
  const name = `turnpike_test_${randomBytes(6).toString("hex")}`;
  const serverUrl = engine === "sqlite" ? "" : (server ?? SERVERS[engine]);
  if (engine !== "sqlite") await administer(engine, serverUrl, `CREATE DATABASE ${name}`);
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
    if (engine !== "sqlite")
      await administer(
        engine,
        serverUrl,
        `DROP DATABASE IF EXISTS ${name}${engine === "postgres" ? " WITH (FORCE)" : ""}`,
      );
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
  const place = await createTestPlace(engine, env);
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
