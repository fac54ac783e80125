/** What a configuration file manages, in a real browser: its mark in lists and forms, the question before a change by hand, and what is locked. */
import { expect, test } from "vitest";
import type { ConfigurationPlan } from "../../contract/src/configuration/plan.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { dataOf } from "../support/systems/site.ts";
import { findingsOfAnotherLook, overflow, PHONE } from "../support/systems/browser.ts";
import { testInAll } from "../support/soak/test-in-all.ts";

const FILE = {
  version: 1,
  managed_by: "production",
  options: { SystemName: "Acme AI", RetryTimes: 3 },
  prices: { models: { "gpt-4o": { ModelRatio: 1.25 } } },
  channels: { main: { name: "Main", type: "openai", key: { secret: "sk-of-the-file" }, models: ["gpt-4o"] } },
};

async function apply(document: object): Promise<void> {
  const body = { document };
  const { document: digest, revisions } = await dataOf<ConfigurationPlan>(
    site.root.post("/api/configuration/plan", body),
  );
  await dataOf(site.root.post("/api/configuration/apply", { ...body, plan: { document: digest, revisions } }));
}

const site = rootSite({ fill: () => apply(FILE) });
const open = (path: string) => site.page.goto(`${site.server.app.url}${path}`);
const sign = (text: string) => site.page.getByRole("note", { name: new RegExp(text) });

test("the list of channels and the form say who manages a channel, and the form asks before it saves", async () => {
  await open("/channel");
  await sign("Managed by the configuration production").first().waitFor();
  await open("/channel/1?tab=edit");
  await site.page.getByText("The configuration production manages this").waitFor();
  await site.page.getByLabel("Name", { exact: true }).fill("By hand");
  await site.page.getByRole("button", { name: "Save", exact: false }).last().click();
  const dialog = site.page.getByRole("dialog", { name: /Change what the configuration production manages/ });
  await dialog.waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  const [row] = await dataOf<{ items: { name: string }[] }>(site.root.get("/api/channel/?page_size=10")).then(
    ({ items }) => items,
  );
  expect(row?.name).toBe("Main");
});

testInAll("settings and prices show the mark, and a locked option cannot be typed into")(async () => {
  await apply({ ...FILE, locked: true });
  await open("/setting?tab=system&section=site&option=SystemName");
  await sign("Locked by the configuration production").first().waitFor();
  expect(await site.page.locator("[data-option=SystemName] input").first().isDisabled()).toBe(true);
  await apply(FILE);
});

/** What in the form can be changed or pressed, by its name. */
const openControls = () =>
  site.page
    .locator(
      "[data-guarded-form] :is(input, textarea, select, button):enabled, [data-guarded-form] [contenteditable=true]",
    )
    .evaluateAll((controls) => controls.map((control) => control.getAttribute("aria-label") ?? control.outerHTML));

test("the form of a locked channel says why once, is read-only throughout, and has no bar to save with", async () => {
  await apply({ ...FILE, locked: true });
  await open("/channel/1?tab=edit");
  const form = site.page.locator("[data-guarded-form]");
  const reason = form.getByText("The configuration production manages and locks this");
  await reason.waitFor();
  await expect.poll(() => site.page.getByLabel("Name", { exact: true }).isDisabled()).toBe(true);
  expect(await site.page.getByLabel("Name", { exact: true }).inputValue()).toBe("Main");
  // Its menu leads to what can still be done, a test among it.
  expect(await openControls()).toEqual(["Actions for Main"]);
  expect(await form.getByRole("button", { name: /Save|Cancel|Close|Remove gpt-4o|Replace/ }).count()).toBe(0);
  const mapping = form.getByRole("textbox", { name: /Model mapping/ });
  expect(await mapping.getAttribute("aria-readonly")).toBe("true");
  const describedBy = await form.locator("fieldset:disabled").first().getAttribute("aria-describedby");
  expect(await site.page.locator(`[id="${describedBy}"]`).innerText()).toContain("manages and locks this");
  expect(await findingsOfAnotherLook(site.page)).toEqual([]);
  await site.page.setViewportSize(PHONE);
  expect(await overflow(site.page)).toBe(0);
  await site.page.setViewportSize({ width: 1440, height: 900 });
  // Leaving asks nothing: nothing can have been typed.
  await site.page.getByRole("button", { name: "Overview", exact: true }).click();
  await site.page.waitForURL((url) => url.searchParams.get("tab") !== "edit");
  await apply(FILE);
});
