/** For tests: Stripe over real HTTP as far as payments use it (its API and the Checkout page), and events signed as Stripe signs them. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import Stripe from "stripe";

/** A Checkout session as it was asked for. */
export interface FakeSession {
  id: string;
  /** Fields of the form by their written names: `line_items[0][price_data][unit_amount]`. */
  asked: Readonly<Record<string, string>>;
  paymentIntent: string;
  isExpired?: true;
}

/** What a refund is at Stripe: https://docs.stripe.com/api/refunds/object */
export interface FakeRefund {
  id: string;
  amount: number;
  status: "pending" | "requires_action" | "succeeded" | "failed" | "canceled" | null;
  currency?: string;
}

export interface FakeStripe {
  url: string;
  /** By our number of the order. */
  sessions: Map<string, FakeSession>;
  /** Idempotency keys in the order of their calls. */
  keys: string[];
  /** What it answers to the next calls instead. */
  failures: { status: number; body: object }[];
  /** What becomes of the next payments by a saved card; those after them succeed. */
  outcomes: CardOutcome[];
  /** Payments by a saved card that were made, one for each idempotency key. */
  charges: CardCharge[];
  /** Cards that were taken off their customers. */
  detached: string[];
  /** The person enters a card on the page of the last session that saves one; gives the event of it. */
  cardSaved(): object;
  /** `payment_intent.…` of a payment by a saved card. */
  intentEvent(type: string, tradeNo: string, changes?: object): object;
  /** An event about a session; `changes` are made to the object. */
  sessionEvent(type: string, tradeNo: string, changes?: object): object;
  /** Makes or changes a refund of an order; gives the event of it. */
  refundEvent(type: string, tradeNo: string, refund: FakeRefund): object;
  /** `charge.refunded`, which has the sum of what went back and none of the refunds (since API version 2022-11-15). */
  chargeEvent(tradeNo: string, changes?: object): object;
  /** @param created of the event, in Unix seconds; now where absent */
  disputeEvent(type: string, tradeNo: string, changes: object, created?: number): object;
  close(): Promise<void>;
}

/** `lost`: the payment is made, and the connection breaks before the answer. */
export type CardOutcome = "succeeded" | "processing" | "card_declined" | "authentication_required" | "lost";

export interface CardCharge {
  id: string;
  tradeNo: string;
  amount: number;
  currency: string;
  /** Fields of the form by their written names. */
  asked: Readonly<Record<string, string>>;
}

let counted = 0;
export const newStripeId = (kind: string): string => `${kind}_test_${(counted += 1)}`;

/** https://docs.stripe.com/api/events/object; its types are those of https://docs.stripe.com/api/events/types */
const eventOf = (type: string, object: object, created = Math.floor(Date.now() / 1000)) => ({
  id: newStripeId("evt"),
  object: "event",
  api_version: "2026-01-28",
  created,
  livemode: false,
  type,
  data: { object },
});

/** What the API (https://docs.stripe.com/api) keeps. */
interface Kept {
  /** Its own address. */
  url: string;
  sessions: Map<string, FakeSession>;
  /** The refunds of each payment as they are now, by the payment. */
  refunds: Map<string, Map<string, FakeRefund>>;
  failures: FakeStripe["failures"];
  /** Sessions that save a card, by id, with the card once it is there. */
  setups: Map<string, { customer: string; card?: string }>;
  outcomes: CardOutcome[];
  charges: CardCharge[];
  detached: string[];
  /** Answers by idempotency key: the same key is answered the same. */
  answers: Map<string, Reply>;
}

/** A session that saves a card: https://docs.stripe.com/api/checkout/sessions/create#create_checkout_session-mode */
function createSetup({ url, setups }: Kept, { customer = "" }: Record<string, string>): Reply {
  const id = newStripeId("cs");
  setups.set(id, { customer });
  return [200, { id, object: "checkout.session", mode: "setup", url: `${url}/c/setup/${id}`, status: "open" }];
}

function readSetup({ setups }: Kept, id: string): Reply {
  const card = setups.get(id)?.card;
  const payment_method = { id: card, object: "payment_method", card: { brand: "visa", last4: "4242" } };
  return [
    200,
    { id, object: "checkout.session", mode: "setup", setup_intent: { status: "succeeded", payment_method } },
  ];
}

const cardError = (code: string): Reply => [402, { error: { type: "card_error", code, message: "The card said no." } }];

/** A payment by a saved card: https://docs.stripe.com/api/payment_intents/create. Undefined where the answer is lost. */
function createIntent(kept: Kept, form: Record<string, string>, key: string): Reply | undefined {
  const known = kept.answers.get(key);
  if (known !== undefined) return known;
  const outcome = kept.outcomes.shift() ?? "succeeded";
  const id = newStripeId("pi");
  const amount = Number(form["amount"]);
  const currency = form["currency"] ?? "";
  if (outcome !== "card_declined" && outcome !== "authentication_required")
    kept.charges.push({ id, tradeNo: form["metadata[trade_no]"] ?? "", amount, currency, asked: form });
  const status = outcome === "processing" ? "processing" : "succeeded";
  const isRefused = outcome === "card_declined" || outcome === "authentication_required";
  const answer: Reply = isRefused
    ? cardError(outcome)
    : [200, { id, object: "payment_intent", status, amount, amount_received: amount, currency }];
  kept.answers.set(key, answer);
  return outcome === "lost" ? undefined : answer;
}

const chargeOf = ({ charges }: Pick<Kept, "charges">, tradeNo: string): CardCharge => {
  const found = charges.find((each) => each.tradeNo === tradeNo);
  if (found === undefined) throw new Error(`Stripe has no payment by card of ${tradeNo}`);
  return found;
};

type Reply = [status: number, body: object];

const amountOf = ({ asked }: FakeSession): number => Number(asked["line_items[0][price_data][unit_amount]"]);
const currencyOf = ({ asked }: FakeSession): string => asked["line_items[0][price_data][currency]"] ?? "";

function createSession({ url, sessions }: Kept, form: Record<string, string>): Reply {
  const tradeNo = form["client_reference_id"] ?? "";
  const session = sessions.get(tradeNo) ?? {
    id: newStripeId("cs"),
    asked: form,
    paymentIntent: newStripeId("pi"),
  };
  sessions.set(tradeNo, session);
  const page = `${url}/c/pay/${session.id}`;
  return [200, { id: session.id, object: "checkout.session", url: page, payment_status: "unpaid", status: "open" }];
}

/** Expires an open session: https://docs.stripe.com/api/checkout/sessions/expire */
function expireSession({ sessions }: Kept, id: string): Reply {
  const session = [...sessions.values()].find((each) => each.id === id);
  if (session === undefined) return [404, { error: { type: "invalid_request_error", message: "No such session" } }];
  const message = 'Only Checkout Sessions with a status in ["open"] can be expired.';
  if (session.isExpired) return [400, { error: { type: "invalid_request_error", message } }];
  session.isExpired = true;
  return [200, { id, object: "checkout.session", url: null, payment_status: "unpaid", status: "expired" }];
}

function readIntent({ sessions, charges }: Kept, id: string): Reply {
  const charge = charges.find((each) => each.id === id);
  if (charge !== undefined) return [200, { id, object: "payment_intent", metadata: { trade_no: charge.tradeNo } }];
  const found = [...sessions].find(([, { paymentIntent }]) => paymentIntent === id);
  if (found === undefined)
    return [404, { error: { type: "invalid_request_error", message: "No such payment_intent" } }];
  return [200, { id, object: "payment_intent", metadata: { trade_no: found[0] } }];
}

const refundObject = (session: FakeSession, refund: FakeRefund) => ({
  object: "refund",
  currency: currencyOf(session),
  payment_intent: session.paymentIntent,
  // Those of a refund are its own: nothing of the payment's is copied.
  metadata: {},
  ...refund,
});

/** Newest first: https://docs.stripe.com/api/refunds/list */
function listRefunds({ sessions, refunds }: Kept, paymentIntent: string): Reply {
  const session = [...sessions.values()].find((each) => each.paymentIntent === paymentIntent);
  const found = session === undefined ? [] : [...(refunds.get(paymentIntent)?.values() ?? [])];
  const data = found.toReversed().map((refund) => session && refundObject(session, refund));
  return [200, { object: "list", url: "/v1/refunds", has_more: false, data }];
}

/** What is asked for saved cards; undefined where it is something else. */
function replyOfCards(kept: Kept, method: string, { pathname }: URL, form: Record<string, string>): Reply | undefined {
  if (method === "POST" && pathname === "/v1/customers") return [200, { id: newStripeId("cus"), object: "customer" }];
  if (method === "POST" && pathname === "/v1/checkout/sessions" && form["mode"] === "setup")
    return createSetup(kept, form);
  const setup = /^\/v1\/checkout\/sessions\/(\w+)$/.exec(pathname)?.[1];
  if (method === "GET" && setup !== undefined) return readSetup(kept, setup);
  const card = /^\/v1\/payment_methods\/(\w+)\/detach$/.exec(pathname)?.[1];
  if (card === undefined) return undefined;
  kept.detached.push(card);
  return [200, { id: card, object: "payment_method", customer: null }];
}

function replyTo(kept: Kept, method: string, address: URL, body: string, key: string): Reply | undefined {
  const failure = kept.failures.shift();
  if (failure !== undefined) return [failure.status, failure.body];
  const { pathname, searchParams } = address;
  const form = Object.fromEntries(new URLSearchParams(body));
  if (method === "POST" && pathname === "/v1/payment_intents") return createIntent(kept, form, key);
  const ofCards = replyOfCards(kept, method, address, form);
  if (ofCards !== undefined) return ofCards;
  if (method === "POST" && pathname === "/v1/checkout/sessions") return createSession(kept, form);
  if (method === "GET" && pathname === "/v1/refunds")
    return listRefunds(kept, searchParams.get("payment_intent") ?? "");
  const expired = /^\/v1\/checkout\/sessions\/(\w+)\/expire$/.exec(pathname)?.[1];
  if (method === "POST" && expired !== undefined) return expireSession(kept, expired);
  const intent = /^\/v1\/payment_intents\/(\w+)$/.exec(pathname)?.[1];
  return intent === undefined ? [404, { error: { message: "Unrecognized request URL" } }] : readIntent(kept, intent);
}

/** The Checkout page of a session: what is bought, and a button that leads back. */
function checkoutPage({ sessions }: Kept, pathname: string): string | undefined {
  if (pathname.startsWith("/c/setup/"))
    return `<!doctype html><html lang="en"><title>Checkout</title><h1>Save a card</h1></html>`;
  const id = /^\/c\/pay\/(\w+)$/.exec(pathname)?.[1];
  const session = [...sessions.values()].find((each) => each.id === id);
  if (session === undefined) return undefined;
  const { asked } = session;
  const title = asked["line_items[0][price_data][product_data][name]"];
  return `<!doctype html><html lang="en"><title>Checkout</title><h1>${title}</h1>
    <p>${amountOf(session)} ${currencyOf(session)}</p><a href="${asked["success_url"]}">Pay</a></html>`;
}

/** The objects that events are about, as they stand without changes. */
const OBJECTS = {
  session: (session: FakeSession, tradeNo: string) => ({
    id: session.id,
    object: "checkout.session",
    payment_status: "paid",
    amount_total: amountOf(session),
    currency: currencyOf(session),
    payment_intent: session.paymentIntent,
    client_reference_id: tradeNo,
    metadata: { trade_no: tradeNo },
  }),
  charge: (session: FakeSession) => ({
    id: newStripeId("ch"),
    object: "charge",
    amount: amountOf(session),
    currency: currencyOf(session),
    payment_intent: session.paymentIntent,
  }),
  /** https://docs.stripe.com/api/disputes/object */
  dispute: (session: FakeSession, tradeNo: string) => ({
    id: `dp_${tradeNo}`,
    object: "dispute",
    amount: amountOf(session),
    currency: currencyOf(session),
    status: "needs_response",
    payment_intent: session.paymentIntent,
  }),
};

/** Events of what is kept. */
function eventsOf(
  kept: Kept,
): Pick<FakeStripe, "sessionEvent" | "refundEvent" | "chargeEvent" | "disputeEvent" | "cardSaved" | "intentEvent"> {
  const sessionOf = (tradeNo: string): FakeSession => {
    const session = kept.sessions.get(tradeNo);
    if (session === undefined) throw new Error(`Stripe has no session of ${tradeNo}`);
    return session;
  };
  const objectOf = (kind: keyof typeof OBJECTS, tradeNo: string, changes: object): object => ({
    ...OBJECTS[kind](sessionOf(tradeNo), tradeNo),
    ...changes,
  });
  return {
    cardSaved() {
      const [id, setup] = [...kept.setups].at(-1) ?? [];
      if (id === undefined || setup === undefined) throw new Error("Stripe has no session that saves a card");
      setup.card = newStripeId("pm");
      return eventOf("checkout.session.completed", {
        id,
        object: "checkout.session",
        mode: "setup",
        payment_status: "no_payment_required",
        payment_intent: null,
        metadata: {},
      });
    },
    intentEvent(type, tradeNo, changes = {}) {
      const { id, amount, currency } = chargeOf(kept, tradeNo);
      const object = { id, object: "payment_intent", amount, amount_received: amount, currency };
      return eventOf(type, { ...object, metadata: { trade_no: tradeNo }, ...changes });
    },
    sessionEvent: (type, tradeNo, changes = {}) => eventOf(type, objectOf("session", tradeNo, changes)),
    refundEvent(type, tradeNo, refund) {
      const session = sessionOf(tradeNo);
      const refunds = kept.refunds.get(session.paymentIntent) ?? new Map<string, FakeRefund>();
      kept.refunds.set(session.paymentIntent, refunds.set(refund.id, refund));
      return eventOf(type, refundObject(session, refund));
    },
    chargeEvent: (tradeNo, changes = {}) => eventOf("charge.refunded", objectOf("charge", tradeNo, changes)),
    disputeEvent: (type, tradeNo, changes, created) => eventOf(type, objectOf("dispute", tradeNo, changes), created),
  };
}

/** @param secretKey what calls have to bring */
export async function startStripe(secretKey: string): Promise<FakeStripe> {
  const kept: Kept = {
    url: "",
    sessions: new Map(),
    refunds: new Map(),
    failures: [],
    setups: new Map(),
    outcomes: [],
    charges: [],
    detached: [],
    answers: new Map(),
  };
  const keys: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const address = new URL(request.url ?? "", "http://stripe");
      const page = checkoutPage(kept, address.pathname);
      if (page !== undefined) return response.writeHead(200, { "content-type": "text/html" }).end(page);
      const isKnown = request.headers.authorization === `Bearer ${secretKey}`;
      const key = request.headers["idempotency-key"];
      if (typeof key === "string") keys.push(key);
      const refused: Reply = [401, { error: { type: "invalid_request_error", message: "Invalid API Key" } }];
      const reply = isKnown ? replyTo(kept, request.method ?? "", address, body, String(key)) : refused;
      if (reply === undefined) return request.socket.destroy();
      const [status, sent] = reply;
      response.writeHead(status, { "content-type": "application/json", "request-id": newStripeId("req") });
      return response.end(JSON.stringify(sent));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  kept.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: kept.url,
    sessions: kept.sessions,
    failures: kept.failures,
    outcomes: kept.outcomes,
    charges: kept.charges,
    detached: kept.detached,
    keys,
    ...eventsOf(kept),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The header that Stripe puts over this body. */
export const stripeSignature = (payload: string, secret: string, more: { timestamp?: number } = {}): string =>
  Stripe.webhooks.generateTestHeaderString({ payload, secret, ...more });

/** Sends an event as Stripe does. @param address of the site */
export async function sendStripeEvent(
  address: string,
  event: object,
  secret: string,
): Promise<{ status: number; text: string }> {
  const body = JSON.stringify(event);
  const headers = { "Content-Type": "application/json", "Stripe-Signature": stripeSignature(body, secret) };
  const answer = await fetch(`${address}/api/stripe/webhook`, { method: "POST", headers, body });
  return { status: answer.status, text: await answer.text() };
}
