/** The public status page in a real browser: off until it is turned on, what visitors read there, and its link at the foot of the pages. */
import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { LOOKS, openContext, openPage, overflow, PHONE, seriousFindings } from "../support/systems/browser.ts";
import { testInAll } from "../support/soak/test-in-all.ts";

let upstream: FakeUpstream;

const site = rootSite({
  environment: { ALLOW_PRIVATE_UPSTREAMS: "1" },
  async fill({ root }) {
    upstream = await startFakeUpstream({ models: ["gpt-4o"] });
    const channel = { type: 1, key: "sk-0123456789", groups: ["default"], name: "Secret lane", models: "gpt-4o" };
    await root.post("/api/channel/", { ...channel, base_url: upstream.url });
    const { body } = await root.post("/api/token/", { name: "main", unlimited_quota: true });
    const key = `sk-${(body.data as { key: string }).key}`;
    for (let call = 0; call < 12; call++) {
      const answer = await fetch(`${site.server.app.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "hi" }] }),
      });
      await answer.text();
    }
  },
});
afterAll(() => upstream?.close());

const turn = async (value: "true" | "false") => {
  const { body } = await site.root.put("/api/option", { key: "StatusPageEnabled", value });
  if (!body.success) throw new Error(body.message);
};

/** A visitor's window on a page. */
async function visit(path: string, look = LOOKS[0]): Promise<{ page: Page; settled: () => Promise<void> }> {
  const { page, settled } = await openPage(await openContext(site.browser, look));
  await page.goto(site.server.app.url + path);
  await page.locator("main h1, main h2").first().waitFor();
  return { page, settled };
}

/** Calls are counted some seconds after they ended, and an answer stays for half a minute. */
const countedCalls = () =>
  expect
    .poll(
      async () => {
        const { body } = await site.root.get("/api/channel/health");
        return (body.data as { items: { figures: { succeeded: number } }[] }).items[0]?.figures.succeeded;
      },
      { timeout: 30_000 },
    )
    .toBe(12);

test("visitors read how available each model is, and nothing of channels", async () => {
  await countedCalls();
  await turn("true");
  const { page } = await visit("/status");
  const row = page.getByRole("listitem").filter({ hasText: "gpt-4o" });
  await row.getByText("Available").waitFor();
  await page.getByText("All models are available").waitFor();
  // An answer of another test may have been put together before the calls were counted.
  await expect
    .poll(async () => (await page.reload(), await row.innerText()), { timeout: 60_000, interval: 2_000 })
    .toMatch(/30 days\s*100%/);
  const strip = row.getByRole("img", { name: /^gpt-4o: / });
  await strip.focus();
  await row.getByText(/: available$/).waitFor();
  await page.keyboard.press("ArrowLeft");
  await row.getByText(/: too few calls to say$/).waitFor();
  expect(await page.locator("body").innerText()).not.toContain("Secret lane");
  await page.context().close();
});

test("while it is off there is neither page nor link, and turning it off again takes both away", async () => {
  await turn("false");
  const { page } = await visit("/status");
  await page.getByRole("heading", { name: "Page does not exist" }).waitFor();
  await page.goto(`${site.server.app.url}/`);
  await page.getByRole("contentinfo").waitFor();
  expect(await page.getByRole("contentinfo").getByRole("link", { name: "Status" }).count()).toBe(0);
  await turn("true");
  await page.reload();
  await page.getByRole("contentinfo").getByRole("link", { name: "Status" }).click();
  await page.waitForURL("**/status");
  await page.getByRole("heading", { name: "gpt-4o" }).waitFor();
  await turn("false");
  await page.reload();
  await page.getByRole("heading", { name: "Page does not exist" }).waitFor();
  await expect.poll(() => page.getByRole("contentinfo").getByRole("link", { name: "Status" }).count()).toBe(0);
  await page.context().close();
});

testInAll("what could not be loaded says so and is asked for again")(async () => {
  await turn("true");
  const { page } = await openPage(await openContext(site.browser));
  await page.route("**/api/status/models", (route) => route.abort());
  await page.goto(`${site.server.app.url}/status`);
  await page.getByText("The status could not be loaded").waitFor();
  await page.unroute("**/api/status/models");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "gpt-4o" }).waitFor();
  await page.context().close();
});

testInAll("it is in Chinese, fits a phone and is accessible")(async () => {
  await turn("true");
  const look = {
    ...(LOOKS[0] ?? { theme: "light", language: "en" }),
    size: PHONE,
    language: "zh",
  } as (typeof LOOKS)[number];
  const { page, settled } = await visit("/status", look);
  await page.getByRole("heading", { name: "运行状态" }).waitFor();
  await page.getByRole("heading", { name: "gpt-4o" }).waitFor();
  await settled();
  expect(await seriousFindings(page)).toEqual([]);
  expect(await overflow(page)).toBe(0);
  await page.context().close();
});
