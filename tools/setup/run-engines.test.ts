/** Tests of the database servers of a whole run: they answer as those that Debian makes do, with their data in the run's folder, and end with it. */
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { canStart } from "../../tests/support/databases/own-engines.ts";
import { administer, isReachable, type ServerEngine } from "../../tests/support/databases/servers.ts";
import { startRunEngines } from "./run-engines.mjs";

const areInstalled = canStart("postgres") && canStart("mariadbd");
const VARIABLES = { postgres: "TEST_POSTGRES_URL", mysql: "TEST_MYSQL_URL" } as const;
const addresses = (value: string | undefined) =>
  Object.fromEntries(Object.values(VARIABLES).map((name) => [name, value]));
const ENGINES: readonly ServerEngine[] = ["postgres", "mysql"];

test.runIf(areInstalled)("they fold letters of every language, and end with their data", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-run-engines-"));
  // The accounts of the servers go through it, as through the folder of a run.
  chmodSync(folder, 0o755);
  const { environment, end } = await startRunEngines(folder, addresses(undefined));
  const urls = ENGINES.map((engine) => environment[VARIABLES[engine]] ?? "");
  const places = readdirSync(folder).length;
  const folded = await Promise.all(
    ENGINES.map((engine, index) => administer(engine, urls[index] ?? "", "SELECT lower('ÄÖ') AS folded")),
  );
  await end();
  expect([places, folded.map(([row]) => row?.["folded"])]).toEqual([2, ["äö", "äö"]]);
  expect(await Promise.all(urls.map(isReachable))).toEqual([false, false]);
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});

test("a server that is named is not started", async () => {
  const { environment, end } = await startRunEngines(tmpdir(), addresses("named"));
  await end();
  expect(environment).toEqual({});
});
