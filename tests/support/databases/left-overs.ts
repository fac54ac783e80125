/** Names of test databases, which contain their time, and the removal of those that killed runs left on a server. */
import { randomBytes } from "node:crypto";
import { SERVERS, type ServerEngine, administer } from "./servers.ts";

/** A day: no run takes as long, and a template is asked for until its run ends. */
const LEFT_AFTER_MS = 24 * 3_600_000;
const NAME = /^turnpike_(?:template|test)_([0-9a-z]{8})_[0-9a-f]{12}$/;

/** A name for a database that is made at `nowMs`, in milliseconds since the epoch. */
export const testDatabaseName = (kind: "template" | "test", nowMs = Date.now()): string =>
  `turnpike_${kind}_${nowMs.toString(36)}_${randomBytes(6).toString("hex")}`;

/** Whether a test made a database of this name longer ago than any run takes; false for all names that do not say. */
export function isLeftOver(name: string, nowMs: number): boolean {
  const [, madeAt] = NAME.exec(name) ?? [];
  return madeAt !== undefined && nowMs - Number.parseInt(madeAt, 36) > LEFT_AFTER_MS;
}

/** All databases without connections. */
const IDLE: Record<ServerEngine, string> = {
  postgres: `SELECT datname AS name FROM pg_database
    WHERE datname NOT IN (SELECT datname FROM pg_stat_activity WHERE datname IS NOT NULL)`,
  mysql: `SELECT schema_name AS name FROM information_schema.schemata
    WHERE schema_name NOT IN (SELECT db FROM information_schema.processlist WHERE db IS NOT NULL)`,
};

/** Drops a database of the tests from the server that all share, a template too. */
export async function dropTestDatabase(engine: ServerEngine, name: string): Promise<void> {
  const isTemplate = name.startsWith("turnpike_template_");
  const release = engine === "postgres" && isTemplate ? [`ALTER DATABASE ${name} IS_TEMPLATE false`] : [];
  await administer(engine, SERVERS[engine], ...release, `DROP DATABASE IF EXISTS ${name}`);
}

/** Drops what killed runs left. One that another run drops at the same time costs a printed line. */
export async function dropLeftOvers(engine: ServerEngine, nowMs = Date.now()): Promise<void> {
  const idle = await administer(engine, SERVERS[engine], IDLE[engine]);
  for (const name of idle.map((row) => String(row["name"])).filter((each) => isLeftOver(each, nowMs)))
    await dropTestDatabase(engine, name).catch((error: unknown) =>
      console.log(`left as it is: ${name} on ${engine}: ${String(error)}`),
    );
}
