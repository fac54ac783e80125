/** A member whose balance does not reach, in a real browser: what a refused call lacks is said with the way to the wallet, in the playground and of a test call. */
import { afterAll, beforeEach, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { say } from "../support/checks/playground-site.ts";
import { DESK, seriousFindings } from "../support/systems/browser.ts";
import type { TestClient } from "../support/systems/server.ts";
import { dataOf } from "../support/systems/site.ts";

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
beforeEach(() => site.page.setViewportSize(DESK));

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

test("a refused test call of a token says the same", async () => {
  const { page } = site;
  await page.goto(`${site.server.app.url}/token?open=connect&id=1`);
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("button", { name: "Send a test call" }).click();
  const refusal = drawer.getByRole("status").filter({ hasText: "Refused (403):" });
  await expect.poll(() => refusal.innerText()).toMatch(/this needs \$0\.0\d+, you have \$0\.00\. Top up/);
  await refusal.getByRole("link", { name: "Top up" }).click();
  await page.waitForURL(/\/topup$/);
});
