/** The list of the kit: its keys, its selection, its pages and columns, and what it shows while rows are absent, late, refused or out of reach. */
import type { Page, Route } from "playwright-core";
import { expect, test } from "vitest";
import { DESK } from "../support/systems/browser.ts";
import { focused, OWN_WINDOW, scenes } from "../support/systems/scenes.ts";
import { testInAll } from "../support/soak/test-in-all.ts";

const show = scenes();

interface Served {
  total: number;
  /** Waited for before the first answer. */
  held?: Promise<void>;
  /** Answers a call instead of the rows; undefined lets them come. */
  instead?: (route: Route, call: number) => Promise<void> | undefined;
}

const rowOf = (number: number) => ({
  id: number,
  name: `row ${String(number).padStart(2, "0")}`,
  used_quota: number * 10,
  group: number % 2 === 0 ? "default" : "vip",
  created_time: 1_700_000_000,
});

/** Serves `total` rows, those whose number holds the search, page by page. Gives the questions that were asked. */
async function serve(page: Page, { total, held, instead }: Served): Promise<string[]> {
  const asked: string[] = [];
  await page.route(
    (url) => url.pathname === "/api/token",
    async (route) => {
      const { search, searchParams } = new URL(route.request().url());
      asked.push(search);
      if (asked.length === 1) await held;
      const handled = instead?.(route, asked.length);
      if (handled) return handled;
      const found = Array.from({ length: total }, (_, index) => rowOf(index + 1)).filter(({ name }) =>
        name.includes(searchParams.get("group") ?? ""),
      );
      const size = Number(searchParams.get("page_size"));
      const page = Number(searchParams.get("p"));
      const items = found.slice((page - 1) * size, page * size);
      await route.fulfill({
        json: { success: true, message: "", data: { items, total: found.length, page, page_size: size } },
      });
    },
  );
  return asked;
}

const list = (total: number, query = "?size=10") => show(`tables/List${query}`, {}, (page) => serve(page, { total }));
const serveWithClock = async (page: Page, served: Served) => {
  await page.clock.install();
  await serve(page, served);
};
const listWithClock = (served: Served) =>
  show("tables/List?size=10", {}, (page) => serveWithClock(page, served), OWN_WINDOW);
const told = (page: Page) => page.getByRole("log").textContent();
const box = (page: Page, name: string) => page.getByRole("checkbox", { name });
const header = (page: Page) => page.locator("thead").getByRole("checkbox", { name: "Select all rows" });
const bar = (page: Page) => page.getByRole("toolbar");

test("the header is ticked when the whole page is chosen and dashed when some of it is; Shift and a click choose all rows from the one before", async () => {
  const { page } = await list(23);
  await box(page, "Select row 02").click();
  expect(await header(page).evaluate((input: HTMLInputElement) => [input.checked, input.indeterminate])).toEqual([
    false,
    true,
  ]);
  await header(page).click();
  expect(await header(page).evaluate((input: HTMLInputElement) => [input.checked, input.indeterminate])).toEqual([
    true,
    false,
  ]);
  await bar(page).getByText("10 selected").waitFor();
  await header(page).click();
  await expect.poll(() => bar(page).count()).toBe(0);

  await box(page, "Select row 07").click();
  await box(page, "Select row 04").click({ modifiers: ["Shift"] });
  await bar(page).getByText("4 selected").waitFor();
  expect(await page.evaluate(() => getSelection()?.toString())).toBe("");
  await box(page, "Select row 09").click({ modifiers: ["Shift"] });
  await bar(page).getByRole("button", { name: "Act" }).click();
  expect(await told(page)).toBe("acted on 7,4,5,6,8,9");
});

test("a selection of a page does not outlive it; 'Clear' lets go of all that match and keeps the keyboard in the list", async () => {
  const { page } = await list(23);
  await header(page).click();
  await page.getByRole("button", { name: "Page 2" }).click();
  await box(page, "Select row 12").waitFor();
  expect(await bar(page).count()).toBe(0);
  await page.getByRole("button", { name: "Page 1", exact: true }).click();
  await box(page, "Select row 02").waitFor();
  await header(page).click();
  await bar(page).getByRole("button", { name: "Select all 23 that match" }).click();
  await bar(page).getByRole("button", { name: "Clear", exact: true }).click();
  await expect.poll(() => bar(page).count()).toBe(0);
  expect(await focused(page)).toBe("input Select all rows");
});

test("after the whole page all that match are offered; pages may be turned and rows taken out", async () => {
  const { page } = await list(23);
  await header(page).click();
  await bar(page).getByRole("button", { name: "Select all 23 that match" }).click();
  await bar(page).getByText("All 23 that match are selected").waitFor();
  await page.getByRole("button", { name: "Page 3" }).click();
  await box(page, "Select row 22").click();
  await bar(page).getByText("22 selected").waitFor();
  expect(await header(page).evaluate((input: HTMLInputElement) => input.indeterminate)).toBe(true);
  await bar(page).getByRole("button", { name: "Act" }).click();
  expect(await told(page)).toBe("acted on all but 22");
});

testInAll("all that match are offered only where there are more, and not beyond what acts can take")(async () => {
  const { page } = await list(9);
  await header(page).click();
  await bar(page).getByText("9 selected").waitFor();
  expect(
    await bar(page)
      .getByRole("button", { name: /that match/ })
      .count(),
  ).toBe(0);
  const many = await list(101);
  await header(many.page).click();
  await bar(many.page).getByText("10 selected").waitFor();
  expect(
    await bar(many.page)
      .getByRole("button", { name: /that match/ })
      .count(),
  ).toBe(0);
});

test("an act that is refused says so and leaves the rows chosen", async () => {
  const { page } = await list(5);
  await box(page, "Select row 02").click();
  await bar(page).getByRole("button", { name: "Fail with 1" }).click();
  await page.getByText("The rows were refused").waitFor();
  await expect.poll(() => box(page, "Select row 02").isChecked()).toBe(true);
});

test("j and k move from row to row, x selects, Enter opens, Escape lets go; the row with the focus is seen, and Tab goes on into it", async () => {
  const { page } = await list(23);
  await page.getByRole("row", { name: /row 01/ }).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("data-row-key"))).toBe("2");
  await page.keyboard.press("x");
  await expect.poll(() => box(page, "Select row 02").isChecked()).toBe(true);
  await page.keyboard.press("Enter");
  await expect.poll(() => told(page)).toBe("opened row 02");
  await page.keyboard.press("Escape");
  await expect.poll(() => bar(page).count()).toBe(0);
  await page.keyboard.press("k");
  await page.keyboard.press("k");
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("data-row-key"))).toBe("1");
  const ring = () =>
    page.evaluate(() => getComputedStyle(document.activeElement?.children[0] ?? document.body).backgroundImage);
  expect(await ring()).toContain("gradient");
  const order: string[] = [];
  for (let step = 0; step < 3; step += 1) {
    await page.keyboard.press("Tab");
    order.push(await focused(page));
  }
  expect(order).toEqual(["input Select row 01", "button Connect", "button Actions for row 01"]);
  await expect
    .poll(() =>
      page
        .getByRole("row", { name: /row 01/ })
        .getByRole("button", { name: "Connect" })
        .evaluate((button) => getComputedStyle(button).opacity),
    )
    .toBe("1");
});

testInAll("a row that is scrolled to by its key is not hidden by the header")(async () => {
  const { page } = await list(24, "?size=50");
  // Rows for more than one window, which is low, so that few keys are pressed.
  await page.setViewportSize({ width: DESK.width, height: 500 });
  await page.getByRole("row", { name: /row 24/ }).waitFor();
  for (let step = 0; step < 24; step += 1) await page.keyboard.press("j");
  expect(await page.evaluate(() => document.querySelector("tbody tr")?.getBoundingClientRect().top)).toBeLessThan(0);
  for (let step = 0; step < 23; step += 1) await page.keyboard.press("k");
  const [row, head] = await page.evaluate(() => {
    const top = (selector: string) => document.querySelector(selector)?.getBoundingClientRect();
    return [top("tbody tr")?.top ?? 0, top("thead th")?.bottom ?? 0];
  });
  expect(row).toBeGreaterThanOrEqual(head - 1);
});

test("/ goes to the search; while typing, with modifiers and over a menu keys are no shortcuts", async () => {
  const { page } = await list(23);
  await page.getByRole("row", { name: /row 01/ }).waitFor();
  await page.keyboard.press("/");
  expect(await focused(page)).toBe("input Search");
  await page.keyboard.type("row 1jkx?/gt");
  await expect.poll(() => page.getByRole("searchbox", { name: "Search" }).inputValue()).toBe("row 1jkx?/gt");
  expect(new URL(page.url()).pathname).toBe("/tables/List");
  await page.getByRole("button", { name: "Clear search" }).click();
  await page.keyboard.press("j");
  await page.keyboard.press("Control+j");
  await page.keyboard.press("Alt+j");
  await page.keyboard.press("Shift+J");
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("data-row-key"))).toBe("1");
  await page.getByRole("button", { name: "Actions for row 01" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).waitFor();
  await page.keyboard.press("j");
  await expect.poll(() => page.evaluate(() => document.activeElement?.closest("[role=menu]") !== null)).toBe(true);
});

test("? lists the keys of what is on the screen, g and a letter goes to a page, and both can be turned off", async () => {
  const { page } = await list(23);
  await page.getByRole("row", { name: /row 01/ }).waitFor();
  await page.keyboard.press("?");
  const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await sheet.waitFor();
  const text = await sheet.textContent();
  for (const words of ["Next row", "Select the row", "Tokens", "Usage log", "Pricing"]) expect(text).toContain(words);
  expect(text).not.toContain("Channels");
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  expect(new URL(page.url()).pathname).toBe("/tables/List");
  await sheet.getByText("Use single keys").click();
  await page.keyboard.press("Escape");
  await sheet.waitFor({ state: "detached" });
  await page.keyboard.press("j");
  await expect.poll(() => page.evaluate(() => document.activeElement?.hasAttribute("data-row-key"))).toBe(false);
  await page.evaluate(() => localStorage.removeItem("shortcuts_off"));
  await page.reload();
  await page.getByRole("row", { name: /row 01/ }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await expect.poll(() => new URL(page.url()).pathname).toBe("/token");
});

test("pages turn by the pager, the ends are shut, and the size is one of four", async () => {
  const { page } = await list(95);
  const pages = page.getByRole("navigation", { name: "Pages" });
  await pages.getByText("…").waitFor();
  expect(await pages.getByRole("button", { name: "Previous page" }).isDisabled()).toBe(true);
  await pages.getByRole("button", { name: "Next page" }).click();
  await page.getByRole("row", { name: /row 11/ }).waitFor();
  await pages.getByRole("button", { name: "Page 10" }).click();
  await page.getByRole("row", { name: /row 95/ }).waitFor();
  expect(await pages.getByRole("button", { name: "Next page" }).isDisabled()).toBe(true);
  await page.getByRole("button", { name: /Rows per page/ }).click();
  await expect.poll(() => page.getByRole("menuitem").allTextContents()).toEqual(["10", "20", "50", "100"]);
  await page.getByRole("menuitem", { name: "50" }).click();
  await page.getByRole("row", { name: /row 50/ }).waitFor();
  expect(new URL(page.url()).search).toBe("?size=50");
});

testInAll("columns are chosen by keyboard, remembered, and the first one stays")(async () => {
  const { page } = await list(5);
  await page.getByRole("columnheader", { name: "Group" }).waitFor();
  await page.getByRole("button", { name: "Columns" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("checkbox", { name: "Created" }).waitFor();
  expect(await page.getByRole("checkbox", { name: "Name" }).count()).toBe(0);
  await page.getByRole("checkbox", { name: "Created" }).focus();
  await page.keyboard.press("Space");
  await page.getByRole("columnheader", { name: "Created" }).waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => focused(page)).toBe("button Columns");
  await page.reload();
  await page.getByRole("columnheader", { name: "Created" }).waitFor();
});

test("a header sorts downwards, upwards and not at all; a filter is applied by Enter, taken off by its cross, and gives the focus back", async () => {
  const { page } = await list(5, "");
  const head = page.getByRole("columnheader", { name: "Used" });
  for (const [order, sort] of [
    ["descending", "-used_quota"],
    ["ascending", "used_quota"],
    [null, null],
  ] as const) {
    await head.getByRole("button").click();
    await expect.poll(() => head.getAttribute("aria-sort")).toBe(order);
    expect(new URL(page.url()).searchParams.get("sort")).toBe(sort);
  }
  await page.getByRole("button", { name: "Group", exact: true }).click();
  await page.getByRole("textbox", { name: "Group" }).fill("vip");
  await page.keyboard.press("Enter");
  await expect.poll(() => new URL(page.url()).searchParams.get("group")).toBe("vip");
  await expect.poll(() => focused(page)).toBe("button Group vip");
  await page.getByRole("button", { name: "Remove the filter Group" }).click();
  await expect.poll(() => new URL(page.url()).searchParams.get("group")).toBeNull();
});

testInAll("rows that are under way have the height of the rows that come, and nothing moves")(async () => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { page } = await show("tables/List?size=10", {}, (fresh) => serve(fresh, { total: 23, held }));
  const heights = () =>
    page.locator("tbody tr").evaluateAll((rows) => rows.slice(0, 3).map((row) => row.getBoundingClientRect().height));
  const frame = () =>
    page.evaluate(() => ["thead", "footer"].map((name) => document.querySelector(name)?.getBoundingClientRect().top));
  await page.locator("tbody tr").first().waitFor();
  const [before, frameBefore] = [await heights(), await frame()];
  release();
  await page.getByRole("row", { name: /row 01/ }).waitFor();
  expect(await heights()).toEqual(before);
  expect(await frame()).toEqual(frameBefore);
});

test("a list that has nothing offers its first step; filters that match nothing are taken off", async () => {
  const none = await list(0);
  await none.page.getByRole("heading", { name: "Make the first row" }).waitFor();
  expect(await none.page.getByRole("button", { name: "Clear filters" }).count()).toBe(0);
  const { page } = await list(5, "?keyword=nothing");
  await page.getByText("No row matches all filters.").waitFor();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.getByRole("row", { name: /row 05/ }).waitFor();
  await expect.poll(() => page.getByRole("searchbox", { name: "Search" }).inputValue()).toBe("");
});

test("a list that fails says why and which request it was, and loads when tried again", async () => {
  let isBroken = true;
  const { page, complaints } = await show("tables/List?size=10", {}, (fresh) =>
    serve(fresh, {
      total: 5,
      instead: (route) =>
        isBroken
          ? route.fulfill({
              status: 500,
              headers: { "x-oneapi-request-id": "req-of-the-failure" },
              json: { success: false, message: "no", code: "internal" },
            })
          : undefined,
    }),
  );
  const alert = page.getByRole("alert");
  await alert.getByRole("heading", { name: "Rows could not be loaded" }).waitFor();
  await expect.poll(() => alert.textContent()).toContain("req-of-the-failure");
  isBroken = false;
  await alert.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("row", { name: /row 05/ }).waitFor();
  complaints.splice(0);
});

testInAll("a list that is slow says that it goes on")(async () => {
  const { page } = await listWithClock({ total: 5, instead: () => new Promise(() => undefined) });
  await page.locator("tbody tr").first().waitFor();
  const status = page.getByText("Still loading. The server is slow to answer.");
  await page.clock.fastForward(4000);
  expect(await status.count()).toBe(0);
  await page.clock.fastForward(4000);
  await status.waitFor();
});

testInAll("while a list is refreshed the icon turns where it stands, and the button keeps the focus")(async () => {
  const { page } = await list(5);
  const refresh = page.getByRole("button", { name: "Refresh" });
  const centre = async (box = refresh.locator("svg").boundingBox()) =>
    box.then((at) => at && [Math.round(at.x + at.width / 2), Math.round(at.y + at.height / 2)]);
  const before = await centre();
  await page.unrouteAll();
  await serve(page, { total: 7, held: new Promise(() => undefined) });
  await refresh.press("Enter");
  await page.locator("button[aria-busy=true]:focus").waitFor();
  expect(await centre()).toEqual(before);
});

testInAll("without a network the rows stay with a word, and they are new by themselves when it is back")(async () => {
  const { page, complaints } = await list(5);
  await page.getByRole("row", { name: /row 05/ }).waitFor();
  await page.unrouteAll();
  await page.context().setOffline(true);
  await page.getByRole("button", { name: "Refresh" }).click();
  await page.getByText("This could not be refreshed.").waitFor();
  await expect.poll(() => page.getByRole("row", { name: /row 05/ }).count()).toBe(1);
  await serve(page, { total: 7 });
  await page.context().setOffline(false);
  await page.getByRole("row", { name: /row 07/ }).waitFor();
  expect(await page.getByText("This could not be refreshed.").count()).toBe(0);
  complaints.splice(0);
});

test("typing is not overwritten by what the address says a moment later, and Back is heard", async () => {
  const { page } = await listWithClock({ total: 23 });
  const field = page.getByRole("searchbox", { name: "Search" });
  await field.pressSequentially("row ", { delay: 5 });
  await expect.poll(() => new URL(page.url()).searchParams.get("keyword")).toBe("row");
  await expect.poll(() => field.inputValue()).toBe("row ");
  await field.press("1");
  await page.getByRole("row", { name: /row 19/ }).waitFor();
  await page.getByRole("button", { name: "Clear search" }).click();
  await expect.poll(() => field.inputValue()).toBe("");
  // Longer than a search waits for a pause in typing.
  await page.clock.fastForward(400);
  await expect.poll(() => field.inputValue()).toBe("");
  await page.goBack();
  await expect.poll(() => field.inputValue()).toBe("row 1");
});
