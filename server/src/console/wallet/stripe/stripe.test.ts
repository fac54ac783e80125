/** Tests of Stripe Checkout with a faithful fake API over real HTTP and Stripe's own signatures: credited once, only by signed events, in every currency. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LOG_TYPE } from "../../../../../contract/src/constants.ts";
import type { WalletInfo } from "../../../../../contract/src/features/wallet.ts";
import { engines } from "../../../../../tests/support/databases/databases.ts";
import { balanceOf, logsOf } from "../../../../../tests/support/payments/rows.ts";
import {
  type StripeSite,
  openStripeSite,
  STRIPE_SECRETS,
  UNIT,
} from "../../../../../tests/support/payments/stripe-site.ts";
import { newStripeId, stripeSignature } from "../../../../../tests/support/payments/stripe.ts";

const { StripeWebhookSecret: WEBHOOK_SECRET } = STRIPE_SECRETS;
const QUOTA = 10 * UNIT;
/** Events that Stripe did not sign. */
const FORGED = 500;
/** Hexadecimal digits of a signature. */
const DIGITS = 64;

describe.each(await engines())("on %s", (engine) => {
  let opened: StripeSite;
  let site: StripeSite["site"];
  let stripe: StripeSite["stripe"];

  beforeAll(async () => {
    opened = await openStripeSite(engine);
    ({ site, stripe } = opened);
  });
  beforeEach(() => opened.options());
  afterAll(() => opened.close());

  test("a session has the order's number as its idempotency key, and is credited once, however often and concurrently Stripe reports it", async () => {
    const person = await site.person();
    const made = await opened.start(person);
    expect(made.data).toEqual({});
    expect(stripe.keys.at(-1)).toBe(made.trade_no);
    const session = stripe.sessions.get(made.trade_no);
    expect(made.url).toBe(`${stripe.url}/c/pay/${session?.id}`);
    expect(session?.asked).toMatchObject({
      mode: "payment",
      "metadata[trade_no]": made.trade_no,
      "payment_intent_data[metadata][trade_no]": made.trade_no,
      "line_items[0][price_data][currency]": "usd",
      "line_items[0][price_data][unit_amount]": "1000",
      "line_items[0][price_data][product_data][name]": `Acme ${made.trade_no}`,
      "adaptive_pricing[enabled]": "false",
      success_url: `${site.url}/topup?order=${made.order_id}`,
      cancel_url: `${site.url}/topup?order=${made.order_id}`,
    });
    expect(await opened.order(made)).toMatchObject({ status: "pending", provider_reference: session?.id });
    const waiting = stripe.sessionEvent("checkout.session.completed", made.trade_no, { payment_status: "unpaid" });
    expect(await opened.send(waiting)).toEqual({ status: 200, text: "not paid yet" });
    expect(await balanceOf(site, person)).toBe(0);
    const event = stripe.sessionEvent("checkout.session.async_payment_succeeded", made.trade_no);
    const answers = await Promise.all(Array.from({ length: 100 }, () => opened.send(event)));
    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(["done"]));
    expect(await balanceOf(site, person)).toBe(QUOTA);
    expect(await opened.order(made)).toMatchObject({
      status: "paid",
      money: "10.00",
      currency: "USD",
      payment_reference: session?.paymentIntent,
    });
    const logs = await logsOf(site, person);
    expect(logs.map(({ type, other }) => [type, JSON.parse(other).event])).toEqual([
      [LOG_TYPE.topUp, { code: "top_up_paid", values: { quota: QUOTA, money: "10.00 USD" } }],
    ]);
  });

  test("what Stripe did not sign, signed for another site, or says of other money, another order or method, credits nothing", async () => {
    const person = await site.person();
    const made = await opened.start(person);
    const completed = (changes: object = {}) =>
      stripe.sessionEvent("checkout.session.completed", made.trade_no, changes);
    const body = JSON.stringify(completed());
    const good = stripeSignature(body, WEBHOOK_SECRET);
    const post = async (sent: string, signature?: string) => {
      const headers = signature === undefined ? {} : { "Stripe-Signature": signature };
      return (await fetch(`${site.url}/api/stripe/webhook`, { method: "POST", body: sent, headers })).status;
    };
    const old = stripeSignature(body, WEBHOOK_SECRET, { timestamp: Math.floor(Date.now() / 1000) - 301 });
    const others = [undefined, "", "v1=", old, ...["whsec_other", " "].map((secret) => stripeSignature(body, secret))];
    const flipped = (text: string, at: number) =>
      text.slice(0, at) + (text[at] === "0" ? "1" : "0") + text.slice(at + 1);
    const signatures = Array.from({ length: DIGITS }, (_, index) => flipped(good, good.indexOf("v1=") + 3 + index));
    const changes = FORGED - others.length - signatures.length;
    const bodies = Array.from({ length: changes }, (_, i) => flipped(body, Math.floor((i * body.length) / changes)));
    const forged = [...others, ...signatures].map((signature) => post(body, signature));
    const changed = bodies.map((other) => post(other, good));
    expect(await Promise.all([...forged, ...changed])).toEqual(Array(FORGED).fill(400));
    for (const other of [body.replace("usd", "eur"), `${body} `, "", "{}", "[]", "null", "\u0000"])
      expect(await post(other, good)).toBe(400);
    expect((await opened.send(completed({ amount_total: 999 }))).status).toBe(400);
    expect((await opened.send(completed({ currency: "jpy" }))).status).toBe(400);
    expect((await opened.send(completed({ amount_total: "1000" }))).status).toBe(400);
    for (const metadata of [null, {}, { trade_no: "no such" }])
      expect(await opened.send(completed({ metadata }))).toMatchObject({ status: 200 });
    expect((await opened.send({ ...completed(), type: "customer.created" })).text).toBe("nothing to do");
    // An order of another method is not touched, though its number is known.
    await site.foundation.database.kysely
      .updateTable("top_ups")
      .set({ method: "zfb" })
      .where("id", "=", made.order_id)
      .execute();
    expect((await opened.send(completed())).status).toBe(200);
    expect(await balanceOf(site, person)).toBe(0);
    // A blank secret, which is publicly known, verifies nothing.
    for (const blank of ["", "  "]) {
      await opened.options({ StripeWebhookSecret: blank });
      expect(await post(body, good)).toBe(404);
    }
  });

  test("a session that ends or fails ends its order, and money that comes after all is credited once", async () => {
    const person = await site.person();
    for (const [type, status] of [
      ["checkout.session.expired", "ended"],
      ["checkout.session.async_payment_failed", "failed"],
    ] as const) {
      const before = await balanceOf(site, person);
      const made = await opened.start(person);
      await opened.send(stripe.sessionEvent(type, made.trade_no, { payment_status: "unpaid" }));
      expect((await opened.order(made)).status).toBe(status);
      for (const _ of [1, 2]) await opened.send(stripe.sessionEvent("checkout.session.completed", made.trade_no));
      // An old event does not undo it.
      await opened.send(stripe.sessionEvent(type, made.trade_no, { payment_status: "unpaid" }));
      expect((await opened.order(made)).status).toBe("paid");
      expect((await balanceOf(site, person)) - before).toBe(QUOTA);
    }
  });

  test.each([
    ["JPY", "150", 10, "1500", "1500"],
    ["KWD", "0.3071", 10, "3070", "3.070"],
    ["UGX", "3705.5", 1, "370600", "3706.00"],
    ["EUR", "0.9234", 10, "923", "9.23"],
  ])("%s at %s: %d units are %s in minor units", async (StripeCurrency, StripePrice, amount, minor, money) => {
    await opened.options({ StripeCurrency, StripePrice });
    const person = await site.person();
    const asked = await person.call("POST", "/api/user/amount", { amount, payment_method: "stripe" });
    expect(asked.body).toMatchObject({ data: money, currency: StripeCurrency });
    const { trade_no, order_id } = await opened.paid(person, amount);
    expect(stripe.sessions.get(trade_no)?.asked["line_items[0][price_data][unit_amount]"]).toBe(minor);
    const refund = { id: newStripeId("re"), amount: Number(minor), status: "succeeded" } as const;
    await opened.send(stripe.refundEvent("refund.created", trade_no, refund));
    expect(await opened.order({ order_id })).toMatchObject({ money, refunded: money, currency: StripeCurrency });
    expect(await balanceOf(site, person)).toBe(0);
  });

  test("an order whose session Stripe refuses fails with a sentence, by the address policy too, and tells no secret", async () => {
    const person = await site.person();
    const failed = async () => {
      const { code } = await opened.start(person);
      const { items } = await person.data<{ items: { status: string }[] }>("GET", "/api/user/topup/self");
      return [code, items[0]?.status];
    };
    stripe.failures.push({
      status: 400,
      body: { error: { type: "invalid_request_error", code: "amount_too_small", message: "small" } },
    });
    expect(await failed()).toEqual(["top_up_too_small", "failed"]);
    await opened.options({ StripeSecretKey: "sk_test_wrong" });
    expect(await failed()).toEqual(["payment_start_failed", "failed"]);
    await opened.options();
    opened.policy.allowsPrivate = false;
    expect(await failed()).toEqual(["payment_start_failed", "failed"]);
    opened.policy.allowsPrivate = true;
    // One failure of Stripe's own is tried again with the same key.
    const before = stripe.keys.length;
    stripe.failures.push({ status: 500, body: { error: { type: "api_error", message: "try again" } } });
    const made = await opened.start(person);
    expect(made.success).toBe(true);
    expect(stripe.keys.slice(before)).toEqual([made.trade_no, made.trade_no]);
    for (const name of ["StripeEnabled", "StripeSecretKey", "StripeWebhookSecret"]) {
      await opened.options({ [name]: name === "StripeEnabled" ? "false" : "" });
      const info = await person.data<WalletInfo>("GET", "/api/user/topup/info");
      expect(info.methods).toEqual([]);
    }
  });
});
