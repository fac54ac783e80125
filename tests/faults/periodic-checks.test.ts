/**
 * Fault: one of two processes tests the channels and queries their balances on schedule, and a run whose process was killed does not block the
 * next.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ChannelRow } from "../../contract/src/features/channels.ts";
import type { RunProgress } from "../../contract/src/channels/channel-tests.ts";
import { type Database, openDatabase } from "../../server/src/db/database.ts";
import { enginesHere } from "../support/databases/databases.ts";
import { ACCOUNT_KEY, type AccountServer, startAccounts } from "../support/providers/accounts.ts";
import { type ServerProcess, startServer, until } from "../support/systems/processes.ts";
import { dataOf, loggedIn, makeSite, type Site } from "../support/systems/site.ts";
import { ROOT_PASSWORD } from "../support/systems/server.ts";

/** Processes look every 5 s: by then each of two has looked twice. */
const BOTH_LOOKED_MS = 11_000;
const INTERVALS = { CHANNEL_TEST_FREQUENCY: "600", CHANNEL_UPDATE_FREQUENCY: "600" };
const LIMITS = "/v1/dashboard/billing/subscription";

const hasPostgres = (await enginesHere()).includes("postgres");

describe.skipIf(!hasPostgres)("periodic tests and balances", () => {
  let accounts: AccountServer;
  let site: Site;
  let database: Database;
  let servers: ServerProcess[];

  beforeAll(async () => {
    accounts = await startAccounts();
    site = await makeSite("postgres", { upstreamUrl: accounts.url, quotas: [], channelKey: ACCOUNT_KEY });
    database = await openDatabase(site.place.config);
    servers = [];
  });
  afterAll(async () => {
    for (const server of servers) await server.end("SIGKILL");
    await database.close();
    await accounts.close();
    await site.remove();
  });

  const start = async () => {
    const server = await startServer({ ...site.env, ...INTERVALS });
    servers.push(server);
    return server;
  };
  const askedFor = (path: string) => accounts.asked.filter((each) => each.startsWith(path)).length;
  const root = (server: ServerProcess) => loggedIn(server.url, "root", ROOT_PASSWORD);

  test("one of two processes does each, once", async () => {
    await Promise.all([start(), start()]);
    await until(() => askedFor("/v1/chat/completions") > 0 && askedFor("/v1/dashboard/billing/usage") > 0, "both runs");
    await new Promise((resolve) => setTimeout(resolve, BOTH_LOOKED_MS));
    expect([LIMITS, "/v1/dashboard/billing/usage", "/v1/chat/completions"].map(askedFor)).toEqual([1, 1, 1]);
    const [server] = servers;
    if (server === undefined) throw new Error("no process was started");
    const client = await root(server);
    const row = await dataOf<ChannelRow>(client.get(`/api/channel/${site.channelId}`));
    expect(row).toMatchObject({ balance: 108.154322, balance_currency: "USD", test_result: 2, status: 1 });
  });

  test("the run of a process that was killed is over once its lease has run out, and the next one begins when it is time", async () => {
    accounts.answer(LIMITS, "never");
    await database.kysely.deleteFrom("facts").where("name", "=", "periodic_channel_balances_time").execute();
    await until(() => askedFor(LIMITS) === 2, "the run that will be cut");
    for (const server of servers.splice(0)) await server.end("SIGKILL");
    accounts.answer(LIMITS, undefined);
    const client = await root(await start());
    const progress = () => dataOf<RunProgress>(client.get("/api/channel/update_balance/progress"));
    expect(await progress()).toMatchObject({ running: true, done: 0 });
    // A minute later.
    await database.kysely.updateTable("leases").set({ expires_time: 1 }).execute();
    expect(await progress()).toMatchObject({ running: false });
    await database.kysely.deleteFrom("facts").where("name", "=", "periodic_channel_balances_time").execute();
    await until(() => askedFor(LIMITS) === 3, "the next run");
    await until(async () => !(await progress()).running, "its end");
    expect(await progress()).toMatchObject({ done: 1, failed: 0, stopped: false });
  });
});
