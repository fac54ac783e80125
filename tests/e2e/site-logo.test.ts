/** The logo, the one of the dark theme and the icon are uploaded in the settings, seen before they are saved, and shown to visitors afterwards. */
import { expect, test } from "vitest";
import { rootSite } from "../support/checks/root-site.ts";
import { openContext } from "../support/systems/browser.ts";

const site = rootSite();
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const file = (name: string, mimeType: string, buffer: Buffer) => ({ name, mimeType, buffer });

test("an uploaded logo is previewed, refused where it is none, saved as an address, and shown by theme", async () => {
  const { page } = site;
  await page.goto(`${site.server.app.url}/setting?tab=other`);
  const dark = page.getByRole("textbox", { name: "Logo in the dark theme" });
  await dark.waitFor();
  const choose = async (label: string, chosen: ReturnType<typeof file>) => {
    const waiting = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: `Upload ${label}`, exact: true }).click();
    await (await waiting).setFiles(chosen);
  };
  await choose("Logo in the dark theme", file("a.svg", "image/png", Buffer.from("<svg/>")));
  await page.getByText("Please choose a PNG or WebP picture; SVG is not taken").waitFor();
  expect(await dark.inputValue()).toBe("");
  await choose("Logo in the dark theme", file("a.png", "image/png", PIXEL));
  await expect.poll(() => dark.inputValue()).toMatch(/^\/api\/site\/picture\/[0-9a-f]{32}\.png$/);
  const address = await dark.inputValue();
  await page.locator('[data-theme="dark"] img[src^="data:image/png"]').waitFor();
  for (const label of ["Icon of the browser's tab", "Logo"]) {
    await choose(label, file("a.png", "image/png", PIXEL));
    await expect.poll(() => page.getByRole("textbox", { name: label, exact: true }).inputValue()).toBe(address);
  }
  for (const key of ["LogoDark", "Favicon"]) await site.root.put("/api/option/", { key, value: address });

  for (const theme of ["light", "dark"] as const) {
    const context = await openContext(site.browser, { theme });
    const visitor = await context.newPage();
    await visitor.goto(`${site.server.app.url}/login`);
    await expect.poll(() => visitor.locator('link[rel="icon"]').getAttribute("href")).toBe(address);
    const picture = visitor.locator(`header img[src="${address}"]`);
    await expect.poll(() => picture.isVisible()).toBe(theme === "dark");
    if (theme === "dark") expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
    await context.close();
  }
});
