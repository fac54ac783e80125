/** Tests that databases left by killed test runs are dropped by later ones, and nothing else is. */
import { expect, onTestFinished, test } from "vitest";
import { engines } from "./support/databases/databases.ts";
import { dropLeftOvers, dropTestDatabase, isLeftOver, testDatabaseName } from "./support/databases/left-overs.ts";
import { SERVERS, type ServerEngine, administer } from "./support/databases/servers.ts";

const HOUR_MS = 3_600_000;
const servers = (await engines()).filter((engine) => engine !== "sqlite");

test("a database is left over when its name says that it is older than any run", () => {
  const now = Date.now();
  expect(isLeftOver(testDatabaseName("test", now - 223 * HOUR_MS), now)).toBe(true);
  expect(isLeftOver(testDatabaseName("template", now - 223 * HOUR_MS), now)).toBe(true);
  expect(isLeftOver(testDatabaseName("test", now - 23 * HOUR_MS), now)).toBe(false);
  for (const name of ["turnpike", "turnpike_test_23d96a45d3b8", "turnpike_test_old", "postgres", "turnpike_logs_0"])
    expect(isLeftOver(name, now)).toBe(false);
});

const LIST: Record<ServerEngine, string> = {
  postgres: "SELECT datname AS name FROM pg_database",
  mysql: "SELECT schema_name AS name FROM information_schema.schemata",
};

/** Of these names those that are databases. */
async function present(engine: ServerEngine, names: readonly string[]): Promise<string[]> {
  const rows = await administer(engine, SERVERS[engine], LIST[engine]);
  const all = new Set(rows.map((row) => String(row["name"])));
  return names.filter((name) => all.has(name));
}

test.each(servers)("old databases and templates on %s are dropped, young ones stay", async (engine) => {
  const oldMs = Date.now() - 223 * HOUR_MS;
  const [old, oldTemplate, young] = [
    testDatabaseName("test", oldMs),
    testDatabaseName("template", oldMs),
    testDatabaseName("test"),
  ];
  onTestFinished(() => dropTestDatabase(engine, young));
  for (const name of [old, oldTemplate, young]) await administer(engine, SERVERS[engine], `CREATE DATABASE ${name}`);
  if (engine === "postgres")
    await administer(engine, SERVERS[engine], `ALTER DATABASE ${oldTemplate} IS_TEMPLATE true ALLOW_CONNECTIONS false`);
  await dropLeftOvers(engine);
  expect(await present(engine, [old, oldTemplate, young])).toEqual([young]);
});
