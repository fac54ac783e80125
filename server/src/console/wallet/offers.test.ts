/** Tests of what the wallet offers: amounts, discounts, methods and least amounts, as options say, with a fake epay gateway. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { WalletInfo } from "../../../../contract/src/features/wallet.ts";
import type { OwnOrder } from "../../../../contract/src/payments/orders.ts";
import { ROLE } from "../../../../contract/src/roles.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { setOptions } from "../../../../tests/support/databases/options.ts";
import { type EpayGateway, startEpay } from "../../../../tests/support/payments/epay.ts";
import { balanceOf } from "../../../../tests/support/payments/rows.ts";
import { type TestConsole, openTestConsole } from "../../../../tests/support/systems/console.ts";
import { sealOption } from "../../db/secrets.ts";

const MERCHANT = { pid: "1001", key: "epay-key-0123456789" };
const UNIT = 500_000;

describe.each(await engines())("on %s", (engine) => {
  let site: TestConsole;
  let gateway: EpayGateway;

  const options = (changes: Readonly<Record<string, string>> = {}) =>
    setOptions(site.foundation, {
      ServerAddress: site.url,
      PayAddress: gateway.url,
      EpayId: MERCHANT.pid,
      EpayKey: sealOption(site.foundation.secrets, "EpayKey", MERCHANT.key),
      Price: "7.3",
      MinTopUp: "1",
      TopupGroupRatio: '{"default": 1, "vip": 0.95}',
      TopUpLink: "",
      PayMethods: "[]",
      "payment_setting.amount_options": "[1, 10, 50, 100, 500, 100, 1000]",
      "payment_setting.amount_discount": "{}",
      DisplayInCurrencyEnabled: "true",
      QuotaPerUnit: String(UNIT),
      ...changes,
    });

  beforeAll(async () => {
    gateway = await startEpay(MERCHANT);
    site = await openTestConsole(engine);
  });
  beforeEach(() => options());
  afterAll(async () => {
    await site.close();
    await gateway.close();
  });

  test("the wallet says what options say, and a method that is not set up cannot be paid with", async () => {
    const person = await site.person(ROLE.user, { group: "vip" });
    const info = () => person.data<WalletInfo>("GET", "/api/user/topup/info");
    await options({ MinTopUp: "20", TopUpLink: "https://shop.example/" });
    expect(await info()).toEqual({
      methods: ["zfb", "wx"].map((name) => ({
        name,
        currency: "CNY",
        price: "7.3",
        title: "",
        color: "",
        minimum: 20,
      })),
      amount_unit: "units",
      minimum: 20,
      presets: [50, 100, 500, 1000],
      discount: {},
      enable_online_topup: true,
      enable_stripe_topup: false,
      enable_auto_topup: false,
      pay_methods: [
        { name: "Alipay", type: "alipay", color: "", min_topup: 20 },
        { name: "WeChat Pay", type: "wxpay", color: "", min_topup: 20 },
      ],
      min_topup: 20,
      stripe_min_topup: 20,
      amount_options: [50, 100, 500, 1000],
      quota_per_unit: UNIT,
      group: "vip",
      group_ratio: "0.95",
      top_up_link: "https://shop.example/",
    });
    const refusal = async (body: object) => (await person.call("POST", "/api/user/pay", body)).body;
    expect(await refusal({ amount: 19, payment_method: "zfb" })).toMatchObject({
      code: "top_up_below_minimum",
      field: "amount",
      values: { minimum: 20 },
    });
    await options({ DisplayInCurrencyEnabled: "false" });
    expect(await info()).toMatchObject({
      amount_unit: "quota",
      minimum: UNIT,
      presets: [1, 10, 50, 100, 500, 1000].map((each) => each * UNIT),
    });
    for (const missing of ["PayAddress", "EpayId", "EpayKey", "ServerAddress"]) {
      await options({ [missing]: "" });
      expect((await info()).methods).toEqual([]);
      expect(await refusal({ amount: UNIT, payment_method: "zfb" })).toMatchObject({ code: "top_up_off" });
    }
    for (const amount of [1.5, 0, -1, "5", null, 2 ** 53])
      expect((await person.call("POST", "/api/user/amount", { amount })).status).toBe(400);
  });

  test("amounts, discounts and least amounts are what the wallet shows, the price says, the gateway is asked for and the order keeps", async () => {
    const person = await site.person(ROLE.user, { group: "vip" });
    await options({
      "payment_setting.amount_options": "[10, 100]",
      "payment_setting.amount_discount": '{"100": 0.9}',
      PayMethods: '[{"type": "wxpay", "name": "WeChat", "color": "green", "min_topup": "50"}, {"type": "alipay"}]',
    });
    expect(await person.data<WalletInfo>("GET", "/api/user/topup/info")).toMatchObject({
      methods: [
        { name: "wx", title: "WeChat", color: "green", minimum: 50 },
        { name: "zfb", title: "", minimum: 1 },
      ],
      presets: [10, 100],
      discount: { "100": 0.9 },
      pay_methods: [
        { name: "WeChat", type: "wxpay", color: "green", min_topup: 50 },
        { name: "Alipay", type: "alipay", color: "", min_topup: 1 },
      ],
      amount_options: [10, 100],
    });
    // 100 x 7.3 x 0.95 of the group x 0.9.
    const price = await person.call("POST", "/api/user/amount", { amount: 100, payment_method: "wxpay" });
    expect(price.body).toMatchObject({ data: "624.15", full_price: "693.50", discount: "0.9", quota: 100 * UNIT });
    const { body } = await person.call("POST", "/api/user/pay", { amount: 100, payment_method: "wxpay" });
    const order = body as unknown as { url: string; data: Record<string, string>; trade_no: string; order_id: number };
    await fetch(order.url, { method: "POST", body: new URLSearchParams(order.data) });
    expect(gateway.orders.get(order.trade_no)).toMatchObject({ money: "624.15" });
    expect(await person.data<OwnOrder>("GET", `/api/user/topup/self/${order.order_id}`)).toMatchObject({
      money: "624.15",
      quota: 100 * UNIT,
    });
    await options({ "payment_setting.amount_discount": "{}" });
    expect((await gateway.notify(gateway.report(order.trade_no, { money: "693.50" }))).text).toBe("fail");
    expect((await gateway.notify(gateway.report(order.trade_no))).text).toBe("success");
    expect(await balanceOf(site, person)).toBe(100 * UNIT);
    await options({ PayMethods: '[{"type": "wxpay", "min_topup": 50}]' });
    const refused = async (body: object) => (await person.call("POST", "/api/user/pay", body)).body;
    expect(await refused({ amount: 49, payment_method: "wx" })).toMatchObject({
      code: "top_up_below_minimum",
      field: "amount",
      values: { minimum: 50 },
    });
    expect(await refused({ amount: 60, payment_method: "zfb" })).toMatchObject({
      code: "top_up_off",
      field: "payment_method",
    });
  });
});
