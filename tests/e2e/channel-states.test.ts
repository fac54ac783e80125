/** The channel screens when something is in the way: a slow or silent server, no network, a refusal, another administrator, no mouse. */
import { afterAll, beforeEach, expect, onTestFinished, test } from "vitest";
import type { ChannelRow } from "../../contract/src/features/channels.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { DESK, logInOn } from "../support/systems/browser.ts";
import { operatorAt } from "../support/operators/operator.ts";
import { focused } from "../support/systems/scenes.ts";
import { itemsOf } from "../support/systems/site.ts";

const keyOf = (id: number): string => `sk-planted-${id}-abcdefghijklmnopqrstuvw-${String(id).padStart(4, "0")}`;
const SECOND = { username: "second", password: "correct horse 2" };

let upstream: FakeUpstream;
const { t, press, button, dialog, inDialog, dialogsClosed, row, pick, submit } = operatorAt(
  { size: DESK, language: "en" },
  () => site.page,
);

const site = rootSite({
  environment: { ALLOW_PRIVATE_UPSTREAMS: "1" },
  async fill({ root }) {
    upstream = await startFakeUpstream({ models: ["gpt-4o", "gpt-4.1"] });
    await root.post("/api/user/", { ...SECOND, display_name: "Second" });
    await manageSecond("promote");
  },
  as: SECOND,
});
afterAll(() => upstream?.close());

const stored = async (): Promise<ChannelRow[]> =>
  await itemsOf<ChannelRow>(site.root.get("/api/channel/?page_size=100&sort=id"));
const one = async (name: string): Promise<ChannelRow> => {
  const found = (await stored()).find((channel) => channel.name === name);
  if (found === undefined) throw new Error(`There is no channel ${name}`);
  return found;
};
const make = (name: string, more: object = {}) =>
  site.root.post("/api/channel/", {
    type: 1,
    name,
    key: keyOf(1),
    models: "gpt-4o",
    groups: ["default"],
    base_url: upstream.url,
    ...more,
  });
const open = (path: string) => site.page.goto(site.server.app.url + path);
async function manageSecond(action: "promote" | "demote"): Promise<void> {
  const { body } = await site.root.get("/api/user/?page_size=100");
  const { items } = body.data as { items: { id: number; username: string }[] };
  const { body: done } = await site.root.post("/api/user/manage", {
    id: items.find(({ username }) => username === SECOND.username)?.id,
    action,
  });
  expect(done).toMatchObject({ success: true });
}
const models = () => dialog().getByLabel(t("form.models"), { exact: true });

beforeEach(async () => {
  await site.root.post("/api/channel/batch", { ids: (await stored()).map(({ id }) => id) });
  upstream.reset();
});

test("what somebody else saved meanwhile is replaced only after a question, and nothing typed is lost by it", async () => {
  await make("shared");
  const { id } = await one("shared");
  await open(`/channel/edit/${id}`);
  await models().fill("gpt-4.1,");
  await dialog().getByLabel(t("form.weight")).fill("5");
  await site.root.put("/api/channel/", { id, models: "gpt-4o,o3-mini", priority: 9 });
  await submit();
  await site.page.getByText(t("clash.text", { names: t("channel-editor:names.models") })).waitFor();
  await press(button(t("clash.keep")));
  await site.page.getByText(t("clash.title")).waitFor({ state: "detached" });
  expect(await one("shared")).toMatchObject({ models: "gpt-4o,o3-mini", weight: 0 });
  await dialog().getByText("gpt-4.1", { exact: true }).waitFor();
  await dialog().getByLabel(t("form.weight")).focus();
  await submit();
  await site.page.getByText(t("clash.title")).waitFor();
  await press(inDialog(t("clash.action")));
  // The model that the other one added has no other channel.
  await press(button(t("channel-impact:save")));
  await dialogsClosed();
  // What was not touched here stays as the other one saved it.
  expect(await one("shared")).toMatchObject({ models: "gpt-4o,gpt-4.1", weight: 5, priority: 9 });
});

test("without a network the drawer keeps what was typed, and saves it once there is one", async () => {
  await make("shared");
  const { id } = await one("shared");
  await open(`/channel/edit/${id}`);
  await dialog().getByLabel(t("form.name"), { exact: true }).fill("renamed");
  await site.context.setOffline(true);
  await submit();
  await site.page.getByRole("alert").getByText(t("form.notSaved")).waitFor();
  await expect.poll(() => dialog().getByLabel(t("form.name"), { exact: true }).inputValue()).toBe("renamed");
  await site.context.setOffline(false);
  await submit();
  await dialogsClosed();
  expect((await stored()).map(({ name }) => name)).toEqual(["renamed"]);
});

test("the keyboard goes from a row that was deleted to the one in its place, and from a number back to it", async () => {
  await Promise.all([make("lane a"), make("lane b"), make("lane c")]);
  await open("/channel?keyword=lane&sort=name");
  await press(button(`${t("priorityOf", { name: "lane a" })}: 0`));
  await site.page.keyboard.type("4");
  await site.page.keyboard.press("Enter");
  await expect.poll(async () => (await one("lane a")).priority).toBe(4);
  await expect.poll(() => focused(site.page)).toBe("button Priority of lane a: 4");
  await pick("lane b", t("actions.delete"));
  await press(button(t("delete.action")));
  await expect.poll(() => row("lane b").count()).toBe(0);
  const rowInFocus = () => site.page.evaluate(() => document.activeElement?.closest("[data-row-key]")?.textContent);
  await expect.poll(rowInFocus).toContain("lane c");
});

test("two tests under way show both, and a balance that is asked for shows so", async () => {
  await Promise.all([make("lane a"), make("lane c")]);
  upstream.plan({ headerDelayMs: 1_500 });
  await open("/channel?keyword=lane&sort=name");
  const test = (name: string) => button(t("actions.testNamed", { name }));
  await press(test("lane a"));
  await press(test("lane c"));
  for (const name of ["lane a", "lane c"]) await expect.poll(() => test(name).getAttribute("aria-busy")).toBe("true");
  for (const name of ["lane a", "lane c"]) await expect.poll(() => test(name).getAttribute("aria-busy")).toBe("false");
});

test("keys that do not load are told in the test dialog and asked for again; results stay while the models are looked at", async () => {
  await make("pool", { key: [1, 2].map(keyOf).join("\n"), keys_make: "one_channel", key_choice: "random" });
  await open("/channel?keyword=pool");
  await site.page.route("**/api/channel/*/keys?*", (route) => route.abort());
  await pick("pool", t("actions.testModel"));
  await dialog()
    .getByRole("radio", { name: t("test.keys", { count: 2 }) })
    .click();
  await dialog().getByText(t("channel-keys:notLoaded")).waitFor();
  await site.page.unroute("**/api/channel/*/keys?*");
  await press(inDialog(t("ui:error.retry")));
  await press(inDialog(t("test.allKeys", { count: 2 })));
  await dialog()
    .getByText(t("test.summary", { passed: 2, failed: 0 }))
    .waitFor();
  await dialog()
    .getByRole("radio", { name: t("test.models") })
    .click();
  await dialog()
    .getByRole("radio", { name: t("test.keys", { count: 2 }) })
    .click();
  await dialog()
    .getByText(t("test.summary", { passed: 2, failed: 0 }))
    .waitFor();
});

test("a batch that was stopped stays stopped when a single model is tested", async () => {
  const names = Array.from({ length: 9 }, (_, index) => `model-${index}`);
  await make("many", { models: names.join(",") });
  upstream.plan({ headerDelayMs: 700 });
  await open("/channel?keyword=many");
  await pick("many", t("actions.testModel"));
  await press(inDialog(t("test.all", { count: 9 })));
  await expect.poll(() => upstream.requests.length).toBe(3);
  await press(inDialog(t("test.stop")));
  await press(inDialog(t("test.with", { model: "model-8" })));
  await inDialog(t("test.all", { count: 9 })).waitFor();
  await expect
    .poll(() => upstream.requests.map(({ json }) => json?.["model"]).toSorted())
    .toEqual(["model-0", "model-1", "model-2", "model-8"]);
});

test("a channel that is deleted from its drawer closes it, and no question is asked about what was typed", async () => {
  await make("many");
  const { id } = await one("many");
  await open(`/channel/edit/${id}`);
  await dialog().getByLabel(t("form.name"), { exact: true }).fill("never saved");
  await press(inDialog(t("ui:rowActions", { name: "many" })));
  await press(site.page.getByRole("menuitem", { name: t("actions.delete"), exact: true }));
  await press(button(t("delete.action")));
  await dialogsClosed();
  expect(new URL(site.page.url()).pathname).toBe("/channel");
  expect((await stored()).some((channel) => channel.id === id)).toBe(false);
});

test("who is no administrator any more is led to log in, and nothing of what was typed is saved", async () => {
  await make("pool");
  onTestFinished(async () => {
    await manageSecond("promote");
    await logInOn(site.page, site.server.app.url, SECOND.username, SECOND.password);
  });
  const { id } = await one("pool");
  await open(`/channel/edit/${id}`);
  await dialog().getByLabel(t("form.name"), { exact: true }).fill("mine now");
  await manageSecond("demote");
  await submit();
  await site.page.waitForURL(/\/login\?expired=/);
  expect(await one("pool")).toMatchObject({ name: "pool" });
});
