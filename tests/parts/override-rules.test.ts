/** The rules of a parameter override in the channel form: what rows store, JSON beside them, and the preview, on a phone too. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { seriousFindings } from "../support/systems/browser.ts";
import { scenes } from "../support/systems/scenes.ts";

const show = scenes();

const MADE = {
  body: '{\n  "temperature": 0.2\n}',
  headers: { "x-team": "red" },
  applied: ["set temperature"],
  refusal: null,
  fault: null,
};

const answerWith = (sent: unknown[]) => (page: Page) =>
  page.route("**/api/channel/override/preview", (route) => {
    sent.push(route.request().postDataJSON());
    return route.fulfill({ json: { success: true, message: "", data: MADE } });
  });

const stored = (page: Page) => page.getByLabel("Stored text").innerText();

test("a preset becomes a rule, its condition and plain fields are stored, and the preview runs what is typed", async () => {
  const sent: { param_override: string }[] = [];
  const { page } = await show("override-rules/Overridden", {}, answerWith(sent));
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("button", { name: "Edit as rules" }).click();
  await page.getByRole("button", { name: "Add rule" }).click();
  await page.getByRole("menuitem", { name: "Set a parameter" }).click();
  const rule = page.getByRole("listitem", { name: "Rule 1" });
  await rule.getByRole("button", { name: "Add condition" }).click();
  await rule.getByLabel("Path of the condition").fill("model");
  await rule.getByLabel("Value of the condition").fill("gpt-4o");
  await page.getByLabel("Plain fields").fill('{"seed": 7}');
  const wanted = {
    seed: 7,
    operations: [
      {
        mode: "set",
        path: "temperature",
        value: 0.2,
        conditions: [{ path: "model", mode: "full", value: "gpt-4o" }],
        logic: "OR",
      },
    ],
  };
  await expect.poll(async () => JSON.parse(await stored(page)) as unknown).toEqual(wanted);
  await page.getByRole("button", { name: "Preview" }).click();
  await page.getByText("Applied: Set temperature").waitFor();
  await page.getByText("x-team: red").waitFor();
  expect(JSON.parse(sent[0]?.param_override ?? "{}")).toEqual(wanted);
  expect(await seriousFindings(page)).toEqual([]);
  const [width, shown] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  expect(width).toBeLessThanOrEqual(shown ?? 0);
  await page.getByRole("button", { name: "Remove Rule 1" }).click();
  await expect.poll(async () => JSON.parse(await stored(page)) as unknown).toEqual({ seed: 7 });
  await page.getByRole("button", { name: "Edit as JSON" }).click();
  await page.getByRole("button", { name: "Edit as rules" }).waitFor();
});
