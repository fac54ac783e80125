/** Chat links in a real browser: named, ordered by keys, previewed with an example key, and refused where they would run code. */
import { expect, test } from "vitest";
import type { OptionRow } from "../../contract/src/features/options.ts";
import { logInOn, openContext, openPage, overflow, PHONE, seriousFindings } from "../support/systems/browser.ts";
import { ROOT_PASSWORD } from "../support/systems/server.ts";
import { dataOf } from "../support/systems/site.ts";
import { rootSite } from "../support/checks/root-site.ts";

const site = rootSite();

const names = async () => {
  const rows = await dataOf<OptionRow[]>(site.root.get("/api/option/"));
  const chats = JSON.parse(rows.find(({ key }) => key === "Chats")?.value ?? "[]") as object[];
  return chats.flatMap((chat) => Object.keys(chat));
};
const field = (name: string) => site.page.getByRole("textbox", { name, exact: true });
const save = () => site.page.getByRole("button", { name: "Save 1 change" }).click();

async function open(): Promise<void> {
  await site.page.goto(`${site.server.app.url}/setting?option=Chats`);
  await site.page.getByRole("button", { name: "Add link" }).waitFor();
  await site.tab.settled();
}

test("a link is added, moved by keys, previewed and stored, and another is removed", async () => {
  const before = await names();
  await open();
  await site.page.getByRole("button", { name: "Add link" }).click();
  await field(`Name of link ${before.length + 1}`).fill("Desk");
  await field("Template of Desk").fill("deskchat://add?url={address}&key={key}");
  const preview = site.page.getByText("Leads to deskchat://").locator("xpath=..");
  await expect
    .poll(() => preview.innerText())
    .toContain(`url=${encodeURIComponent(site.server.app.url)}&key=sk-EXAMPLE`);
  await site.page.getByRole("button", { name: "Move Desk up" }).focus();
  await site.page.keyboard.press("Enter");
  await site.page.keyboard.press("Enter");
  await expect
    .poll(() => site.page.evaluate(() => document.activeElement?.getAttribute("aria-label")))
    .toBe("Move Desk up");
  await site.page.getByRole("button", { name: `Remove ${before[0]}` }).click();
  expect(await seriousFindings(site.page)).toEqual([]);
  await save();
  await expect.poll(names).toEqual([...before.slice(1, -2), "Desk", ...before.slice(-2)]);
});

test("a template that would run code is said to be unusable, and refused by the server with its place", async () => {
  await open();
  const before = await names();
  await field("Template of Desk").fill("java\tscript:alert(1)");
  await site.page.getByText("This address cannot be opened").waitFor();
  await save();
  await site.page
    .getByText(/#\d › Desk: Links of this kind are not allowed.*line \d+, column \d+/)
    .first()
    .waitFor();
  expect(await names()).toEqual(before);
  await field("Template of Desk").fill("https://chat.example/");
  await site.page.getByText("Without {key} the app does not get the token.").waitFor();
});

test("as JSON and back, and whole on a phone", async () => {
  const phone = await openContext(site.browser, { size: PHONE, language: "zh", theme: "dark" });
  const small = await openPage(phone);
  await logInOn(small.page, site.server.app.url, "root", ROOT_PASSWORD);
  await small.page.goto(`${site.server.app.url}/setting?option=Chats`);
  await small.page.getByRole("button", { name: "以 JSON 编辑" }).click();
  await small.page.locator("[id=option-Chats-control]").waitFor();
  await small.page.getByRole("button", { name: "以列表编辑" }).click();
  await small.page.getByRole("button", { name: "添加链接" }).waitFor();
  await small.settled();
  expect(await overflow(small.page)).toBe(0);
  expect(await seriousFindings(small.page)).toEqual([]);
  await phone.close();
});
