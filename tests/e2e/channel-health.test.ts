/** The health page in a real browser: figures of real calls, an open breaker with its countdown, ranges and search in the address, and what could not be loaded. */
import { afterAll, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { IS_SHORT } from "../support/soak/short-or-long.ts";
import { seriousFindings } from "../support/systems/browser.ts";

let upstream: FakeUpstream;
let key: string;

const call = async (): Promise<number> =>
  (
    await fetch(`${site.server.app.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "gpt-4o", stream: true, messages: [{ role: "user", content: "hi" }] }),
    }).then(async (answer) => (await answer.text(), answer))
  ).status;

const site = rootSite({
  environment: { ALLOW_PRIVATE_UPSTREAMS: "1" },
  async fill({ root }) {
    upstream = await startFakeUpstream({ models: ["gpt-4o"] });
    for (const name of ["Busy lane", "Quiet lane"]) {
      const models = name === "Busy lane" ? "gpt-4o" : "o3-mini";
      const channel = { type: 1, key: `sk-${name}-0123456789`, groups: ["default"], name, models };
      await root.post("/api/channel/", { ...channel, base_url: upstream.url });
    }
    const { body } = await root.post("/api/token/", { name: "main", unlimited_quota: true });
    key = `sk-${(body.data as { key: string }).key}`;
  },
});
afterAll(() => upstream?.close());

const busy = () => site.page.locator("tbody").filter({ hasText: "Busy lane" });

test("success and 429s of each model are there soon after the calls, and the list of channels leads to them", async () => {
  expect(await call()).toBe(200);
  upstream.plan({ status: 429, error: { message: "slow down" }, headers: { "retry-after": "120" } });
  expect(await call()).toBe(429);
  await site.page.goto(`${site.server.app.url}/channel`);
  await site.page.getByRole("link", { name: "Channel health" }).click();
  await site.page.getByRole("heading", { name: "Channel health" }).waitFor();
  await busy().getByText("50%").first().waitFor({ timeout: 30_000 });
  await busy().getByRole("row").filter({ hasText: "gpt-4o" }).waitFor();
  await expect.poll(() => site.page.locator("tbody").first().innerText()).toContain("Busy lane");
  await busy().getByRole("note").first().hover();
  await site.page.getByRole("tooltip").getByText("Rate limited (429): 1").waitFor();
  // In the short form pages.test.ts looks at this page.
  if (!IS_SHORT) expect(await seriousFindings(site.page)).toEqual([]);
});

test("a channel that waits as its upstream asked says so with the time that is left", async () => {
  await busy()
    .getByText(/Waiting as the upstream asked, \d+ s left|Waiting as the upstream asked, \d+ min/)
    .waitFor({ timeout: 30_000 });
  await site.page.getByText("1 channel has an open circuit breaker").waitFor();
});

test("the list's status says until when and leads to the channel's health, as does a receipt", async () => {
  await site.page.goto(`${site.server.app.url}/channel`);
  const status = site.page.getByRole("link", { name: /^Busy lane: Cooling down until \d\d:\d\d:\d\d/ });
  await status.click();
  await site.page.waitForURL(/\/channel\/health\?keyword=1$/);
  await busy().waitFor();
  await site.page.goto(`${site.server.app.url}/log?type=5`);
  await site.page.getByRole("row").filter({ hasText: "gpt-4o" }).first().click();
  await site.page.getByRole("link", { name: "Health of #1 Busy lane" }).click();
  await site.page.waitForURL(/\/channel\/health\?keyword=1$/);
});

test("range and search stand in the address, and what matches nothing can be cleared", async () => {
  await site.page.getByRole("radio", { name: "Last hour" }).click();
  await site.page.waitForURL(/hours=1(&|$)/);
  await site.page.getByRole("searchbox").fill("o3-mini");
  await site.page.waitForURL(/keyword=o3-mini/);
  await site.page.locator("tbody").filter({ hasText: "Quiet lane" }).waitFor();
  await expect.poll(() => busy().count()).toBe(0);
  await site.page.getByRole("searchbox").fill("nothing like it");
  await site.page.getByRole("button", { name: "Clear" }).last().click();
  await busy().waitFor();
});

test("what could not be loaded says so and is asked for again", async () => {
  await site.page.route("**/api/channel/health*", (route) => route.abort());
  await site.page.reload();
  await site.page.getByText("Channel health could not be loaded").waitFor();
  await site.page.unroute("**/api/channel/health*");
  await site.page.getByRole("button", { name: "Try again" }).click();
  await busy().waitFor();
});
