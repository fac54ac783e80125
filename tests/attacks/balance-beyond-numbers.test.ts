/** Attack: raise a balance beyond exact numbers, so that pages and calls break; or credit more than was given by sending one change many times. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { callChat } from "../support/clients/calls.ts";
import { engines } from "../support/databases/databases.ts";
import { type EpayGateway, startEpay } from "../support/payments/epay.ts";
import { type ServerProcess, type UpstreamProcess, startServer, startUpstream } from "../support/systems/processes.ts";
import { ROOT_PASSWORD, type TestClient } from "../support/systems/server.ts";
import {
  FIXED_PRICE,
  MODELS,
  type Person,
  type TestLedger,
  dataOf,
  loggedIn,
  makeSite,
  openTestLedger,
} from "../support/systems/site.ts";

const EDGE = Number.MAX_SAFE_INTEGER;
const UNIT = 500_000;
const MERCHANT = { pid: "1001", key: "epay-key-0123456789" };

let upstream: UpstreamProcess;
let gateway: EpayGateway;

beforeAll(async () => {
  [upstream, gateway] = await Promise.all([startUpstream(), startEpay(MERCHANT)]);
});
afterAll(() => Promise.all([upstream.end(), gateway.close()]));

const optionsOf = () => ({
  ServerAddress: "http://127.0.0.1:9",
  PayAddress: gateway.url,
  EpayId: MERCHANT.pid,
  EpayKey: MERCHANT.key,
  Price: "7.3",
});

async function balanceOf(ledger: TestLedger, { userId }: Person): Promise<number> {
  const [row] = await ledger.rows(`SELECT quota FROM users WHERE id = ${userId}`);
  return Number(row?.["quota"]);
}

/** Sets one balance twenty times at once through all processes, as a double click, an old client or several administrators do. */
async function setManyTimes(
  servers: readonly ServerProcess[],
  roots: readonly TestClient[],
  ledger: TestLedger,
  person: Person,
) {
  for (const seen of [false, true]) {
    for (const wanted of [1_000_000, 5_000]) {
      const before = await balanceOf(ledger, person);
      await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          roots[at % servers.length]?.put("/api/user", {
            id: person.userId,
            quota: wanted,
            ...(seen ? { quota_seen: before } : {}),
            ...(at % 2 === 0 ? {} : { change_id: `change-${at}-${before}-${wanted}-${seen}`.slice(0, 32) }),
          }),
        ),
      );
      expect(await balanceOf(ledger, person)).toBe(wanted);
    }
  }
}

test.each(await engines())("on %s", { timeout: 120_000 }, async (engine) => {
  const site = await makeSite(engine, { upstreamUrl: upstream.url, quotas: [0, 10 * UNIT], options: optionsOf() });
  const [person, other] = site.people as [Person, Person];
  const servers = [await startServer(site.env)];
  if (engine !== "sqlite") servers.push(await startServer(site.env));
  const urls = servers.map(({ url }) => url);
  const url = urls[0] ?? "";
  const roots = await Promise.all(urls.map((each) => loggedIn(each, "root", ROOT_PASSWORD)));
  const root = roots[0] ?? expect.fail("no administrator");
  const ledger = await openTestLedger(site);
  await setManyTimes(servers, roots, ledger, person);

  // At the edge: every credit that would pass it is refused, and what was paid stays recorded.
  const own = await loggedIn(url, person.username);
  const started = await own.post("/api/user/pay", { amount: 10, payment_method: "zfb" });
  const {
    data: form,
    url: cashier,
    order_id,
    trade_no,
  } = started.body as unknown as {
    data: Record<string, string>;
    url: string;
    order_id: number;
    trade_no: string;
  };
  await fetch(cashier, { method: "POST", body: new URLSearchParams(form) });
  await dataOf(root.put("/api/user", { id: person.userId, quota: EDGE - 10 }));
  const codes = await dataOf<string[]>(root.post("/api/redemption", { name: "gift", quota: 11, count: 1 }));
  const [key = ""] = codes;
  for (let again = 0; again < 3; again += 1)
    expect((await own.post("/api/user/topup", { key })).body).toMatchObject({ success: false, code: "balance_limit" });
  expect((await root.put("/api/user", { id: person.userId, quota_delta: 11 })).body).toMatchObject({
    code: "user_quota_invalid",
  });
  expect((await own.post("/api/user/pay", { amount: 1, payment_method: "zfb" })).body).toMatchObject({
    code: "balance_limit",
  });
  const report = () =>
    fetch(`${urls.at(-1)}/api/user/epay/notify`, {
      method: "POST",
      body: new URLSearchParams(gateway.report(trade_no)),
    });
  for (const answer of await Promise.all(Array.from({ length: 10 }, report)))
    expect(await answer.text()).toBe("success");
  expect(await dataOf(root.get(`/api/topup/${order_id}`))).toMatchObject({ status: "uncredited", completed_time: 0 });
  expect(await balanceOf(ledger, person)).toBe(EDGE - 10);

  // Nothing is broken by an account at the edge.
  await dataOf(root.put("/api/user", { id: person.userId, quota: EDGE }));
  expect(await dataOf(own.get("/api/user/self"))).toMatchObject({ quota: EDGE });
  for (const path of [
    "/api/user?sort=quota",
    `/api/user/search?keyword=${person.username}`,
    `/api/user/${person.userId}`,
    "/api/topup",
    "/api/data",
  ])
    await dataOf(root.get(path));
  for (const server of servers)
    expect((await callChat(server.url, person.key, { model: MODELS.fixed, isStream: false })).status).toBe(200);
  expect(await balanceOf(ledger, person)).toBe(EDGE - servers.length * FIXED_PRICE);

  // When there is room, what was paid is credited, once.
  await dataOf(root.put("/api/user", { id: person.userId, quota: 0 }));
  for (const answer of await Promise.all(Array.from({ length: 10 }, report)))
    expect(await answer.text()).toBe("success");
  await dataOf(own.post("/api/user/topup", { key }));
  expect(await balanceOf(ledger, person)).toBe(10 * UNIT + 11);
  expect((await callChat(url, other.key, { model: MODELS.fixed, isStream: false })).status).toBe(200);

  for (const server of servers) expect(await server.end()).toEqual({ code: 0, signal: null });
  expect((await ledger.audit()).faults).toEqual([]);
  await ledger.close();
  await site.remove();
});
