/** Sharing a chat in the browser: what others will see is shown first, a link that strangers read and that runs nothing, continued by who is logged in, and removed. */
import { expect, test } from "vitest";
import { overflow, openContext, openPage, PHONE, seriousFindings, startBrowser } from "../support/systems/browser.ts";
import { playgroundSite, reply, say } from "../support/checks/playground-site.ts";
import { testInAll } from "../support/soak/test-in-all.ts";

const site = playgroundSite({ text: "## An answer\n\n<img src=x onerror=alert(1)> [a link](javascript:alert(1))" });

const turn = (value: "true" | "false") => site.root.put("/api/option/", { key: "ChatShareEnabled", value });

/** A window of a visitor without an account. */
async function withStranger<T>(work: (page: Awaited<ReturnType<typeof openPage>>["page"]) => Promise<T>): Promise<T> {
  const browser = await startBrowser();
  try {
    return await work((await openPage(await openContext(browser))).page);
  } finally {
    await browser.close();
  }
}

test("a chat is shared as it is, a stranger reads it without a system prompt or costs, and it is gone once removed", async () => {
  await turn("true");
  const { page, settled } = site.tab;
  await page.reload();
  await page.getByLabel("System prompt").fill("SECRET PROMPT");
  await say(page, "Explain it");
  await reply(page);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Anybody who has the link reads the chat as it is now").waitFor();
  await settled();
  expect(await seriousFindings(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Make the link" }).click();
  const address = await dialog.getByLabel("Link", { exact: true }).inputValue();
  expect(address).toMatch(/\/share\/[\w-]{22}$/);
  await dialog.getByRole("button", { name: "Close" }).click();
  await say(page, "Not for others");
  await reply(page, 2);

  await withStranger(async (stranger) => {
    const answer = await stranger.goto(address);
    expect(answer?.headers()["x-robots-tag"]).toBe("noindex, nofollow");
    await stranger.getByRole("heading", { name: "An answer" }).waitFor();
    const text = await stranger.locator("main").innerText();
    expect(text).toContain("Explain it");
    expect(text).not.toMatch(/SECRET PROMPT|Not for others|\$0|token|Receipt/);
    expect(await stranger.locator("main [onerror], main a[href^='javascript']").count()).toBe(0);
    expect(await stranger.locator("main textarea").count()).toBe(0);
    await stranger.getByRole("link", { name: "Log in to continue this chat" }).waitFor();
    expect(await seriousFindings(stranger)).toEqual([]);
    await stranger.setViewportSize(PHONE);
    expect(await overflow(stranger)).toBe(0);

    await turn("false");
    await stranger.reload();
    await stranger.getByText("This link shows nothing").waitFor();
    await turn("true");
    await stranger.reload();
    await stranger.getByRole("heading", { name: "An answer" }).waitFor();

    await page.reload();
    await page.getByRole("button", { name: "Share", exact: true }).click();
    const removal = page.getByRole("button", { name: "Remove the link of Explain it" });
    await removal.click();
    await expect.poll(() => removal.count()).toBe(0);
    await stranger.reload();
    await stranger.getByText("This link shows nothing").waitFor();
  });
});

testInAll("who is logged in goes on with a shared chat in a copy of their own")(async () => {
  await turn("true");
  const { page } = site;
  await page.reload();
  await say(page, "First words");
  await reply(page);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.getByRole("button", { name: "Make the link" }).click();
  const address = await page.getByLabel("Link", { exact: true }).inputValue();
  const own = page.url();
  await page.goto(address);
  await page.getByRole("button", { name: "Continue in my playground" }).click();
  await page.getByRole("article", { name: "You" }).getByText("First words").waitFor();
  expect(page.url()).not.toBe(own);
  await say(page, "And more");
  await reply(page, 2);
  expect(JSON.stringify(site.asked().at(-1)?.["messages"])).toMatch(/First words.*An answer.*And more/);
  await page.reload();
  await page.getByText("And more").waitFor();
});
