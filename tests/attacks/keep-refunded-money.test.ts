/** Attack: a refunded buyer keeps the quota, by holding it in open calls, by spending it first, or by many events at once. */
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startApp } from "../../server/src/app.ts";
import { createLogger } from "../../server/src/observe/logger.ts";
import { bodyOf, callChat } from "../support/clients/calls.ts";
import { engines } from "../support/databases/databases.ts";
import { type FakeStripe, newStripeId, sendStripeEvent, startStripe } from "../support/payments/stripe.ts";
import {
  type ServerProcess,
  type UpstreamProcess,
  startServer,
  startUpstream,
  until,
} from "../support/systems/processes.ts";
import { ROOT_PASSWORD, TestClient } from "../support/systems/server.ts";
import {
  MODELS,
  type Person,
  type Site,
  type TestLedger,
  loggedIn,
  makeSite,
  openTestLedger,
} from "../support/systems/site.ts";

const STRIPE_KEY = "sk_test_0123456789";
const WEBHOOK_SECRET = "whsec_0123456789";
const UNIT = 500_000;
/** Money of an order in cents, and its quota, which this many calls hold. */
const PAID = 200;
const QUOTA = 2 * UNIT;
const CALLS = 10;

const OPTIONS = {
  ServerAddress: "http://127.0.0.1:9",
  StripeSecretKey: STRIPE_KEY,
  StripeWebhookSecret: WEBHOOK_SECRET,
  StripeEnabled: "true",
  StripePrice: "1",
  ModelPrice: JSON.stringify({ [MODELS.fixed]: QUOTA / CALLS / UNIT }),
};

let stripe: FakeStripe;
let upstream: UpstreamProcess;

beforeAll(async () => {
  [stripe, upstream] = await Promise.all([startStripe(STRIPE_KEY), startUpstream()]);
});
afterAll(() => Promise.all([stripe.close(), upstream.end()]));

/** Orders of two dollars each, made with an app in this process: a process of its own knows no Stripe but the real one. */
async function makeOrders(site: Site, buyers: readonly Person[]): Promise<string[]> {
  const { config } = site.place;
  const app = await startApp(
    { ...config, allowPrivateUpstreams: true },
    {
      logger: createLogger({ level: "silent" }),
      webDirectory: join(config.dataDir, "no-web"),
      standIns: { "https://api.stripe.com": stripe.url },
    },
  );
  try {
    const numbers: string[] = [];
    for (const { username } of buyers) {
      const buyer = await loggedIn(app.url, username);
      const { body } = await buyer.post("/api/user/pay", { amount: 2, payment_method: "stripe" });
      numbers.push((body as unknown as { trade_no: string }).trade_no);
    }
    return numbers;
  } finally {
    await app.close();
  }
}

interface System {
  site: Site;
  servers: readonly ServerProcess[];
  ledger: TestLedger;
}

/** Sends an event twenty times at once, to all processes. */
async function tell({ servers }: System, event: object): Promise<void> {
  const sent = Array.from({ length: 20 }, (_, at) =>
    sendStripeEvent(servers[at % servers.length]?.url ?? "", event, WEBHOOK_SECRET),
  );
  for (const answer of await Promise.all(sent)) expect(answer).toEqual({ status: 200, text: "done" });
}

const refundOf = (tradeNo: string, id: string, status: "succeeded" | "failed") =>
  stripe.refundEvent("refund.updated", tradeNo, { id, amount: PAID, status });

async function balanceOf({ ledger }: System, { userId }: Person): Promise<number> {
  const [row] = await ledger.rows(`SELECT quota FROM users WHERE id = ${userId}`);
  return Number(row?.["quota"]);
}

const call = ({ servers }: System, { key }: Person, at: number) =>
  callChat(servers[at % servers.length]?.url ?? "", key, { model: MODELS.fixed, isStream: true });

/** Holds everything in open calls while the refund comes, then aborts before the first token. */
async function holdAndLeave(system: System, person: Person, tradeNo: string): Promise<void> {
  const leaving = new AbortController();
  const open = Array.from({ length: CALLS }, (_, at) =>
    fetch(`${system.servers[at % system.servers.length]?.url}/v1/chat/completions`, {
      method: "POST",
      headers: { Authorization: `Bearer ${person.key}`, "Content-Type": "application/json" },
      body: bodyOf({ model: MODELS.fixed, isStream: true, plan: { neverAnswers: true } }),
      signal: leaving.signal,
    }),
  );
  await until(async () => (await upstream.facts()).openCount === CALLS, "calls that hold everything");
  await tell(system, refundOf(tradeNo, `re_${tradeNo}`, "succeeded"));
  leaving.abort();
  await Promise.allSettled(open);
  await until(async () => (await upstream.facts()).openCount === 0, "calls that have ended");
}

test.each(await engines())("on %s", { timeout: 120_000 }, async (engine) => {
  const site = await makeSite(engine, { upstreamUrl: upstream.url, quotas: [0, 0], options: OPTIONS });
  const [holder, spender] = site.people as [Person, Person];
  const [held = "", spent = ""] = await makeOrders(site, [holder, spender]);
  const servers = [await startServer(site.env)];
  if (engine !== "sqlite") servers.push(await startServer(site.env));
  const system: System = { site, servers, ledger: await openTestLedger(site) };
  for (const number of [held, spent]) await tell(system, stripe.sessionEvent("checkout.session.completed", number));
  expect(await balanceOf(system, holder)).toBe(QUOTA);

  // Everything is held while the money goes back.
  await holdAndLeave(system, holder, held);
  expect(await balanceOf(system, holder)).toBe(0);
  expect((await call(system, holder, 0)).status).toBe(403);

  // Everything is spent before it goes back: it is owed, and the next credit pays it.
  for (let at = 0; at < CALLS; at += 1) expect((await call(system, spender, at)).status).toBe(200);
  expect(await balanceOf(system, spender)).toBe(0);
  await tell(system, refundOf(spent, `re_${spent}`, "succeeded"));
  expect(await balanceOf(system, spender)).toBe(0 - QUOTA);
  expect((await call(system, spender, 1)).status).toBe(403);
  const root = new TestClient(servers[0]?.url ?? "");
  await root.login("root", ROOT_PASSWORD);
  const credit = { id: spender.userId, quota_delta: QUOTA, change_id: newStripeId("change-of-balance") };
  await root.put("/api/user", credit);
  expect(await balanceOf(system, spender)).toBe(0);
  expect((await call(system, spender, 0)).status).toBe(403);

  // The refund fails after all: what was taken comes back, once.
  await tell(system, refundOf(spent, `re_${spent}`, "failed"));
  await tell(system, refundOf(spent, `re_${spent}`, "succeeded"));
  expect(await balanceOf(system, spender)).toBe(QUOTA);

  for (const server of servers) expect(await server.end()).toEqual({ code: 0, signal: null });
  expect((await system.ledger.audit()).faults).toEqual([]);
  await system.ledger.close();
  await site.remove();
});
