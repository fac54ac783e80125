/** Tests of automatic top-up over HTTP with a fake Stripe: one low balance is one payment and one credit, despite kills, repeats and other processes. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { AutoTopUp } from "../../../../../contract/src/payments/auto-top-up.ts";
import { engines } from "../../../../../tests/support/databases/databases.ts";
import { openStripeSite, type StripeSite, UNIT } from "../../../../../tests/support/payments/stripe-site.ts";
import type { Caller } from "../../../../../tests/support/systems/console.ts";
import { auditDatabase } from "../../../billing/audit.ts";
import { unpaidOrdersJob } from "../unpaid-orders.ts";
import { autoTopUpJob, topUpIfLow } from "./auto-charge.ts";

const RULE = { enabled: true, threshold: 2 * UNIT, amount: 10, month_limit: "35.00" };
const PATH = "/api/user/auto_topup";

describe.each(await engines())("automatic top-up on %s", (engine) => {
  let opened: StripeSite;
  const context = () => opened.site.context;
  const kysely = () => opened.site.foundation.database.kysely;

  beforeAll(async () => {
    opened = await openStripeSite(engine);
  });
  afterAll(() => opened.close());
  beforeEach(() => opened.options({ StripeAutoTopUpEnabled: "true", StripeCurrency: "USD" }));

  const rule = (person: Caller) => person.data<AutoTopUp>("GET", PATH);
  const balance = async ({ userId }: Caller): Promise<number> =>
    (await kysely().selectFrom("users").select("quota").where("id", "=", userId).executeTakeFirstOrThrow()).quota;
  const orders = ({ userId }: Caller) =>
    kysely().selectFrom("top_ups").selectAll().where("user_id", "=", userId).orderBy("id").execute();
  const charges = async (person: Caller) => {
    const numbers = new Set((await orders(person)).map(({ trade_no: number }) => number));
    return opened.stripe.charges.filter(({ tradeNo }) => numbers.has(tradeNo));
  };
  const spend = ({ userId }: Caller, quota: number) =>
    context().billing.move({
      entryId: `spend:${userId}:${Math.random()}`,
      kind: "adjustment",
      userId,
      quotaDelta: -quota,
      detail: "{}",
    });
  const isAuditGreen = async () => expect((await auditDatabase(opened.site.foundation.database)).faults).toEqual([]);

  async function saveCard(person: Caller): Promise<void> {
    const address = await person.data<string>("POST", `${PATH}/card`);
    expect(address).toMatch(/\/c\/setup\/cs_test_\d+$/);
    expect((await rule(person)).is_saving).toBe(true);
    expect(await opened.send(opened.stripe.cardSaved())).toEqual({ status: 200, text: "done" });
  }

  /** A person with a card, a rule, and a balance above it. */
  async function ready(changes: object = {}): Promise<Caller> {
    const person = await opened.site.person(1, { quota: 3 * UNIT });
    await saveCard(person);
    await person.data("PUT", PATH, { ...RULE, ...changes });
    return person;
  }

  test("is off until the site and the person switch it on, and needs a card, an amount above the threshold and a limit", async () => {
    await opened.options({ StripeAutoTopUpEnabled: "false" });
    const person = await opened.site.person(1, { quota: 3 * UNIT });
    expect((await person.call("POST", `${PATH}/card`)).body.code).toBe("top_up_off");
    expect((await person.call("PUT", PATH, RULE)).body.code).toBe("top_up_off");
    await opened.options({ StripeAutoTopUpEnabled: "true" });
    expect(await rule(person)).toMatchObject({ card: null, enabled: false, amount: 0, month_limit: "", paused: "" });
    expect((await person.call("PUT", PATH, RULE)).body).toMatchObject({ code: "auto_top_up_card", field: "enabled" });
    await saveCard(person);
    for (const [change, code] of [
      [{ threshold: 11 * UNIT }, "auto_top_up_amount"],
      [{ month_limit: "9.99" }, "auto_top_up_limit"],
      [{ month_limit: "a lot" }, "auto_top_up_limit"],
      [{ amount: 1_000_000_000 }, "auto_top_up_not_offered"],
    ] as const)
      expect((await person.call("PUT", PATH, { ...RULE, ...change })).body.code).toBe(code);
    await person.data("PUT", PATH, RULE);
    expect(await rule(person)).toMatchObject({
      card: { brand: "visa", last4: "4242" },
      is_saving: false,
      enabled: true,
      price: "10.00",
      month_limit: "35.00",
      month_spent: "0.00",
    });
    await autoTopUpJob(context()).run();
    expect(await orders(person)).toEqual([]);
  });

  test("a saved card, a changed rule and a removed card notify the person and are in the security log", async () => {
    const person = await opened.site.person(1, { quota: 3 * UNIT });
    await kysely()
      .updateTable("users")
      .set({ email: `p${person.userId}@example.com` })
      .where("id", "=", person.userId)
      .execute();
    await saveCard(person);
    await person.data("PUT", PATH, RULE);
    await person.data("PUT", PATH, RULE);
    await person.data("PUT", PATH, { ...RULE, enabled: false });
    await person.data("DELETE", `${PATH}/card`);
    const sent = kysely().selectFrom("outbox").select("event").where("user_id", "=", person.userId).orderBy("id");
    expect((await sent.execute()).map(({ event }) => event)).toEqual([
      "card_saved",
      "auto_top_up_set",
      "auto_top_up_off",
    ]);
    const rows = kysely().selectFrom("security_events").select(["kind", "reason"]).where("user_id", "=", person.userId);
    const log = async () => (await rows.orderBy("id").execute()).map(({ kind, reason }) => `${kind} ${reason}`);
    await expect
      .poll(log)
      .toEqual([
        "card_saved ",
        "auto_top_up_changed on",
        "auto_top_up_changed on",
        "auto_top_up_changed off",
        "card_removed ",
      ]);
  });

  test("a card of a session that this site did not begin is kept for no one", async () => {
    const person = await opened.site.person();
    await person.data<string>("POST", `${PATH}/card`);
    const event = opened.stripe.cardSaved() as { data: { object: { id: string } } };
    event.data.object.id = "cs_of_another_site";
    expect((await opened.send(event)).text).toBe("not about an order of this site");
    expect((await rule(person)).card).toBeNull();
  });

  test("a low is paid once and credited once, by many runs, two processes and a repeated report at a time", async () => {
    const person = await ready();
    await spend(person, 2 * UNIT);
    const second = engine === "sqlite" ? undefined : await opened.site.second();
    const others = second === undefined ? context() : { ...context(), ...second };
    const both = [context(), others, context(), others, context(), others];
    await Promise.allSettled(both.map((each) => topUpIfLow(each, person.userId)));
    await topUpIfLow(context(), person.userId);
    const [order, ...more] = await orders(person);
    expect(more).toEqual([]);
    expect(order).toMatchObject({ status: "paid", is_automatic: 1, money_minor: 1_000, quota: 10 * UNIT });
    const number = order?.trade_no ?? "";
    for (const _ of [1, 2, 3])
      expect((await opened.send(opened.stripe.intentEvent("payment_intent.succeeded", number))).text).toBe("done");
    expect(await charges(person)).toMatchObject([
      { amount: 1_000, currency: "usd", asked: { off_session: "true", confirm: "true" } },
    ]);
    expect(await balance(person)).toBe(11 * UNIT);
    expect(await rule(person)).toMatchObject({ month_spent: "10.00", is_paying: false, paused: "" });
    const lines = await person.data<{ lines: { kind: string }[] }>("GET", "/api/user/statement/lines");
    expect(lines.lines.filter(({ kind }) => kind === "top_up")).toHaveLength(1);
    await isAuditGreen();
    await second?.close();
  });

  test("a process that dies between the charge and the credit, or loses the answer, is made up for by the next run", async () => {
    const person = await ready();
    await spend(person, 2 * UNIT);
    const dies = { ...context(), billing: { ...context().billing, move: () => Promise.reject(new Error("killed")) } };
    await expect(topUpIfLow(dies, person.userId)).rejects.toThrow("killed");
    expect([(await charges(person)).length, await balance(person)]).toEqual([1, UNIT]);
    await autoTopUpJob(context()).run();
    expect([(await charges(person)).length, await balance(person)]).toEqual([1, 11 * UNIT]);

    await spend(person, 10 * UNIT);
    opened.stripe.outcomes.push("lost");
    await topUpIfLow(context(), person.userId).catch(() => undefined);
    await topUpIfLow(context(), person.userId);
    expect([(await charges(person)).length, await balance(person)]).toEqual([2, 11 * UNIT]);
    await isAuditGreen();
  });

  test("a payment under way is neither made again nor paid on a page, and its report credits it", async () => {
    const person = await ready();
    await spend(person, 2 * UNIT);
    opened.stripe.outcomes.push("processing");
    await topUpIfLow(context(), person.userId);
    const [order] = await orders(person);
    const id = order?.id ?? 0;
    expect((await rule(person)).is_paying).toBe(true);
    expect((await person.call("POST", `/api/user/topup/self/${id}/pay`)).body.code).toBe("order_not_open");
    expect((await person.call("POST", `/api/user/topup/self/${id}/cancel`)).body.code).toBe("order_not_open");
    // Another card while it is under way makes no second payment for the same low.
    await saveCard(person);
    await topUpIfLow(context(), person.userId);
    await unpaidOrdersJob(context()).run();
    expect((await orders(person)).map(({ status }) => status)).toEqual(["pending"]);
    const wrong = { amount_received: 1 };
    const number = order?.trade_no ?? "";
    expect((await opened.send(opened.stripe.intentEvent("payment_intent.succeeded", number, wrong))).status).toBe(400);
    expect((await opened.send(opened.stripe.intentEvent("payment_intent.succeeded", number))).text).toBe("done");
    expect(await balance(person)).toBe(11 * UNIT);
    await isAuditGreen();
  });

  test.each([
    ["card_declined", "declined"],
    ["authentication_required", "authentication"],
  ] as const)(
    "%s stops the rule, notifies its owner once, and setting it again lets it go on",
    async (outcome, paused) => {
      const person = await ready();
      await kysely()
        .updateTable("users")
        .set({ email: `${person.username}@mail.example` })
        .where("id", "=", person.userId)
        .execute();
      await spend(person, 2 * UNIT);
      opened.stripe.outcomes.push(outcome);
      for (const _ of [1, 2, 3]) await topUpIfLow(context(), person.userId);
      expect(await rule(person)).toMatchObject({ paused, enabled: true, is_paying: false });
      expect((await orders(person)).map(({ status }) => status)).toEqual(["failed"]);
      const sent = kysely().selectFrom("outbox").select("event").where("user_id", "=", person.userId);
      expect(await sent.where("event", "=", "auto_top_up_paused").execute()).toHaveLength(1);
      expect([await charges(person), await balance(person)]).toEqual([[], UNIT]);
      await person.data("PUT", PATH, RULE);
      await topUpIfLow(context(), person.userId);
      expect(await balance(person)).toBe(11 * UNIT);
    },
  );

  test("the limit of the month ends the payments, and nothing is said of the card", async () => {
    const person = await ready({ month_limit: "25.00" });
    await spend(person, 2 * UNIT);
    for (const _ of [1, 2, 3]) {
      await topUpIfLow(context(), person.userId);
      await spend(person, (await balance(person)) - UNIT);
    }
    expect((await charges(person)).length).toBe(2);
    expect(await rule(person)).toMatchObject({ month_spent: "20.00", paused: "" });
    await isAuditGreen();
  });

  test("a removed card is taken off at Stripe and charged no more; banned people and other prices are not charged", async () => {
    const person = await ready();
    expect(await person.data("DELETE", `${PATH}/card`)).toMatchObject({ card: null, enabled: false });
    expect(opened.stripe.detached.at(-1)).toMatch(/^pm_test_/);
    await spend(person, 2 * UNIT);
    await autoTopUpJob(context()).run();
    expect(await orders(person)).toEqual([]);

    const banned = await ready();
    await kysely().updateTable("users").set({ status: 2 }).where("id", "=", banned.userId).execute();
    await spend(banned, 2 * UNIT);
    await autoTopUpJob(context()).run();
    expect(await orders(banned)).toEqual([]);

    const other = await ready();
    await spend(other, 2 * UNIT);
    await opened.options({ StripeAutoTopUpEnabled: "true", StripeCurrency: "EUR" });
    await topUpIfLow(context(), other.userId);
    expect([(await rule(other)).paused, await orders(other)]).toEqual(["offer", []]);
  });
});
