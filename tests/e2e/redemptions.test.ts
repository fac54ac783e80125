/** The redemption page in a real browser: codes made, downloaded, copied, edited, disabled, used and deleted, by mouse, keys and phone. */
import { readFile } from "node:fs/promises";
import { beforeEach, expect, test } from "vitest";
import type { RedemptionPage } from "../../contract/src/features/redemptions.ts";
import { IS_SHORT } from "../support/soak/short-or-long.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { testInAll } from "../support/soak/test-in-all.ts";
import {
  clipboardOf,
  findingsOfAnotherLook,
  logInOn,
  openContext,
  openPage,
  overflow,
  PHONE,
  seriousFindings,
} from "../support/systems/browser.ts";
import { dataOf } from "../support/systems/site.ts";
import { ROOT_PASSWORD } from "../support/systems/server.ts";

const PASSWORD = "a-good-one";

const site = rootSite({
  fill: ({ root }) => dataOf(root.post("/api/user/", { username: "ada", password: PASSWORD, display_name: "" })),
});
const codes = async () => (await dataOf<RedemptionPage>(site.root.send("GET", "/api/redemption/?page_size=100"))).items;

const open = async (address = "/redemption"): Promise<void> => {
  await site.page.goto(site.server.app.url + address);
  await site.page.getByRole("heading", { name: "Redemption codes", exact: true }).waitFor();
  await site.tab.settled();
};
const drawer = () => site.page.getByRole("dialog");
const row = (name: string) => site.page.getByRole("row").filter({ hasText: name });
const pick = async (name: string, item: string): Promise<void> => {
  await site.page.getByRole("button", { name: `Actions for ${name}` }).click();
  await site.page.getByRole("menuitem", { name: item, exact: true }).click();
};
const press = (name: string) => drawer().getByRole("button", { name, exact: true }).click();

const make = (name: string, quota: number, count = 1) =>
  dataOf<string[]>(site.root.post("/api/redemption/", { name, quota, count }));

/** Ada uses a code of this name. Gives what it was worth. */
async function use(name: string): Promise<number> {
  const ada = site.server.client();
  await dataOf(ada.login("ada", PASSWORD));
  return dataOf<number>(ada.post("/api/user/topup", { key: (await codes()).find((code) => code.name === name)?.key }));
}

beforeEach(async () => {
  await site.server.app.foundation.database.kysely.deleteFrom("redemptions").execute();
});

test("an empty list leads to the drawer, which says what is wrong where it is wrong and makes codes that are downloaded and copied", async () => {
  await open();
  await site.page.getByText("Create your first redemption codes").waitFor();
  await site.page.keyboard.press("n");
  // What is proposed is the least, and said before it is given away.
  await drawer().getByText("Gives away $0.20: 1 code of $0.20.", { exact: true }).waitFor();
  await drawer().getByLabel("Name").fill("n".repeat(21));
  await drawer().getByLabel("Quota").first().fill("0");
  await drawer().getByLabel("How many").first().fill("101");
  await site.page.keyboard.press("Control+Enter");
  await drawer().getByText("The name may have at most 20 characters").waitFor();
  await drawer().getByText("Please enter an amount above 0").waitFor();
  await drawer().getByText("Please enter a number from 1 to 100").waitFor();
  expect(await seriousFindings(site.page)).toEqual([]);
  await drawer().getByLabel("Name").fill("");
  await press("$10");
  await press("10");
  await drawer().getByText("Gives away $100.00: 10 codes of $10.00 each.", { exact: true }).waitFor();
  await press("Create 10 codes");
  await drawer().getByText("10 codes created").waitFor();
  expect(await findingsOfAnotherLook(site.page)).toEqual([]);
  const made = await codes();
  expect(made.map(({ name, quota }) => [name, quota])).toEqual(Array(10).fill(["$10.00", 5_000_000]));
  const keys = made.map(({ key }) => key).sort();
  const [file] = await Promise.all([site.page.waitForEvent("download"), press("Download")]);
  expect(file.suggestedFilename()).toBe("$10.00.txt");
  expect((await readFile(await file.path(), "utf8")).trim().split("\n").sort()).toEqual(keys);
  await press("Copy codes");
  await site.page.getByText("10 codes copied").waitFor();
  expect((await clipboardOf(site.page)).split("\n").sort()).toEqual(keys);
  await site.page.keyboard.press("Escape");
  await site.page.getByText("10 codes", { exact: true }).waitFor();
});

testInAll("a double click makes one batch; leaving with changes asks")(async () => {
  const before = (await codes()).length;
  await open("/redemption?open=create");
  await drawer().getByLabel("Name").fill("single");
  await site.page.keyboard.press("Escape");
  await site.page.getByRole("button", { name: /keep/i }).click();
  await drawer().getByRole("button", { name: "Create code", exact: true }).dblclick();
  await drawer().getByText("1 code created").waitFor();
  await site.page.keyboard.press("Escape");
  expect((await codes()).length).toBe(before + 1);
});

testInAll("an unused code is edited, disabled and enabled; a refusal is told and leaves the row")(async () => {
  await make("single", 5_000_000);
  await open("/redemption?keyword=single");
  await row("single").getByRole("button", { name: "Edit", exact: true }).click();
  await drawer().getByLabel("Name").fill("spring");
  await press("$50");
  await press("Save");
  await site.page.getByText("Redemption code saved").waitFor();
  await open("/redemption?keyword=spring");
  await row("spring").getByText("$50.00").waitFor();
  await pick("spring", "Disable");
  await row("spring").getByText("Disabled").waitFor();
  await site.page.getByRole("button", { name: "Actions for spring" }).click();
  expect(await site.page.getByRole("menuitem", { name: "Edit", exact: true }).isDisabled()).toBe(true);
  await site.page.getByRole("menuitem", { name: "Enable", exact: true }).click();
  await row("spring").getByText("Unused").waitFor();
  await site.page.route("**/api/redemption?status_only=true", (route) => route.abort());
  await pick("spring", "Disable");
  await site.page.getByText("spring could not be disabled").waitFor();
  await site.page.unroute("**/api/redemption?status_only=true");
  await row("spring").getByText("Unused").waitFor();
});

testInAll("a used code says who used it and when, leads to them, and offers neither edit nor enable")(async () => {
  await make("spring", 25_000_000);
  expect(await use("spring")).toBe(25_000_000);
  const [code] = await codes();
  await open("/redemption?status=3");
  await row("spring").getByText("Used", { exact: true }).waitFor();
  await site.page.getByRole("button", { name: "Actions for spring" }).click();
  for (const item of ["Edit", "Enable"])
    expect(await site.page.getByRole("menuitem", { name: item, exact: true }).isDisabled()).toBe(true);
  await site.page.keyboard.press("Escape");
  expect(await findingsOfAnotherLook(site.page)).toEqual([]);
  await row("spring").getByRole("link", { name: "ada" }).click();
  await expect.poll(() => site.page.url()).toMatch(/\/user\/\d+$/);
  await open(`/redemption?open=edit&id=${code?.id}`);
  await drawer().getByText("Only unused codes can be edited", { exact: false }).waitFor();
});

testInAll("a whole code that is searched for leaves its end in the address alone, and is found")(async () => {
  await make("$10.00", 5_000_000);
  const [code] = await codes();
  await open();
  await site.page.getByRole("searchbox", { name: "Name, ID or code" }).fill(code?.key ?? "");
  await expect.poll(() => new URL(site.page.url()).searchParams.get("keyword")).toBe(code?.key.slice(-4));
  await row(code?.name ?? "")
    .first()
    .waitFor();
  await open("/redemption?keyword=nothing-has-this-name");
  await site.page.getByText("0 codes", { exact: true }).waitFor();
});

test("one is deleted after a question that names it, and all that are used or disabled after their number", async () => {
  await make("spring", 25_000_000);
  await use("spring");
  await make("$10.00", 5_000_000, 10);
  await open("/redemption?keyword=%2410");
  await site.page.getByRole("button", { name: "Actions for $10.00" }).first().click();
  await site.page.getByRole("menuitem", { name: "Delete", exact: true }).click();
  await site.page.getByRole("button", { name: "Keep it" }).click();
  await site.page.getByRole("button", { name: "Actions for $10.00" }).first().click();
  await site.page.getByRole("menuitem", { name: "Disable", exact: true }).click();
  await site.page.getByText("$10.00 disabled").waitFor();
  await site.page.getByRole("button", { name: "Actions for $10.00" }).last().click();
  await site.page.getByRole("menuitem", { name: "Delete", exact: true }).click();
  await site.page.getByRole("button", { name: "Delete code" }).click();
  await site.page.getByText("9 codes", { exact: true }).waitFor();
  await site.page.getByRole("button", { name: "Delete invalid" }).click();
  await site.page.getByText("Delete 2 used, disabled or expired codes?").waitFor();
  expect(await seriousFindings(site.page)).toEqual([]);
  await site.page.getByRole("button", { name: "Delete 2 codes" }).click();
  await site.page.getByText("2 codes deleted").waitFor();
  expect((await codes()).every(({ status }) => status === 1)).toBe(true);
  await site.page.getByRole("button", { name: "Delete invalid" }).click();
  await site.page.getByText("No code is used, disabled or expired").waitFor();
});

testInAll("selected codes are copied together; a list that does not come says so and offers another try")(async () => {
  await make("$10.00", 5_000_000, 3);
  const count = (await codes()).length;
  await open();
  await site.page.getByRole("checkbox", { name: /all/i }).first().click();
  await site.page.getByRole("button", { name: "Copy codes" }).click();
  await site.page.getByText(`${count} codes copied`).waitFor();
  await site.page.route("**/api/redemption?**", (route) => route.abort());
  await site.page.goto(`${site.server.app.url}/redemption?sort=name`);
  await site.page.getByText("Redemption codes could not be loaded").waitFor();
  await site.page.unroute("**/api/redemption?**");
  await site.page.getByRole("button", { name: "Try again" }).click();
  await site.page.getByText(`${count} codes`, { exact: true }).waitFor();
});

test.each(IS_SHORT ? [] : [PHONE])(
  "on a phone in Chinese and dark a code is a card with its menu, and nothing is wider than the window: %o",
  async (size) => {
    await make("spring", 25_000_000);
    const phone = await openContext(site.browser, { size, theme: "dark", language: "zh" });
    const own = await openPage(phone);
    await logInOn(own.page, site.server.app.url, "root", ROOT_PASSWORD);
    await own.page.goto(`${site.server.app.url}/redemption`);
    await own.page.getByRole("heading", { name: "兑换码", exact: true }).waitFor();
    await own.page.getByText("未使用").first().waitFor();
    expect(await overflow(own.page)).toBe(0);
    expect(await seriousFindings(own.page)).toEqual([]);
    await own.page.goto(`${site.server.app.url}/redemption?open=create`);
    await own.page.getByRole("button", { name: "创建兑换码" }).last().waitFor();
    expect(await overflow(own.page)).toBe(0);
    expect(own.complaints).toEqual([]);
    await phone.close();
  },
);
