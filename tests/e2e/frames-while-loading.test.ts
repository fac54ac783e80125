/** Pages whose content is late or failed show what does not depend on it: nothing moves when it comes, and there is a way to what can be shown. */
import { beforeEach, expect, test } from "vitest";
import { rootSite } from "../support/checks/root-site.ts";
import { layoutShift } from "../support/systems/browser.ts";

const site = rootSite({});
const main = () => site.page.getByRole("main");
const open = (address: string) => site.page.goto(site.server.app.url + address);

beforeEach(() => site.page.unrouteAll({ behavior: "ignoreErrors" }));

/** What is asked for at this address does not come. */
const never = (url: string) => site.page.route(url, () => undefined);

test("a month that cannot be loaded leads to those beside it", async () => {
  await site.page.route("**/api/user/statement/lines?month=2026-02*", (route) =>
    route.fulfill({ status: 500, json: { success: false, message: "no" } }),
  );
  await open("/topup/statement?month=2026-02");
  await main().getByRole("alert").waitFor();
  await main().getByRole("button", { name: "Earlier month" }).click();
  await main().getByRole("heading", { name: "January 2026" }).waitFor();
  site.tab.complaints.splice(0);
});

test("the months stand above a statement that loads, the kinds above the studio's cards, the programs above a token's", async () => {
  await never("**/api/user/statement/lines*");
  await open("/topup/statement?month=2026-02");
  await main().getByText("February 2026").waitFor();
  expect(await main().getByRole("table").count()).toBe(0);
  await never("**/api/{task,mj}/self?*");
  await open("/studio");
  await main().getByRole("radiogroup", { name: "Show" }).getByRole("radio", { name: "Songs" }).click();
  expect(await main().getByRole("heading", { name: "Make your first picture" }).count()).toBe(0);
  await never("**/api/token?*");
  await open("/connect");
  await main().getByRole("button", { name: "Cursor", exact: true }).click();
  await expect.poll(() => new URL(site.page.url()).searchParams.get("program")).toBe("cursor");
});

test("below the checks of the system stands nothing that their rows would move, and then a placeholder for its facts", async () => {
  let answer = (): void => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  await site.page.route("**/api/system/checks", async (route) => {
    await held;
    await route.continue();
  });
  await never("**/api/system");
  await open("/system");
  await main().locator("[aria-busy]").first().waitFor();
  const ghost = main().locator("[data-is-ghost]");
  expect(await ghost.count()).toBe(0);
  answer();
  await ghost.waitFor();
  expect(await layoutShift(site.page)).toBeLessThan(0.05);
});
