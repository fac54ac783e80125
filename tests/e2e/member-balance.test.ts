/** A new member in a real browser: the first steps, and a balance that is too low: the amount a call lacks is shown with the way to the wallet. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeEach, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { say } from "../support/checks/playground-site.ts";
import { DESK, findingsOfAnotherLook, overflow, PHONE, seriousFindings } from "../support/systems/browser.ts";
import type { TestClient } from "../support/systems/server.ts";
import { dataOf } from "../support/systems/site.ts";
import { testInAll } from "../support/soak/test-in-all.ts";

const PASSWORD = "a-good-one";

let upstream: FakeUpstream;
let ada: TestClient;

const site = rootSite({
  environment: { ALLOW_PRIVATE_UPSTREAMS: "1" },
  async fill({ server, root }) {
    upstream = await startFakeUpstream();
    await root.post("/api/channel/", {
      name: "main lane",
      type: 1,
      key: "sk-upstream",
      base_url: upstream.url,
      models: "gpt-4o-mini",
      group: "default",
    });
    await dataOf(root.post("/api/user/", { username: "ada", password: PASSWORD, display_name: "" }));
    ada = server.client();
    await dataOf(ada.login("ada", PASSWORD));
    await dataOf(ada.post("/api/token/", { name: "laptop", unlimited_quota: true, expired_time: -1 }));
  },
  as: { username: "ada", password: PASSWORD },
});
afterAll(() => upstream?.close());

/** Puts something on ada's balance, or takes it away. */
async function credit(quotaDelta: number): Promise<void> {
  const { id: userId } = await self();
  const { billing } = site.server.app.foundation;
  await billing.move({ entryId: randomUUID(), kind: "adjustment", userId, quotaDelta, detail: "{}" });
}
const self = () => dataOf<{ id: number; quota: number }>(ada.get("/api/user/self"));

beforeEach(async () => {
  upstream.reset();
  const { quota } = await self();
  if (quota !== 0) await credit(-quota);
  await site.page.setViewportSize(DESK);
});

const LACKS = /^Your balance does not reach: this needs \$0\.0\d+, you have \$0\.00\.$/;

test("a refused prompt says what it needs and what is there, and leads to the wallet", async () => {
  const { page } = site;
  await page.goto(`${site.server.app.url}/playground`);
  await say(page, "Tell me.");
  const refusal = page.getByRole("alert").filter({ hasText: "Your balance does not reach" });
  await expect.poll(() => refusal.locator("p").innerText()).toMatch(LACKS);
  expect(await seriousFindings(page)).toEqual([]);
  await refusal.getByRole("link", { name: "Top up" }).click();
  await page.waitForURL(/\/topup$/);
  expect(upstream.count).toBe(0);
});

testInAll("the first steps are ticked as they are done, on the dashboard and the tokens, and go with the last one")(
  async () => {
    const { page, server } = site;
    const steps = page.getByRole("region", { name: "Get started" });
    await page.setViewportSize(PHONE);
    for (const path of ["/detail", "/token"]) {
      await page.goto(server.app.url + path);
      await steps.getByText("1 of 3 done").waitFor();
      await expect
        .poll(() => steps.getByRole("link").allTextContents())
        .toEqual(["Open the wallet", "Connect a program"]);
      expect(await overflow(page)).toBe(0);
      expect(await findingsOfAnotherLook(page)).toEqual([]);
    }
    await credit(500_000);
    await page.reload();
    await steps.getByText("2 of 3 done").waitFor();
    await steps.getByRole("link", { name: "Connect a program" }).click();
    await page.getByRole("button", { name: "Send a test call" }).click();
    await expect.poll(() => upstream.count).toBe(1);
    await expect
      .poll(() => dataOf<{ has_call: boolean }>(ada.get("/api/data/self/first_steps")))
      .toMatchObject({
        has_call: true,
      });
    await page.goto(`${server.app.url}/token`);
    const { id } = await self();
    await expect.poll(() => page.evaluate((key) => localStorage.getItem(key), `member_steps:${id}`)).toBe("done");
    expect(await steps.count()).toBe(0);
  },
);

testInAll(
  "the bar warns of a balance below the own threshold, in words and without a request of its own, and leads to the wallet",
)(async () => {
  const { page, server } = site;
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  const bar = page.getByRole("banner");
  const warning = bar.getByRole("link", { name: /^Balance low:/ });
  for (const size of [DESK, { width: 1024, height: 768 }, PHONE]) {
    await page.setViewportSize(size);
    await page.goto(`${server.app.url}/token`);
    await expect.poll(() => warning.innerText()).toMatch(/^(?:Balance low:\s+)?\$0\.00$/);
    expect(await overflow(page)).toBe(0);
    expect(await findingsOfAnotherLook(page)).toEqual([]);
  }
  expect(asked.filter((path) => path === "/api/user/self")).toEqual([]);
  await warning.click();
  await page.waitForURL(/\/topup$/);

  await credit(2_500_000);
  await dataOf(ada.put("/api/user/setting", { notify_type: "email", quota_warning_threshold: 2_500_000 }));
  await page.goto(`${server.app.url}/token`);
  await page.getByText("laptop").first().waitFor();
  expect(await warning.count()).toBe(0);
  await dataOf(ada.put("/api/user/setting", { notify_type: "email", quota_warning_threshold: 2_500_001 }));
  await page.reload();
  await expect.poll(() => warning.innerText()).toContain("$5.00");
});

testInAll("a refused test call of a token says the same")(async () => {
  const { page } = site;
  await page.goto(`${site.server.app.url}/connect?token=1`);
  const main = page.getByRole("main");
  await main.getByRole("button", { name: "Send a test call" }).click();
  const refusal = main.getByRole("status").filter({ hasText: "Refused (403):" });
  await expect.poll(() => refusal.innerText()).toMatch(/this needs \$0\.0\d+, you have \$0\.00\. Top up/);
  await refusal.getByRole("link", { name: "Top up" }).click();
  await page.waitForURL(/\/topup$/);
});
