/** The wallet in a real browser: codes redeemed, quota bought at a gateway and credited on the way back, orders seen, and completed by hand. */
import { afterAll, beforeEach, expect, test } from "vitest";
import type { OwnOrder } from "../../contract/src/payments/orders.ts";
import { sealOption } from "../../server/src/db/secrets.ts";
import { setOptions } from "../support/databases/options.ts";
import { type FakeAlipay, startAlipay } from "../support/payments/alipay.ts";
import { directOptions, sealedOptions } from "../support/payments/direct-site.ts";
import { type EpayGateway, startEpay } from "../support/payments/epay.ts";
import { STRIPE_SECRETS, type StartedOrder } from "../support/payments/stripe-site.ts";
import { type FakeStripe, sendStripeEvent, startStripe } from "../support/payments/stripe.ts";
import { type FakeWechat, startWechat } from "../support/payments/wechat.ts";
import { IS_SHORT } from "../support/soak/short-or-long.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { testInAll } from "../support/soak/test-in-all.ts";
import {
  findingsOfAnotherLook,
  logInOn,
  openContext,
  openPage,
  overflow,
  PHONE,
  seriousFindings,
} from "../support/systems/browser.ts";
import { dataOf } from "../support/systems/site.ts";
import { ROOT_PASSWORD, type TestClient } from "../support/systems/server.ts";

const PASSWORD = "a-good-one";
const MERCHANT = { pid: "1001", key: "epay-key-0123456789" };
const UNIT = 500_000;

let gateway: EpayGateway;
let stripe: FakeStripe;
let alipay: FakeAlipay;
let wechat: FakeWechat;
let ada: TestClient;

const site = rootSite({
  environment: { ALLOW_PRIVATE_UPSTREAMS: "1" },
  async before() {
    [gateway, stripe, alipay, wechat] = await Promise.all([
      startEpay(MERCHANT),
      startStripe(STRIPE_SECRETS.StripeSecretKey),
      startAlipay(),
      startWechat(),
    ]);
    return { standIns: { "https://api.stripe.com": stripe.url, "https://api.mch.weixin.qq.com": wechat.url } };
  },
  async fill({ server, root }) {
    await dataOf(root.post("/api/user/", { username: "ada", password: PASSWORD, display_name: "" }));
    ada = server.client();
    await dataOf(ada.login("ada", PASSWORD));
  },
  as: { username: "ada", password: PASSWORD },
});
afterAll(() => Promise.all([gateway, stripe, alipay, wechat].map((provider) => provider?.close())));

const sealed = (secrets: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(secrets).map(([name, value]) => [name, sealOption(site.server.app.foundation.secrets, name, value)]),
  );
const offering = (changes: Readonly<Record<string, string>> = {}) =>
  setOptions(site.server.app.foundation, {
    ServerAddress: site.server.app.url,
    PayAddress: gateway.url,
    EpayId: MERCHANT.pid,
    ...sealed({ EpayKey: MERCHANT.key }),
    Price: "7.3",
    MinTopUp: "5",
    TopupGroupRatio: '{"default": 0.9}',
    TopUpLink: "",
    ...changes,
  });

const open = async (address = "/topup"): Promise<void> => {
  await site.page.goto(site.server.app.url + address);
  await site.page.getByRole("heading", { name: "My wallet", exact: true }).waitFor();
  await site.tab.settled();
};
const card = (name: string) => site.page.getByRole("region", { name, exact: true });
const balance = () => card("Balance").locator("dd").first().innerText();
const orders = async () =>
  (await dataOf<{ items: OwnOrder[] }>(ada.send("GET", "/api/user/topup/self?page_size=100"))).items;
const CARD = { StripeEnabled: "true", StripeCurrency: "EUR", StripePrice: "0.9" } as const;
const offeringCards = () => offering({ ...CARD, ...sealed(STRIPE_SECRETS) });

// Each test begins on a site that sells nothing, with a person who has nothing and has bought nothing.
beforeEach(async () => {
  const { foundation } = site.server.app;
  await foundation.database.kysely.deleteFrom("order_events").execute();
  await foundation.database.kysely.deleteFrom("top_ups").execute();
  await foundation.database.kysely.updateTable("users").set({ quota: 0 }).where("username", "=", "ada").execute();
  gateway.orders.clear();
  site.tab.complaints.length = 0;
  await setOptions(foundation, {
    PayAddress: "",
    EpayId: "",
    EpayKey: "",
    StripeEnabled: "false",
    AlipayEnabled: "false",
    WechatPayEnabled: "false",
    "payment_setting.amount_discount": "{}",
    TopUpLink: "",
  });
});

/** Pays at the gateway what the browser has posted there last. */
const report = () => {
  const number = [...gateway.orders.keys()].at(-1) ?? expect.fail("nothing was posted to the gateway");
  return gateway.notify(gateway.report(number));
};

type Ordered = StartedOrder & { data: Record<string, string> };
/** Orders quota for ten dollars by this method. */
async function ordered(payment_method: string): Promise<Ordered> {
  const { body } = await ada.post("/api/user/pay", { amount: 10, payment_method });
  return body as unknown as Ordered;
}
/** Buys quota for ten dollars at the gateway. */
async function boughtAtGateway(): Promise<void> {
  const { data, url } = await ordered("wx");
  await fetch(url, { method: "POST", body: new URLSearchParams(data) });
  expect(await report()).toMatchObject({ text: "success" });
}
/** Buys quota for ten dollars by card; gives the order's number. */
async function boughtByCard(): Promise<string> {
  const { trade_no } = await ordered("stripe");
  const event = stripe.sessionEvent("checkout.session.completed", trade_no);
  const answer = await sendStripeEvent(site.server.app.url, event, STRIPE_SECRETS.StripeWebhookSecret);
  expect(answer).toMatchObject({ text: "done" });
  return trade_no;
}

test("a site without a way to pay, or without a link for codes, offers neither; a code is redeemed once, however often its button is pressed, and a blank, a wrong and a used one say what is wrong", async () => {
  await open();
  await card("Redeem a code").getByText("The administrator has not enabled online top-up").waitFor();
  await card("Redeem a code").getByText("The super administrator has not set a top-up link").waitFor();
  await card("Orders").getByText("You have not bought anything yet.").waitFor();
  expect(await site.page.getByText(/Get a code|Top up online/).count()).toBe(0);
  expect(await findingsOfAnotherLook(site.page)).toEqual([]);
  expect(site.tab.complaints).toEqual([]);
  // A code is redeemed there.
  const [key = ""] = await dataOf<string[]>(site.root.post("/api/redemption", { quota: 2 * UNIT }));
  const redeem = card("Redeem a code");
  const code = redeem.getByLabel("Redemption code");
  await redeem.getByRole("button", { name: "Redeem" }).click();
  await redeem.getByText("Please enter a redemption code").waitFor();
  await code.fill("0123456789abcdef0123456789abcdef");
  await site.page.keyboard.press("Enter");
  await redeem.getByText("There is no such redemption code", { exact: false }).waitFor();
  expect(await findingsOfAnotherLook(site.page)).toEqual([]);
  await site.page.route("**/api/user/topup", (route) => route.abort());
  await code.fill(key);
  await site.page.keyboard.press("Enter");
  await site.page.getByText("no code counts twice", { exact: false }).waitFor();
  await site.page.unroute("**/api/user/topup");
  await redeem.getByRole("button", { name: "Redeem" }).dblclick();
  await site.page.getByText("$2.00 added to your balance").waitFor();
  await expect.poll(balance, { timeout: 10_000 }).toBe("$2.00");
  await expect.poll(() => code.inputValue()).toBe("");
  await code.fill(key);
  await site.page.keyboard.press("Enter");
  await redeem.getByText("You have redeemed this code already", { exact: false }).waitFor();
});

test("an amount is priced by method and group, and one below the minimum is refused at its field; a payment that cannot begin is reported, and another tab's credit is seen when this one is looked at again", async () => {
  await offering({ TopUpLink: "https://shop.example/codes" });
  await open();
  const topUp = card("Top up online");
  await topUp.getByText("¥65.70").waitFor();
  await topUp.getByText("for $10.00 of quota").waitFor();
  await topUp.getByText("Your group default pays 0.9 times the price.").waitFor();
  await topUp.getByRole("button", { name: "$50", exact: true }).click();
  await topUp.getByText("¥328.50").waitFor();
  await topUp.getByRole("radio", { name: "WeChat Pay" }).click();
  const amount = topUp.getByRole("textbox", { name: "Amount" });
  for (const [text, sentence] of [
    ["4", "The amount cannot be less than $5"],
    ["1.5", "Please enter a whole number"],
  ] as const) {
    await amount.fill(text);
    await topUp.getByRole("button", { name: "Pay", exact: true }).click();
    await topUp.getByText(sentence).waitFor();
  }
  await expect
    .poll(() => site.page.getByRole("link", { name: "Get a code" }).getAttribute("href"))
    .toBe("https://shop.example/codes");
  expect(await findingsOfAnotherLook(site.page)).toEqual([]);
  expect(await orders()).toEqual([]);
  await amount.fill("10");
  await site.page.route("**/api/user/pay", (route) => route.abort());
  await topUp.getByRole("button", { name: "Pay", exact: true }).click();
  await site.page.getByText("The payment could not be started").waitFor();
  await site.page.unroute("**/api/user/pay");
  const [key = ""] = await dataOf<string[]>(site.root.post("/api/redemption", { quota: UNIT }));
  await dataOf(ada.post("/api/user/topup", { key }));
  await site.page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));
  await expect.poll(balance, { timeout: 10_000 }).toBe("$1.00");
});

test("who pays is led to the gateway with a signed form, and on the way back waits until the quota is there", async () => {
  const before = site.tab.complaints.length;
  await offering();
  await open();
  const topUp = card("Top up online");
  await topUp.getByRole("radio", { name: "WeChat Pay" }).click();
  await topUp.getByRole("button", { name: "Pay", exact: true }).dblclick();
  await site.page.getByRole("heading", { name: "Demonstration cashier" }).waitFor();
  const made = await orders();
  expect(made).toMatchObject([{ status: "pending", method: "wx", money: "65.70", quota: 10 * UNIT }]);
  expect(gateway.orders.get(made[0]?.trade_no ?? "")).toMatchObject({ type: "wxpay", money: "65.70" });
  await open(`/topup?order=${made[0]?.id}`);
  await site.page.getByText("Waiting for your payment to be confirmed").waitFor();
  await card("Orders").getByText("Not paid yet").waitFor();
  expect(await findingsOfAnotherLook(site.page)).toEqual([]);
  expect(await report()).toMatchObject({ text: "success" });
  await site.page.getByText("$10.00 added to your balance").waitFor();
  await expect.poll(balance, { timeout: 10_000 }).toBe("$10.00");
  await card("Orders").getByText("Paid", { exact: true }).waitFor();
  await site.page.getByRole("button", { name: "Close", exact: true }).click();
  await expect.poll(() => new URL(site.page.url()).search).toBe("");
  // A link to the page that posts the form posts nothing.
  await open("/leave.html");
  expect(gateway.orders.size).toBe(1);
  expect(site.tab.complaints.slice(before)).toEqual([]);
});

testInAll("who pays by card is led to Stripe's page, and on the way back waits until the quota is there")(async () => {
  await offeringCards();
  const before = site.tab.complaints.length;
  await open();
  const topUp = card("Top up online");
  await topUp.getByRole("radio", { name: "Card" }).click();
  await topUp.getByText("€8.10").waitFor();
  await topUp.getByRole("button", { name: "Pay", exact: true }).click();
  await site.page.getByRole("heading", { name: "Turnpike" }).waitFor();
  await site.page.getByText("810 eur").waitFor();
  const [made] = await orders();
  expect(made).toMatchObject({ status: "pending", method: "stripe", money: "8.10", currency: "EUR", quota: 10 * UNIT });
  await site.page.getByRole("link", { name: "Pay" }).click();
  await site.page.getByText("Waiting for your payment to be confirmed").waitFor();
  const event = stripe.sessionEvent("checkout.session.completed", made?.trade_no ?? "");
  expect(await sendStripeEvent(site.server.app.url, event, STRIPE_SECRETS.StripeWebhookSecret)).toMatchObject({
    text: "done",
  });
  await site.page.getByText("$10.00 added to your balance").waitFor();
  await expect.poll(balance, { timeout: 10_000 }).toBe("$10.00");
  await card("Orders").getByText("Paid", { exact: true }).first().waitFor();
  expect(site.tab.complaints.slice(before)).toEqual([]);
});

const offeringDirectly = () =>
  offering({
    PayAddress: "",
    ...sealedOptions(site.server.app.foundation.secrets, directOptions(alipay)),
    "payment_setting.amount_discount": '{"100": 0.9}',
  });

test("an amount with a discount is picked, paid on Alipay's own page, and there when its buyer comes back", async () => {
  await offeringDirectly();
  const before = site.tab.complaints.length;
  await open();
  const topUp = card("Top up online");
  await topUp.getByRole("button", { name: "$100 −10%", exact: true }).click();
  await topUp.getByText("¥591.30").waitFor();
  await topUp.getByText("instead of CN¥657.00").waitFor();
  expect(await findingsOfAnotherLook(site.page)).toEqual([]);
  await topUp.getByRole("button", { name: "Pay", exact: true }).click();
  await site.page.getByRole("heading", { name: "Alipay" }).waitFor();
  await site.page.getByText("591.30 CNY").waitFor();
  const [made] = await orders();
  alipay.pay(made?.trade_no ?? "");
  // Nothing is reported: Alipay is asked.
  await site.page.getByRole("link", { name: "Back" }).click();
  await site.page.getByText("$100.00 added to your balance").waitFor();
  await expect.poll(balance, { timeout: 40_000 }).toBe("$100.00");
  expect(site.tab.complaints.slice(before)).toEqual([]);
});

test("who pays by WeChat scans a code, which has the focus, and the page says when it is paid", async () => {
  await offeringDirectly();
  await open();
  const topUp = card("Top up online");
  await topUp.getByRole("radio", { name: "WeChat Pay (direct)" }).click();
  await topUp.getByText("¥65.70").waitFor();
  await topUp.getByRole("button", { name: "Pay", exact: true }).click();
  const panel = site.page.getByRole("region", { name: "Your payment" });
  await panel.getByText("Scan this code with WeChat to pay CN¥65.70").waitFor();
  await panel.getByRole("img", { name: "Payment code for WeChat" }).waitFor();
  await expect.poll(() => panel.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await findingsOfAnotherLook(site.page)).toEqual([]);
  const [made] = await orders();
  wechat.pay(made?.trade_no ?? "");
  expect(await wechat.notify(wechat.report(made?.trade_no ?? ""))).toMatchObject({ status: 200 });
  await panel.getByText("$10.00 added to your balance").waitFor();
  await expect.poll(balance, { timeout: 10_000 }).toBe("$10.00");
});

test("an order of somebody else's is not found; cards that do not load say so and can be tried again", async () => {
  await offering();
  await open("/topup?order=987654");
  await site.page.getByText("The order could not be loaded").waitFor();
  await site.page.route("**/api/user/topup/info", (route) => route.abort());
  await site.page.route("**/api/user/topup/self?**", (route) => route.abort());
  await open();
  await site.page.getByText("Online top-up could not be loaded").waitFor();
  await site.page.getByText("Orders could not be loaded").waitFor();
  await site.page.unroute("**/api/user/topup/info");
  await site.page.getByRole("button", { name: "Try again" }).first().click();
  await card("Top up online").waitFor();
  await site.page.unroute("**/api/user/topup/self?**");
});

test("an administrator finds orders, reads everything about one, and completes it by hand after confirming who they are", async () => {
  await offeringCards();
  await boughtAtGateway();
  await boughtByCard();
  await dataOf(ada.post("/api/user/pay", { amount: 20, payment_method: "zfb" }));
  const own = await openContext(site.browser);
  const boss = await openPage(own);
  await logInOn(boss.page, site.server.app.url, "root", ROOT_PASSWORD);
  await site.server.app.foundation.database.kysely.updateTable("sessions").set({ confirmed_time: 0 }).execute();
  await boss.page.goto(`${site.server.app.url}/topup/orders`);
  await boss.page.getByText("3 orders", { exact: true }).waitFor();
  await boss.page.getByText("¥65.70").first().waitFor();
  await boss.page.getByText("in 1 paid order", { exact: false }).first().waitFor();
  await boss.settled();
  expect(await findingsOfAnotherLook(boss.page)).toEqual([]);
  await boss.page.goto(`${site.server.app.url}/topup/orders?status=pending&user=ad`);
  await boss.page.getByText("1 order", { exact: true }).waitFor();
  await boss.page.getByRole("row").getByRole("button", { name: "Details", exact: true }).click();
  const drawer = boss.page.getByRole("dialog");
  await drawer.getByText("¥131.40").waitFor();
  expect(await seriousFindings(boss.page)).toEqual([]);
  await drawer.getByRole("button", { name: "Complete by hand" }).click();
  const dialog = boss.page.getByRole("dialog", { name: "Complete this order by hand?" });
  await dialog.getByText("ada gets $20.00", { exact: false }).waitFor();
  await dialog.getByLabel("Number of the payment").fill("bank 77");
  await dialog.getByRole("button", { name: "Credit $20.00" }).click();
  await boss.page.locator("input[type=password]").fill(ROOT_PASSWORD);
  await boss.page.keyboard.press("Enter");
  await boss.page.getByText("$20.00 added to the balance of ada").waitFor();
  expect((await orders())[0]).toMatchObject({ status: "paid", quota: 20 * UNIT });
  await drawer.getByText("bank 77").waitFor();
  await drawer.getByText("Completed by hand by").waitFor();
  await own.close();
});

testInAll("an order's details tell of each refund and dispute, and what it took or gave")(async () => {
  await offeringCards();
  const number = await boughtByCard();
  const about = { id: "re_1", amount: 405 } as const;
  for (const event of [
    stripe.refundEvent("refund.created", number, { ...about, status: "pending" }),
    stripe.refundEvent("refund.failed", number, { ...about, status: "failed" }),
    stripe.disputeEvent("charge.dispute.created", number, { id: "dp_1", amount: 162 }),
  ])
    await sendStripeEvent(site.server.app.url, event, STRIPE_SECRETS.StripeWebhookSecret);
  const own = await openContext(site.browser, { size: PHONE });
  const boss = await openPage(own);
  await logInOn(boss.page, site.server.app.url, "root", ROOT_PASSWORD);
  await boss.page.goto(`${site.server.app.url}/topup/orders?number=${number}`);
  await boss.page.getByRole("button", { name: /^Actions for/ }).click();
  await boss.page.getByRole("menuitem", { name: "Details" }).click();
  const rows = boss.page.getByRole("region", { name: "Refunds and disputes" }).getByRole("listitem");
  await rows.nth(2).waitFor();
  const told = (await rows.allInnerTexts()).map((text) => text.split("\n").slice(0, 3));
  expect(told).toEqual([
    ["Refund of €4.05 on its way", "$5.00 taken from the balance", "re_1"],
    ["Refund of €4.05 failed", "$5.00 back in the balance", "re_1"],
    ["Dispute about €1.62", "$2.00 taken from the balance", "dp_1"],
  ]);
  expect(await overflow(boss.page)).toBe(0);
  expect(await findingsOfAnotherLook(boss.page)).toEqual([]);
  await own.close();
});

test.each(IS_SHORT ? [] : [PHONE])(
  "on a phone in Chinese and dark both pages fit, and nothing serious is found: %o",
  async (size) => {
    await offering();
    await boughtAtGateway();
    for (const [who, password, address, heading] of [
      ["ada", PASSWORD, "/topup", "我的钱包"],
      ["root", ROOT_PASSWORD, "/topup/orders", "充值订单"],
    ] as const) {
      const phone = await openContext(site.browser, { size, theme: "dark", language: "zh" });
      const own = await openPage(phone);
      await logInOn(own.page, site.server.app.url, who, password);
      await own.page.goto(site.server.app.url + address);
      await own.page.getByRole("heading", { name: heading, exact: true }).first().waitFor();
      await own.page.getByText("已支付").first().waitFor();
      await own.settled();
      expect(await overflow(own.page)).toBe(0);
      expect(await seriousFindings(own.page)).toEqual([]);
      expect(own.complaints).toEqual([]);
      await phone.close();
    }
  },
);
