/** Fault: servers that are killed while payments raise their buyers' groups leave no one with one of both: each credit has its rise, once. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { engines } from "../support/databases/databases.ts";
import { type EpayGateway, startEpay } from "../support/payments/epay.ts";
import { IS_SHORT } from "../support/soak/short-or-long.ts";
import { type ServerProcess, startServer, until } from "../support/systems/processes.ts";
import { loggedIn, makeSite, openTestLedger } from "../support/systems/site.ts";

const BUYERS = IS_SHORT ? 16 : 40;
const BEFORE_KILL = BUYERS / 4;
const UNITS = 10;
const MERCHANT = { pid: "1001", key: "epay-key-0123456789" };
const NOBODY = "http://127.0.0.1:9";

let gateway: EpayGateway;
beforeAll(async () => {
  gateway = await startEpay(MERCHANT);
});
afterAll(() => gateway?.close());

/** Makes an order by its buyer and pays it at the gateway. @returns its number */
async function buy(server: ServerProcess, username: string): Promise<string> {
  const buyer = await loggedIn(server.url, username);
  const { body } = await buyer.post("/api/user/pay", { amount: UNITS, payment_method: "zfb" });
  const made = body as unknown as { data: Record<string, string>; url: string; trade_no: string };
  await fetch(made.url, { method: "POST", body: new URLSearchParams(made.data) });
  return made.trade_no;
}

/** Reports an order as paid. @returns whether that was answered as done; false where the server died over it. */
async function report(server: ServerProcess, tradeNo: string): Promise<boolean> {
  try {
    const body = new URLSearchParams(gateway.report(tradeNo));
    const answer = await fetch(`${server.url}/api/user/epay/notify`, { method: "POST", body });
    return (await answer.text()) === "success";
  } catch (error) {
    // The connection of a killed server.
    expect(error).toBeInstanceOf(TypeError);
    return false;
  }
}

test.each(await engines())("groups by top-ups on %s", { timeout: 180_000 }, async (engine) => {
  const options = {
    ServerAddress: NOBODY,
    PayAddress: gateway.url,
    EpayId: MERCHANT.pid,
    EpayKey: MERCHANT.key,
    Price: "7.3",
    PaidGroups: `{"vip": ${UNITS}}`,
    GroupRatio: '{"default": 1, "vip": 1}',
  };
  const site = await makeSite(engine, { upstreamUrl: NOBODY, quotas: Array(BUYERS).fill(0), options });
  // The embedded database belongs to one process.
  const startAll = () => Promise.all((engine === "sqlite" ? [0] : [0, 1]).map(() => startServer(site.env)));
  let servers = await startAll();
  const serverOf = (at: number): ServerProcess => {
    const server = servers[at % servers.length];
    if (server === undefined) throw new Error("no server runs");
    return server;
  };
  const orders: string[] = [];
  for (const [at, { username }] of site.people.entries()) orders.push(await buy(serverOf(at), username));

  let answered = 0;
  /** Each order twice at once, on any server. */
  const reportAll = () =>
    Promise.all(
      orders.flatMap((order, at) =>
        [0, 1].map(async (more) => {
          if (await report(serverOf(at + more), order)) answered += 1;
        }),
      ),
    );
  const reporting = reportAll();
  await until(() => answered >= BEFORE_KILL, "payments before the kill");
  await Promise.all(servers.map((server) => server.end("SIGKILL")));
  await reporting;

  const ledger = await openTestLedger(site);
  const idsOf = async (query: string) => (await ledger.rows(query)).map((row) => Number(row["id"]));
  const credited = () => idsOf("SELECT user_id AS id FROM top_ups WHERE completed_time > 0 ORDER BY user_id");
  const raised = () => idsOf("SELECT id FROM users WHERE group_name = 'vip' ORDER BY id");
  const told = () =>
    idsOf(`SELECT user_id AS id FROM logs WHERE request_id LIKE 'group!_raised:%' ESCAPE '!' ORDER BY user_id`);
  const seenBefore = await credited();
  expect([await raised(), await told()]).toEqual([seenBefore, seenBefore]);
  expect((await ledger.audit()).faults).toEqual([]);

  servers = await startAll();
  await reportAll();
  await Promise.all(servers.map((server) => server.end()));
  const everybody = site.people.map(({ userId }) => userId).toSorted((one, other) => one - other);
  expect([await credited(), await raised(), await told()]).toEqual([everybody, everybody, everybody]);
  expect((await ledger.audit()).faults).toEqual([]);
  console.log(`${engine}: ${seenBefore.length} of ${BUYERS} buyers were raised before the kill`);
  await ledger.close();
  await site.remove();
});
