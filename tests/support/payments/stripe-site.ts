/** For tests: a console whose Stripe is the fake one, and what people and Stripe do there. */
import type { OrderDetails } from "../../../contract/src/payments/orders.ts";
import { ROLE } from "../../../contract/src/roles.ts";
import { fetchGuarded } from "../../../server/src/composition/guarded-fetch.ts";
import type { Engine } from "../../../server/src/db/database.ts";
import { sealOption } from "../../../server/src/db/secrets.ts";
import { createUpstreamClient } from "../../../server/src/upstream/client.ts";
import { setOptions } from "../databases/options.ts";
import { type Caller, type TestConsole, openTestConsole } from "../systems/console.ts";
import { type FakeStripe, sendStripeEvent, startStripe } from "./stripe.ts";

export const STRIPE_SECRETS = { StripeSecretKey: "sk_test_0123456789", StripeWebhookSecret: "whsec_0123456789" };
/** Quota of a dollar there, which costs a dollar. */
export const UNIT = 500_000;

export interface StartedOrder {
  success: boolean;
  code?: string;
  data: object;
  url: string;
  order_id: number;
  trade_no: string;
}

export interface StripeSite {
  site: TestConsole;
  stripe: FakeStripe;
  /** Whether calls may go to private addresses; the fake has one. */
  policy: { allowsPrivate: boolean };
  /** Sets the options of a site that sells a dollar's quota for a dollar, with changes. */
  options(changes?: Readonly<Record<string, string>>): Promise<void>;
  /** Makes an order of so many units. */
  start(person: Caller, amount?: number): Promise<StartedOrder>;
  /** Makes an order and has Stripe report it as paid. */
  paid(person: Caller, amount?: number): Promise<StartedOrder>;
  /** Sends an event that Stripe has signed. */
  send(event: object): Promise<{ status: number; text: string }>;
  /** The order as an administrator sees it. */
  order(made: { order_id: number }): Promise<OrderDetails>;
  close(): Promise<void>;
}

function setStripeOptions({ foundation, url }: TestConsole, changes: Readonly<Record<string, string>>): Promise<void> {
  const sealed = Object.entries(STRIPE_SECRETS).map(([name, value]) => {
    const text = changes[name] ?? value;
    return [name, text === "" ? "" : sealOption(foundation.secrets, name, text)] as const;
  });
  return setOptions(foundation, {
    ServerAddress: url,
    StripeEnabled: "true",
    StripeCurrency: "USD",
    StripePrice: "1",
    MinTopUp: "1",
    TopupGroupRatio: "{}",
    QuotaPerUnit: String(UNIT),
    SystemName: "Acme",
    ...changes,
    ...Object.fromEntries(sealed),
  });
}

export async function openStripeSite(engine: Engine): Promise<StripeSite> {
  const policy = { allowsPrivate: true };
  const stripe = await startStripe(STRIPE_SECRETS.StripeSecretKey);
  const upstream = createUpstreamClient({ allowsPrivate: () => policy.allowsPrivate, connectTimeoutMs: 2_000 });
  const site = await openTestConsole(engine, { fetchGuarded: (request) => fetchGuarded(upstream, request) });
  site.context.site.standIns = { "https://api.stripe.com": stripe.url };
  const admin = await site.person(ROLE.admin);
  const send = (event: object) => sendStripeEvent(site.url, event, STRIPE_SECRETS.StripeWebhookSecret);
  const start = async (person: Caller, amount = 10) => {
    const { body } = await person.call("POST", "/api/user/pay", { amount, payment_method: "stripe" });
    return body as unknown as StartedOrder;
  };
  return {
    site,
    stripe,
    policy,
    options: (changes = {}) => setStripeOptions(site, changes),
    start,
    async paid(person, amount) {
      const order = await start(person, amount);
      const { text } = await send(stripe.sessionEvent("checkout.session.completed", order.trade_no));
      if (text !== "done") throw new Error(`the payment of ${order.trade_no} was answered with ${text}`);
      return order;
    },
    send,
    order: ({ order_id }) => admin.data<OrderDetails>("GET", `/api/topup/${order_id}`),
    async close() {
      await site.close();
      await upstream.close();
      await stripe.close();
    },
  };
}
