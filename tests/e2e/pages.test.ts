/** Every page in wide and narrow windows, light and dark, English and Chinese; that no route is left out; and that what is looked for is found. */
import { expect, test } from "vitest";
import { PAGES } from "../../tools/gallery/pages.ts";
import { routePaths } from "../support/console-router.ts";
import {
  DESK,
  LOOKS,
  openContext,
  openPage,
  overflow,
  seriousFindings,
  startBrowser,
} from "../support/systems/browser.ts";
import { ROUTES, testEveryPage, WIZARD } from "../support/systems/every-page.ts";

test("the table names every route of the router, and no other", () => {
  // Pages with drawers have the same path below theirs, and a page of several tabs has a row for each.
  expect([...new Set([...routePaths(), "*"])].sort()).toEqual(
    [...new Set([...ROUTES.map(({ path }) => path), WIZARD])].sort(),
  );
});

test("the gallery has a picture of every page, but of those that lead on", () => {
  // Drawers have the end of their page's path.
  const pattern = (route: string) =>
    new RegExp(`${route.replace(/\/\{-\$\w+\}/, "(?:/[^/]+)?").replace(/\$\w+/g, "[^/]+")}$`);
  const pathOf = ({ path }: (typeof PAGES)[number]) => path.split("?")[0] ?? "";
  const absent = routePaths().filter((route) => !PAGES.some((page) => pattern(route).test(pathOf(page))));
  expect(absent).toEqual(["/chat2link"]);
});

test("faults are found where they are planted, in a frame too", async () => {
  const browser = await startBrowser();
  const { page } = await openPage(await openContext(browser));
  const pale = '<p style="color: #eee; background: #fff">pale</p>';
  await page.setContent(
    `<html lang="en"><title>t</title><main><img src="data:,"><iframe title="f"></iframe></main></html>`,
  );
  await page.frames()[1]?.setContent(`<html lang="en"><title>t</title><main>${pale}</main></html>`);
  const rules = (await seriousFindings(page)).map((finding) => finding.split(":")[0]);
  expect(rules.sort()).toEqual(["color-contrast", "image-alt"]);
  expect(await overflow(page)).toBe(0);
  await page.setContent('<div style="width: 2000px">wide</div>');
  expect(await overflow(page)).toBeGreaterThan(2_000 - DESK.width);
  await browser.close();
});

testEveryPage(LOOKS);
