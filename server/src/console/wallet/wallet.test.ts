/** Tests of the wallet with a faithful fake epay gateway over real HTTP: the price of an amount, an order credited once and only by its own notification, and the effect of each option. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ManagedOrder, OrderTotals, OwnOrder } from "../../../../contract/src/payments/orders.ts";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import { ROLE } from "../../../../contract/src/roles.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { setOptions } from "../../../../tests/support/databases/options.ts";
import { type EpayGateway, startEpay } from "../../../../tests/support/payments/epay.ts";
import { balanceOf, confirm, logsOf } from "../../../../tests/support/payments/rows.ts";
import { type Caller, type TestConsole, openTestConsole } from "../../../../tests/support/systems/console.ts";
import { auditDatabase } from "../../billing/audit.ts";
import { sealOption } from "../../db/secrets.ts";
import { unpaidOrdersJob } from "./unpaid-orders.ts";

const KEY = "epay-key-0123456789";
const MERCHANT = { pid: "1001", key: KEY };
const DAY_MS = 86_400_000;
const UNIT = 500_000;

interface Started {
  data: Record<string, string>;
  url: string;
  order_id: number;
  trade_no: string;
  message: string;
}

describe.each(await engines())("on %s", (engine) => {
  let site: TestConsole;
  let gateway: EpayGateway;
  let nowMs = Date.now();

  const options = (changes: Readonly<Record<string, string>> = {}) => {
    const { EpayKey = KEY, ...rest } = changes;
    const sealed = EpayKey === "" ? "" : sealOption(site.foundation.secrets, "EpayKey", EpayKey);
    return setOptions(site.foundation, {
      ServerAddress: site.url,
      PayAddress: gateway.url,
      EpayId: MERCHANT.pid,
      EpayKey: sealed,
      Price: "7.3",
      MinTopUp: "1",
      CustomCallbackAddress: "",
      TopupGroupRatio: '{"default": 1, "vip": 0.95}',
      TopUpLink: "",
      DisplayInCurrencyEnabled: "true",
      QuotaPerUnit: String(UNIT),
      ...rest,
    });
  };

  beforeAll(async () => {
    gateway = await startEpay(MERCHANT);
    site = await openTestConsole(engine, {}, () => nowMs);
  });
  beforeEach(async () => {
    nowMs = Date.now();
    await options();
  });
  afterAll(async () => {
    await site.close();
    await gateway.close();
  });

  const start = async (person: Caller, body: object = {}): Promise<Started> => {
    const { body: answer } = await person.call("POST", "/api/user/pay", { amount: 10, payment_method: "zfb", ...body });
    if (!answer.success) throw new Error(answer.message);
    return answer as unknown as Started;
  };
  /** Posts the form as the browser does. */
  const submit = async (person: Caller, body: object = {}): Promise<Started> => {
    const started = await start(person, body);
    const answer = await fetch(started.url, { method: "POST", body: new URLSearchParams(started.data) });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("Demonstration cashier")]);
    return started;
  };
  const own = (person: Caller, { order_id }: Started) =>
    person.data<OwnOrder>("GET", `/api/user/topup/self/${order_id}`);

  test("an order is paid by Alipay and by WeChat, reported by GET and by POST, and credited once with ledger and log", async () => {
    const person = await site.person();
    for (const [method, type, how] of [
      ["zfb", "alipay", "GET"],
      ["wx", "wxpay", "POST"],
    ] as const) {
      const before = await balanceOf(site, person);
      const order = await submit(person, { payment_method: method });
      expect(order).toMatchObject({ message: "success", url: `${gateway.url}/submit.php` });
      expect(gateway.orders.get(order.trade_no)).toMatchObject({
        type,
        money: "73.00",
        name: "TUC10",
        notify_url: `${site.url}/api/user/epay/notify`,
        return_url: `${site.url}/topup?order=${order.order_id}`,
      });
      expect(await own(person, order)).toMatchObject({ status: "pending", money: "73.00", currency: "CNY" });
      const report = gateway.report(order.trade_no);
      expect(await gateway.notify(report, how)).toEqual({ status: 200, text: "success" });
      expect(await gateway.notify(report, how)).toEqual({ status: 200, text: "success" });
      expect((await balanceOf(site, person)) - before).toBe(10 * UNIT);
      expect(await own(person, order)).toMatchObject({
        status: "paid",
        quota: 10 * UNIT,
        completed_time: Math.floor(nowMs / 1000),
      });
    }
    const logs = await logsOf(site, person);
    expect(logs.map(({ type, quota, other }) => ({ type, quota, event: JSON.parse(other).event }))).toEqual(
      Array.from({ length: 2 }, () => ({
        type: LOG_TYPE.topUp,
        quota: 10 * UNIT,
        event: { code: "top_up_paid", values: { quota: 10 * UNIT, money: "73.00 CNY" } },
      })),
    );
    expect((await auditDatabase(site.foundation.database)).faults).toEqual([]);
  });

  test("the money is units x Price x the group's ratio, exactly and to 2 decimals, and stays what it was when options change", async () => {
    const person = await site.person(ROLE.user, { group: "vip" });
    const cost = async (amount: number, more: object = {}) =>
      (await person.call("POST", "/api/user/amount", { amount, top_up_code: "", ...more })).body;
    expect(await cost(1)).toMatchObject({
      success: true,
      message: "success",
      data: "6.94",
      currency: "CNY",
      quota: UNIT,
    });
    // 7.3 x 0.95 x 3 = 20.805: half a cent goes up.
    expect((await cost(3)).data).toBe("20.81");
    await options({ Price: "0.1", TopupGroupRatio: '{"vip": 0.1}' });
    expect((await cost(1)).data).toBe("0.01");
    await options({ Price: "0.1", TopupGroupRatio: '{"vip": 0.04}' });
    expect(await cost(1)).toMatchObject({ code: "top_up_too_small" });
    expect((await person.call("POST", "/api/user/pay", { amount: 1, payment_method: "wx" })).body.code).toBe(
      "top_up_too_small",
    );
    await options({ TopupGroupRatio: '{"vip": 0}' });
    expect((await cost(1)).data).toBe("7.30");
    expect(await cost(200_000)).toMatchObject({ code: "top_up_too_large" });
    // Quota itself where the site shows no money: not one unit of it is lost.
    await options({ DisplayInCurrencyEnabled: "false", TopupGroupRatio: "{}" });
    expect(await cost(UNIT - 1)).toMatchObject({ code: "top_up_below_minimum", values: { minimum: UNIT } });
    const odd = await submit(person, { amount: UNIT + UNIT / 2 + 1 });
    await options({ Price: "99", QuotaPerUnit: "1000", TopupGroupRatio: '{"vip": 9}' });
    expect(await own(person, odd)).toMatchObject({ money: "10.95", quota: UNIT + UNIT / 2 + 1 });
    expect((await gateway.notify(gateway.report(odd.trade_no))).text).toBe("success");
    expect(await balanceOf(site, person)).toBe(UNIT + UNIT / 2 + 1);
  });

  test("the callback goes where CustomCallbackAddress says, and without merchant or key its path does not exist", async () => {
    const person = await site.person();
    await options({ CustomCallbackAddress: "https://pay.example/back" });
    const { data, trade_no } = await submit(person);
    expect(data["notify_url"]).toBe("https://pay.example/back/api/user/epay/notify");
    const report = gateway.report(trade_no);
    const address = `${site.url}/api/user/epay/notify`;
    for (const missing of ["EpayId", "EpayKey"]) {
      await options({ [missing]: "" });
      // A signature that any client could make: the key is blank.
      for (const how of ["GET", "POST"] as const)
        expect((await gateway.notify({ ...report }, how, address)).status).toBe(404);
    }
    await options();
    expect(await balanceOf(site, person)).toBe(0);
    expect((await gateway.notify(report, "POST", `${address}/`)).text).toBe("success");
    expect(await balanceOf(site, person)).toBe(10 * UNIT);
  });

  test("500 forged, changed and misdirected reports credit nothing", async () => {
    const person = await site.person();
    const order = await submit(person);
    const small = await submit(person, { amount: 1 });
    const good = gateway.report(order.trade_no);
    const wrong = (changes: Record<string, string>) => gateway.report(order.trade_no, changes);
    const other = await startEpay({ pid: MERCHANT.pid, key: "another key" });
    other.orders.set(order.trade_no, gateway.orders.get(order.trade_no) ?? {});
    const notify_url = `${site.url}/api/user/epay/notify`;
    // Signed by the gateway, and about something else.
    const signed = [
      wrong({ money: "0.01" }),
      wrong({ money: "73.01" }),
      wrong({ money: "730e-1" }),
      wrong({ money: "" }),
      wrong({ pid: "1002" }),
      wrong({ type: "wxpay" }),
      wrong({ type: "" }),
      wrong({ trade_status: "WAIT_BUYER_PAY" }),
      wrong({ trade_status: "" }),
      wrong({ out_trade_no: small.trade_no }),
      wrong({ out_trade_no: "TP20260101000000NOSUCHORDER00000" }),
      wrong({ out_trade_no: "" }),
    ];
    // Not signed by it: every field changed behind the signature, the signature in every place changed, another key, none.
    const changed = Object.keys(good).flatMap((name) => [
      { ...good, [name]: `${good[name]}0` },
      { ...good, [name]: "" },
    ]);
    const sign = good["sign"] ?? "";
    const flipped = [...sign].map((letter, index) => ({
      ...good,
      sign: `${sign.slice(0, index)}${letter === "0" ? "1" : "0"}${sign.slice(index + 1)}`,
    }));
    const unsigned = [{ ...good, sign_type: "RSA" }, other.report(order.trade_no), {}, { sign: "" }];
    const kinds = [...signed, ...changed.filter(({ sign_type }) => sign_type !== ""), ...flipped, ...unsigned];
    const many = Array.from({ length: 500 }, (_, index) => kinds[index % kinds.length] ?? {});
    const answers = await Promise.all(
      many.map((fields, index) =>
        gateway.notify(fields as Record<string, string>, index % 2 === 0 ? "GET" : "POST", notify_url),
      ),
    );
    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(["fail"]));
    // A field that comes twice.
    const twice = `${notify_url}?${new URLSearchParams(good).toString()}&money=73.00`;
    expect(await (await fetch(twice)).text()).toBe("fail");
    expect(await balanceOf(site, person)).toBe(0);
    expect((await own(person, order)).status).toBe("pending");
    await other.close();
  });

  test("a notification while the ledger cannot post is answered with a request to retry, and is credited then", async () => {
    const person = await site.person();
    const order = await submit(person);
    const { billing } = site.context;
    const broken = { move: () => Promise.reject(new Error("the disk is full")) };
    Object.assign(site.context, { billing: Object.assign(Object.create(billing) as typeof billing, broken) });
    const report = gateway.report(order.trade_no);
    expect(await gateway.notify(report)).toEqual({ status: 503, text: "fail" });
    Object.assign(site.context, { billing });
    expect((await own(person, order)).status).toBe("pending");
    expect(await gateway.notify(report)).toEqual({ status: 200, text: "success" });
    expect(await balanceOf(site, person)).toBe(10 * UNIT);
  });

  test("the same report 100 times at once is one credit", async () => {
    const person = await site.person();
    const order = await submit(person);
    const report = gateway.report(order.trade_no);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => gateway.notify(report, index % 2 === 0 ? "GET" : "POST")),
    );
    expect(answers).toEqual(answers.map(() => ({ status: 200, text: "success" })));
    expect(await balanceOf(site, person)).toBe(10 * UNIT);
    expect(await logsOf(site, person)).toHaveLength(1);
    expect((await auditDatabase(site.foundation.database)).faults).toEqual([]);
  });

  test("an unpaid order expires after a day; a later payment is credited all the same, once", async () => {
    const person = await site.person();
    const [late, young] = [await submit(person), await submit(person)];
    const job = unpaidOrdersJob(site.context);
    nowMs += DAY_MS - 60_000;
    await job.run();
    expect((await own(person, late)).status).toBe("pending");
    await site.foundation.database.kysely
      .updateTable("top_ups")
      .set({ created_time: Math.floor(nowMs / 1000) })
      .where("id", "=", young.order_id)
      .execute();
    nowMs += 120_000;
    expect(await job.hasWork()).toBe(true);
    await job.run();
    expect(await job.hasWork()).toBe(false);
    expect([(await own(person, late)).status, (await own(person, young)).status]).toEqual(["ended", "pending"]);
    const report = gateway.report(late.trade_no);
    for (const _ of [1, 2]) expect((await gateway.notify(report)).text).toBe("success");
    expect((await own(person, late)).status).toBe("paid");
    expect(await balanceOf(site, person)).toBe(10 * UNIT);
  });

  test("an administrator completes an order by hand, once, confirmed, audited, and not their own", async () => {
    const [person, admin, root] = [await site.person(), await site.person(ROLE.admin), await site.person(ROLE.root)];
    const order = await submit(person);
    const complete = (who: Caller, id: number, body: object = { reference: "bank 77" }) =>
      who.call("POST", `/api/topup/${id}/complete`, body);
    const confirmed = (seconds: number) => confirm(site, [admin, root], seconds);
    await confirmed(0);
    expect((await complete(admin, order.order_id)).body.code).toBe("step_up_required");
    await confirmed(Math.floor(nowMs / 1000));
    expect((await complete(admin, 987_654_321)).body.code).toBe("not_found");
    const both = await Promise.all([complete(admin, order.order_id), complete(admin, order.order_id)]);
    expect(both.map(({ body }) => body.code ?? "done").toSorted()).toEqual(["done", "order_paid"]);
    expect((await gateway.notify(gateway.report(order.trade_no))).text).toBe("success");
    expect(await balanceOf(site, person)).toBe(10 * UNIT);
    const found = await admin.data<ManagedOrder>("GET", `/api/topup/${order.order_id}`);
    expect(found).toMatchObject({
      status: "paid",
      completed_by: admin.username,
      provider_reference: "bank 77",
      username: person.username,
    });
    const [mine] = await logsOf(site, admin);
    expect(JSON.parse(mine?.other ?? "{}")).toEqual({
      event: {
        code: "order_completed",
        values: {
          name: person.username,
          id: person.userId,
          number: order.trade_no,
          quota: 10 * UNIT,
          money: "73.00 CNY",
        },
      },
      admin_info: { order: order.trade_no, reference: "bank 77" },
    });
    const [theirs] = await logsOf(site, person);
    expect(theirs?.type).toBe(LOG_TYPE.topUp);
    expect(JSON.parse(theirs?.other ?? "{}").event.code).toBe("top_up_completed");
    const adminsOwn = await submit(admin);
    expect((await complete(admin, adminsOwn.order_id)).body.code).toBe("user_role_not_lower");
    expect((await complete(root, adminsOwn.order_id)).body.success).toBe(true);
    expect((await complete(root, (await submit(root)).order_id)).body.success).toBe(true);
  });

  test("people see their own orders alone; administrators find all of them, with exact sums by currency", async () => {
    const [one, two, admin] = [await site.person(), await site.person(), await site.person(ROLE.admin)];
    const made = [await submit(one), await submit(one, { payment_method: "wx", amount: 2 }), await submit(two)];
    const [first, second, third] = made as [Started, Started, Started];
    for (const { trade_no } of [first, second]) await gateway.notify(gateway.report(trade_no));
    expect((await two.call("GET", `/api/user/topup/self/${first.order_id}`)).body.code).toBe("not_found");
    const mine = await one.data<{ items: OwnOrder[]; total: number }>("GET", "/api/user/topup/self?p=1&page_size=1");
    expect(mine).toMatchObject({ total: 2, items: [{ id: second.order_id }] });
    const list = (query: string) =>
      admin.data<{ items: ManagedOrder[]; total: number; totals: OrderTotals }>("GET", `/api/topup?${query}`);
    const found = async (query: string) => (await list(query)).items.map(({ id }) => id);
    expect(await found(`user=${one.username}&sort=money_minor&order=asc`)).toEqual([second.order_id, first.order_id]);
    expect(await found(`user=${two.userId}`)).toContain(third.order_id);
    // Without a sort the newest comes first, whatever its id: imported orders have later ids than their age.
    const { kysely } = site.foundation.database;
    const own = [first.order_id, second.order_id];
    const { created_time: made_at } = await kysely
      .selectFrom("top_ups")
      .select("created_time")
      .where("id", "=", second.order_id)
      .executeTakeFirstOrThrow();
    await kysely
      .updateTable("top_ups")
      .set({ created_time: Number(made_at) - 86_400 })
      .where("id", "=", second.order_id)
      .execute();
    expect(await found(`user=${one.username}`)).toEqual(own);
    expect(await found(`number=${third.trade_no}`)).toEqual([third.order_id]);
    expect(await found(`number=${gateway.report(first.trade_no)["trade_no"]}`)).toEqual([first.order_id]);
    expect(await found(`user=${one.username}&method=wx&status=paid`)).toEqual([second.order_id]);
    expect(await found("status=nonsense")).toEqual([]);
    expect(await found(`user=${one.username}&end_timestamp=1`)).toEqual([]);
    await site.foundation.database.kysely
      .updateTable("top_ups")
      .set({ currency: "JPY" })
      .where("id", "=", second.order_id)
      .execute();
    const { totals, total } = await list(`user=${one.username}`);
    expect([total, totals]).toEqual([
      2,
      [
        {
          currency: "CNY",
          orders: 1,
          paid_orders: 1,
          money: "73.00",
          refunded: "0.00",
          disputed: "0.00",
          quota: 10 * UNIT,
          taken_back: 0,
        },
        {
          currency: "JPY",
          orders: 1,
          paid_orders: 1,
          money: "1460",
          refunded: "0",
          disputed: "0",
          quota: 2 * UNIT,
          taken_back: 0,
        },
      ],
    ]);
  });
});
