/** Every act on channels as an operator does it, on a desk in English by keyboard and on a phone in Chinese by touch; each reaches the server. */
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { TEST_RESULT } from "../../contract/src/channels/channel-tests.ts";
import type { ChannelRow } from "../../contract/src/features/channels.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { operatorAt } from "../support/operators/operator.ts";
import { ACCOUNT_KEY, type AccountServer, startAccounts } from "../support/providers/accounts.ts";
import {
  DESK,
  keepPicture,
  type Look,
  openContext,
  overflow,
  PHONE,
  seriousFindings,
} from "../support/systems/browser.ts";
import { IS_SHORT, oneInShort } from "../support/soak/short-or-long.ts";
import { itemsOf } from "../support/systems/site.ts";

const KEY = "sk-upstream-abcdefghijklmnop-9QAA";
const keyOf = (id: number): string => `sk-planted-${id}-abcdefghijklmnopqrstuvw-${String(id).padStart(4, "0")}`;
const markOf = (id: number): string => `sk-p…${String(id).padStart(4, "0")}`;
const hasFocus = (it: Locator): Promise<boolean> => it.evaluate((element) => element === document.activeElement);
type Walk = Pick<Look, "size" | "language"> & { name: string; lane: string };
const WALKS: readonly Walk[] = [
  { name: "a desk in English", size: DESK, language: "en", lane: "north" },
  { name: "a phone in Chinese", size: PHONE, language: "zh", lane: "south" },
];
const OTHER_LOOKS: readonly Walk[] = [
  { name: "a desk in Chinese", size: DESK, language: "zh", lane: "north" },
  { name: "a phone in English", size: PHONE, language: "en", lane: "south" },
];

let upstream: FakeUpstream;
let accounts: AccountServer;

const make = (more: object) =>
  site.root.post("/api/channel/", { type: 1, key: KEY, models: "gpt-4o", groups: ["default"], ...more });
const stored = (keyword: string) =>
  itemsOf<ChannelRow>(site.root.get(`/api/channel/?page_size=100&sort=id&keyword=${encodeURIComponent(keyword)}`));
const one = async (name: string): Promise<ChannelRow> => {
  const found = (await stored(name)).find((channel) => channel.name === name);
  if (found === undefined) throw new Error(`There is no channel ${name}`);
  return found;
};

/** Removes the channel of this name and its copies. */
const clear = async (name: string) =>
  site.root.post("/api/channel/batch", { ids: (await stored(name)).map(({ id }) => id) });

/** One good call and one that is turned away, so that the health of the busy lanes has something to show. */
async function callBusyLanes(): Promise<void> {
  const { body } = await site.root.post("/api/token/", { name: "app", unlimited_quota: true, expired_time: -1 });
  const { key } = body.data as { key: string };
  const call = (model: string) =>
    fetch(`${site.server.app.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer sk-${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "hello" }] }),
    }).then(async (answer) => (await answer.text(), answer.status));
  for (const model of ["gpt-4o-mini", "o3-mini"]) {
    expect(await call(model)).toBe(200);
    upstream.next({ status: 429, error: { message: "slow down" }, headers: { "retry-after": "600" } });
    expect(await call(model)).toBe(429);
  }
}

const site = rootSite({
  environment: { ALLOW_PRIVATE_UPSTREAMS: "1" },
  async fill() {
    [upstream, accounts] = await Promise.all([
      startFakeUpstream({ models: ["gpt-4o", "gpt-4.1", "gpt-4o-mini", "o3-mini"] }),
      startAccounts(),
    ]);
    for (const [lane, models] of [
      ["north", "gpt-4o-mini"],
      ["south", "o3-mini"],
    ]) {
      await make({ name: `${lane} busy`, models, base_url: upstream.url });
      await make({ name: `${lane} purse`, type: 43, key: ACCOUNT_KEY, models: "m", base_url: accounts.url });
      await make({ name: `${lane} short`, models: "m", base_url: upstream.url, max_input_tokens: 50 });
    }
    await callBusyLanes();
  },
});
afterAll(() => Promise.all([upstream?.close(), accounts?.close()]));

const openAs = async ({ size, language }: Walk): Promise<Page> =>
  (await openContext(site.browser, { size, language }, { storageState: await site.context.storageState() })).newPage();

describe.each(oneInShort("tests/e2e/channel-grid.test.ts", WALKS))("on $name", (walk) => {
  const { lane } = walk;
  const main = `${lane} main`;
  let page: Page;
  const complaints: string[] = [];
  const operator = operatorAt(walk, () => page);
  const { isDesk, t, press, button, dialog, inDialog, dialogsClosed, row, pick, closeToasts, submit } = operator;
  const list = async (): Promise<void> => {
    await page.goto(`${site.server.app.url}/channel?keyword=${lane}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
  };
  const fits = async () => expect(await overflow(page)).toBe(0);

  /** Opens the list with a copy of the channel, disabled as copies are. */
  const listWithCopy = async (): Promise<void> => {
    await site.root.post(`/api/channel/copy/${(await one(main)).id}`);
    await list();
  };

  beforeAll(async () => {
    page = await openAs(walk);
    page.on("pageerror", (error) => complaints.push(error.message));
  });
  beforeEach(async () => {
    upstream.reset();
    await clear(main);
    await make({ name: main, models: "gpt-4o,gpt-4.1,gpt-4o-mini", base_url: upstream.url });
  });
  afterEach(({ task }) => keepPicture(page, task));
  afterAll(async () => {
    await clear(main);
    await page?.context().close();
  });

  test("a channel is created, tested from what stands there next, and edited; what is stored is what was typed", async () => {
    await clear(main);
    await list();
    await row(`${lane} busy`).waitFor();
    await press(button(t("create")));
    await dialog().getByLabel(t("form.name"), { exact: true }).fill(main);
    await dialog()
      .getByRole("textbox", { name: t("form.key"), exact: true })
      .fill(KEY);
    await dialog().getByLabel(t("channel-editor:fields.baseUrl")).fill(`${upstream.url}/`);
    await dialog().getByLabel(t("form.models"), { exact: true }).fill("gpt-4o,gpt-4.1,gpt-4o-mini,");
    await fits();
    await submit();
    await page.getByText(t("created.title", { name: main })).waitFor();
    expect(await one(main)).toMatchObject({
      type: 1,
      status: 1,
      base_url: upstream.url,
      models: "gpt-4o,gpt-4.1,gpt-4o-mini",
      group: "default",
      auto_ban: 1,
      priority: 0,
      weight: 0,
      key_last: "9QAA",
    });
    upstream.reset();
    await press(button(t("created.test")));
    await expect.poll(async () => (await one(main)).test_result).toBe(TEST_RESULT.passed);
    expect(upstream.requests.map(({ json }) => json?.["model"])).toEqual(["gpt-4o"]);
    await press(button(t("created.close")));
    expect(await page.content()).not.toContain(KEY);

    await press(page.getByRole("link", { name: main, exact: true }));
    await dialog().getByLabel(t("form.priority")).fill("7");
    await dialog().getByLabel(t("form.weight")).fill("30");
    const names = [t("channel-editor:names.priority"), t("channel-editor:names.weight")].join(t("form.comma"));
    await dialog().getByText(t("form.unsaved", { names })).waitFor();
    await fits();
    await submit();
    await dialogsClosed();
    expect(await one(main)).toMatchObject({ priority: 7, weight: 30, models: "gpt-4o,gpt-4.1,gpt-4o-mini" });
  });

  test("it is tested from its row, where a failure says why; all its models are tested, and the one that failed is taken out", async () => {
    await list();
    upstream.next({ status: 401, error: { message: "Incorrect key" } });
    await press(button(t("actions.testNamed", { name: main })));
    await page
      .getByRole("alert")
      .getByText(/Incorrect key/)
      .waitFor();
    await closeToasts();
    await row(main).getByText(t("test.failedShort")).waitFor();
    expect(await one(main)).toMatchObject({
      test_result: TEST_RESULT.failed,
      test_failure: { code: "upstream_status" },
    });
    await press(button(t("actions.testNamed", { name: main })));
    await expect.poll(async () => (await one(main)).test_result).toBe(TEST_RESULT.passed);
    await row(main).getByText(t("test.failedShort")).waitFor({ state: "detached" });

    upstream.reset();
    const last = Promise.withResolvers<void>();
    const fails = { status: 404, error: { message: "no such model" } };
    const plans: Record<string, object> = { "gpt-4.1": fails, "gpt-4o-mini": { beforeHead: last.promise } };
    upstream.plan(({ json }) => plans[String(json?.["model"])] ?? {});
    await pick(main, t("actions.testModel"));
    await press(inDialog(t("test.all", { count: 3 })));
    await dialog()
      .getByText(t("test.progress", { done: 2, total: 3 }))
      .waitFor();
    await dialog().getByRole("progressbar").waitFor();
    if (isDesk) await expect.poll(() => hasFocus(inDialog(t("test.stop")))).toBe(true);
    last.resolve();
    await dialog()
      .getByText(/no such model/)
      .waitFor();
    await inDialog(t("test.all", { count: 3 })).waitFor();
    expect(upstream.requests.map(({ json }) => json?.["model"]).toSorted()).toEqual([
      "gpt-4.1",
      "gpt-4o",
      "gpt-4o-mini",
    ]);
    await fits();
    if (isDesk) expect(await seriousFindings(page)).toEqual([]);
    // Another user adds a model meanwhile, which the dialog does not have.
    const { id, models } = await one(main);
    await site.root.put("/api/channel/", { id, models: `${models},added-meanwhile` });
    await press(inDialog(t("test.removeFailed", { count: 1 })));
    await press(button(t("channel-impact:save")));
    await expect.poll(async () => (await one(main)).models).toBe("gpt-4o,gpt-4o-mini,added-meanwhile");
    await expect.poll(() => page.evaluate(() => document.activeElement?.closest("[role=dialog]") !== null)).toBe(true);
    upstream.reset();
    await press(inDialog(t("test.with", { model: "gpt-4o-mini" })));
    await expect.poll(() => upstream.requests.map(({ json }) => json?.["model"])).toEqual(["gpt-4o-mini"]);
    await press(inDialog(t("ui:close")));
    await dialogsClosed();
  });

  test("all channels are tested with a progress that ends in a count; a balance is asked for, shown in its currency and stored", async () => {
    await list();
    upstream.plan({ headerDelayMs: 800 });
    const [before] = await stored(main);
    await press(button(t("testAll.action")));
    await page.getByRole("progressbar", { name: t("testAll.title") }).waitFor();
    await expect.poll(async () => (await one(main)).test_time).toBeGreaterThanOrEqual(before?.test_time ?? 0);
    await page.getByText(t("testAll.someFailed")).waitFor();
    // Two purses answer for their balance alone.
    await page.getByRole("alert").getByText(`${lane} purse`).waitFor();
    expect((await one(main)).response_time).toBeGreaterThanOrEqual(300);
    await closeToasts();

    const purse = `${lane} purse`;
    await pick(purse, t("balance.refresh"));
    await row(purse).getByText("¥110.35").waitFor();
    if (!isDesk) await row(purse).getByText(t("columns.balance")).waitFor();
    expect(await one(purse)).toMatchObject({ balance: 110.35, balance_currency: "CNY", balance_failure: null });
    await fits();
  });

  test("it is copied with its key and stays disabled; keys are added, switched off and removed in their drawer", async () => {
    const copy = `${main} copy`;
    await list();
    await pick(main, t("actions.copy"));
    await row(`${main} copy`).waitFor();
    expect(await one(`${main} copy`)).toMatchObject({
      key_last: "9QAA",
      status: 2,
      models: "gpt-4o,gpt-4.1,gpt-4o-mini",
    });

    await pick(copy, t("actions.keys"));
    await dialog().getByLabel(t("channel-keys:add")).fill([1, 2].map(keyOf).join("\n"));
    await press(inDialog(t("channel-keys:addCount", { count: 2 })));
    await expect.poll(async () => (await one(copy)).key_count).toBe(3);
    const key = dialog()
      .getByRole("row")
      .filter({ hasText: markOf(2) });
    await press(key.getByRole("switch"), "Space");
    await expect.poll(async () => (await one(copy)).enabled_key_count).toBe(2);
    await fits();
    if (!isDesk) expect(await seriousFindings(page)).toEqual([]);
    await press(key.getByRole("button", { name: t("channel-keys:removeNamed", { mark: markOf(2) }) }));
    await press(button(t("channel-keys:removeAction")));
    await expect.poll(async () => (await one(copy)).key_count).toBe(2);
    await press(inDialog(t("ui:close")));
    await dialogsClosed();
    await row(copy)
      .getByText(t("keys.short", { enabled: 2, count: 2 }))
      .waitFor();
  });

  test("two channels get a tag, are listed under it, and are changed and switched together", async () => {
    const both = () => stored(main);
    const tag = `${lane} lanes`;
    await site.root.put("/api/channel/", { id: (await one(main)).id, models: "gpt-4o,of-these-alone" });
    await listWithCopy();
    if (isDesk) {
      for (const name of [main, `${main} copy`]) await press(row(name).getByRole("checkbox"), "Space");
      await press(button(t("setTag.action")));
      await dialog().getByLabel(t("setTag.label")).fill(tag);
      await page.keyboard.press("Enter");
    } else
      for (const name of [main, `${main} copy`]) {
        await press(page.getByRole("link", { name, exact: true }));
        await dialog().getByLabel(t("form.tag")).fill(tag);
        await submit();
        await dialogsClosed();
      }
    await expect.poll(async () => (await both()).map((channel) => channel.tag)).toEqual([tag, tag]);

    if (isDesk) await press(page.getByRole("switch", { name: t("groupByTag") }), "Space");
    else {
      await press(button(t("more")).first());
      await press(page.getByRole("menuitem", { name: t("groupByTag") }));
    }
    await page
      .getByText(t("tag.someEnabled", { enabled: 1, total: 2 }))
      .first()
      .waitFor();
    await fits();
    await press(button(t("tag.editNamed", { tag })));
    await dialog().getByLabel(t("form.priority")).fill("3");
    await submit();
    await dialogsClosed();
    await expect.poll(async () => (await both()).map(({ priority }) => priority)).toEqual([3, 3]);
    await pick(tag, t("tag.enableAll"));
    await expect.poll(async () => (await both()).map(({ status }) => status)).toEqual([1, 1]);
    await page.getByText(t("tag.allEnabled")).first().waitFor();
    await pick(tag, t("tag.disableAll"));
    await dialog().getByText("of-these-alone").waitFor();
    await press(button(t("channel-impact:disable")));
    await expect.poll(async () => (await both()).map(({ status }) => status)).toEqual([2, 2]);
  });

  test("the health of a channel is where its calls and its rest are seen", async () => {
    await list();
    const cooling = t("status.coolingNamed", { name: `${lane} busy`, text: t("status.cooling", { time: "" }).trim() });
    const words = new RegExp(`^${cooling.split(/[.。]/)[0]} ?\\d\\d:\\d\\d:\\d\\d`);
    await page.getByRole("link", { name: words }).waitFor();
    await press(page.getByRole("link", { name: t("health") }));
    await page.getByRole("heading", { name: t("health:title") }).waitFor();
    await page.getByRole("searchbox").fill(`${lane} busy`);
    const busy = page.locator("tbody").filter({ hasText: `${lane} busy` });
    await busy.getByText("50.0%").first().waitFor();
    await busy
      .getByText(t("health:breaker.resting_as_asked", { left: "" }).split(",")[0]?.split("，")[0] ?? "")
      .waitFor();
    const health = await site.root.get(`/api/channel/health?keyword=${encodeURIComponent(`${lane} busy`)}`);
    expect(health.body.data).toMatchObject({ items: [{ figures: { succeeded: 1, failures: { rate_limited: 1 } } }] });
    await fits();
  });

  test("the explainer answers where a call goes, and sends none", async () => {
    await list();
    const before = upstream.count;
    await press(button(t("more")).first());
    await press(page.getByRole("menuitem", { name: t("explainRoute") }));
    await page.getByRole("combobox", { name: t("routing:form.model") }).fill("m");
    await page.keyboard.press("Escape");
    await page.getByLabel(t("routing:form.input")).fill("60");
    await press(button(t("routing:form.explain")));
    await page.getByRole("heading", { name: t("routing:tried") }).waitFor();
    const steps = page.locator("main ol > li");
    await expect
      .poll(() => steps.getByRole("link").allInnerTexts())
      .toEqual(expect.arrayContaining([expect.stringContaining(`${lane} purse`)]));
    if (isDesk) await expect.poll(() => hasFocus(button(t("routing:form.explain")))).toBe(true);
    const out = page.getByRole("listitem").filter({ hasText: `${lane} short` });
    await out.getByText(t("logs:skip.input_limit", { limit: 50, tokens: 60 })).waitFor();
    await fits();
    expect(upstream.count).toBe(before);
    expect(complaints).toEqual([]);
  });
});

test.each(IS_SHORT ? [] : OTHER_LOOKS)("every screen of channels has its words and its room on $name", async (walk) => {
  const page = await openAs(walk);
  const { t, dialogsClosed, pick: pickOf } = operatorAt(walk, () => page);
  const open = (path: string) => page.goto(site.server.app.url + path);
  const name = `${walk.lane} main`;
  await make({ name, models: "gpt-4o", base_url: upstream.url, tag: `${walk.lane} lanes` });
  onTestFinished(async () => void (await clear(name)));
  const { id } = await one(name);
  const says = async (text: string) => {
    await page.getByText(text).first().waitFor();
    expect([text, await overflow(page)]).toEqual([text, 0]);
  };
  const pick = (item: string) => pickOf(name, item);
  await open(`/channel?keyword=${walk.lane}`);
  await says(t("health"));
  await pick(t("actions.testModel"));
  await says(t("test.text"));
  await page.keyboard.press("Escape");
  await dialogsClosed();
  await pick(t("actions.keys"));
  await says(t("channel-keys:addHelp"));
  await open(`/channel?tags=1&keyword=${walk.lane}`);
  await page.getByRole("button", { name: t("tag.editNamed", { tag: `${walk.lane} lanes` }) }).click();
  await says(t("tag.keepHint"));
  await open(`/channel/edit/${id}`);
  await says(t("form.routing"));
  await open("/channel/health");
  await says(t("health:breaker.resting_as_asked", { left: "" }).split(/[,，]/)[0] ?? "");
  await open("/channel/route?model=m");
  await says(t("routing:tried"));
  await open("/channel/route?request=no-such-request");
  await says(t("routing:past.gone"));
  await page.context().close();
});
