/** The tokens page in a real browser: created, called with, seen in the ledger, edited, disabled, deleted; the relay and an upstream are real servers. */
import { afterAll, beforeEach, expect, test } from "vitest";
import type { TokenRow } from "../../contract/src/features/tokens.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { testInAll } from "../support/soak/test-in-all.ts";
import { clipboardOf, DESK, findingsOfAnotherLook, overflow, seriousFindings } from "../support/systems/browser.ts";
import { itemsOf } from "../support/systems/site.ts";

const CHATS = [{ "Desk Chat": "deskchat://add?address={address}&key={key}" }];

let upstream: FakeUpstream;

const site = rootSite({
  environment: { ALLOW_PRIVATE_UPSTREAMS: "1" },
  async fill({ root }) {
    upstream = await startFakeUpstream();
    await root.put("/api/option/", { key: "Chats", value: JSON.stringify(CHATS) });
    await root.post("/api/channel/", {
      name: "main lane",
      type: 1,
      key: "sk-upstream",
      base_url: upstream.url,
      models: "gpt-4o,gpt-4o-mini",
      group: "default",
    });
  },
});
afterAll(() => upstream?.close());

const clipboard = (): Promise<string> => clipboardOf(site.page);
const row = (name: string) => site.page.getByRole("row", { name: new RegExp(name) });
const drawer = () => site.page.getByRole("dialog");

async function stored(): Promise<TokenRow[]> {
  return await itemsOf<TokenRow>(site.root.get("/api/token/?p=1&size=100"));
}

async function pick(name: string, item: string): Promise<void> {
  await row(name)
    .getByRole("button", { name: `Actions for ${name}` })
    .click();
  await site.page.getByRole("menuitem", { name: item }).click();
}

/** Makes tokens and opens the list of all, or of those that the query finds. */
async function openWith(names: readonly string[], query = ""): Promise<void> {
  for (const name of names)
    await site.root.post("/api/token/", { name, group: "default", remain_quota: 5_000_000, expired_time: -1 });
  await site.page.goto(`${site.server.app.url}/token${query}`);
  await row(names.at(-1) ?? "").waitFor();
}

const main = () => site.page.getByRole("main");

/** Makes a token in the drawer of the empty page, which then leads to the page that connects programs with it. */
async function create(name: string): Promise<void> {
  await site.page.goto(`${site.server.app.url}/token`);
  await site.page.getByRole("heading", { name: "Create your first token" }).waitFor();
  await expect.poll(() => site.page.getByRole("button", { name: "Create token" }).count()).toBe(1);
  expect(await findingsOfAnotherLook(site.page)).toEqual([]);
  await site.page.getByRole("button", { name: "Create token" }).click();
  await drawer().getByLabel("Name", { exact: true }).fill(name);
  await drawer().getByRole("button", { name: "$10", exact: true }).click();
  await drawer().getByRole("button", { name: "1 day", exact: true }).click();
  expect(await seriousFindings(site.page)).toEqual([]);
  await site.page.keyboard.press("Control+Enter");
  await site.page.waitForURL(({ pathname }) => pathname === "/connect");
  await site.page.getByRole("heading", { name: "Set up Claude Code" }).waitFor();
}

beforeEach(async () => {
  upstream.reset();
  await site.page.setViewportSize(DESK);
  for (const { id } of await stored()) await site.root.send("DELETE", `/api/token/${id}`);
});

test("the empty page's only filled button creates a token; its key lands on the clipboard, and the next page has code for every program and sends a real call", async () => {
  await create("ci-evals");
  const [token] = await stored();
  expect(token).toMatchObject({ name: "ci-evals", remain_quota: 5_000_000, group: "default", unlimited_quota: false });
  expect(Math.abs((token?.expired_time ?? 0) - Date.now() / 1000 - 86_400)).toBeLessThan(120);
  expect(await clipboard()).toBe(`sk-${token?.key}`);
  await main().getByRole("button", { name: "curl", exact: true }).click();
  await main().getByRole("button", { name: "Copy", exact: true }).first().click();
  await expect.poll(clipboard).toContain(`${site.server.app.url}/v1/chat/completions`);
  expect(await clipboard()).toContain(`sk-${token?.key}`);
  expect(await main().textContent()).not.toContain(token?.key);
  expect(await seriousFindings(site.page)).toEqual([]);
  await sendTestCall();
});

/** Sends a call from the page: it is real, and its receipt is the charge in the books. */
async function sendTestCall(): Promise<void> {
  await main().getByRole("button", { name: "Send a test call" }).click();
  const receipt = main().getByText(/Answered in/);
  await receipt.waitFor();
  expect(upstream.count).toBe(1);
  const [token] = await stored();
  const charged = token?.used_quota ?? 0;
  expect(charged).toBeGreaterThan(0);
  expect(token?.remain_quota).toBe(5_000_000 - charged);
  const text = await main().getByRole("status").filter({ hasText: "Answered in" }).textContent();
  expect(text).toContain("by main lane");
  expect(text).toContain(`$${(charged / 500_000).toFixed(6)}`);
}

test("the smallest amount stands whole in its cell, and how many are made is the last question", async () => {
  await site.root.post("/api/token/", { name: "tiny", group: "default", remain_quota: 1, expired_time: -1 });
  await site.page.goto(`${site.server.app.url}/token`);
  // Cut is what is wider than a holder that hides the rest.
  for (const viewport of [DESK, { width: 1024, height: 800 }, { width: 390, height: 844 }]) {
    await site.page.setViewportSize(viewport);
    const amount = site.page.getByText("$0.000002", { exact: true }).filter({ visible: true }).first();
    await amount.waitFor();
    const cut = await amount.evaluate((element) => {
      const holders: Element[] = [];
      for (let each: Element | null = element; each !== null && holders.length < 4; each = each.parentElement)
        holders.push(each);
      return holders
        .filter((each) => each.scrollWidth > each.clientWidth && getComputedStyle(each).overflowX !== "visible")
        .map(({ className, scrollWidth, clientWidth }) => `${className}: ${scrollWidth} in ${clientWidth}`);
    });
    expect([viewport.width, cut]).toEqual([viewport.width, []]);
  }
  await site.page.setViewportSize(DESK);
  await site.page.getByRole("button", { name: "Create token" }).click();
  const count = drawer().getByRole("textbox", { name: "How many" });
  await count.waitFor();
  const fields = drawer().locator("input:visible, textarea:visible");
  await expect
    .poll(() => fields.last().evaluate((field) => document.querySelector(`label[for="${field.id}"]`)?.textContent))
    .toContain("How many");
  await site.page.keyboard.press("Escape");
});

test("a bad expiry and a bad address are refused by their line, and nothing is sent; a preset of how many makes that many, suffixed", async () => {
  await openWith(["ci-evals"]);
  await site.page.getByRole("button", { name: "Create token" }).click();
  await drawer().getByLabel("Name", { exact: true }).fill("batch");
  await drawer().getByRole("textbox", { name: "Expires" }).fill("someday");
  await drawer()
    .getByLabel(/Allowed IP addresses/)
    .fill("10.0.0.0/8\nhello");
  await drawer()
    .getByRole("button", { name: /^Create token/ })
    .click();
  await drawer().getByText("This is not a date.").waitFor();
  await drawer().getByText("Line 2 is neither an address nor a range: hello").waitFor();
  expect(await stored()).toHaveLength(1);
  await drawer().getByRole("textbox", { name: "Expires" }).fill("");
  await drawer()
    .getByLabel(/Allowed IP addresses/)
    .fill("10.0.0.0/8");
  await drawer().getByRole("button", { name: "10", exact: true }).click();
  await drawer()
    .getByRole("button", { name: /^Create 10 tokens/ })
    .click();
  await site.page.getByText("11 tokens, 11 enabled").waitFor();
  const names = (await stored()).map(({ name }) => name).filter((name) => name.startsWith("batch"));
  expect(names).toHaveLength(10);
  expect(names.filter((name) => /^batch-[a-z0-9]{6}$/.test(name))).toHaveLength(9);
});

testInAll("an edit of the quota keeps what a call used while the drawer was open")(async () => {
  await openWith(["ci-evals"], "?keyword=ci-evals");
  const before = (await stored()).find(({ name }) => name === "ci-evals");
  await pick("ci-evals", "Edit");
  await drawer().getByLabel("Remaining quota").fill("20");
  await fetch(`${site.server.app.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer sk-${before?.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "hello" }] }),
  });
  await drawer().getByRole("button", { name: /^Save/ }).click();
  await drawer().waitFor({ state: "detached" });
  const after = (await stored()).find(({ name }) => name === "ci-evals");
  const usedMeanwhile = (after?.used_quota ?? 0) - (before?.used_quota ?? 0);
  expect(usedMeanwhile).toBeGreaterThan(0);
  expect(after?.remain_quota).toBe(10_000_000 - usedMeanwhile);
  expect(after?.expired_time).toBe(before?.expired_time);
});

test("a refused disabling rolls the row back and says so, an accepted one greys it; a chat link opens with the encoded address and this key, for an enabled token only", async () => {
  await openWith(["ci-evals"]);
  await site.page.route(
    "**/api/token?status_only=true",
    (route) => route.fulfill({ status: 200, json: { success: false, message: "Refused for this test", data: null } }),
    { times: 1 },
  );
  await pick("ci-evals", "Disable");
  await site.page.getByText("ci-evals could not be disabled").waitFor();
  await row("ci-evals").getByText("Enabled").waitFor();
  await pick("ci-evals", "Disable");
  await row("ci-evals").getByText("Disabled").waitFor();
  await expect.poll(async () => (await stored()).find(({ name }) => name === "ci-evals")?.status).toBe(2);
  await expect.poll(() => row("ci-evals").getAttribute("data-tone")).toBe("off");
  await row("ci-evals").getByRole("button", { name: "Actions for ci-evals" }).click();
  expect(await site.page.getByRole("menuitem", { name: "Open in Desk Chat" }).isDisabled()).toBe(true);
  // Before it has the focus Escape says nothing to it.
  await site.page.locator('[role="menu"]:focus-within').waitFor();
  await site.page.keyboard.press("Escape");
  await site.page.getByRole("menu").waitFor({ state: "detached" });
  await pick("ci-evals", "Enable");
  await row("ci-evals").getByText("Enabled").waitFor();
  await site.page.evaluate(() => {
    window.open = (address) => {
      document.title = String(address);
      return null;
    };
  });
  await pick("ci-evals", "Open in Desk Chat");
  const question = site.page.getByRole("dialog", { name: "Hand the key to deskchat://?" });
  await question.getByRole("button", { name: "Open and hand over the key" }).click();
  const key = (await stored()).find(({ name }) => name === "ci-evals")?.key;
  await expect
    .poll(() => site.page.title())
    .toBe(`deskchat://add?address=${encodeURIComponent(site.server.app.url)}&key=sk-${key}`);
});

test("selected tokens are copied, disabled and deleted together, after one question that names them", async () => {
  const nine = Array.from({ length: 9 }, (_, index) => `batch-${index + 1}`);
  await openWith(["ci-evals", "batch", ...nine], "?keyword=batch-&size=20");
  await site.page.getByText("9 tokens, 9 enabled").waitFor();
  await site.page.getByRole("checkbox", { name: "Select all rows" }).click();
  const bar = site.page.getByRole("toolbar", { name: "9 selected" });
  await bar.getByRole("button", { name: "Copy keys" }).click();
  await expect
    .poll(async () => (await clipboard()).split("\n").filter((line) => line.startsWith("sk-")).length)
    .toBe(9);
  await bar.getByRole("button", { name: "Disable" }).click();
  await site.page.getByText("9 tokens, 0 enabled").waitFor();
  // It fades out with a box of the same name.
  await bar.waitFor({ state: "detached" });
  await site.page.getByRole("checkbox", { name: "Select all rows" }).click();
  await bar.getByRole("button", { name: "Delete" }).click();
  const question = site.page.getByRole("dialog", { name: "Delete 9 tokens?" });
  await expect.poll(() => question.textContent()).toContain("and 4 more");
  await question.getByRole("button", { name: "Delete 9 tokens" }).click();
  await site.page.getByText("Nothing matches").waitFor();
  expect(await stored()).toHaveLength(2);
});

testInAll("deleting one names it, and its key is refused at once")(async () => {
  await openWith(["batch", "ci-evals"]);
  const key = (await stored()).find(({ name }) => name === "ci-evals")?.key;
  await pick("ci-evals", "Delete");
  await site.page
    .getByRole("dialog", { name: "Delete the token ci-evals?" })
    .getByRole("button", { name: "Delete token" })
    .click();
  await site.page.getByText("1 token, 1 enabled").waitFor();
  const answer = await fetch(`${site.server.app.url}/v1/models`, { headers: { authorization: `Bearer sk-${key}` } });
  expect(answer.status).toBe(401);
});

testInAll("on a phone the rows are cards, nothing is wider than the window, and the console stayed silent")(
  async () => {
    await openWith(["batch"]);
    await site.page.setViewportSize({ width: 390, height: 844 });
    await site.page.getByRole("listitem").filter({ hasText: "batch" }).first().waitFor();
    expect(await overflow(site.page)).toBe(0);
    expect(await findingsOfAnotherLook(site.page)).toEqual([]);
    expect(site.tab.complaints).toEqual([]);
  },
);
