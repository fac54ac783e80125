/** Channels in a real browser: taking the last one of a model away is asked about, a harmless act can be undone, and a form is tested as it stands. */
import { afterAll, beforeEach, expect, test } from "vitest";
import type { ChannelRow } from "../../contract/src/features/channels.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { itemsOf } from "../support/systems/site.ts";

let upstream: FakeUpstream;

const site = rootSite({
  async fill({ root }) {
    upstream = await startFakeUpstream({ models: ["gpt-4o", "gpt-4o-mini"] });
    await root.put("/api/option/", { key: "AllowPrivateUpstreamsEnabled", value: "true" });
  },
});
afterAll(() => upstream?.close());

const stored = async (name: string): Promise<ChannelRow | undefined> => {
  const rows = await itemsOf<ChannelRow>(site.root.get("/api/channel/?page_size=100"));
  return rows.find((row) => row.name === name);
};
const statusOf = async (name: string): Promise<number | undefined> => (await stored(name))?.status;
const toggle = (name: string, act: "Disable" | "Enable") =>
  site.page
    .getByRole("switch", { name: `${act} ${name}`, exact: true })
    .locator("xpath=..")
    .click();
const question = () => site.page.getByRole("dialog", { name: "1 model loses its last channel" });
const line = () => site.page.getByText("1 model has no enabled channel: gpt-4o");

beforeEach(async () => {
  const { body } = await site.root.get("/api/channel/?page_size=100");
  await site.root.post("/api/channel/batch", { ids: (body.data as { items: ChannelRow[] }).items.map(({ id }) => id) });
  for (const [name, models] of [
    ["both", "gpt-4o,gpt-4o-mini"],
    ["mini", "gpt-4o-mini"],
  ])
    await site.root.post("/api/channel/", {
      type: 1,
      key: "sk-upstream-abcdefghijklmnop",
      base_url: upstream.url,
      groups: ["default"],
      name,
      models,
    });
});

test("what takes nothing is done at once and can be undone; the last channel of a model is asked about, and what is missing stands there", async () => {
  await site.page.goto(`${site.server.app.url}/channel`);
  await toggle("mini", "Disable");
  await expect.poll(() => statusOf("mini")).toBe(2);
  await site.page.getByText("Left with a single channel: gpt-4o-mini (default).").waitFor();
  await site.page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => statusOf("mini")).toBe(1);

  await toggle("both", "Disable");
  await question().getByText("gpt-4o (default).").waitFor();
  await question().getByText("Left with a single channel: gpt-4o-mini (default).").waitFor();
  await site.page.getByRole("button", { name: "Keep enabled" }).click();
  expect(await statusOf("both")).toBe(1);
  expect(await line().count()).toBe(0);
  await toggle("both", "Disable");
  await site.page.getByRole("button", { name: "Disable anyway" }).click();
  await expect.poll(() => statusOf("both")).toBe(2);
  await line().waitFor();
  for (const path of ["/channel/health", "/detail"]) {
    await site.page.goto(`${site.server.app.url}${path}`);
    await line().waitFor();
  }
  await site.page.goto(`${site.server.app.url}/channel`);
  await toggle("both", "Enable");
  await line().waitFor({ state: "detached" });

  await site.page.getByRole("button", { name: "Actions for both", exact: true }).click();
  // Each act has its icon, as in the menus of other lists.
  const acts = site.page.getByRole("menuitem");
  await acts.first().waitFor();
  expect(await acts.locator("svg").count()).toBe(await acts.count());
  await site.page.getByRole("menuitem", { name: "Delete" }).click();
  await site.page.getByText("1 model loses its last channel: gpt-4o (default).").waitFor();
  await site.page.keyboard.press("Escape");
  expect(await statusOf("both")).toBe(1);
});

test("Test in the form tries what is typed, before the channel is made, and stands at the field that it is about", async () => {
  await site.page.goto(`${site.server.app.url}/channel/add`);
  const drawer = site.page.getByRole("dialog", { name: "Create channel" });
  await drawer.getByLabel("Name").fill("drafted");
  await drawer.getByRole("textbox", { name: "Key" }).fill("sk-typed-abcdefghijklmnop");
  await drawer.getByLabel("Base URL").fill("http://127.0.0.1:9");
  await drawer.getByRole("textbox", { name: "Models" }).fill("gpt-4o");
  await site.page.keyboard.press("Enter");
  await drawer.getByRole("button", { name: "Test", exact: true }).click();
  // At the field, and below the matrix.
  const refused = drawer.getByText(/Nothing accepts connections at the upstream’s address \(ECONNREFUSED\)/);
  await expect.poll(() => refused.count()).toBe(2);
  await expect.poll(() => drawer.getByLabel("Base URL").getAttribute("aria-invalid")).toBe("true");
  await drawer.getByRole("button", { name: "Go to base URL" }).click();
  await expect
    .poll(() => drawer.getByLabel("Base URL").evaluate((field) => field === document.activeElement))
    .toBe(true);
  await drawer.getByLabel("Base URL").fill(upstream.url);
  // What was shown of the other address is gone.
  expect(await refused.count()).toBe(0);
  await drawer.getByRole("button", { name: "Test", exact: true }).click();
  await drawer.getByRole("button", { name: /^gpt-4o, Plain: passed, / }).waitFor();
  expect(upstream.requests.at(-1)?.headers["authorization"]).toBe("Bearer sk-typed-abcdefghijklmnop");
  expect(await statusOf("drafted")).toBeUndefined();
  await site.page.keyboard.press("Escape");
  await site.page.getByRole("button", { name: "Discard" }).click();
});

test("a model that is taken out of its last channel is asked about before the form is saved, and nothing is asked about one that others have", async () => {
  await site.page.goto(`${site.server.app.url}/channel/edit/${(await stored("both"))?.id}`);
  const drawer = site.page.getByRole("dialog", { name: "both" });
  await drawer.getByRole("button", { name: "Remove gpt-4o", exact: true }).click();
  await drawer.getByRole("button", { name: "Save channel" }).click();
  await question().getByText("gpt-4o (default).").waitFor();
  await question().getByRole("button", { name: "Keep editing" }).click();
  await question().waitFor({ state: "detached" });
  await drawer.getByText("Unsaved: models").waitFor();
  expect((await stored("both"))?.models).toBe("gpt-4o,gpt-4o-mini");
  await drawer.getByRole("button", { name: "Save channel" }).click();
  await question().getByRole("button", { name: "Save anyway" }).click();
  await drawer.waitFor({ state: "detached" });
  expect((await stored("both"))?.models).toBe("gpt-4o-mini");

  await site.root.put("/api/channel/", { id: (await stored("both"))?.id, models: "gpt-4o,gpt-4o-mini" });
  await site.page.goto(`${site.server.app.url}/channel/edit/${(await stored("both"))?.id}`);
  await drawer.getByRole("button", { name: "Remove gpt-4o-mini", exact: true }).click();
  await drawer.getByRole("button", { name: "Save channel" }).click();
  await drawer.waitFor({ state: "detached" });
  expect((await stored("both"))?.models).toBe("gpt-4o");
});

test("another provider that does not serve a model is asked about before the form is saved, and another priority says whose calls it moves", async () => {
  const open = async (name: string) => {
    await site.page.goto(`${site.server.app.url}/channel/edit/${(await stored(name))?.id}`);
    return site.page.getByRole("dialog", { name });
  };
  let drawer = await open("mini");
  await drawer.getByLabel("Priority").fill("3");
  await drawer.getByRole("button", { name: "Save channel" }).click();
  await site.page.getByText("Calls are spread otherwise: gpt-4o-mini (default).").waitFor();
  expect((await stored("mini"))?.priority).toBe(3);

  drawer = await open("both");
  await drawer.getByRole("button", { name: /^Provider/ }).click();
  await site.page
    .getByRole("option", { name: /Midjourney/ })
    .first()
    .click();
  await drawer.getByRole("button", { name: "Save channel" }).click();
  await question().getByText("gpt-4o (default).").waitFor();
  await question().getByRole("button", { name: "Keep editing" }).click();
  await question().waitFor({ state: "detached" });
  expect((await stored("both"))?.type).toBe(1);
  await site.page.keyboard.press("Escape");
  await site.page.getByRole("button", { name: "Discard" }).click();
});

test("new models for all channels of a tag are asked about too, and the tag's name cannot be emptied", async () => {
  await site.root.put("/api/channel/", { id: (await stored("both"))?.id, models: "gpt-4o,gpt-4o-mini", tag: "team" });
  await site.page.goto(`${site.server.app.url}/channel`);
  await site.page.getByRole("switch", { name: "Group by tag" }).press("Space");
  await site.page.getByRole("button", { name: "Edit tag team" }).click();
  const drawer = site.page.getByRole("dialog", { name: "Tag team" });
  await drawer.getByLabel("Tag", { exact: true }).fill(" ");
  await drawer.getByRole("button", { name: "Save tag" }).click();
  await drawer.getByText("Enter a tag.").waitFor();
  await drawer.getByLabel("Tag", { exact: true }).fill("team");
  await drawer.getByRole("textbox", { name: "Models" }).fill("gpt-4o-mini,");
  await drawer.getByRole("button", { name: "Save tag" }).click();
  await question().getByText("gpt-4o (default).").waitFor();
  await question().getByRole("button", { name: "Keep editing" }).click();
  await question().waitFor({ state: "detached" });
  expect(await stored("both")).toMatchObject({ models: "gpt-4o,gpt-4o-mini", tag: "team" });
  await drawer.getByRole("button", { name: "Save tag" }).click();
  await question().getByRole("button", { name: "Save anyway" }).click();
  await drawer.waitFor({ state: "detached" });
  expect((await stored("both"))?.models).toBe("gpt-4o-mini");
});
