/** Names in lists in a real browser: the longest user name is whole in the log, and a channel's is cut with dots, and whole in the details. */
import { expect, test } from "vitest";
import { SAMPLE_ROWS } from "../engines/columns.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { dataOf } from "../support/systems/site.ts";

const USER = "maria.ferna2";
const CHANNEL = "Midjourney of the studio in the second floor";

const site = rootSite({
  async fill({ server, root }) {
    const { kysely } = server.app.foundation.database;
    const channel = { name: CHANNEL, type: 2, key: "a-key", base_url: "https://mj.example", models: "mj_imagine" };
    const [id = 0] = await dataOf<number[]>(root.post("/api/channel", { ...channel, groups: ["default"] }));
    const now = Math.floor(Date.now() / 1000);
    await kysely
      .insertInto("logs")
      .values({ ...SAMPLE_ROWS.logs, created_at: now, username: USER, model_name: "gpt-4.1", content: "" })
      .execute();
    const task = { ...SAMPLE_ROWS.tasks, created_at: now, channel_id: id, quota: 5, submit_time_ms: now * 1000 };
    await kysely.insertInto("tasks").values(task).execute();
  },
});

/** Whether an element shows all of its text. */
const isWhole = (element: Element): boolean => {
  for (let each: Element | null = element; each !== null && each.tagName !== "TR"; each = each.parentElement)
    if (each.scrollWidth > each.clientWidth && getComputedStyle(each).overflow !== "visible") return false;
  return true;
};

test("a user name of twelve characters is whole in the log", async () => {
  await site.page.goto(`${site.server.app.url}/log?range=month`);
  const name = site.page.getByRole("row").getByText(USER, { exact: true });
  await name.waitFor();
  await site.tab.settled();
  expect(await name.evaluate(isWhole)).toBe(true);
});

test("a channel's long name ends in dots in the list, and is whole in the details", async () => {
  await site.page.goto(`${site.server.app.url}/midjourney`);
  const tags = site.page.getByText(CHANNEL, { exact: false });
  await tags.first().waitFor();
  await site.tab.settled();
  const inList = await tags.first().evaluate((name) => {
    const text = name.closest("[class*=tagText]");
    return text === null
      ? undefined
      : { dots: getComputedStyle(text).textOverflow, isCut: text.scrollWidth > text.clientWidth };
  });
  expect(inList).toEqual({ dots: "ellipsis", isCut: true });
  await site.page
    .getByRole("button", { name: /Details of/ })
    .first()
    .click();
  const whole = site.page.locator("dd").getByText(CHANNEL, { exact: false });
  await whole.waitFor();
  expect(await whole.evaluate(isWhole)).toBe(true);
});
