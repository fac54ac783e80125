/** The playground before a word is said: prompts to begin with, what answers in place of a model that cannot, another group, and Chinese throughout. */
import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { playgroundSite, reply, say } from "../support/checks/playground-site.ts";
import { findingsOfAnotherLook } from "../support/systems/browser.ts";
import { testInAll } from "../support/soak/test-in-all.ts";

const site = playgroundSite();
const ideas = (page: Page) => page.getByRole("list", { name: "Prompts to begin with" }).getByRole("button");

interface Listed {
  model_name: string;
  kind: string;
  enable_groups: string[];
}

/** The price list with other entries than the server's. */
const listing = (page: Page, change: (entries: Listed[]) => Listed[]) =>
  page.route(/\/api\/pricing/, async (route) => {
    const response = await route.fetch();
    const list = (await response.json()) as { data: Listed[] };
    await route.fulfill({ response, json: { ...list, data: change(list.data) } });
  });

test("an empty chat offers prompts; one goes into the box, where it can be changed, and is sent from there", async () => {
  const { page, settled } = site.tab;
  await page.getByRole("heading", { name: "gpt-4o-mini answers here" }).waitFor();
  await settled();
  expect(await findingsOfAnotherLook(page)).toEqual([]);
  const first = ideas(page).first();
  const prompt = await first.innerText();
  await first.click();
  const box = page.getByRole("textbox", { name: "Message" });
  expect(await box.inputValue()).toBe(prompt);
  expect(await box.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await ideas(page).count()).toBe(0);
  await box.fill("");
  expect(await ideas(page).count()).toBe(4);
  await say(page, prompt);
  await reply(page);
  expect(site.asked()[0]?.["messages"]).toMatchObject([{ role: "system" }, { role: "user", content: prompt }]);
  expect(await ideas(page).count()).toBe(0);
});

test("a model of pictures is said to be none for chats, with who answers, prompts all the same, and the way to the studio", async () => {
  const { page } = site;
  await listing(page, (entries) => {
    const [entry] = entries;
    return entry === undefined ? [] : [...entries, { ...entry, model_name: "dall-e-3", kind: "image" }];
  });
  await page.goto(`${site.server.app.url}/playground?model=dall-e-3&group=default`);
  await page.getByText(/^dall-e-3 is not a model for chats\. gpt-4o-mini answers in its place/).waitFor();
  expect(await ideas(page).count()).toBe(4);
  await page.getByRole("link", { name: "Open the studio" }).click();
  await page.waitForURL(/\/studio\?model=dall-e-3/);
});

test("a group without a model for chats leads to one that has some", async () => {
  const { page } = site;
  const vip = { desc: "Few", ratio: 0.5 };
  await page.route("**/api/user/self/groups*", (route) =>
    route.fulfill({ json: { success: true, message: "", data: { default: { desc: "Everyone", ratio: 1 }, vip } } }),
  );
  await listing(page, (entries) => entries.map((entry) => ({ ...entry, enable_groups: ["vip"] })));
  await page.reload();
  await page.getByRole("heading", { name: "No model for chats in the group default" }).waitFor();
  expect(await ideas(page).count()).toBe(0);
  expect(await page.getByRole("link", { name: "All models" }).getAttribute("href")).toBe("/pricing");
  expect(await page.getByRole("link", { name: "Add a channel" }).count()).toBe(1);
  await page.getByRole("button", { name: "Use the group vip" }).click();
  await page.getByRole("heading", { name: "gpt-4o-mini answers here" }).waitFor();
  expect(await ideas(page).count()).toBe(4);
});

testInAll("where groups and models could not be loaded, the start asks for them again")(async () => {
  const { page } = site;
  await page.route(/\/api\/pricing/, (route) => route.fulfill({ status: 503, json: { success: false } }));
  await page.reload();
  const start = page.getByRole("region", { name: "Messages" });
  await start.getByRole("heading", { name: "Groups and models could not be loaded" }).waitFor();
  await page.unroute(/\/api\/pricing/);
  await start.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "gpt-4o-mini answers here" }).waitFor();
});

test("in Chinese the chat begins in Chinese: its system prompt too, which is what is sent", async () => {
  const { page } = await site.open({ language: "zh" });
  const system = await page.getByRole("textbox", { name: "系统提示词" }).inputValue();
  expect(system).toMatch(/^\p{Script=Han}/u);
  const prompts = await page.getByRole("list", { name: "示例提示词" }).getByRole("button").allInnerTexts();
  expect(prompts.filter((prompt) => !/\p{Script=Han}/u.test(prompt))).toEqual([]);
  await say(page, "你好");
  await reply(page);
  expect(site.asked()[0]?.["messages"]).toEqual([
    { role: "system", content: system },
    { role: "user", content: "你好" },
  ]);
});
