/** Margin from the channel's drawer to receipt, dashboard and the channel's page in a real browser, after real calls; and no word of it to anybody below an administrator. */
import { afterAll, expect, test } from "vitest";
import { API } from "../../contract/src/api.ts";
import type { ChannelRow } from "../../contract/src/features/channels.ts";
import type { SiteOverview } from "../../contract/src/features/dashboard.ts";
import type { AdminLog } from "../../contract/src/features/logs.ts";
import { addPerson } from "../../tools/seed/people.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { testInAll } from "../support/soak/test-in-all.ts";
import {
  findingsOfAnotherLook,
  logInOn,
  openContext,
  overflow,
  PHONE,
  seriousFindings,
} from "../support/systems/browser.ts";
import { ROOT_PASSWORD, type TestClient, type TestServer } from "../support/systems/server.ts";
import { itemsOf } from "../support/systems/site.ts";

const PASSWORD = "battery staple 7";
const USAGE = { prompt_tokens: 100_000, completion_tokens: 20_000, total_tokens: 120_000 };

const COSTS = '{"factor": 0.8, "models": {"gpt-4o": {"input": 2, "output": 8}}}';

let upstream: FakeUpstream;
let user: TestClient;
let userKey: string;

const setCosts = (root: TestClient, costs: string) => root.put("/api/channel/", { id: 1, costs });

/** A call that uses USAGE. */
async function call(server: TestServer): Promise<void> {
  upstream.plan({ usage: USAGE });
  const answer = await fetch(`${server.app.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${userKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "hi" }] }),
  });
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
}

const site = rootSite({
  environment: { ALLOW_PRIVATE_UPSTREAMS: "1" },
  async fill({ server, root }) {
    upstream = await startFakeUpstream({ models: ["gpt-4o"] });
    const channel = { type: 1, key: "sk-upstream-0123456789", groups: ["default"], name: "Lane", models: "gpt-4o" };
    await root.post("/api/channel/", { ...channel, base_url: upstream.url, setting: '{"max_concurrency": 7}' });
    const { foundation } = server.app;
    const person = { username: "marcus", displayName: "Marcus", role: 1, group: "default", quota: 5_000_000 };
    await addPerson(foundation, { ...person, tokens: [] }, PASSWORD, 1_700_000_000);
    await foundation.snapshot.refresh();
    user = server.client();
    await user.login("marcus", PASSWORD);
    const { body } = await user.post("/api/token/", { name: "main", unlimited_quota: true });
    userKey = `sk-${(body.data as { key: string }).key}`;
    // One call that brings something, then one that loses.
    for (const costs of [COSTS, '{"factor": 2}']) {
      await setCosts(root, costs);
      await call(server);
    }
  },
});
afterAll(() => upstream?.close());

const stored = async (): Promise<ChannelRow | undefined> =>
  (await itemsOf<ChannelRow>(site.root.get("/api/channel/?page_size=10")))[0];
const drawer = () => site.page.getByRole("dialog").first();
const save = () => drawer().locator("button[type=submit]").click();

testInAll(
  "the drawer takes the share of the price list and prices of models, refuses what is none where it is, and keeps the rest",
)(async () => {
  const { page } = site;
  await setCosts(site.root, "");
  await page.goto(`${site.server.app.url}/channel/edit/1`);
  await drawer().getByLabel("Share of the price list").fill("0.8");
  await drawer().getByLabel("Prices by model").click();
  await page.getByRole("option", { name: "gpt-4o" }).click();
  const model = drawer().getByRole("listitem", { name: "gpt-4o" });
  await model.getByLabel("Input").fill("2.00");
  await save();
  await drawer().getByText("Enter the prices of gpt-4o as numbers").waitFor();
  await model.getByLabel("Output").fill("8");
  expect(await seriousFindings(page)).toEqual([]);
  await save();
  await page.waitForURL((url) => url.pathname === "/channel");
  const channel = await stored();
  expect(JSON.parse(channel?.costs ?? "")).toEqual({ factor: 0.8, models: { "gpt-4o": { input: 2, output: 8 } } });
  // The digits are those that were typed, and what has no field here is as it was.
  expect(channel?.costs).toContain('"input": 2.00');
  expect(channel?.setting).toContain("max_concurrency");
});

testInAll("the same as JSON: what fields cannot say is refused by its place, and what was typed is not lost")(
  async () => {
    const { page } = site;
    await setCosts(site.root, COSTS);
    await page.goto(`${site.server.app.url}/channel/edit/1`);
    await drawer().getByRole("button", { name: "Edit as JSON" }).click();
    const editor = drawer().locator(".cm-content");
    await editor.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText('{"models": {"gpt-4o": {"input": 2, "output": 8, "audio": 3}}}');
    await save();
    await drawer().getByText("models › gpt-4o › audio: This name is not known here (line 1").waitFor();
    await expect.poll(() => editor.innerText()).toContain('"audio"');
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Discard" }).click();
    await page.waitForURL((url) => url.pathname === "/channel");
    expect((await stored())?.costs).toContain('"factor": 0.8');
  },
);

test("a receipt tells the administrator what the call cost and brought, also a loss; the export says the same", async () => {
  const { page, root } = site;
  await page.goto(`${site.server.app.url}/log?range=day`);
  const details = page.locator("tbody").getByRole("button", { name: "Details" });
  await details.nth(1).click();
  const lines = page.locator("table[data-margin]");
  // Listed at 2.5 and 10 USD for 1M tokens, bought at 2 and 8.
  await lines.getByRole("row", { name: "Upstream cost the channel's own price $0.360000" }).waitFor();
  await lines.getByRole("row", { name: "Margin 20.0% +$0.090000" }).waitFor();
  await page.reload();
  await details.first().click();
  const loss = lines.getByRole("row", { name: "Margin −100.0% −$0.450000" });
  await loss.waitFor();
  await lines.getByRole("row", { name: "Upstream cost price list × 2 $0.900000" }).waitFor();
  const colour = await loss
    .locator("td")
    .evaluate((cell) => [getComputedStyle(cell).color, getComputedStyle(cell.closest("table") ?? cell).color]);
  expect(new Set(colour).size).toBe(2);
  const items = ((await root.get("/api/log/?type=2")).body.data as { items: AdminLog[] }).items;
  expect(items.map(({ quota, upstream_cost: cost }) => [quota, cost])).toEqual([
    [225_000, 450_000],
    [225_000, 180_000],
  ]);
  const csv = await page.evaluate(async () =>
    (await fetch("/api/log/export?type=2", { headers: { "New-Api-User": "1" } })).text(),
  );
  const [head = "", first = ""] = csv.split("\n");
  expect(head.trim().endsWith("channel,channel_name,upstream_cost,margin")).toBe(true);
  expect(first.trim().endsWith(",1,Lane,450000,-225000")).toBe(true);
});

testInAll("the price editor says what a model costs at its channels")(async () => {
  const { page } = site;
  await setCosts(site.root, COSTS);
  await page.goto(`${site.server.app.url}/setting?section=prices&model=gpt-4o`);
  await page
    .getByRole("dialog")
    .getByText(/^Lane: upstream cost \$[\d.]+ (?:in|per request)/)
    .waitFor();
});

testInAll("the dashboard has the margin of everybody as a tile, and by channel and model")(async () => {
  const { page, root } = site;
  await page.goto(`${site.server.app.url}/detail`);
  const tile = page.locator("dl > div").filter({ hasText: "Margin" });
  await tile.getByText("−$0.36", { exact: false }).waitFor();
  await tile.getByText("Cost known for 100% of charges").waitFor();
  const card = page.locator("section", { has: page.locator("#dashboard-margin") });
  await card.getByRole("row", { name: "Lane $0.9000 $1.2600 −$0.3600 −40.0% 100%" }).waitFor();
  await card.getByRole("radio", { name: "By model" }).click();
  await card.getByRole("row", { name: /^gpt-4o / }).waitFor();
  const header = card.getByRole("columnheader", { name: "Margin", exact: true });
  await header.getByRole("button").focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => header.getAttribute("aria-sort")).toBe("descending");
  expect(await findingsOfAnotherLook(page)).toEqual([]);
  const { margin } = (await root.get("/api/data/overview")).body.data as SiteOverview;
  expect(margin.totals).toEqual({ quota: 450_000, costed_quota: 450_000, cost: 630_000 });
  await page.getByRole("radio", { name: "Only me" }).click();
  await expect.poll(() => page.locator("#dashboard-margin").count()).toBe(0);
});

testInAll("the page of the channel has the same margin by day, on a phone too")(async () => {
  const { page, server } = site;
  await page.goto(`${server.app.url}/channel/1`);
  const card = page.getByRole("region", { name: "Margin by day" });
  await card.getByText("−$0.3600 (−40.0%)", { exact: true }).waitFor();
  for (const [name, value] of [
    ["Charged", "$0.9000"],
    ["Upstream cost", "$1.2600"],
    ["Cost known", "100%"],
  ] as const)
    expect(await card.locator("dl > div").filter({ hasText: name }).locator("dd").innerText()).toBe(value);
  const days = card.getByRole("list", { name: "Margin by day" }).getByRole("listitem");
  expect(await days.count()).toBe(14);
  const labels = await days.evaluateAll((items) => items.map((item) => item.getAttribute("aria-label") ?? ""));
  expect(labels.at(-1)).toMatch(/: charged \$0\.9000, upstream cost \$1\.26\d*, margin −\$0\.3600$/);
  expect(await findingsOfAnotherLook(page)).toEqual([]);
  const context = await openContext(site.browser, { size: PHONE, theme: "dark", language: "zh" });
  const phone = await context.newPage();
  await logInOn(phone, server.app.url, "root", ROOT_PASSWORD);
  await phone.goto(`${server.app.url}/channel/1`);
  await phone.getByRole("region", { name: "每日毛利" }).waitFor();
  expect(await overflow(phone)).toBe(0);
  expect(await seriousFindings(phone)).toEqual([]);
  await context.close();
});

test("an ordinary user sees neither cost nor margin, on their pages and in any answer that they may ask for", async () => {
  const seen: string[] = [];
  const own = await openContext(site.browser, { language: "en" }, { viewport: { width: 1440, height: 900 } });
  const their = await own.newPage();
  their.on("response", (response) => {
    if (new URL(response.url()).pathname.startsWith("/api/"))
      void response.text().then(
        (text) => seen.push(text),
        () => undefined,
      );
  });
  await logInOn(their, site.server.app.url, "marcus", PASSWORD);
  await their.goto(`${site.server.app.url}/detail`);
  await their.getByRole("heading", { name: "Dashboard" }).waitFor();
  await their.locator("dl").first().waitFor();
  expect(await their.getByText("Margin").count()).toBe(0);
  await their.goto(`${site.server.app.url}/log?range=day`);
  await their.locator("tbody").getByRole("button", { name: "Details" }).first().click();
  await their.getByRole("heading", { name: "Cost breakdown" }).waitFor();
  expect(await their.getByText(/Upstream cost|Margin/).count()).toBe(0);
  await own.close();
  const [row] = ((await user.get("/api/log/self")).body.data as { items: { request_id: string }[] }).items;
  const paths = Object.values(API)
    .flatMap((feature) => Object.values(feature))
    .filter(({ method, access, path }) => method === "GET" && access === "user" && !path.includes("{"))
    .map(({ path }) => `${path}?field=model&range=day`);
  expect(paths.length).toBeGreaterThan(10);
  for (const path of [...paths, `/api/log/self/request/${row?.request_id ?? ""}`]) {
    const answer = await fetch(site.server.app.url + path, {
      headers: { cookie: user.cookie, "new-api-user": String(user.userId) },
    });
    seen.push(await answer.text());
  }
  for (const path of ["/v1/dashboard/billing/usage", "/v1/dashboard/billing/subscription", "/v1/models"]) {
    const answer = await fetch(site.server.app.url + path, { headers: { authorization: `Bearer ${userKey}` } });
    seen.push(await answer.text());
  }
  expect(seen.some((text) => text.includes("gpt-4o"))).toBe(true);
  expect(
    seen.filter((text) => /"(?:cost|costs|upstream_cost|costed_quota|margin|admin_info)\\*"|,upstream_cost/.test(text)),
  ).toEqual([]);
  expect(site.tab.complaints.filter((each) => each.startsWith("uncaught"))).toEqual([]);
});
