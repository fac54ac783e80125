/** Announcements, API addresses and questions: edited as rows by the super administrator, then on the dashboard of everybody, in every look. */
import { expect, test } from "vitest";
import { LOOKS, openContext, openPage, overflow, seriousFindings } from "../support/systems/browser.ts";
import { dataOf } from "../support/systems/site.ts";
import { rootSite } from "../support/checks/root-site.ts";

const site = rootSite({
  fill: async ({ root, server }) => {
    const announcements = [
      { content: "Older news", publishDate: "2026-01-30T12:00:00Z", type: "success", extra: "For two hours" },
      { content: "**Newer** [page](https://page.example)", publishDate: "2026-01-31T12:00:00Z", type: "warning" },
    ];
    const addresses = [
      { url: `${server.app.url}/v1`, route: "This one", description: "All models", color: "green" },
      { url: "http://127.0.0.1:9", route: "Closed one", description: "No server", color: "light-blue" },
    ];
    for (const [key, value] of Object.entries({
      "console_setting.announcements": JSON.stringify(announcements),
      "console_setting.api_info": JSON.stringify(addresses),
    }))
      await dataOf(root.put("/api/option/", { key, value }));
  },
});

test("a question is added as a row, stored, and answered on the dashboard", async () => {
  const { page } = site;
  await page.goto(`${site.server.app.url}/setting?option=console_setting.faq`);
  await page.getByRole("button", { name: "Add question" }).click();
  const row = page.getByRole("group", { name: "Question 1" });
  await row.getByLabel("Question", { exact: true }).fill("Which models are there?");
  await row.getByLabel("Answer (Markdown)").fill("See the *price list*.");
  await page.getByRole("button", { name: "Save 1 change" }).click();
  await page.getByRole("region", { name: "Unsaved changes" }).waitFor({ state: "detached" });
  await page.goto(`${site.server.app.url}/detail`);
  await page.getByText("Which models are there?").click();
  await page.locator("em", { hasText: "price list" }).waitFor();
});

test("announcements stand newest first with their kind, and an address is measured or said to be out of reach", async () => {
  const { page } = site;
  await page.goto(`${site.server.app.url}/detail`);
  const news = page.getByRole("region", { name: "Announcements" }).getByRole("listitem");
  await expect.poll(() => news.count()).toBe(2);
  expect(await news.first().innerText()).toMatch(/^Warning[\s\S]*Newer page/);
  expect(await news.last().innerText()).toMatch(/^Resolved[\s\S]*For two hours/);
  await page.getByRole("button", { name: "Test This one" }).click();
  await page.getByText(/^\d+ ms$/).waitFor();
  await page.getByRole("button", { name: "Test Closed one" }).click();
  await page.getByText("Not reached").waitFor();
});

test.each(LOOKS)("the cards are clean at $size.width px, $theme, $language, in at most 16 scripts", async (look) => {
  const context = await openContext(site.browser, look, { storageState: await site.page.context().storageState() });
  const { page, complaints, settled } = await openPage(context);
  let scripts = 0;
  page.on("response", (response) => {
    if (new URL(response.url()).pathname.endsWith(".js")) scripts += 1;
  });
  await page.goto(`${site.server.app.url}/detail`);
  await page.getByText("Older news").waitFor();
  await settled();
  // At most twelve of the page itself; the cards and Markdown come after them, where there is content.
  expect(scripts).toBeLessThanOrEqual(16);
  expect(await overflow(page)).toBe(0);
  expect(await seriousFindings(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});
