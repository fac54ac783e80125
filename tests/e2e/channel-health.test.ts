/** The health page in a real browser: figures of real calls, cells that open the log, an open breaker with its countdown, the mark in the navigation, ranges and search in the address, and what could not be loaded. */
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
  await busy().getByText("50.0%").first().waitFor({ timeout: 30_000 });
  await busy().getByRole("button", { name: "Models of Busy lane" }).click();
  const model = busy().getByRole("row").filter({ hasText: "gpt-4o" });
  await model.getByText("50.0%").waitFor();
  await busy().getByRole("button", { name: "Models of Busy lane" }).click();
  await model.waitFor({ state: "detached" });
  await expect.poll(() => site.page.locator("tbody").first().innerText()).toContain("Busy lane");
  await busy().getByRole("note").first().hover();
  await site.page.getByRole("tooltip").getByText("Fewer than 10 attempts, too few to judge").waitFor();
  await site.page.getByRole("tooltip").getByText("Rate limited (429): 1").waitFor();
  await busy().getByText("slow down").waitFor();
  // In the short form pages.test.ts looks at this page.
  if (!IS_SHORT) expect(await seriousFindings(site.page)).toEqual([]);
});

test("a channel that waits as its upstream asked says so with the time that is left", async () => {
  await busy()
    .getByText(/Waiting as the upstream asked, (\d+ s|\d+:\d\d) left/)
    .waitFor({ timeout: 30_000 });
  await site.page.getByText("1 channel has an open circuit breaker").waitFor();
});

test("a cell says what it stands for and opens the log of that time and channel, by pointer and by keys", async () => {
  const strip = busy().getByRole("link", { name: /^Busy lane: .+ 50\.0% of 2 attempts, 1 failed$/ });
  await strip.waitFor();
  await expect.poll(() => strip.locator('i[data-tone="few"]').count()).toBe(1);
  await strip.focus();
  await site.page.keyboard.press("ArrowLeft");
  const earlier = busy().getByRole("link", { name: /^Busy lane: .+: no attempts$/ });
  await expect.poll(() => earlier.count()).toBe(1);
  await busy()
    .getByText(/: no attempts$/)
    .waitFor();
  await site.page.keyboard.press("ArrowRight");
  await strip.waitFor();
  await site.page.keyboard.press("Enter");
  await site.page.waitForURL(/\/log\?channel=\d+&start_timestamp=\d+&end_timestamp=\d+$/);
  const asked = new URL(site.page.url()).searchParams;
  expect(Number(asked.get("end_timestamp")) - Number(asked.get("start_timestamp"))).toBe(3_599);
  await expect.poll(() => site.page.getByRole("row").filter({ hasText: "gpt-4o" }).count()).toBe(2);
  await site.page.goBack();
  // The one before the last of 24.
  const box = await busy()
    .getByRole("link", { name: /^Busy lane: / })
    .boundingBox();
  if (box === null) throw new Error("the strip is not shown");
  await site.page.mouse.click(box.x + box.width * (22.5 / 24), box.y + box.height / 2);
  await site.page.waitForURL(/\/log\?/);
  expect(Number(new URL(site.page.url()).searchParams.get("end_timestamp"))).toBe(
    Number(asked.get("start_timestamp")) - 1,
  );
});

test("what a cell of a narrow column says has one line, and is cut by nothing in the first row too", async () => {
  const size = site.page.viewportSize() ?? { width: 1440, height: 900 };
  await site.page.setViewportSize({ width: 1024, height: 768 });
  await site.page.goto(`${site.server.app.url}/channel/health`);
  const strip = site.page.locator("tbody").first().getByRole("link").nth(1);
  await strip.focus();
  const words = site.page.locator("tbody").first().locator("output");
  await words.waitFor();
  const cutBy = await words.evaluate((shown) => {
    const { top } = shown.getBoundingClientRect();
    const around: Element[] = [];
    for (let each = shown.parentElement; each !== null; each = each.parentElement) around.push(each);
    return around
      .filter((each) => getComputedStyle(each).overflowY !== "visible" && each.getBoundingClientRect().top > top)
      .map(({ className }) => className);
  });
  expect(cutBy).toEqual([]);
  const [box, place] = [await words.boundingBox(), await strip.boundingBox()];
  expect(box?.height).toBeLessThan(32);
  expect(Math.round(box?.x ?? 0)).toBe(Math.round(place?.x ?? -1));
  await site.page.setViewportSize(size);
});

test("a channel that is switched off reads off, after all others", async () => {
  await site.page.goto(`${site.server.app.url}/channel/health`);
  const quiet = site.page.locator("tbody").filter({ hasText: "Quiet lane" });
  await quiet.getByText("Enabled").waitFor();
  await site.root.put("/api/channel", { id: 2, status: 2 });
  await quiet.getByText("Off", { exact: true }).waitFor({ timeout: 30_000 });
  await quiet.getByText("Disabled").waitFor();
  expect(await quiet.getByText("100%").count()).toBe(0);
  await expect.poll(() => site.page.locator("tbody").last().innerText()).toContain("Quiet lane");
  await site.root.put("/api/channel", { id: 2, status: 1 });
});

test("the navigation marks health while something is degraded, and no longer when it is well", async () => {
  const entry = site.page.getByRole("navigation").getByRole("link", { name: /^Health/ });
  await site.page.goto(`${site.server.app.url}/token`);
  // The channel that waits as its upstream asked.
  await site.page.getByRole("link", { name: "Health, something is degraded" }).waitFor();
  const dot = () => entry.evaluate((link) => getComputedStyle(link, "::after").width);
  expect(await dot()).toBe("7px");
  await site.root.put("/api/channel", { id: 1, status: 2 });
  await site.root.put("/api/channel", { id: 2, status: 2 });
  await site.page.reload();
  await site.page.getByRole("link", { name: "Health, something is degraded" }).waitFor();
  for (const id of [1, 2]) await site.root.put("/api/channel", { id, status: 1 });
  await site.page.route("**/api/channel/health/degraded", (route) =>
    route.fulfill({
      json: {
        success: true,
        message: "",
        data: { is_degraded: false, lost_models: 0, cooling: 0, auto_disabled: 0, failing: 0 },
      },
    }),
  );
  await site.page.reload();
  await expect.poll(() => entry.getAttribute("aria-label")).toBeNull();
  expect(await dot()).toBe("auto");
  await site.page.unroute("**/api/channel/health/degraded");
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
  await site.page.getByRole("radio", { name: "30 days" }).click();
  await site.page.waitForURL(/hours=720(&|$)/);
  await busy().getByText("50.0%").waitFor();
  await expect.poll(() => busy().locator("i[data-tone]").count()).toBe(30);
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
