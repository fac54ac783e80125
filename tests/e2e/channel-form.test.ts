/** The channel form and the tests of channels in a real browser: where errors are shown, what loads when, and what a failed test leaves behind. */
import { afterAll, beforeEach, expect, test } from "vitest";
import type { ChannelRow } from "../../contract/src/features/channels.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { setOptions } from "../support/databases/options.ts";
import { testInAll } from "../support/soak/test-in-all.ts";
import { findingsOfAnotherLook, logInOn, openContext, openPage } from "../support/systems/browser.ts";
import { dataOf, itemsOf } from "../support/systems/site.ts";

const KEY = "sk-upstream-abcdefghijklmnop-9QAA";
/** The discard port: nothing answers there. */
const DEAD = "http://127.0.0.1:9";

let upstream: FakeUpstream;

const site = rootSite({
  async fill() {
    upstream = await startFakeUpstream({ models: ["gpt-4o", "gpt-4o-mini"] });
  },
});
afterAll(() => upstream?.close());

const stored = async (): Promise<ChannelRow[]> =>
  await itemsOf<ChannelRow>(site.root.get("/api/channel/?page_size=100&sort=id"));
const row = (name: string, page = site.page) => page.getByRole("row", { name: new RegExp(name) });
const drawer = () => site.page.getByRole("dialog").first();
const focusedLabel = () =>
  site.page.evaluate(() => {
    const element = document.activeElement;
    return element instanceof HTMLInputElement ? (element.labels?.[0]?.textContent ?? "") : (element?.className ?? "");
  });
const editorScripts = () =>
  site.page.evaluate(
    () => performance.getEntriesByType("resource").filter(({ name }) => /json-code-mirror.*\.js/.test(name)).length,
  );
const addChannel = (more: object) =>
  site.root.post("/api/channel/", { type: 1, key: KEY, models: "gpt-4o", groups: ["default"], ...more });
const allowPrivateUpstreams = (isAllowed: boolean) =>
  setOptions(site.server.app.foundation, { AllowPrivateUpstreamsEnabled: String(isAllowed) });

/** Makes a channel to the upstream that answers. */
async function addMain(): Promise<ChannelRow> {
  await addChannel({ name: "main lane", base_url: upstream.url });
  const [main] = await stored();
  if (main === undefined) throw new Error("The channel was not made");
  return main;
}

/** Opens the form of a new channel, with what is asked of a channel to the upstream that answers. */
async function openFilled(): Promise<void> {
  await site.page.goto(`${site.server.app.url}/channel/add`);
  await drawer().getByLabel("Name").fill("main lane");
  await drawer().getByRole("textbox", { name: "Key" }).fill(KEY);
  await drawer().getByLabel("Base URL").fill(upstream.url);
}

beforeEach(async () => {
  await site.root.post("/api/channel/batch", { ids: (await stored()).map(({ id }) => id) });
  await allowPrivateUpstreams(true);
  upstream.reset();
});

testInAll("a link to the form begins in its first field, and the JSON editor waits until somebody goes into its field")(
  async () => {
    await site.page.goto(`${site.server.app.url}/channel/add`);
    await expect.poll(focusedLabel).toBe("Name");
    expect(await editorScripts()).toBe(0);
    await drawer()
      .getByRole("button", { name: /Model mapping/ })
      .click();
    await expect.poll(focusedLabel).toContain("cm-content");
    await site.page.keyboard.type("{}");
    expect(await editorScripts()).toBe(1);
  },
);

testInAll("a base URL that ends in /v1 is told on leaving the field, and a press takes it off")(async () => {
  await site.page.goto(`${site.server.app.url}/channel/add`);
  const field = drawer().getByLabel("Base URL");
  await field.fill(`${upstream.url}/v1`);
  expect(await drawer().getByRole("button", { name: "Remove /v1" }).count()).toBe(0);
  await field.blur();
  await drawer().getByRole("button", { name: "Remove /v1" }).click();
  await expect.poll(() => field.inputValue()).toBe(upstream.url);
  await expect.poll(() => drawer().getByText("Without the API path").isVisible()).toBe(true);
});

test("models of a private address are refused where they are fetched, with the switch that fetches them", async () => {
  await allowPrivateUpstreams(false);
  await openFilled();
  await drawer().getByRole("button", { name: "Fetch from provider" }).click();
  await drawer()
    .getByText(/is private/)
    .waitFor();
  await expect
    .poll(() => drawer().getByRole("link", { name: "Open the setting" }).getAttribute("href"))
    .toBe("/setting?tab=system&section=site&option=AllowPrivateUpstreamsEnabled");
  await drawer().getByRole("button", { name: "Allow private addresses" }).click();
  await site.page.getByRole("button", { name: "Allow", exact: true }).click();
  await site.page.getByText("2 models added").waitFor();
  expect(
    await drawer()
      .getByText(/is private/)
      .count(),
  ).toBe(0);
});

test("a model that nobody priced says at once that its calls are refused, and leads to the price editor", async () => {
  await openFilled();
  await drawer().getByLabel("Models").fill("gpt-4o,");
  await drawer().getByRole("button", { name: "Remove gpt-4o", exact: true }).waitFor();
  expect(await drawer().getByText("No price:").count()).toBe(0);
  await drawer().getByLabel("Models").fill("house-blend-1,");
  const link = drawer().getByRole("link", { name: "house-blend-1" });
  await link.waitFor();
  await expect.poll(() => link.getAttribute("href")).toBe("/setting?tab=operation&section=prices&model=house-blend-1");
  await drawer().getByRole("button", { name: "Remove house-blend-1" }).click();
  await expect.poll(() => link.count()).toBe(0);
});

test("after a channel was made stands what comes next: its test, and a token", async () => {
  await openFilled();
  await drawer().getByLabel("Models").fill("gpt-4o,");
  await drawer().locator("button[type=submit]").click();
  const next = site.page.getByRole("region", { name: "Channel created" });
  await next.getByText("Channel main lane created").waitFor();
  upstream.next({ status: 401, error: { message: "Incorrect key" } });
  await next.getByRole("button", { name: "Test it" }).click();
  await next.getByText(/The upstream answered 401: .*Incorrect key/).waitFor();
  expect(await next.locator("svg").first().getAttribute("data-tone")).toBe("amber");
  const change = next.getByRole("link", { name: "Change key or address" });
  await expect.poll(() => change.getAttribute("href")).toMatch(/\/channel\/edit\/\d+$/);
  await change.click();
  // The drawer says why, and nothing in its head is green.
  await drawer()
    .getByRole("alert")
    .getByText(/^The last test \(.+\) failed: The upstream answered 401: .*Incorrect key/)
    .waitFor();
  const dot = drawer().getByText("Enabled, test failed").locator("xpath=preceding-sibling::*");
  expect(await dot.getAttribute("data-tone")).toBe("amber");
  await site.page.keyboard.press("Escape");
  await drawer().waitFor({ state: "detached" });
  expect(await next.getByRole("link", { name: "Create token" }).count()).toBe(0);
  await next.getByRole("button", { name: "Test again" }).click();
  await next.getByText(/It answered in/).waitFor();
  await expect
    .poll(() => next.getByRole("link", { name: "Create token" }).getAttribute("href"))
    .toContain("open=create");
  await next.getByRole("button", { name: "Dismiss" }).click();
  expect(await next.count()).toBe(0);
});

testInAll(
  "a failed test is red with its reason for the keyboard too, keeps the last good time, and is told until closed",
)(async () => {
  await addMain();
  await addChannel({ name: "dead lane", base_url: DEAD });
  const context = await openContext(site.browser, {}, { storageState: await site.context.storageState() });
  const { page } = await openPage(context);
  await page.clock.install();
  await page.goto(`${site.server.app.url}/channel`);
  await page.getByRole("button", { name: "Test all" }).click();
  await page.getByText("Channels that failed the test").waitFor();
  await row("dead lane", page).getByText("Failed").waitFor();
  await row("dead lane", page).getByRole("link", { name: "dead lane" }).focus();
  await page.keyboard.press("Tab");
  await page
    .getByRole("tooltip")
    .getByText("Nothing accepts connections at the upstream’s address (ECONNREFUSED)")
    .waitFor();
  // Longer than the toast of a success is shown.
  await page.clock.fastForward(4_000);
  await page.getByRole("button", { name: "Show failed" }).click();
  await page.waitForURL((url) => url.searchParams.get("test") === "failed");
  await expect.poll(() => row("main lane", page).count()).toBe(0);
  await expect.poll(() => row("dead lane", page).count()).toBe(1);
  await page.getByRole("button", { name: "Last test", exact: true }).click();
  await page.waitForURL((url) => url.searchParams.get("sort") === "-response_time");
  await context.close();
});

testInAll("a run that has no end is stopped from its card")(async () => {
  const { id } = await addMain();
  await site.root.get(`/api/channel/test/${id}`);
  upstream.plan({ neverAnswers: true });
  await site.page.goto(`${site.server.app.url}/channel`);
  await site.page.getByRole("button", { name: "Test all" }).click();
  await site.page.getByRole("progressbar", { name: "Testing channels" }).waitFor();
  const startedMs = performance.now();
  await site.page.getByRole("button", { name: "Stop", exact: true }).click();
  await site.page.getByText("Test stopped").waitFor();
  expect(performance.now() - startedMs).toBeLessThan(3_000);
  const [main] = await stored();
  expect(main).toMatchObject({ name: "main lane", test_result: 1 });
});

testInAll("the mark of loops has a field: automatic where nothing is stored, always or never as it is chosen")(
  async () => {
    const main = await addMain();
    const edit = () => site.page.goto(`${site.server.app.url}/channel/edit/${main.id}`);
    const choose = async (choice: string) => {
      await drawer().getByRole("combobox", { name: "Mark of loops" }).click();
      await site.page.getByRole("option", { name: choice, exact: true }).click();
      await drawer().locator("button[type=submit]").click();
    };
    const setting = async () => (await stored())[0]?.setting;
    await edit();
    await drawer().getByRole("button", { name: "Advanced" }).click();
    expect(await drawer().getByRole("combobox", { name: "Mark of loops" }).inputValue()).toBe("Automatic");
    await choose("Never");
    await expect.poll(setting).toBe('{"send_hops":false}');
    await edit();
    await expect.poll(() => drawer().getByRole("combobox", { name: "Mark of loops" }).inputValue()).toBe("Never");
    await choose("Automatic");
    await expect.poll(setting).toBe("");
  },
);

testInAll("an upstream gets the trace of a call only from a channel that is switched to it")(async () => {
  const main = await addMain();
  const setting = async () => (await stored())[0]?.setting;
  const toggle = async () => {
    await drawer().getByText("Send trace context", { exact: true }).click();
    await drawer().locator("button[type=submit]").click();
  };
  const edit = () => site.page.goto(`${site.server.app.url}/channel/edit/${main.id}`);
  await edit();
  await drawer().getByRole("button", { name: "Advanced" }).click();
  await toggle();
  await expect.poll(setting).toBe('{"send_trace_context":true}');
  // Fields that are filled are open from the start.
  await edit();
  await toggle();
  await expect.poll(setting).toBe("");
});

testInAll(
  "input tokens, concurrent calls and service tiers have fields, stored as the relay reads them, and an emptied field lifts its limit",
)(async () => {
  const main = await addMain();
  await site.page.goto(`${site.server.app.url}/channel/edit/${main.id}`);
  await drawer().getByLabel("Max input tokens").fill("12");
  await drawer().getByRole("button", { name: "Advanced" }).click();
  await drawer().getByLabel("Max concurrent calls").fill("3");
  await drawer().getByText("Allow service tiers", { exact: true }).click();
  await drawer().locator("button[type=submit]").click();
  await site.page.getByText("Channel saved").waitFor();
  const [edited] = await stored();
  expect(edited).toMatchObject({ max_input_tokens: 12, setting: '{"max_concurrency":3,"allow_service_tier":true}' });

  // Set fields open their part by themselves, and an emptied one takes its limit away.
  await site.page.goto(`${site.server.app.url}/channel/edit/${main.id}`);
  await expect.poll(() => drawer().getByLabel("Max concurrent calls").inputValue()).toBe("3");
  await drawer().getByLabel("Max concurrent calls").fill("");
  await drawer().getByLabel("Max input tokens").fill("");
  await drawer().locator("button[type=submit]").click();
  await expect
    .poll(async () => (await stored())[0])
    .toMatchObject({ max_input_tokens: null, setting: '{"allow_service_tier":true}' });
});

testInAll("a provider that was shut down says so in the list of types, in the drawer, and offers no test")(async () => {
  await addChannel({ name: "old lane", type: 11, models: "PaLM-2" });
  const old = (await stored()).find(({ name }) => name === "old lane");
  await site.page.goto(`${site.server.app.url}/channel/edit/${old?.id}`);
  await drawer().getByText("Google PaLM has been shut down by its vendor.").waitFor();
  expect(
    await drawer()
      .getByText(/Google’s successor to PaLM is Gemini/)
      .isVisible(),
  ).toBe(true);
  expect(await drawer().getByRole("button", { name: "Test", exact: true }).count()).toBe(0);
  await drawer()
    .getByRole("button", { name: /^Provider/ })
    .click();
  await site.page
    .getByRole("option", { name: /Google PaLM/ })
    .getByText("shut down")
    .waitFor();
  await site.page.keyboard.press("Escape");
});

test("a field of choices is a list with a default, and what is chosen is stored", async () => {
  await site.page.goto(`${site.server.app.url}/channel/add`);
  await drawer()
    .getByRole("button", { name: /^Provider/ })
    .click();
  await site.page.getByRole("option", { name: "Dify" }).click();
  await drawer().getByText("One channel is one Dify app").waitFor();
  const kind = drawer().getByRole("button", { name: /^App type/ });
  // Where none is chosen, the channel has the first.
  await expect.poll(() => kind.textContent()).toContain("Default");
  await kind.click();
  await site.page.getByRole("option", { name: "Workflow" }).click();
  await drawer().getByLabel("Name").fill("app lane");
  await drawer().getByRole("textbox", { name: "Key" }).fill("app-0123456789abcdef");
  await drawer().getByLabel("Models").fill("summary-app,");
  await drawer().locator("button[type=submit]").click();
  await expect.poll(async () => (await stored()).find(({ name }) => name === "app lane")?.other).toBe("workflow");
});

testInAll(
  "'Add defaults', which has nothing to add afterwards, keeps the focus, so that the form can still be saved by keys",
)(async () => {
  await site.page.goto(`${site.server.app.url}/channel/add`);
  await expect.poll(focusedLabel).toBe("Name");
  const button = drawer().getByRole("button", { name: "Add defaults" });
  await button.focus();
  await site.page.keyboard.press("Enter");
  await expect.poll(() => button.getAttribute("aria-disabled")).toBe("true");
  await site.page.keyboard.press("Control+Enter");
  await drawer().getByText("Enter a name").waitFor();
});

test("an administrator who may only see channels reads the form: it says why, and nothing in it can be changed or saved", async () => {
  const { id } = await addMain();
  const account = { username: "reader", password: "a-good-password-1" };
  const { id: reader } = await dataOf<{ id: number }>(site.root.post("/api/user/", account));
  await dataOf(site.root.post("/api/user/manage", { id: reader, action: "promote" }));
  await dataOf(site.root.put(`/api/user/${reader}/permissions`, { permissions: ["channels_see"] }));
  const other = await openContext(site.browser);
  const { page } = await openPage(other);
  await logInOn(page, site.server.app.url, account.username, account.password);
  await page.goto(`${site.server.app.url}/channel/edit/${id}`);
  const form = page.getByRole("dialog").first();
  await form.getByText("You can read this channel and not change it").waitFor();
  expect(await form.getByLabel("Name", { exact: true }).isDisabled()).toBe(true);
  expect(await form.getByLabel("Base URL").inputValue()).toBe(upstream.url);
  await form.getByText("gpt-4o", { exact: true }).first().waitFor();
  expect(await form.locator(":is(input, textarea, select):enabled, [contenteditable=true]").count()).toBe(0);
  expect(await form.getByRole("button", { name: /Save|Cancel|Test|Fetch|Clear|Replace|Remove/ }).count()).toBe(0);
  expect(await findingsOfAnotherLook(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await form.waitFor({ state: "hidden" });
  await other.close();
});
