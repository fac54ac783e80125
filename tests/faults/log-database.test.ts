/** Fault: a log database that is killed holds up no call, and after kill -9 of it and of the gateway every row of the log is there once. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { auditDatabase } from "../../server/src/billing/audit.ts";
import { openDatabase } from "../../server/src/db/database.ts";
import type { LogEngine } from "../../server/src/db/database.ts";
import { connectLog, withLogsOf } from "../../server/src/db/log-database.ts";
import { startLoad } from "../support/clients/calls.ts";
import { createTestPlace, engines } from "../support/databases/databases.ts";
import {
  type OwnEngine,
  canStart,
  startClickhouse,
  startMariadb,
  startPostgres,
} from "../support/databases/own-engines.ts";
import { oneInShort } from "../support/soak/short-or-long.ts";
import { type UpstreamProcess, startServer, startUpstream, until } from "../support/systems/processes.ts";
import { ROOT_PASSWORD } from "../support/systems/server.ts";
import { MODELS, loggedIn, makeSite, openTestLedger } from "../support/systems/site.ts";

const LANES = 8;

let upstream: UpstreamProcess;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.end());

type Other = Exclude<LogEngine, "sqlite">;

const PAIRS = [
  ["sqlite", "postgres"],
  ["postgres", "mysql"],
  ["mysql", "postgres"],
  ["sqlite", "clickhouse"],
] as const;
const PROGRAMS = { postgres: "postgres", mysql: "mariadbd", clickhouse: "clickhouse-server" } as const;
const STARTS: Readonly<Record<Other, () => Promise<OwnEngine>>> = {
  postgres: startPostgres,
  mysql: startMariadb,
  clickhouse: startClickhouse,
};

/** An empty database on a server of the test's own. ClickHouse has one from the start. */
async function urlOn(engine: Other, server: string): Promise<string> {
  if (engine === "clickhouse") return server;
  const place = await createTestPlace(engine, { server, isEmpty: true });
  return place.config.databaseUrl ?? "";
}

const here = await engines();
const pairs = PAIRS.filter(([engine, other]) => here.includes(engine) && canStart(PROGRAMS[other]));

test.each(oneInShort("log-database", pairs))("the log of %s on %s", { timeout: 240_000 }, async (engine, other) => {
  const logEngine = await STARTS[other]();
  const url = await urlOn(other, logEngine.url);
  const site = await makeSite(engine, { upstreamUrl: upstream.url, quotas: [10 ** 12, 10 ** 12] });
  const env = { ...site.env, LOG_DATABASE_URL: url };
  let server = await startServer(env);
  const load = startLoad({
    url: () => server.url,
    keys: site.people.map(({ key }) => key),
    model: MODELS.counted,
    lanes: LANES,
  });
  const more = (count: number) => {
    const goal = load.finished.length + count;
    return until(() => load.finished.length >= goal, `${count} more answers`, 60_000);
  };
  const books = await openTestLedger(site);
  const waiting = async (): Promise<number> =>
    Number((await books.rows("SELECT COUNT(*) AS total FROM logs"))[0]?.["total"]);
  const list = async () => (await loggedIn(server.url, "root", ROOT_PASSWORD)).get("/api/log/?page_size=10");

  await more(100);
  await logEngine.kill();
  await more(200);
  expect(load.refused.get(503) ?? 0).toBe(0);
  expect(await waiting()).toBeGreaterThan(0);
  await until(async () => (await list()).status === 503, "the page of the log to say so");
  expect((await list()).body).toMatchObject({ success: false, code: "log_database_unavailable" });
  await logEngine.start();
  await until(async () => (await list()).status === 200, "the page of the log");

  // In the middle of deliveries; the load continues at the next server.
  await more(50);
  await server.end("SIGKILL");
  server = await startServer(env);
  await more(100);
  await load.stop();
  await until(async () => (await waiting()) === 0, "every row to be delivered", 60_000);

  const charged = await books.rows("SELECT entry_id FROM ledger WHERE kind = 'charge'");
  const logs = await connectLog(site.place.config, url);
  const delivered = await logs.kysely.selectFrom("logs").select("request_id").where("type", "=", 2).execute();
  await logs.close();
  expect(delivered.map(({ request_id }) => request_id).toSorted()).toEqual(
    charged.map((row) => String(row["entry_id"])).toSorted(),
  );
  expect(await server.end()).toEqual({ code: 0, signal: null });
  await books.close();
  const main = await openDatabase(site.place.config);
  const result = await withLogsOf({ ...site.place.config, logDatabaseUrl: url }, main, auditDatabase);
  await main.close();
  expect(result.faults).toEqual([]);
  await site.remove();
  await logEngine.remove();
});
