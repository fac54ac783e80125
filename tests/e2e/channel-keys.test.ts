/** Several keys in one channel, in a real browser: made with the channel, added, switched, removed and used. */
import { afterAll, beforeEach, expect, test } from "vitest";
import { KEY_STATUS } from "../../contract/src/channels/choices.ts";
import type { ChannelRow } from "../../contract/src/features/channels.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { itemsOf } from "../support/systems/site.ts";

const keyOf = (id: number): string => `sk-planted-${id}-abcdefghijklmnopqrstuvw-${String(id).padStart(4, "0")}`;
const markOf = (id: number): string => `sk-p…${String(id).padStart(4, "0")}`;
const REFUSED = { status: 401, error: { message: "Incorrect API key provided", code: "invalid_api_key" } };

let upstream: FakeUpstream;

const site = rootSite({
  environment: { ALLOW_PRIVATE_UPSTREAMS: "1" },
  async fill() {
    upstream = await startFakeUpstream({
      models: ["gpt-4o"],
      plan: ({ headers }) => (String(headers["authorization"]).includes("planted-2-") ? REFUSED : {}),
    });
  },
});
afterAll(() => upstream?.close());

const stored = async (): Promise<ChannelRow[]> =>
  await itemsOf<ChannelRow>(site.root.get("/api/channel/?page_size=100&sort=id"));
const drawer = () => site.page.getByRole("dialog").last();
const keyRow = (id: number) =>
  drawer()
    .getByRole("row")
    .filter({ hasText: markOf(id) });
const toast = (text: string | RegExp) => site.page.getByText(text).last().waitFor();

async function openForm(name: string, keys: string): Promise<void> {
  await site.page.goto(`${site.server.app.url}/channel/add`);
  await drawer().getByLabel("Name").fill(name);
  await drawer().getByRole("textbox", { name: "Key" }).fill(keys);
  await drawer().getByLabel("Base URL").fill(upstream.url);
  await drawer().getByLabel("Models").fill("gpt-4o,");
}

/** Makes the channel `pool` of these keys, and disables one where it is named; then opens the list with it. */
async function openPool(ids: readonly number[], disabled?: number): Promise<void> {
  const channel = { type: 1, name: "pool", models: "gpt-4o", groups: ["default"], base_url: upstream.url };
  const keys = { key: ids.map(keyOf).join("\n"), keys_make: "one_channel", key_choice: "in_turn" };
  await site.root.post("/api/channel/", { ...channel, ...keys });
  const [pool] = await stored();
  const path = `/api/channel/${pool?.id}/keys`;
  const { keys: listed } = (await site.root.get(path)).body.data as { keys: { id: number; mark: string }[] };
  const found = listed.filter(({ mark }) => disabled !== undefined && mark === markOf(disabled));
  if (disabled !== undefined)
    await site.root.post(`${path}/status`, { ids: found.map(({ id }) => id), status: KEY_STATUS.disabled });
  await site.page.goto(`${site.server.app.url}/channel`);
}

/** Opens the drawer of the keys of `pool`, of which so many of all are enabled. */
const openKeys = (enabled: string) => site.page.getByRole("button", { name: `${enabled} keys of pool` }).click();

beforeEach(async () => {
  await site.root.post("/api/channel/batch", { ids: (await stored()).map(({ id }) => id) });
  upstream.reset();
});

test("the form asks what several keys make: one channel of them, or a channel each", async () => {
  await openForm("pool", [1, 2, 3, 2].map(keyOf).join("\n"));
  await drawer().getByText("3 keys; 1 repeated line is left out").waitFor();
  await drawer().getByRole("radio", { name: "One channel with 3 keys" }).click();
  await drawer().getByRole("radio", { name: "Round robin" }).click();
  await drawer()
    .getByRole("button", { name: /Create channel/ })
    .click();
  await site.page.getByRole("button", { name: "3/3 keys of pool" }).waitFor();
  expect(await stored()).toMatchObject([{ name: "pool", key_choice: "in_turn", key_count: 3 }]);
  await openForm("single", [7, 8].map(keyOf).join("\n"));
  await expect
    .poll(() => drawer().getByRole("radio", { name: "2 channels" }).getAttribute("aria-checked"))
    .toBe("true");
  await drawer()
    .getByRole("button", { name: /Create channel/ })
    .click();
  await site.page
    .getByText("2 channels single created")
    .or(site.page.getByRole("link", { name: "single" }).first())
    .first()
    .waitFor();
  await expect.poll(async () => (await stored()).length).toBe(3);
});

test("a refused key is told by its mark: in the list, in the drawer with its reason, and in the receipt", async () => {
  await site.root.put("/api/option/", { key: "AutomaticDisableChannelEnabled", value: "true" });
  await openPool([1, 2, 3]);
  const [pool] = await stored();
  const token = await site.root.post("/api/token/", { name: "app", unlimited_quota: true, expired_time: -1 });
  const { key } = token.body.data as { key: string };
  await site.root.put("/api/option/", { key: "SelfUseModeEnabled", value: "true" });
  const call = () =>
    fetch(`${site.server.app.url}/v1/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key.startsWith("sk-") ? key : `sk-${key}`}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "hello" }] }),
    }).then((answer) => answer.status);
  expect([await call(), await call(), await call(), await call()]).toEqual([200, 200, 200, 200]);
  await expect.poll(async () => (await stored()).find(({ id }) => id === pool?.id)?.enabled_key_count).toBe(2);
  await site.page.goto(`${site.server.app.url}/channel`);
  await openKeys("2/3");
  await drawer().getByText("2 of 3 enabled").waitFor();
  await expect.poll(() => keyRow(2).textContent()).toContain("status 401: Incorrect API key provided");
  const logs = await site.root.get("/api/log/?type=2&page_size=10");
  expect(JSON.stringify(logs.body)).toContain(markOf(2));
  expect(JSON.stringify(logs.body)).not.toContain("planted-");
  expect(await site.page.content()).not.toContain("planted-");
});

test("each key of a channel is tested, a disabled one too, and the channel's own result stays as it was", async () => {
  const resultOf = async () => (await stored()).find(({ name }) => name === "pool")?.test_time;
  await openPool([1, 2, 3], 2);
  const before = await resultOf();
  await site.page.getByRole("button", { name: "Actions for pool", exact: true }).click();
  await site.page.getByRole("menuitem", { name: "Test with a model…" }).click();
  await drawer().getByRole("radio", { name: "3 keys" }).click();
  upstream.reset();
  await drawer().getByRole("button", { name: "Test all 3 keys" }).click();
  const key = (id: number) =>
    drawer()
      .getByRole("listitem")
      .filter({ hasText: markOf(id) });
  await key(2)
    .getByText(/Incorrect API key/)
    .waitFor();
  for (const id of [1, 3])
    await key(id)
      .getByText(/\d ?m?s$/)
      .waitFor();
  const seen = upstream.requests.map(({ headers }) => String(headers["authorization"]).slice("Bearer ".length));
  expect(seen.toSorted()).toEqual([1, 2, 3].map(keyOf));
  expect(await resultOf()).toBe(before);
  await site.page.keyboard.press("Escape");
  await drawer().waitFor({ state: "detached" });
});

test("keys are switched, removed and added where they are listed, and the focus stays in the drawer", async () => {
  await openPool([1, 2, 3], 2);
  await openKeys("2/3");
  await keyRow(2).getByRole("switch").press("Space");
  await toast("1 key enabled");
  await drawer().getByText("3 of 3 enabled").waitFor();
  await keyRow(3)
    .getByRole("button", { name: `Remove ${markOf(3)}` })
    .click();
  await site.page.getByRole("button", { name: "Remove key" }).click();
  await toast("1 key removed");
  await expect.poll(() => keyRow(3).count()).toBe(0);
  await expect
    .poll(() => site.page.evaluate(() => document.activeElement?.closest("[role=dialog]") !== null))
    .toBe(true);
  await drawer().getByLabel("Add keys").fill('{"type": "service_account",');
  await drawer().getByRole("button", { name: /^Add/ }).click();
  await drawer().getByText("The JSON that begins in line 1 of the keys cannot be read").waitFor();
  await drawer().getByLabel("Add keys").fill([1, 4, 5].map(keyOf).join("\n"));
  await drawer().getByRole("button", { name: "Add 3 keys" }).click();
  await toast("2 keys added");
  await toast("1 was there already");
  await drawer().getByText("4 of 4 enabled").waitFor();
  await expect.poll(() => drawer().getByLabel("Add keys").inputValue()).toBe("");
  await drawer().getByRole("radio", { name: "Random" }).click();
  await expect.poll(async () => (await stored()).find(({ name }) => name === "pool")?.key_choice).toBe("random");
});

test("what was typed is not lost by closing, and the editor leads to the keys instead of asking for one", async () => {
  await openPool([1, 2, 4, 5]);
  await openKeys("4/4");
  await drawer().getByLabel("Add keys").fill("sk-typed-0123456789");
  await drawer().getByRole("button", { name: "Close" }).click();
  await site.page.getByRole("button", { name: /Keep editing|Stay/ }).click();
  await expect.poll(() => drawer().getByLabel("Add keys").inputValue()).toBe("sk-typed-0123456789");
  await drawer().getByLabel("Add keys").fill("");
  await drawer().getByRole("button", { name: "Close" }).click();
  await site.page.getByRole("link", { name: "pool" }).click();
  await drawer().getByText("4 of 4 enabled").waitFor();
  expect(await drawer().getByRole("textbox", { name: "Key" }).count()).toBe(0);
  await drawer().getByRole("button", { name: "Manage keys" }).click();
  await drawer().getByText("Keys of pool").waitFor();
  await expect.poll(() => keyRow(4).count()).toBe(1);
});
