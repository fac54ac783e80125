/** The price list's section in a real browser: an address, a fetch that fails and one that does not, lines accepted and undone, on a desk and on a phone. */
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import type { Page } from "playwright-core";
import { afterAll, beforeEach, expect, test } from "vitest";
import { LEAVES_TO_ALL, oneInShort } from "../support/soak/short-or-long.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { type PriceListSite, startPriceListSite } from "../support/price-lists/site.ts";
import { setOptions } from "../support/databases/options.ts";
import { testInAll } from "../support/soak/test-in-all.ts";
import {
  findingsOfAnotherLook,
  logInOn,
  type Look,
  LOOKS,
  openContext,
  openPage,
  overflow,
  PHONE,
  seriousFindings,
} from "../support/systems/browser.ts";
import { ROOT_PASSWORD } from "../support/systems/server.ts";

const model = (id: string, usd: number, change: object = {}) => ({
  id,
  match: { equals: id },
  prices: { input_mtok: usd, output_mtok: usd * 4 },
  ...change,
});
const SECTION = "/setting?tab=operation&section=price_list";

let list: PriceListSite;

const site = rootSite({
  environment: { ALLOW_PRIVATE_UPSTREAMS: "1" },
  async fill({ root }) {
    list = await startPriceListSite();
    setDefaultCACertificates([...getCACertificates("default"), list.certificate]);
    const channel = { type: 1, key: "k", name: "c", models: "mistral-new,mistral-own", groups: ["default"] };
    await root.post("/api/channel", channel);
    await root.put("/api/option", { key: "ModelRatio", value: '{"mistral-own": 9}' });
  },
});
afterAll(() => list?.close());

beforeEach(() => setOptions(site.server.app.foundation, { PriceListUrl: list.url }));

const publish = (...models: readonly object[]): void => {
  Object.assign(list.answer, { status: 200, body: JSON.stringify([{ id: "mistral", models }]) });
};

const ratioOf = (name: string): string | undefined => {
  const price = site.server.app.foundation.snapshot.priceOf(name);
  return price?.kind === "per_token" ? price.ratio : undefined;
};

const open = async (at: Page = site.page): Promise<void> => {
  await at.goto(`${site.server.app.url}${SECTION}`);
  await at.getByRole("heading", { level: 3 }).first().waitFor();
};
const button = (name: string | RegExp) => site.page.getByRole("button", { name });
const lineOf = (name: string) =>
  site.page
    .getByRole("listitem")
    .filter({ has: site.page.getByRole("checkbox", { name: `Accept mistral/${name}`, exact: true }) });

test("without an address there is nothing to fetch; one without https is refused in its place, a good one is saved", async () => {
  await setOptions(site.server.app.foundation, { PriceListUrl: "" });
  await open();
  await expect.poll(() => button("Fetch list").isDisabled()).toBe(true);
  await button("Use genai-prices").click();
  await expect
    .poll(() => site.page.getByLabel("Address of the list").inputValue())
    .toMatch(/^https:\/\/.*genai-prices.*\.json$/);
  await site.page.getByLabel("Address of the list").fill("http://prices.example/list.json");
  await site.page.getByText("The address has to start with https://").waitFor();
  expect(await button("Save address").isDisabled()).toBe(true);
  await site.page.getByLabel("Address of the list").fill(list.url);
  await button("Save address").click();
  await expect.poll(() => button("Fetch list").isEnabled()).toBe(true);
  expect(site.server.app.foundation.snapshot.options.PriceListUrl).toBe(list.url);
});

test("a list that is broken is refused with its place, and the same button tries again", async () => {
  publish(model("mistral-new", -3));
  await open();
  await button("Fetch list").click();
  await site.page
    .getByText(/\[0\]\.models\[0\]\.prices\.input_mtok: a price from 0 to 1,000,000 is expected/)
    .waitFor();
  Object.assign(list.answer, { status: 503, body: "later" });
  await button("Try again").click();
  await site.page.getByText("The address of the price list answered with status 503").waitFor();
  publish(model("mistral-new", 2), model("mistral-own", 3), model("mistral-other", 4));
  await button("Try again").click();
  await lineOf("mistral-new").waitFor();
});

test("each line says what it changes and whom it concerns; chosen ones are accepted, in force and undone with one click", async () => {
  publish(model("mistral-new", 2), model("mistral-own", 3), model("mistral-other", 4));
  await open();
  await button("Fetch list").click();
  await expect
    .poll(() => lineOf("mistral-new").innerText())
    .toMatch(/Enabled here[\s\S]*New[\s\S]*Input[\s\S]*\$2\.00[\s\S]*Output[\s\S]*\$8\.00/);
  await expect.poll(() => lineOf("mistral-own").innerText()).toContain("Own price stays");
  expect(await lineOf("mistral-other").innerText()).not.toContain("Enabled here");
  // Whatever takes a price away is not chosen by itself.
  await site.page.getByRole("radio", { name: /^Removed/ }).click();
  await expect
    .poll(() =>
      site.page
        .getByRole("checkbox", { name: /^Accept mistral/ })
        .first()
        .isChecked(),
    )
    .toBe(false);
  await site.page.getByRole("radio", { name: /^All/ }).click();
  await site.page.getByRole("searchbox", { name: "Model or provider" }).fill("mistral other");
  await lineOf("mistral-new").waitFor({ state: "detached" });
  await site.page.getByRole("checkbox", { name: "Accept mistral/mistral-other" }).uncheck();
  await site.page.getByRole("searchbox", { name: "Model or provider" }).fill("");
  await button("Accept 2 lines").click();
  await site.page.getByText("mistral-new, mistral-own").waitFor();
  expect([ratioOf("mistral-new"), ratioOf("mistral-own"), ratioOf("mistral-other")]).toEqual(["1", "9", undefined]);
  await button(/^Undo the acceptance/)
    .first()
    .click();
  await site.page.getByText("Undone", { exact: true }).waitFor();
  await site.page.getByText("Undone by root").waitFor();
  expect(ratioOf("mistral-new")).toBeUndefined();
  await site.tab.settled();
  expect(await findingsOfAnotherLook(site.page)).toEqual([]);
  expect(site.tab.complaints).toEqual([]);
});

testInAll("a list that says what is in force has nothing new")(async () => {
  Object.assign(list.answer, {
    status: 200,
    body: JSON.stringify([
      { id: "arcee", models: [] },
      { id: "mistral", models: [model("mistral-same", 2)] },
    ]),
  });
  const answer = await site.root.post("/api/prices/list/fetch");
  const { base, lines } = answer.body.data as {
    base: string;
    lines: { provider: string; id: string; before_id: string | null; rule: object | null }[];
  };
  const kept = lines.map(({ provider, id, before_id, rule }) => ({ provider, id, before_id, rule }));
  expect((await site.root.post("/api/prices/list/accept", { source: list.url, base, lines: kept })).body.success).toBe(
    true,
  );
  await open();
  await button("Fetch list").click();
  await site.page.getByText("Nothing new: this list says what is in force already.").waitFor();
});

/** Those of every page, and a phone in English, where the lines stand below one another. */
const OF_LINES: readonly Look[] = [...LOOKS, { size: PHONE, theme: "light", language: "en" }];

test.each(LEAVES_TO_ALL ? [] : oneInShort("/setting?section=price_list", OF_LINES))(
  "$size.width px, $theme, $language: lines are read without moving the page, and nothing is hard to see",
  async (look) => {
    publish(model("mistral-new", 2.5), model("mistral-own", 3, { context_window: 32_000 }));
    const looked = await openContext(site.browser, look);
    const fresh = await openPage(looked);
    await logInOn(fresh.page, site.server.app.url, "root", ROOT_PASSWORD);
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
