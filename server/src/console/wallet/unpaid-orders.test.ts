/** Tests of unpaid orders: their buyer continues or cancels the same order, and a late payment is credited once. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { type DirectSite, openDirectSite, UNIT } from "../../../../tests/support/payments/direct-site.ts";
import { balanceOf } from "../../../../tests/support/payments/rows.ts";
import { type StartedOrder, type StripeSite, openStripeSite } from "../../../../tests/support/payments/stripe-site.ts";
import type { Caller } from "../../../../tests/support/systems/console.ts";
import { auditDatabase } from "../../billing/audit.ts";

const again = async (person: Caller, { order_id }: { order_id: number }) =>
  (await person.call("POST", `/api/user/topup/self/${order_id}/pay`)).body as unknown as StartedOrder;
const cancel = async (person: Caller, { order_id }: { order_id: number }) =>
  (await person.call("POST", `/api/user/topup/self/${order_id}/cancel`)).body;
/** What each of these answers said. */
const said = (bodies: readonly { success: boolean; code?: string | undefined }[]) =>
  bodies.map(({ success, code = "done" }) => (success ? "done" : code));

describe.each(await engines())("Stripe on %s", (engine) => {
  let opened: StripeSite;
  beforeAll(async () => {
    opened = await openStripeSite(engine);
  });
  beforeEach(() => opened.options());
  afterAll(async () => {
    expect((await auditDatabase(opened.site.foundation.database)).faults).toEqual([]);
    await opened.close();
  });

  test("an unpaid order goes on by its own session, however often it is asked for at once, and is credited once", async () => {
    const person = await opened.site.person();
    const made = await opened.start(person);
    const begun = await Promise.all([again(person, made), again(person, made), again(person, made)]);
    expect(new Set(begun.map(({ url }) => url))).toEqual(new Set([made.url]));
    expect(begun[0]).toMatchObject({ order_id: made.order_id, trade_no: made.trade_no });
    expect(await person.data("GET", "/api/user/topup/self")).toMatchObject({ total: 1 });
    await opened.send(opened.stripe.sessionEvent("checkout.session.completed", made.trade_no));
    expect(said([await again(person, made), await cancel(person, made)])).toEqual(["order_paid", "order_paid"]);
    expect(await balanceOf(opened.site, person)).toBe(10 * UNIT);
  });

  test("an order that is given up, by two clicks at once too, is closed at Stripe; a payment that was under way is credited all the same", async () => {
    const person = await opened.site.person();
    const made = await opened.start(person);
    const both = await Promise.all([cancel(person, made), cancel(person, made)]);
    // The second may find the session closed by the first.
    expect(said(both)).toContain("done");
    expect(opened.stripe.sessions.get(made.trade_no)?.isExpired).toBe(true);
    expect(await cancel(person, made)).toMatchObject({ success: true, data: { status: "cancelled" } });
    await opened.send(opened.stripe.sessionEvent("checkout.session.expired", made.trade_no));
    expect(await opened.order(made)).toMatchObject({ status: "cancelled", completed_time: 0 });
    expect(said([await again(person, made)])).toEqual(["order_not_open"]);
    const late = opened.stripe.sessionEvent("checkout.session.async_payment_succeeded", made.trade_no);
    await Promise.all([opened.send(late), opened.send(late)]);
    expect(await opened.order(made)).toMatchObject({ status: "paid" });
    expect(await balanceOf(opened.site, person)).toBe(10 * UNIT);
  });

  test("where Stripe does not answer, the order stays open and says so", async () => {
    const person = await opened.site.person();
    const made = await opened.start(person);
    const down = { status: 400, body: { error: { type: "invalid_request_error", message: "no" } } };
    opened.stripe.failures.push(down, down);
    expect(said([await cancel(person, made), await again(person, made)])).toEqual([
      "order_not_cancelled",
      "payment_start_failed",
    ]);
    expect(await opened.order(made)).toMatchObject({ status: "pending" });
    await opened.options({ StripeEnabled: "false" });
    expect(said([await again(person, made)])).toEqual(["top_up_off"]);
    expect(await cancel(person, made)).toMatchObject({ data: { status: "cancelled" } });
  });

  test("another person's order can be neither paid nor given up", async () => {
    const made = await opened.start(await opened.site.person());
    const other = await opened.site.person();
    expect(said([await again(other, made), await cancel(other, made)])).toEqual(["not_found", "not_found"]);
    expect(await opened.order(made)).toMatchObject({ status: "pending" });
  });
});

describe.each(await engines())("Alipay on %s", (engine) => {
  let opened: DirectSite;
  beforeAll(async () => {
    opened = await openDirectSite(engine, Date.now);
  });
  beforeEach(() => opened.options());
  afterAll(() => opened.close());

  const body = { amount: 10, payment_method: "alipay_direct" };

  test("is asked first: an order that was paid in another tab is credited instead of being paid twice or given up", async () => {
    const person = await opened.site.person();
    for (const act of [again, cancel]) {
      const made = await opened.start(person, body);
      await opened.alipay.open(made);
      opened.alipay.pay(made.trade_no);
      expect(said([await act(person, made)])).toEqual(["order_paid"]);
      expect(await opened.own(person, made)).toMatchObject({ status: "paid" });
    }
    expect(await balanceOf(opened.site, person)).toBe(20 * UNIT);
  });

  test("closes an order that is given up, and opens the page of one that goes on", async () => {
    const person = await opened.site.person();
    const made = await opened.start(person, body);
    const begun = (await again(person, made)) as unknown as typeof made;
    expect(await opened.alipay.open(begun)).toMatchObject({ status: 200 });
    expect(await cancel(person, made)).toMatchObject({ data: { status: "cancelled" } });
    expect(opened.alipay.calls.at(-1)).toBe(`alipay.trade.close ${made.trade_no}`);
    expect(opened.alipay.trades.get(made.trade_no)?.status).toBe("TRADE_CLOSED");
  });
});
