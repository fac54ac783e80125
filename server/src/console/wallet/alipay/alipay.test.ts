/** Tests of Alipay without a go-between, with a faithful fake gateway over real HTTP: pages, notifications, refunds, queries and closing. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { engines } from "../../../../../tests/support/databases/databases.ts";
import { type DirectSite, openDirectSite, UNIT } from "../../../../../tests/support/payments/direct-site.ts";
import { testKeys } from "../../../../../tests/support/payments/keys.ts";
import { balanceOf, logsOf } from "../../../../../tests/support/payments/rows.ts";
import type { Caller } from "../../../../../tests/support/systems/console.ts";
import { auditDatabase } from "../../../billing/audit.ts";
import { unpaidOrdersJob } from "../unpaid-orders.ts";
import { rawObject } from "./signature.ts";

const PHONE = { "user-agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile/15E148" };
const DAY_MS = 86_400_000;

test("the text that an answer's signature is over is found byte by byte", () => {
  const object = '{ "code":"10000","sub_msg":"a } and \\" {","inner":{"x":"}"} }';
  expect(rawObject(`{"a_response":${object},"sign":"x"}`, "a_response")).toBe(object);
  expect(rawObject(`{"sign":"x","a_response": ${object}}`, "a_response")).toBe(object);
  for (const broken of ["", "{}", '{"a_response":"{}"}', '{"a_response":{"b":1', '{"b_response":{}}'])
    expect(rawObject(broken, "a_response")).toBeUndefined();
});

describe.each(await engines())("on %s", (engine) => {
  let place: DirectSite;
  let nowMs = Date.now();

  beforeAll(async () => {
    place = await openDirectSite(engine, () => nowMs);
  });
  beforeEach(async () => {
    nowMs = Date.now();
    place.alipay.trouble.kind = "none";
    await place.options();
  });
  afterAll(() => place.close());

  const audited = async () => expect((await auditDatabase(place.site.foundation.database)).faults).toEqual([]);
  /** Makes an order and opens Alipay's page for it. */
  const opened = async (person: Caller, amount = 10, headers = {}) => {
    const made = await place.start(person, { amount, payment_method: "alipay_direct" }, headers);
    const page = await place.alipay.open(made);
    if (page.status !== 200) throw new Error(page.text);
    return made;
  };

  test("an order is paid on Alipay's page, signed by both sides, and credited once with ledger and log", async () => {
    const person = await place.site.person();
    for (const [headers, method, product_code] of [
      [{}, "alipay.trade.page.pay", "FAST_INSTANT_TRADE_PAY"],
      [PHONE, "alipay.trade.wap.pay", "QUICK_WAP_WAY"],
    ] as const) {
      const before = await balanceOf(place.site, person);
      const made = await opened(person, 10, headers);
      const { trades } = place.alipay;
      const back = `${place.site.url}/topup?order=${made.order_id}`;
      expect(trades.get(made.trade_no)).toMatchObject({
        method,
        totalAmount: "73.00",
        notifyUrl: `${place.site.url}/api/alipay/notify`,
        returnUrl: back,
        content: { product_code, subject: `Acme   Söhne ${made.trade_no}` },
      });
      const report = place.alipay.report(made.trade_no);
      for (const _ of [1, 2]) expect(await place.alipay.notify(report)).toEqual({ status: 200, text: "success" });
      expect((await balanceOf(place.site, person)) - before).toBe(10 * UNIT);
      expect(await place.own(person, made)).toMatchObject({ status: "paid", money: "73.00", currency: "CNY" });
      expect(await place.order(made)).toMatchObject({ provider_reference: trades.get(made.trade_no)?.tradeNo });
    }
    expect(await logsOf(place.site, person)).toHaveLength(2);
    await audited();
  });

  test("forged, changed and misdirected notifications credit nothing, and those of another money, application or order neither", async () => {
    const person = await place.site.person();
    const made = await opened(person);
    const small = await opened(person, 1);
    const good = place.alipay.report(made.trade_no);
    const wrong = (changes: Record<string, string>) => place.alipay.report(made.trade_no, changes);
    const address = `${place.site.url}/api/alipay/notify`;
    const signed = [
      wrong({ total_amount: "0.01" }),
      wrong({ total_amount: "73.01" }),
      wrong({ total_amount: "73" + "0".repeat(20) }),
      wrong({ total_amount: "" }),
      wrong({ app_id: "2021000118600001" }),
      wrong({ out_trade_no: small.trade_no }),
      wrong({ out_trade_no: "TP20260101000000NOSUCHORDER00000" }),
      wrong({ trade_status: "SOMETHING_NEW" }),
      wrong({ trade_status: "" }),
      wrong({ refund_fee: "1.234" }),
    ];
    const changed = Object.keys(good).map((name) => ({ ...good, [name]: `0${good[name]}` }));
    const unsigned = [{ ...good, sign: "" }, { ...good, sign_type: "RSA" }, { ...good, extra: "1" }, {}];
    for (const fields of [...signed, ...changed, ...unsigned])
      expect(await place.alipay.notify(fields as Record<string, string>, address)).toEqual({
        status: 200,
        text: "fail",
      });
    const twice = `${new URLSearchParams(good).toString()}&total_amount=73.00`;
    expect(await (await fetch(address, { method: "POST", body: twice })).text()).toBe("fail");
    // The key of another application, and the application's own key in the place of Alipay's.
    for (const key of [testKeys("other"), testKeys("merchant")]) {
      await place.options({ AlipayPublicKey: key.publicPem });
      expect((await place.alipay.notify(good)).text).toBe("fail");
    }
    for (const missing of ["AlipayAppId", "AlipayPublicKey"]) {
      await place.options({ [missing]: "" });
      expect((await place.alipay.notify(good)).status).toBe(404);
    }
    await place.options();
    expect(await balanceOf(place.site, person)).toBe(0);
    expect((await place.own(person, made)).status).toBe("pending");
    // An order of another method is not touched from here.
    const { database } = place.site.foundation;
    const touched = (set: { method?: string; currency?: string }) =>
      database.kysely.updateTable("top_ups").set(set).where("id", "=", made.order_id).execute();
    for (const [set, back] of [
      [{ method: "zfb" }, { method: "alipay_direct" }],
      [{ currency: "USD" }, { currency: "CNY" }],
    ] as const) {
      await touched(set);
      expect((await place.alipay.notify(good)).text).toBe("fail");
      await touched(back);
    }
    expect((await place.alipay.notify(wrong({ trade_status: "WAIT_BUYER_PAY" }))).text).toBe("success");
    expect(await balanceOf(place.site, person)).toBe(0);
    expect((await place.alipay.notify(good)).text).toBe("success");
    expect(await balanceOf(place.site, person)).toBe(10 * UNIT);
  });

  test("a refund takes back its share, whichever of the notifications comes first and however often", async () => {
    const person = await place.site.person();
    const [first, second] = [await opened(person), await opened(person)];
    const report = (number: string, changes = {}) => place.alipay.notify(place.alipay.report(number, changes));
    await report(first.trade_no);
    const part = { refund_fee: "7.30", gmt_refund: "2026-11-25 11:00:00", out_biz_no: "r1" };
    const more = { ...part, refund_fee: "36.50", out_biz_no: "r2" };
    for (const refund of [part, part, more, part])
      expect(await report(first.trade_no, refund)).toEqual({ status: 200, text: "success" });
    expect(await place.order(first)).toMatchObject({
      status: "partly_refunded",
      refunded: "36.50",
      taken_back: 5 * UNIT,
    });
    const all = { ...part, refund_fee: "73.00", trade_status: "TRADE_CLOSED" };
    await report(first.trade_no, all);
    expect(await place.order(first)).toMatchObject({ status: "refunded", taken_back: 10 * UNIT });
    // The payment's own notification was lost, and comes after that of its refund.
    await report(second.trade_no, all);
    await report(second.trade_no);
    expect(await place.order(second)).toMatchObject({ status: "refunded", taken_back: 10 * UNIT });
    expect(await balanceOf(place.site, person)).toBe(0);
    await audited();
  });

  test("an order that ended unpaid at Alipay expires, and a later payment is credited all the same", async () => {
    const person = await place.site.person();
    const made = await opened(person);
    const closed = place.alipay.report(made.trade_no, { trade_status: "TRADE_CLOSED" });
    expect((await place.alipay.notify(closed)).text).toBe("success");
    expect((await place.own(person, made)).status).toBe("ended");
    await place.alipay.notify(place.alipay.report(made.trade_no));
    expect((await place.own(person, made)).status).toBe("paid");
  });

  test("who comes back has Alipay asked; an answer without its signature, or none at all, credits nothing", async () => {
    const person = await place.site.person();
    const unopened = await place.start(person, { amount: 10, payment_method: "alipay_direct" });
    expect((await place.check(person, unopened)).status).toBe("pending");
    const made = await opened(person);
    expect((await place.check(person, made)).status).toBe("pending");
    place.alipay.pay(made.trade_no);
    for (const kind of ["other key", "hangs up"] as const) {
      place.alipay.trouble.kind = kind;
      expect((await place.check(person, made)).status).toBe("pending");
    }
    place.alipay.trouble.kind = "none";
    expect((await place.check(person, made)).status).toBe("paid");
    expect(await balanceOf(place.site, person)).toBe(10 * UNIT);
    const other = await place.site.person();
    expect((await other.call("POST", `/api/user/topup/self/${made.order_id}/check`)).body.code).toBe("not_found");
    // At most ten times a minute: what is asked too often is the order as it was.
    const last = await opened(person);
    const asked = place.alipay.calls.length;
    for (let at = 0; at < 12; at += 1) await place.check(person, last);
    expect(place.alipay.calls.length - asked).toBe(10 - 5);
    await place.alipay.notify(place.alipay.report(made.trade_no));
    expect(await balanceOf(place.site, person)).toBe(10 * UNIT);
  });

  test("after a day orders are asked about and closed at Alipay, and one whose provider is away has a day more", async () => {
    const person = await place.site.person();
    const [paid, open, unopened] = [
      await opened(person),
      await opened(person),
      await place.start(person, { amount: 10, payment_method: "alipay_direct" }),
    ];
    place.alipay.pay(paid.trade_no);
    const job = unpaidOrdersJob(place.site.context);
    const statuses = async () => {
      const orders = await Promise.all([paid, open, unopened].map((made) => place.own(person, made)));
      return orders.map(({ status }) => status);
    };
    nowMs += DAY_MS + 1000;
    place.alipay.trouble.kind = "hangs up";
    await job.run();
    expect(await statuses()).toEqual(["pending", "pending", "pending"]);
    place.alipay.trouble.kind = "none";
    await job.run();
    expect(await statuses()).toEqual(["paid", "ended", "ended"]);
    expect(place.alipay.trades.get(open.trade_no)?.status).toBe("TRADE_CLOSED");
    const late = await opened(person);
    nowMs += 2 * DAY_MS + 1000;
    place.alipay.trouble.kind = "hangs up";
    await job.run();
    expect((await place.own(person, late)).status).toBe("ended");
  });
});
