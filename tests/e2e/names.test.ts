/** Names in a real browser: they distinguish the controls of rows, long ones have their room, and none reverses the text beside it. */
import { afterAll, expect, test } from "vitest";
import { bumpVersion } from "../../server/src/db/versions.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { logInOn, openContext, PHONE } from "../support/systems/browser.ts";
import { ROOT_PASSWORD, type TestServer } from "../support/systems/server.ts";

/** A mark that turns round what follows it, and the end of an isolate that was not begun. */
const TURNING = "pay\u202Eelif\u2069";
const WRITTEN = "pay[U+202E]elif[U+2069]";
const MODEL = "claude-sonnet-4-5";

let good: FakeUpstream;
let bad: FakeUpstream;

/** Such names cannot be given any more, but earlier rows have them. */
async function nameAsOldRows({ app: { foundation } }: TestServer): Promise<void> {
  const { database, snapshot } = foundation;
  await database.kysely.transaction().execute(async (transaction) => {
    for (const table of ["tokens", "channels"] as const) {
      const changed_version = await bumpVersion(transaction, table);
      const rename = transaction.updateTable(table).set({ name: TURNING, changed_version });
      await rename.where("name", "=", "turning").execute();
    }
  });
  await snapshot.refresh();
}

const site = rootSite({
  environment: { ALLOW_PRIVATE_UPSTREAMS: "1" },
  async fill({ server, root }) {
    [good, bad] = await Promise.all([startFakeUpstream(), startFakeUpstream()]);
    await root.put("/api/option/", { key: "ModelRatio", value: JSON.stringify({ [MODEL]: 1.5 }) });
    await root.put("/api/option/", { key: "RetryTimes", value: "2" });
    bad.plan({ status: 429, error: { message: "Rate limit reached", type: "rate_limit_error" } });
    const channel = { type: 1, key: "sk-upstream-0123456789", models: MODEL, groups: ["default"], auto_ban: 0 };
    await root.post("/api/channel/", { ...channel, name: "Anthropic main", base_url: bad.url, priority: 9 });
    await root.post("/api/channel/", { ...channel, name: "Anthropic spare", base_url: good.url });
    await root.post("/api/channel/", { ...channel, name: "turning", base_url: bad.url, models: "no-model" });
    const { body } = await root.post("/api/token/", { name: "turning", unlimited_quota: true });
    await nameAsOldRows(server);
    await root.post("/api/token/", { name: "nightly", unlimited_quota: true });
    await fetch(`${server.app.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer sk-${(body.data as { key: string }).key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content: "hi" }] }),
    });
  },
});
afterAll(() => Promise.all([good?.close(), bad?.close()]));

/** Texts, titles and accessible names of the page as it stands. */
const words = (): Promise<string> =>
  site.page.evaluate(() =>
    [document.body.innerHTML, ...[...document.querySelectorAll("input")].map((e) => e.value)].join(),
  );

test("each row's checkbox and opener carry the row's name, with turning marks written out", async () => {
  await site.page.goto(`${site.server.app.url}/token`);
  await site.page.getByRole("checkbox", { name: "Select nightly", exact: true }).waitFor();
  await site.page.getByRole("checkbox", { name: `Select ${WRITTEN}`, exact: true }).waitFor();
  expect(await words()).not.toMatch(/[\u202E\u2069]/);
  await site.page.goto(`${site.server.app.url}/channel`);
  await site.page.getByRole("checkbox", { name: `Select #3 ${WRITTEN}`, exact: true }).waitFor();
  expect(await words()).not.toMatch(/[\u202E\u2069]/);
  await site.page.goto(`${site.server.app.url}/log`);
  await site.page.getByRole("button", { name: new RegExp(`^Details of ${MODEL}, `) }).click();
  await site.page.getByText(WRITTEN, { exact: true }).first().waitFor();
  expect(await words()).not.toMatch(/[\u202E\u2069]/);
  await site.page.keyboard.press("Control+k");
  await site.page.getByRole("combobox").fill("pay");
  await site.page.getByRole("option", { name: WRITTEN }).first().waitFor();
  expect(await site.page.getByRole("listbox").innerHTML()).not.toMatch(/[\u202E\u2069]/);
  await site.page.keyboard.press("Escape");
});

test("the channels of a call that failed over are read without a hover, in a day and in a month", async () => {
  for (const range of ["today", "month"]) {
    await site.page.goto(`${site.server.app.url}/log?range=${range}&type=2`);
    const chain = site.page.getByRole("button", { name: /→ #2 Anthropic spare/ });
    await chain.waitFor();
    expect(
      await chain
        .evaluate((button) => [...button.querySelectorAll("span")].map((e) => e.scrollWidth - e.clientWidth))
        .then((cut) => Math.max(...cut)),
    ).toBe(0);
  }
});

test("two long filters cover nothing beside them, and are read in full on hover", async () => {
  const long = "accounts/fireworks/models/llama-v3p1-405b-instruct-long-context-preview";
  await site.page.goto(`${site.server.app.url}/log?model_name=${long}&token_name=${long}`);
  const chips = site.page.locator("main button", { hasText: /^(Model|Token|User|Channel)/ });
  await expect.poll(() => chips.count()).toBeGreaterThanOrEqual(4);
  // The cross of a filter stands on the filter itself.
  const controls = site.page.locator('main button:not([aria-label^="Remove the filter"])').filter({ visible: true });
  const overlaps = await controls.evaluateAll((all) => {
    const boxes = all.map((control) => control.getBoundingClientRect()).filter(({ top }) => top < 300);
    const isOver = (a: DOMRect, b: DOMRect) =>
      a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
    const isInside = (a: DOMRect, b: DOMRect) =>
      a.left >= b.left && a.right <= b.right && a.top >= b.top && a.bottom <= b.bottom;
    return boxes.flatMap((a, index) =>
      boxes.slice(index + 1).filter((b) => isOver(a, b) && !isInside(a, b) && !isInside(b, a)),
    ).length;
  });
  expect(overlaps).toBe(0);
  await expect.poll(() => site.page.locator("main b").first().getAttribute("title")).toBe(long);
});

test("on a phone the name in a card opens the person, and gives the focus back", async () => {
  const context = await openContext(site.browser, { size: PHONE, language: "zh" });
  const phone = await context.newPage();
  await logInOn(phone, site.server.app.url, "root", ROOT_PASSWORD);
  await phone.goto(`${site.server.app.url}/log?type=2`);
  const name = phone.getByRole("listitem").getByRole("button", { name: "关于 root" }).first();
  await name.click();
  const person = phone.getByRole("dialog", { name: "root" });
  await person.getByText("超级管理员").waitFor();
  await phone.keyboard.press("Escape");
  await person.waitFor({ state: "hidden" });
  await name.and(phone.locator(":focus")).waitFor();
  await context.close();
});
