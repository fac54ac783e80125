/** Tests of refunds and disputes at Stripe: they reverse and restore exactly their share, in any order of events, and the order's history lists them. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ROLE } from "../../../../../contract/src/roles.ts";
import { engines } from "../../../../../tests/support/databases/databases.ts";
import { balanceOf, confirm, logsOf } from "../../../../../tests/support/payments/rows.ts";
import {
  type StartedOrder,
  type StripeSite,
  openStripeSite,
  UNIT,
} from "../../../../../tests/support/payments/stripe-site.ts";
import { type FakeRefund, newStripeId } from "../../../../../tests/support/payments/stripe.ts";
import type { Caller } from "../../../../../tests/support/systems/console.ts";
import { auditDatabase } from "../../../billing/audit.ts";
import { valuesContext } from "../../../notify/outbox.ts";

const QUOTA = 10 * UNIT;
/** A balance that takes no more. */
const FULL = Number.MAX_SAFE_INTEGER;
/** Quota of a cent. */
const CENT = UNIT / 100;

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

  const spend = (person: Caller, quota: number, entryId: string) =>
    site.foundation.billing.move({
      entryId,
      kind: "adjustment",
      userId: person.userId,
      quotaDelta: -quota,
      detail: "{}",
    });
  const send = async (event: object) => expect(await opened.send(event)).toEqual({ status: 200, text: "done" });
  /** Makes or changes a refund at Stripe. */
  const refundEvent = (
    tradeNo: string,
    id: string,
    { type = "refund.created", status = "succeeded" as FakeRefund["status"], amount = 400 } = {},
  ) => stripe.refundEvent(type, tradeNo, { id, amount, status });
  const refund = (tradeNo: string, amount: number, id = newStripeId("re")) =>
    send(refundEvent(tradeNo, id, { amount }));
  const dispute = (type: string, tradeNo: string, status: string, changes: object = {}, created?: number) =>
    send(stripe.disputeEvent(`charge.dispute.${type}`, tradeNo, { status, ...changes }, created));
  /** A payment that has arrived for a balance that has no room for it. */
  const uncredited = async (person: Caller): Promise<StartedOrder> => {
    const made = await opened.start(person);
    await spend(person, -(FULL - (await balanceOf(site, person))), `filled:${made.trade_no}`);
    await send(stripe.sessionEvent("checkout.session.completed", made.trade_no));
    expect(await opened.order(made)).toMatchObject({ status: "uncredited", completed_time: 0 });
    return made;
  };
  /** Makes room, has the payment reported again and the order completed by hand; gives how that was answered. */
  const creditAgain = async (person: Caller, { order_id, trade_no }: StartedOrder): Promise<string> => {
    await spend(person, await balanceOf(site, person), `emptied:${trade_no}`);
    await send(stripe.sessionEvent("checkout.session.completed", trade_no));
    const admin = await site.person(ROLE.admin);
    await confirm(site, [admin], Math.floor(Date.now() / 1000));
    return (await admin.call("POST", `/api/topup/${order_id}/complete`, {})).body.code ?? "done";
  };
  const expectBooks = async () => expect((await auditDatabase(site.foundation.database)).faults).toEqual([]);

  test("partial refunds take their share, once each, and the rest takes the rest", async () => {
    const person = await site.person();
    const made = await opened.paid(person);
    const { trade_no } = made;
    for (const _ of [1, 2]) await refund(trade_no, 333, `re_${trade_no}`);
    expect(await balanceOf(site, person)).toBe(QUOTA - 333 * CENT);
    expect(await opened.order(made)).toMatchObject({
      status: "partly_refunded",
      refunded: "3.33",
      taken_back: 333 * CENT,
    });
    const [first, second] = [100, 67].map((amount) => refundEvent(trade_no, newStripeId("re"), { amount }));
    await Promise.all([first, first, second, first, second].map((event) => send(event ?? {})));
    expect(await balanceOf(site, person)).toBe(QUOTA / 2);
    // The charge does not say which refunds it has, and they are asked for.
    refundEvent(trade_no, newStripeId("re"), { amount: 500 });
    for (const _ of [1, 2]) await send(stripe.chargeEvent(trade_no, { amount_refunded: 1000 }));
    expect(await balanceOf(site, person)).toBe(0);
    const order = await opened.order(made);
    expect(order).toMatchObject({ status: "refunded", refunded: "10.00", taken_back: QUOTA });
    expect(order.history.reduce((sum, { quota }) => sum + quota, 0)).toBe(-QUOTA);
    expect(order.history).toHaveLength(4);
    // The report of the payment that comes again does not bring it back.
    await send(stripe.sessionEvent("checkout.session.completed", trade_no));
    expect(await balanceOf(site, person)).toBe(0);
    await expectBooks();
  });

  test("what was spent or is held when money goes back is owed: the next credit pays it, and money that comes back cancels it", async () => {
    const person = await site.person();
    const { billing } = site.foundation;
    const made = await opened.paid(person);
    await spend(person, 4_000_000, `spent:${made.trade_no}`);
    const requestId = `held-${made.trade_no}`;
    const held = { requestId, userId: person.userId, tokenId: 0, isTokenLimited: false, amount: 1_000_000 };
    const hold = await billing.hold(held);
    await refund(made.trade_no, 1000, `re_${made.trade_no}`);
    expect(await opened.order(made)).toMatchObject({ status: "refunded", taken_back: QUOTA, owed: 4_000_000 });
    await billing.void(hold);
    expect(await billing.available(person.userId)).toBe(-4_000_000);
    await expect(
      (async () => billing.hold({ ...held, requestId: `${requestId}-2`, amount: 1 }))(),
    ).rejects.toMatchObject({
      kind: "user_quota",
    });
    const second = await opened.paid(person, 10);
    await refund(made.trade_no, 1000, `re_${made.trade_no}`);
    expect(await balanceOf(site, person)).toBe(1_000_000);
    expect(await opened.order(second)).toMatchObject({ taken_back: 0, owed: 0 });
    const failed = { type: "refund.failed", status: "failed", amount: 1000 } as const;
    await send(refundEvent(made.trade_no, `re_${made.trade_no}`, failed));
    expect(await balanceOf(site, person)).toBe(1_000_000 + QUOTA);
    expect(await opened.order(made)).toMatchObject({ status: "paid", refunded: "0.00", taken_back: 0 });
    expect(await billing.available(person.userId)).toBe(1_000_000 + QUOTA);
    await expectBooks();
  });

  test("a refund that failed or was canceled gives back what was taken, in whichever sequence its events come", async () => {
    const person = await site.person();
    for (const [index, sequence] of ["012", "021", "102", "120", "201", "210", "0122", "2"].entries()) {
      const made = await opened.paid(person);
      await refund(made.trade_no, 600);
      const end = index % 2 === 0 ? "failed" : "canceled";
      const story = [
        { type: "refund.created", status: "pending" },
        { type: "refund.updated", status: "succeeded" },
        { type: index % 3 === 0 ? "charge.refund.updated" : "refund.failed", status: end },
      ] as const;
      const id = newStripeId("re");
      for (const at of sequence) await send(refundEvent(made.trade_no, id, story[Number(at)] ?? expect.fail(at)));
      const order = await opened.order(made);
      expect(order).toMatchObject({ status: "partly_refunded", refunded: "6.00", taken_back: 600 * CENT });
      expect(order.history.at(-1)).toMatchObject({ kind: "refund", reference: id, status: "failed", money: "4.00" });
      expect(await balanceOf(site, person)).toBe((index + 1) * 400 * CENT);
    }
    const told = (await logsOf(site, person)).map(({ other }) => JSON.parse(other).event);
    const values = { quota: 400 * CENT, money: "4.00 USD" };
    expect(told).toContainEqual({ code: "top_up_refund_failed", values });
    await expectBooks();
  });

  test("a dispute withholds, a won one gives back what was taken and no more, a lost one keeps it, and the super administrator is notified once", async () => {
    const { kysely } = site.foundation.database;
    const root = await site.person(ROLE.root);
    const email = `root-${engine}@site.example`;
    await kysely.updateTable("users").set({ email }).where("id", "=", root.userId).execute();
    const person = await site.person();
    const made = await opened.paid(person);
    const { trade_no } = made;
    const now = Math.floor(Date.now() / 1000);
    // Nothing is withheld during an inquiry.
    await dispute("created", trade_no, "warning_needs_response", {}, now);
    expect(await opened.order(made)).toMatchObject({ status: "paid", dispute_status: "inquiry", disputed: "0.00" });
    await spend(person, 4_000_000, `spent:${trade_no}`);
    for (const _ of [1, 2]) await dispute("funds_withdrawn", trade_no, "needs_response", {}, now + 60);
    expect(await balanceOf(site, person)).toBe(-4_000_000);
    expect(await opened.order(made)).toMatchObject({
      status: "disputed",
      dispute_status: "open",
      disputed: "10.00",
      taken_back: QUOTA,
    });
    // A status of a later version says nothing of the money.
    await dispute("updated", trade_no, "some_day", {}, now + 90);
    for (const type of ["funds_reinstated", "closed", "closed"]) await dispute(type, trade_no, "won", {}, now + 120);
    // Comes late.
    await dispute("updated", trade_no, "under_review", {}, now + 61);
    expect(await balanceOf(site, person)).toBe(1_000_000);
    const order = await opened.order(made);
    expect(order).toMatchObject({ status: "paid", dispute_status: "won", taken_back: 0 });
    expect(order.history.map(({ status, quota }) => [status, quota])).toEqual([
      ["inquiry", 0],
      ["open", -QUOTA],
      ["won", QUOTA],
    ]);
    const messages = await kysely.selectFrom("outbox").selectAll().where("event", "=", "payment_disputed").execute();
    const told = messages.map(({ user_id, values_cipher }) =>
      JSON.parse(site.foundation.secrets.decrypt(values_cipher, valuesContext("payment_disputed", user_id))),
    );
    expect(told).toEqual([{ number: trade_no, username: person.username, money: "10.00 USD" }]);
    const lost = await opened.paid(person);
    await refund(lost.trade_no, 400);
    await dispute("closed", lost.trade_no, "lost", { amount: 600 });
    expect(await opened.order(lost)).toMatchObject({ status: "disputed", dispute_status: "lost", taken_back: QUOTA });
    expect(await balanceOf(site, person)).toBe(1_000_000);
    await expectBooks();
  });

  test("several disputes and refunds of one order end the same whichever way their events come, at once too", async () => {
    const person = await site.person();
    const now = Math.floor(Date.now() / 1000);
    /** The bank replaces a dispute about everything by one about the rest; one refund arrives and one fails. */
    const storyOf = (tradeNo: string): readonly object[] => {
      const [first, second] = [`dp_first_${tradeNo}`, `dp_second_${tradeNo}`];
      const about = (type: string, id: string, status: string, amount: number, at: number) =>
        stripe.disputeEvent(`charge.dispute.${type}`, tradeNo, { id, status, amount }, now + at);
      return [
        refundEvent(tradeNo, `re_good_${tradeNo}`, { amount: 250 }),
        refundEvent(tradeNo, `re_bad_${tradeNo}`, { amount: 100, status: "pending" }),
        about("created", first, "needs_response", 1000, 10),
        about("funds_withdrawn", first, "needs_response", 1000, 11),
        refundEvent(tradeNo, `re_bad_${tradeNo}`, { type: "refund.failed", amount: 100, status: "failed" }),
        about("closed", first, "won", 1000, 20),
        about("funds_reinstated", first, "won", 1000, 20),
        about("created", second, "needs_response", 300, 30),
        about("closed", second, "lost", 300, 40),
      ];
    };
    const ways: ((events: readonly object[]) => readonly object[])[] = [
      (events) => events,
      (events) => events.toReversed(),
      (events) => [...events.filter((_, index) => index % 2 === 1), ...events.filter((_, index) => index % 2 === 0)],
      (events) => events.flatMap((event) => [event, events[0] ?? {}, event]),
    ];
    const expected = { status: "disputed", refunded: "2.50", disputed: "3.00", taken_back: 550 * CENT };
    for (const [index, way] of ways.entries()) {
      const made = await opened.paid(person);
      for (const event of way(storyOf(made.trade_no))) await send(event);
      expect(await opened.order(made)).toMatchObject({ ...expected, dispute_status: "lost" });
      expect(await balanceOf(site, person)).toBe((index + 1) * 450 * CENT);
    }
    const made = await opened.paid(person);
    await Promise.all(storyOf(made.trade_no).map(send));
    const order = await opened.order(made);
    expect(order).toMatchObject(expected);
    expect(order.history.reduce((sum, { quota }) => sum + quota, 0)).toBe(-550 * CENT);
    expect(await balanceOf(site, person)).toBe((ways.length + 1) * 450 * CENT);
    await expectBooks();
  });

  test("a refund or dispute of an order that was paid and never credited takes nothing, and ends it: what went back is not credited", async () => {
    const person = await site.person();
    const now = Math.floor(Date.now() / 1000);
    const aboutDispute = (tradeNo: string, status: string, amount = 1000) =>
      dispute("updated", tradeNo, status, { id: `dp_${tradeNo}`, amount }, now);
    const cases: readonly (readonly [status: string, withdraw: (tradeNo: string) => Promise<void>])[] = [
      ["refunded", (tradeNo) => refund(tradeNo, 1000, `re_${tradeNo}`)],
      ["partly_refunded", (tradeNo) => refund(tradeNo, 400, `re_${tradeNo}`)],
      ["disputed", (tradeNo) => aboutDispute(tradeNo, "needs_response")],
      ["disputed", (tradeNo) => aboutDispute(tradeNo, "lost", 300)],
    ];
    for (const [status, withdraw] of cases) {
      const made = await uncredited(person);
      for (const _ of [1, 2]) await withdraw(made.trade_no);
      const order = await opened.order(made);
      expect(order).toMatchObject({ status, completed_time: 0, taken_back: 0 });
      expect(order.history.map(({ quota }) => quota)).toEqual([0]);
      expect(await balanceOf(site, person)).toBe(FULL);
      expect(await creditAgain(person, made)).toBe("order_paid");
      expect(await balanceOf(site, person)).toBe(0);
    }
    await expectBooks();
  });

  test("an order that was never credited waits for room again when its money comes back, and during an inquiry", async () => {
    const person = await site.person();
    const now = Math.floor(Date.now() / 1000);
    const cases: readonly ((tradeNo: string) => Promise<void>)[] = [
      (tradeNo) => dispute("created", tradeNo, "warning_needs_response", {}, now),
      async (tradeNo) => {
        const id = `dp_${tradeNo}`;
        await dispute("created", tradeNo, "needs_response", { id }, now);
        await dispute("closed", tradeNo, "won", { id }, now + 60);
      },
      async (tradeNo) => {
        const id = `re_${tradeNo}`;
        await refund(tradeNo, 1000, id);
        await send(refundEvent(tradeNo, id, { type: "refund.failed", status: "failed", amount: 1000 }));
      },
    ];
    for (const comeAndGo of cases) {
      const made = await uncredited(person);
      await comeAndGo(made.trade_no);
      expect(await opened.order(made)).toMatchObject({ status: "uncredited", completed_time: 0, taken_back: 0 });
      // The report that comes again finds room and credits it; there is nothing left to complete.
      expect(await creditAgain(person, made)).toBe("order_paid");
      expect(await opened.order(made)).toMatchObject({ status: "paid" });
      expect(await balanceOf(site, person)).toBe(QUOTA);
    }
    await expectBooks();
  });

  test("a refund or dispute that comes before its payment is asked for again, and finds its order by Stripe's payment alone", async () => {
    const person = await site.person();
    const made = await opened.start(person);
    const early = refundEvent(made.trade_no, newStripeId("re"), { amount: 1000 });
    for (const event of [
      early,
      stripe.chargeEvent(made.trade_no),
      stripe.disputeEvent("charge.dispute.created", made.trade_no, {}),
    ])
      expect((await opened.send(event)).status).toBe(409);
    await send(stripe.sessionEvent("checkout.session.completed", made.trade_no));
    await send(early);
    expect((await opened.order(made)).status).toBe("refunded");
    const stranger = stripe.chargeEvent(made.trade_no, { payment_intent: null });
    expect((await opened.send(stranger)).text).toContain("not about an order");
  });
});
