/** Saved lists in the channel form, and the version of HTTP: models are saved under a name and filled in again, tags are offered, and what is chosen is stored. */
import { beforeEach, expect, test } from "vitest";
import type { ChannelRow } from "../../contract/src/features/channels.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { logInOn, openContext, openPage, overflow, PHONE, seriousFindings } from "../support/systems/browser.ts";
import { ROOT_PASSWORD } from "../support/systems/server.ts";
import { itemsOf } from "../support/systems/site.ts";

const site = rootSite();
const drawer = () => site.page.getByRole("dialog").first();
const lists = () => site.page.getByRole("dialog", { name: "Saved lists of models" });
const pill = (model: string) => drawer().getByRole("button", { name: `Remove ${model}`, exact: true });
const savedNames = async () =>
  ((await site.root.get("/api/prefill_group")).body.data as { name: string }[]).map(({ name }) => name);

beforeEach(async () => {
  for (const { id } of (await site.root.get("/api/prefill_group")).body.data as { id: number }[])
    await site.root.send("DELETE", `/api/prefill_group/${id}`);
});

test("models of the form become a list, which fills another form and is deleted after a question", async () => {
  await site.page.goto(`${site.server.app.url}/channel/add`);
  await drawer().getByLabel("Models").fill("gpt-4o,o3,");
  await drawer().getByRole("button", { name: "Saved lists" }).click();
  await lists().getByText("No lists have been saved yet.").waitFor();
  await lists().getByRole("button", { name: "Save list" }).click();
  await lists().getByText("Please enter a name").waitFor();
  await lists().getByLabel("Save these models as").fill("Chat");
  await lists().getByRole("button", { name: "Save list" }).click();
  await lists().getByText("2 models", { exact: true }).waitFor();
  expect(await savedNames()).toEqual(["Chat"]);
  // The form around the dialog was not sent.
  expect(await drawer().count()).toBe(1);
  expect(await seriousFindings(site.page)).toEqual([]);
  await site.page.keyboard.press("Escape");
  await drawer().getByRole("button", { name: "Clear" }).click();
  await expect.poll(() => pill("o3").count()).toBe(0);

  await drawer().getByRole("button", { name: "Saved lists" }).click();
  await lists().getByRole("button", { name: "Add", exact: true }).click();
  await expect.poll(() => pill("gpt-4o").count()).toBe(1);
  await expect.poll(() => pill("o3").count()).toBe(1);
  await lists().getByRole("button", { name: "Delete the list Chat" }).click();
  await site.page.getByRole("button", { name: "Delete list", exact: true }).click();
  await lists().getByText("No lists have been saved yet.").waitFor();
  expect(await savedNames()).toEqual([]);
});

test("tags of saved lists are offered where a tag is typed, and HTTP/2 is stored with the channel", async () => {
  await site.root.post("/api/prefill_group", { name: "Teams", type: "tag", items: ["night shift"] });
  await site.page.goto(`${site.server.app.url}/channel/add`);
  await drawer().getByLabel("Name").fill("second lane");
  await drawer().getByRole("textbox", { name: "Key" }).fill("sk-upstream-abcdefghijklmnop");
  await drawer().getByLabel("Models").fill("gpt-4o,");
  await drawer().getByLabel(/^Tag/).fill("night");
  await site.page.getByRole("option", { name: "night shift" }).click();
  await drawer().getByRole("button", { name: "Advanced" }).click();
  await drawer().getByLabel("HTTP version").click();
  await site.page.getByRole("option", { name: "HTTP/2 alone" }).click();
  await drawer().locator("button[type=submit]").click();
  await site.page.getByText("Channel second lane created").waitFor();
  const [channel] = await itemsOf<ChannelRow>(site.root.get("/api/channel/?page_size=10"));
  expect(channel).toMatchObject({ tag: "night shift", setting: '{"http_protocol":"http2"}' });
});

test("on a phone, in Chinese, the lists fit", async () => {
  await site.root.post("/api/prefill_group", {
    name: "常用对话模型",
    type: "model",
    items: ["gpt-4o", "claude-sonnet-4-6"],
  });
  const context = await openContext(site.browser, { size: PHONE, theme: "dark", language: "zh" });
  try {
    const { page } = await openPage(context);
    await logInOn(page, site.server.app.url, "root", ROOT_PASSWORD);
    await page.goto(`${site.server.app.url}/channel/add`);
    await page.getByRole("button", { name: "常用列表" }).click();
    await page.getByText("2 个模型", { exact: true }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
  } finally {
    await context.close();
  }
});
