/** Finds the engines and the browser that tests may use here, with their versions; prints them as JSON when run by itself. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { Redis } from "ioredis";
import mysql from "mysql2/promise";
import pg from "pg";

export interface Capability {
  name: "sqlite" | "postgres" | "mysql" | "redis" | "chromium";
  /** What the engine says of itself; undefined where it is missing. */
  version: string | undefined;
  /** Why it counts as missing, in the words of the failed attempt; undefined where it is here. */
  reason: string | undefined;
  /** What is not tested without it, printed when it is missing. */
  skipped: string;
  /** Handed to the tests. */
  environment: Readonly<Record<string, string>>;
}

const TIMEOUT_MS = 10_000;
/** The engine without windows of a desktop comes first: it opens a page in a quarter of the time and loads it in half. */
const BROWSERS = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/** Path of a Chromium: TEST_CHROMIUM, else the first on the path. Undefined where there is none. */
export function findChromium(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = environment["TEST_CHROMIUM"];
  if (named !== undefined && named !== "") return named;
  const folders = (environment["PATH"] ?? "").split(delimiter);
  const places = BROWSERS.flatMap((browser) => folders.map((folder) => join(folder, browser)));
  return places.find((place) => existsSync(place));
}

function sqliteVersion(): string {
  const database = new DatabaseSync(":memory:");
  const row = database.prepare("SELECT sqlite_version() AS version").get();
  database.close();
  return `SQLite ${String(row?.["version"])}`;
}

async function postgresVersion(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: TIMEOUT_MS });
  await client.connect();
  const { rows } = await client.query<{ version: string }>("SELECT version()").finally(() => client.end());
  return rows[0]?.version.split(" (")[0] ?? "PostgreSQL";
}

async function mysqlVersion(url: string): Promise<string> {
  const connection = await mysql.createConnection({ uri: url, connectTimeout: TIMEOUT_MS });
  const [rows] = await connection
    .query<mysql.RowDataPacket[]>("SELECT version() AS version")
    .finally(() => connection.end());
  return `MySQL/MariaDB ${String(rows[0]?.["version"])}`;
}

async function redisVersion(url: string): Promise<string> {
  const client = new Redis(url, { lazyConnect: true, connectTimeout: TIMEOUT_MS, retryStrategy: () => null });
  client.on("error", () => undefined); // the failed connect below says it
  try {
    await client.connect();
    return `Redis ${/redis_version:(\S+)/.exec(await client.info("server"))?.[1] ?? ""}`;
  } finally {
    client.disconnect();
  }
}

/** A browser that was just installed takes seconds to answer; waiting for it must not let the engines' time limits pass. */
async function chromiumVersion(path: string | undefined): Promise<string> {
  if (path === undefined) throw new Error("no Chromium on the path");
  const { stdout } = await promisify(execFile)(path, ["--version"], { timeout: 60_000 });
  return stdout.trim();
}

async function versionOrReason(ask: () => string | Promise<string>): Promise<Pick<Capability, "version" | "reason">> {
  try {
    return { version: await ask(), reason: undefined };
  } catch (error) {
    return { version: undefined, reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Asks every engine at its usual local address, or where TEST_POSTGRES_URL, TEST_MYSQL_URL and TEST_REDIS_URL say. */
export async function detectCapabilities(environment: NodeJS.ProcessEnv = process.env): Promise<Capability[]> {
  const postgres = environment["TEST_POSTGRES_URL"] ?? "postgres://postgres@127.0.0.1:5432/postgres";
  const mysqlUrl = environment["TEST_MYSQL_URL"] ?? "mysql://root@127.0.0.1:3306/";
  const redis = environment["TEST_REDIS_URL"] ?? "redis://127.0.0.1:6379";
  const chromium = findChromium(environment);
  const found = async (
    name: Capability["name"],
    ask: () => string | Promise<string>,
    skipped: string,
    variables: Record<string, string> = {},
  ): Promise<Capability> => ({ name, ...(await versionOrReason(ask)), skipped, environment: variables });
  return Promise.all([
    found("sqlite", sqliteVersion, "everything"),
    found("postgres", () => postgresVersion(postgres), "the suites on PostgreSQL", { TEST_POSTGRES_URL: postgres }),
    found("mysql", () => mysqlVersion(mysqlUrl), "the suites on MySQL/MariaDB", { TEST_MYSQL_URL: mysqlUrl }),
    found("redis", () => redisVersion(redis), "what Redis makes faster", { TEST_REDIS_URL: redis }),
    found("chromium", () => chromiumVersion(chromium), "the tests in a browser", { TEST_CHROMIUM: chromium ?? "" }),
  ]);
}

if (import.meta.main) process.stdout.write(JSON.stringify(await detectCapabilities()));
