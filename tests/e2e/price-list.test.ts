/** The price list's section in a real browser: an address, a fetch that fails and one that does not, lines accepted and undone, on a desk and on a phone. */
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type PriceListSite, startPriceListSite } from "../support/price-lists/site.ts";
import {
  keepPicture,
  LOOKS,
  logInOn,
  openContext,
  openPage,
  overflow,
  PHONE,
  seriousFindings,
  startBrowser,
  WEB_DIRECTORY,
} from "../support/systems/browser.ts";
import { ROOT_PASSWORD, setUp, startTestServer, type TestClient, type TestServer } from "../support/systems/server.ts";

const model = (id: string, usd: number, change: object = {}) => ({
  id,
  match: { equals: id },
  prices: { input_mtok: usd, output_mtok: usd * 4 },
  ...change,
});
const SECTION = "/setting?tab=operation&section=price_list";

let list: PriceListSite;
let server: TestServer;
let root: TestClient;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let settled: () => Promise<void>;
let complaints: string[];

const publish = (...models: readonly object[]): void => {
  Object.assign(list.answer, { status: 200, body: JSON.stringify([{ id: "mistral", models }]) });
};

const ratioOf = (name: string): string | undefined => {
  const price = server.app.foundation.snapshot.priceOf(name);
  return price?.kind === "per_token" ? price.ratio : undefined;
};

beforeAll(async () => {
  list = await startPriceListSite();
  setDefaultCACertificates([...getCACertificates("default"), list.certificate]);
  server = await startTestServer({ ALLOW_PRIVATE_UPSTREAMS: "1" }, { webDirectory: WEB_DIRECTORY });
  root = await setUp(server);
  await root.post("/api/channel", {
    type: 1,
    key: "k",
    name: "c",
    models: "mistral-new,mistral-own",
    groups: ["default"],
  });
  await root.put("/api/option", { key: "ModelRatio", value: '{"mistral-own": 9}' });
  browser = await startBrowser();
  context = await openContext(browser);
  ({ page, settled, complaints } = await openPage(context));
  await logInOn(page, server.app.url, "root", ROOT_PASSWORD);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await list?.close();
});

const open = async (at: Page = page): Promise<void> => {
  await at.goto(`${server.app.url}${SECTION}`);
  await at.getByRole("heading", { level: 3 }).first().waitFor();
};
const button = (name: string | RegExp) => page.getByRole("button", { name });
const lineOf = (name: string) =>
  page
    .getByRole("listitem")
    .filter({ has: page.getByRole("checkbox", { name: `Accept mistral/${name}`, exact: true }) });

test("without an address there is nothing to fetch; one without https is refused in its place, a good one is saved", async ({
  task,
}) => {
  onTestFinished(() => keepPicture(page, task));
  await open();
  await expect.poll(() => button("Fetch list").isDisabled()).toBe(true);
  await button("Use genai-prices").click();
  expect(await page.getByLabel("Address of the list").inputValue()).toMatch(/^https:\/\/.*genai-prices.*\.json$/);
  await page.getByLabel("Address of the list").fill("http://prices.example/list.json");
  await page.getByText("The address has to start with https://").waitFor();
  expect(await button("Save address").isDisabled()).toBe(true);
  await page.getByLabel("Address of the list").fill(list.url);
  await button("Save address").click();
  await expect.poll(() => button("Fetch list").isEnabled()).toBe(true);
  expect(server.app.foundation.snapshot.options.PriceListUrl).toBe(list.url);
});

test("a list that is broken is refused with its place, and the same button tries again", async ({ task }) => {
  onTestFinished(() => keepPicture(page, task));
  publish(model("mistral-new", -3));
  await button("Fetch list").click();
  await page.getByText(/\[0\]\.models\[0\]\.prices\.input_mtok: a price from 0 to 1,000,000 is expected/).waitFor();
  Object.assign(list.answer, { status: 503, body: "later" });
  await button("Try again").click();
  await page.getByText("The address of the price list answered with status 503").waitFor();
  publish(model("mistral-new", 2), model("mistral-own", 3), model("mistral-other", 4));
  await button("Try again").click();
  await lineOf("mistral-new").waitFor();
});

test("each line says what it changes and whom it concerns; chosen ones are accepted, in force and undone with one click", async ({
  task,
}) => {
  onTestFinished(() => keepPicture(page, task));
  expect(await lineOf("mistral-new").innerText()).toMatch(
    /Enabled here[\s\S]*New[\s\S]*Input[\s\S]*\$2\.00[\s\S]*Output[\s\S]*\$8\.00/,
  );
  expect(await lineOf("mistral-own").innerText()).toContain("Own price stays");
  expect(await lineOf("mistral-other").innerText()).not.toContain("Enabled here");
  // Whatever takes a price away is not chosen by itself.
  await page.getByRole("radio", { name: /^Removed/ }).click();
  await expect
    .poll(() =>
      page
        .getByRole("checkbox", { name: /^Accept mistral/ })
        .first()
        .isChecked(),
    )
    .toBe(false);
  await page.getByRole("radio", { name: /^All/ }).click();
  await page.getByRole("searchbox", { name: "Model or provider" }).fill("mistral other");
  await lineOf("mistral-new").waitFor({ state: "detached" });
  await page.getByRole("checkbox", { name: "Accept mistral/mistral-other" }).uncheck();
  await page.getByRole("searchbox", { name: "Model or provider" }).fill("");
  await button("Accept 2 lines").click();
  await page.getByText("mistral-new, mistral-own").waitFor();
  expect([ratioOf("mistral-new"), ratioOf("mistral-own"), ratioOf("mistral-other")]).toEqual(["1", "9", undefined]);
  await button(/^Undo the acceptance/).click();
  await page.getByText("Undone", { exact: true }).waitFor();
  await page.getByText("Undone by root").waitFor();
  expect(ratioOf("mistral-new")).toBeUndefined();
  await settled();
  expect(await seriousFindings(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

test("a list that says what is in force has nothing new", async ({ task }) => {
  onTestFinished(() => keepPicture(page, task));
  Object.assign(list.answer, {
    status: 200,
    body: JSON.stringify([
      { id: "arcee", models: [] },
      { id: "mistral", models: [model("mistral-new", 2)] },
    ]),
  });
  const answer = await root.post("/api/prices/list/fetch");
  const { base, lines } = answer.body.data as {
    base: string;
    lines: { provider: string; id: string; before_id: string | null; rule: object | null }[];
  };
  const kept = lines.map(({ provider, id, before_id, rule }) => ({ provider, id, before_id, rule }));
  expect((await root.post("/api/prices/list/accept", { source: list.url, base, lines: kept })).body.success).toBe(true);
  await open();
  await button("Fetch list").click();
  await page.getByText("Nothing new: this list says what is in force already.").waitFor();
});

test.each(LOOKS)(
  "$size.width px, $theme, $language: lines are read without moving the page, and nothing is hard to see",
  async (look) => {
    publish(model("mistral-new", 2.5), model("mistral-own", 3, { context_window: 32_000 }));
    const looked = await openContext(browser, look);
    const fresh = await openPage(looked);
    await logInOn(fresh.page, server.app.url, "root", ROOT_PASSWORD);
    await open(fresh.page);
    await fresh.page.getByRole("button", { name: /Fetch list|获取价格清单/ }).click();
    await fresh.page.getByRole("checkbox").first().waitFor();
    await fresh.settled();
    const folder = process.env["TEST_PICTURES"];
    if (folder !== undefined)
      await fresh.page.screenshot({
        path: `${folder}/list-${look.size.width}-${look.theme}-${look.language}.png`,
        fullPage: true,
      });
    expect(await overflow(fresh.page)).toBeLessThanOrEqual(0);
    expect(await seriousFindings(fresh.page)).toEqual([]);
    expect(fresh.complaints).toEqual([]);
    await looked.close();
  },
);

test("on a phone the lines stand below one another and are as wide as the window", async () => {
  const phone = await openContext(browser, { size: PHONE });
  const fresh = await openPage(phone);
  await logInOn(fresh.page, server.app.url, "root", ROOT_PASSWORD);
  await open(fresh.page);
  await fresh.page.getByRole("button", { name: "Fetch list" }).click();
  await fresh.page.getByRole("checkbox").first().waitFor();
  const folder = process.env["TEST_PICTURES"];
  if (folder !== undefined) await fresh.page.screenshot({ path: `${folder}/list-phone.png`, fullPage: true });
  expect(await overflow(fresh.page)).toBeLessThanOrEqual(0);
  await phone.close();
});
