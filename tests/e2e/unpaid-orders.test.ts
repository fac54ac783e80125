/** Unpaid orders of the wallet in a real browser: continued and cancelled from their row, and paid while the page loads; and which of its acts stands out. */
import { afterAll, expect, test } from "vitest";
import type { OwnOrder } from "../../contract/src/payments/orders.ts";
import { sealOption } from "../../server/src/db/secrets.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { setOptions } from "../support/databases/options.ts";
import { type EpayGateway, startEpay } from "../support/payments/epay.ts";
import {
  findingsOfAnotherLook,
  logInOn,
  openContext,
  openPage,
  overflow,
  PHONE,
  seriousFindings,
} from "../support/systems/browser.ts";
import type { StartedOrder } from "../support/payments/stripe-site.ts";
import type { TestClient } from "../support/systems/server.ts";
import { dataOf } from "../support/systems/site.ts";

const PASSWORD = "a-good-one";
const MERCHANT = { pid: "1001", key: "epay-key-0123456789" };

let gateway: EpayGateway;
let ada: TestClient;

const site = rootSite({
  environment: { ALLOW_PRIVATE_UPSTREAMS: "1" },
  async before() {
    gateway = await startEpay(MERCHANT);
    return {};
  },
  async fill({ server, root }) {
    const { foundation, url } = server.app;
    await setOptions(foundation, {
      ServerAddress: url,
      PayAddress: gateway.url,
      EpayId: MERCHANT.pid,
      EpayKey: sealOption(foundation.secrets, "EpayKey", MERCHANT.key),
      Price: "7.3",
      MinTopUp: "1",
    });
    await dataOf(root.post("/api/user/", { username: "ada", password: PASSWORD, display_name: "" }));
    ada = server.client();
    await dataOf(ada.login("ada", PASSWORD));
  },
  as: { username: "ada", password: PASSWORD },
});
afterAll(() => gateway?.close());

const orders = async (): Promise<OwnOrder[]> =>
  (await dataOf<{ items: OwnOrder[] }>(ada.get("/api/user/topup/self"))).items;

test("an order that is not paid goes on from its row, or is given up after a question, by keyboard too; a failure stands in the row", async () => {
  await dataOf(ada.post("/api/user/pay", { amount: 10, payment_method: "wx" }));
  await site.page.goto(`${site.server.app.url}/topup`);
  const list = site.page.getByRole("region", { name: "Orders", exact: true });
  await site.page.route("**/api/user/topup/self/*/pay", (route) => route.abort());
  await list.getByRole("button", { name: "Continue payment" }).click();
  await list.getByRole("alert").waitFor();
  expect(await findingsOfAnotherLook(site.page)).toEqual([]);
  await site.page.unroute("**/api/user/topup/self/*/pay");
  await list.getByRole("button", { name: "Continue payment" }).dblclick();
  await site.page.getByRole("heading", { name: "Demonstration cashier" }).waitFor();
  expect(await orders()).toHaveLength(1);
  await site.page.goto(`${site.server.app.url}/topup`);
  await list.getByRole("button", { name: "Cancel order" }).press("Enter");
  const question = site.page.getByRole("dialog", { name: "Cancel this order?" });
  await question.getByRole("button", { name: "Keep the order" }).press("Enter");
  await question.waitFor({ state: "detached" });
  expect(await orders()).toMatchObject([{ status: "pending" }]);
  await list.getByRole("button", { name: "Cancel order" }).click();
  await question.getByRole("button", { name: "Cancel order" }).click();
  await list.getByText("Cancelled", { exact: true }).waitFor();
  expect(await list.getByRole("button", { name: "Continue payment" }).count()).toBe(0);
  expect(await orders()).toMatchObject([{ status: "cancelled" }]);
});

test("who comes back from paying sees the new balance, also where the first answer about it is of before and comes last", async () => {
  const { page, server } = site;
  const made = (await ada.post("/api/user/pay", { amount: 10, payment_method: "wx" })).body as unknown;
  const { order_id, trade_no, url, data } = made as StartedOrder & { data: Record<string, string> };
  await fetch(url, { method: "POST", body: new URLSearchParams(data) });
  const { body: before } = await ada.get("/api/user/self");
  expect(await gateway.notify(gateway.report(trade_no))).toMatchObject({ text: "success" });

  const asked = Promise.withResolvers<void>();
  const seen = Promise.withResolvers<void>();
  let isFirst = true;
  await page.route("**/api/user/self", async (route) => {
    if (!isFirst) return route.continue();
    asked.resolve();
    await seen.promise;
    // The page may have given this question up.
    return route.fulfill({ json: before }).catch(() => undefined);
  });
  // The order is found paid once the page has asked for its balance, and before that is answered.
  await page.route(`**/api/user/topup/self/${order_id}/check`, async (route) => {
    await asked.promise;
    isFirst = false;
    await route.continue();
  });
  await page.goto(`${server.app.url}/topup?order=${order_id}`);
  await page.getByText("$10.00 added to your balance").waitFor();
  seen.resolve();
  const balance = page.getByRole("region", { name: "Balance", exact: true }).locator("dd").first();
  await expect.poll(() => balance.innerText()).toBe("$10.00");
  await page.unrouteAll({ behavior: "ignoreErrors" });
});

test("one button of the wallet is filled: to pay where something is sold, else today's check-in, then to redeem a code", async () => {
  const { page, server } = site;
  const filled = () => page.locator('main button[data-variant="filled"]:not([data-disabled])').allInnerTexts();
  await setOptions(server.app.foundation, { "checkin_setting.enabled": "true" });
  await page.goto(`${server.app.url}/topup`);
  await page.getByRole("button", { name: "Check in" }).waitFor();
  await expect.poll(filled).toEqual(["Pay"]);
  await setOptions(server.app.foundation, { PayAddress: "", EpayId: "", EpayKey: "" });
  await page.goto(`${server.app.url}/topup`);
  await expect.poll(filled).toEqual(["Check in"]);
  await page.getByRole("button", { name: "Check in" }).click();
  await page.getByRole("button", { name: "Checked in today" }).waitFor();
  await expect.poll(filled).toEqual(["Redeem"]);
});

test("amounts of the statement have equal decimals, and a phone keeps each line within its window", async () => {
  // 13,301 units are 0.026602 dollars.
  const [key = ""] = await dataOf<string[]>(site.root.post("/api/redemption", { quota: 13_301 }));
  await dataOf(ada.post("/api/user/topup", { key }));
  const context = await openContext(site.browser, { size: PHONE });
  const { page, settled } = await openPage(context);
  await logInOn(page, site.server.app.url, "ada", PASSWORD);
  await page.goto(`${site.server.app.url}/topup/statement`);
  const amounts = page.locator("main").getByText(/\$\d/);
  await page
    .getByRole("row", { name: /Redemption code/ })
    .getByText("+$0.026602")
    .waitFor();
  await settled();
  for (const text of await amounts.allInnerTexts()) expect(text).toMatch(/\.\d{6}$/);
  expect(await overflow(page)).toBe(0);
  expect(await seriousFindings(page)).toEqual([]);
  await context.close();
});
