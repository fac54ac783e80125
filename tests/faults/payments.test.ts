/**
 * Fault: a payment that is reported many times, to several processes, to one that is killed over it, or by callers that hang up, is credited once.
 */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import mysql from "mysql2/promise";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { engines } from "../support/databases/databases.ts";
import type { PaymentMethodName } from "../../contract/src/payments/methods.ts";
import { startApp } from "../../server/src/app.ts";
import { createLogger } from "../../server/src/observe/logger.ts";
import { type FakeAlipay, startAlipay } from "../support/payments/alipay.ts";
import { directOptions } from "../support/payments/direct-site.ts";
import { type EpayGateway, startEpay } from "../support/payments/epay.ts";
import { type FakeStripe, startStripe, stripeSignature } from "../support/payments/stripe.ts";
import { type FakeWechat, startWechat } from "../support/payments/wechat.ts";
import { letDeadProcessesAge } from "../support/soak/ageing.ts";
import { fewer } from "../support/soak/short-or-long.ts";
import { type ServerProcess, startServer, until } from "../support/systems/processes.ts";
import type { TestClient } from "../support/systems/server.ts";
import { type Site, type TestLedger, loggedIn, makeSite, openTestLedger } from "../support/systems/site.ts";

const MERCHANT = { pid: "1001", key: "epay-key-0123456789" };
const STRIPE_KEY = "sk_test_0123456789";
const WEBHOOK_SECRET = "whsec_0123456789";
const UNIT = 500_000;
const NOBODY = "http://127.0.0.1:9";

let gateway: EpayGateway;
let stripe: FakeStripe;
let alipay: FakeAlipay;
let wechat: FakeWechat;

beforeAll(async () => {
  [gateway, stripe, alipay, wechat] = await Promise.all([
    startEpay(MERCHANT),
    startStripe(STRIPE_KEY),
    startAlipay(),
    startWechat(),
  ]);
});
afterAll(() => Promise.all([gateway, stripe, alipay, wechat].map((provider) => provider?.close())));

interface Order {
  id: number;
  tradeNo: string;
  units: number;
}

interface Provider {
  /** Makes an order and goes to the provider, as the buyer's browser does. */
  order(buyer: TestClient, units: number): Promise<Order>;
  /** The request that reports an order as paid. */
  report(tradeNo: string): { path: string; init: RequestInit };
  /** What is answered to a report whose credit is committed. */
  done: string;
}

async function start(buyer: TestClient, amount: number, payment_method: PaymentMethodName) {
  const { body } = await buyer.post("/api/user/pay", { amount, payment_method });
  const made = body as unknown as { data: Record<string, string>; url: string; order_id: number; trade_no: string };
  return { ...made, id: made.order_id, tradeNo: made.trade_no, units: amount };
}

const PROVIDERS: readonly Provider[] = [
  {
    async order(buyer, units) {
      const made = await start(buyer, units, "zfb");
      await fetch(made.url, { method: "POST", body: new URLSearchParams(made.data) });
      return made;
    },
    report: (tradeNo) => ({
      path: "/api/user/epay/notify",
      init: { method: "POST", body: new URLSearchParams(gateway.report(tradeNo)) },
    }),
    done: "success",
  },
  {
    async order(buyer, units) {
      const made = await start(buyer, units, "alipay_direct");
      await alipay.open(made);
      return made;
    },
    report: (tradeNo) => ({
      path: "/api/alipay/notify",
      init: { method: "POST", body: new URLSearchParams(alipay.report(tradeNo)) },
    }),
    done: "success",
  },
  {
    order: (buyer, units) => start(buyer, units, "wechat_direct"),
    report(tradeNo) {
      const { headers, body } = wechat.report(tradeNo);
      return { path: "/api/wechat-pay/notify", init: { method: "POST", headers, body } };
    },
    done: "",
  },
  {
    order: (buyer, units) => start(buyer, units, "stripe"),
    report(tradeNo) {
      const body = JSON.stringify(stripe.sessionEvent("checkout.session.completed", tradeNo));
      const headers = { "Stripe-Signature": stripeSignature(body, WEBHOOK_SECRET) };
      return { path: "/api/stripe/webhook", init: { method: "POST", headers, body } };
    },
    done: "done",
  },
];

const optionsOf = (): Readonly<Record<string, string>> => ({
  ServerAddress: NOBODY,
  ...directOptions(alipay),
  PayAddress: gateway.url,
  EpayId: MERCHANT.pid,
  EpayKey: MERCHANT.key,
  Price: "7.3",
  StripeSecretKey: STRIPE_KEY,
  StripeWebhookSecret: WEBHOOK_SECRET,
  StripeEnabled: "true",
});

/** Lets the buyer do something with an app in this process, which is closed again. */
async function withApp<Result>(site: Site, work: (buyer: TestClient) => Promise<Result>): Promise<Result> {
  const { config } = site.place;
  const app = await startApp(
    { ...config, allowPrivateUpstreams: true },
    {
      logger: createLogger({ level: "silent" }),
      webDirectory: join(config.dataDir, "no-web"),
      standIns: { "https://api.stripe.com": stripe.url, "https://api.mch.weixin.qq.com": wechat.url },
    },
  );
  try {
    return await work(await loggedIn(app.url, site.people[0]?.username ?? ""));
  } finally {
    await app.close();
  }
}

/** Holds orders as a slow transaction would. */
interface Lock {
  /** How many wait for it; undefined if this engine does not report it. */
  waiters(): Promise<number | undefined>;
  release(): Promise<void>;
}

const LOCK = (ids: readonly number[]): string => `SELECT id FROM top_ups WHERE id IN (${ids.join(", ")}) FOR UPDATE`;

async function lockPostgres(url: string, ids: readonly number[]): Promise<Lock> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("BEGIN");
  await client.query(LOCK(ids));
  const waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  return { waiters: async () => (await client.query(waiting)).rows.length, release: () => client.end() };
}

async function lockMysql(url: string, ids: readonly number[]): Promise<Lock> {
  const connection = await mysql.createConnection(url);
  await connection.query("START TRANSACTION");
  await connection.query(LOCK(ids));
  const waiting = `SELECT 1 FROM information_schema.processlist WHERE db = DATABASE() AND info LIKE 'update%top_ups%'`;
  return {
    waiters: async () => ((await connection.query(waiting))[0] as unknown[]).length,
    release: () => connection.end(),
  };
}

function lockFile(path: string): Lock {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  database.exec("BEGIN IMMEDIATE");
  return { waiters: () => Promise.resolve(undefined), release: async () => database.close() };
}

async function lockOrders({ engine, place: { config } }: Site, ids: readonly number[]): Promise<Lock> {
  const { databaseUrl, dataDir } = config;
  if (engine === "sqlite" || databaseUrl === undefined) return lockFile(join(dataDir, "turnpike.db"));
  return engine === "mysql" ? lockMysql(databaseUrl, ids) : lockPostgres(databaseUrl, ids);
}

/** Resolves when so many callbacks stand before the lock; on SQLite when the one thread has served others since. */
async function untilStuck(lock: Lock, count: number, { url }: ServerProcess): Promise<void> {
  if ((await lock.waiters()) !== undefined)
    return until(async () => (await lock.waiters()) === count, "callbacks that wait for their orders");
  for (let turn = 0; turn < 20; turn += 1) await fetch(`${url}/api/status`);
}

/** Quota of every credit, in the sequence in which they were posted. */
const creditsOf = async (ledger: TestLedger): Promise<readonly number[]> => {
  const rows = await ledger.rows("SELECT quota_delta FROM ledger WHERE kind = 'top_up' ORDER BY id");
  return rows.map((row) => Number(row["quota_delta"]));
};

/** Processes on one database, and what has to be in it by now. */
interface System {
  site: Site;
  ledger: TestLedger;
  first: ServerProcess;
  others: readonly ServerProcess[];
  expected: number[];
}

const ask = async ({ url }: ServerProcess, { path, init }: ReturnType<Provider["report"]>, more: RequestInit = {}) => {
  const answer = await fetch(url + path, { ...init, ...more });
  return { status: answer.status, text: await answer.text() };
};

/** Expects that every answer says it is done, and that there is one credit more. */
async function expectOneCredit(system: System, answers: readonly object[], { done }: Provider, units: number) {
  expect(answers).toEqual(answers.map(() => ({ status: 200, text: done })));
  system.expected.push(units * UNIT);
  expect(await creditsOf(system.ledger)).toEqual(system.expected);
}

/** The same report many times at once, to all processes. */
async function reportAtOnce(system: System, provider: Provider, { tradeNo, units }: Order): Promise<void> {
  const servers = [system.first, ...system.others];
  const report = provider.report(tradeNo);
  const answers = Array.from({ length: fewer(100, 40) }, (_, at) =>
    ask(servers[at % servers.length] ?? system.first, report),
  );
  await expectOneCredit(system, await Promise.all(answers), provider, units);
}

/** The provider hangs up before it reads the answer, again and again. */
async function hangUp(system: System, provider: Provider, { tradeNo, units }: Order): Promise<void> {
  const report = provider.report(tradeNo);
  const hungUp = Array.from({ length: 20 }, (_, at) =>
    ask(system.first, report, { signal: AbortSignal.timeout(1 + at) }),
  );
  await Promise.allSettled(hungUp);
  await expectOneCredit(system, [await ask(system.first, report)], provider, units);
}

/** The process is killed between the reports of all providers and their commits, and started anew. */
async function killOverThem(system: System, orders: readonly (readonly [Provider, Order])[]): Promise<void> {
  const ids = orders.map(([, { id }]) => id);
  const lock = await lockOrders(system.site, ids);
  const cut = orders.map(([{ report }, { tradeNo }]) =>
    ask(system.first, report(tradeNo)).then(
      () => "answered",
      () => "cut off",
    ),
  );
  await untilStuck(lock, ids.length, system.first);
  await system.first.end("SIGKILL");
  await lock.release();
  expect(await Promise.all(cut)).toEqual(ids.map(() => "cut off"));
  expect(await creditsOf(system.ledger)).toEqual(system.expected);
  system.first = await startServer(system.site.env);
  for (const [provider, { tradeNo, units }] of orders) {
    const again = Array.from({ length: 10 }, () => ask(system.first, provider.report(tradeNo)));
    await expectOneCredit(system, await Promise.all(again), provider, units);
  }
}

/** An order of so many units at each provider. */
async function orderOfEach(buyer: TestClient, units: number): Promise<(readonly [Provider, Order])[]> {
  const orders: (readonly [Provider, Order])[] = [];
  for (const provider of PROVIDERS) orders.push([provider, await provider.order(buyer, units)]);
  return orders;
}

test.each(await engines())("on %s", { timeout: 180_000 }, async (engine) => {
  const site = await makeSite(engine, { upstreamUrl: NOBODY, quotas: [0], options: optionsOf() });
  const [many, lost, killed] = await withApp(
    site,
    async (buyer) =>
      [await orderOfEach(buyer, 10), await orderOfEach(buyer, 20), await orderOfEach(buyer, 30)] as const,
  );
  // SQLite is one process's own.
  const others = engine === "sqlite" ? [] : [await startServer(site.env)];
  const ledger = await openTestLedger(site);
  const system: System = { site, ledger, first: await startServer(site.env), others, expected: [] };
  for (const [provider, order] of many) await reportAtOnce(system, provider, order);
  for (const [provider, order] of lost) await hangUp(system, provider, order);
  await killOverThem(system, killed);

  await letDeadProcessesAge(site, system.first.pid);
  for (const server of [system.first, ...others]) expect(await server.end()).toEqual({ code: 0, signal: null });
  const [user] = await ledger.rows(`SELECT quota FROM users WHERE id = ${site.people[0]?.userId}`);
  expect(Number(user?.["quota"])).toBe(system.expected.reduce((sum, quota) => sum + quota, 0));
  const logs = await ledger.rows("SELECT quota FROM logs WHERE type = 1");
  expect(logs).toHaveLength(system.expected.length);
  expect((await ledger.audit()).faults).toEqual([]);
  await ledger.close();
  await site.remove();
});
