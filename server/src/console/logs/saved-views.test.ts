/** Tests of saved views and of continued lists: private to the account and bounded, and no entry is left out or comes twice. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOG_VIEWS_MAX, type SavedLogView } from "../../../../contract/src/logs/filters.ts";
import { BLANK_LOG } from "../../../../tests/support/checks/log-rows.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { openTestConsole } from "../../../../tests/support/systems/console.ts";
import type { TestConsole } from "../../../../tests/support/systems/console.ts";

const PATH = "/api/log/views";
const named = (name: string) => ({ name, search: { type: "5" } });
const names = (views: readonly SavedLogView[]) => views.map(({ name }) => name);

describe.each(await engines())("saved views on %s", (engine) => {
  let site: TestConsole;
  beforeAll(async () => {
    site = await openTestConsole(engine);
  });
  afterAll(() => site.close());

  it("keeps filters under a name, for the account alone; the same name takes the earlier one's place", async () => {
    const [user, other] = [await site.person(1), await site.person(1)];
    const view = { name: "Slow opus", search: { model_name: "%opus%", min_time_ms: "30000" } };
    await user.data("POST", PATH, { views: [view, named("Errors of ours")] });
    const after = await user.data<SavedLogView[]>("POST", PATH, { views: [{ ...view, search: { type: "2" } }] });
    expect(after.map(({ name, search }) => [name, search])).toEqual([
      ["Errors of ours", { type: "5" }],
      ["Slow opus", { type: "2" }],
    ]);
    expect(await user.data("GET", PATH)).toEqual(after);
    expect(await other.data("GET", PATH)).toEqual([]);
    const [first] = after;
    expect((await other.call("DELETE", `${PATH}/${first?.id}`)).body.code).toBe("not_found");
    expect(names(await user.data("DELETE", `${PATH}/${first?.id}`))).toEqual(["Slow opus"]);
  });

  it("refuses what is too many or too long, and saves nothing of it", async () => {
    const user = await site.person(1);
    const many = Array.from({ length: LOG_VIEWS_MAX }, (_, index) => named(`View ${index}`));
    await user.data("POST", PATH, { views: many });
    const full = await user.call("POST", PATH, { views: [named("View 3"), named("One more")] });
    expect(full.body.code).toBe("log_view_limit");
    for (const views of [
      [],
      [...many, named("x")],
      [named("x".repeat(61))],
      [{ name: "x", search: { type: "x".repeat(301) } }],
      [{ name: " ", search: {} }],
    ])
      expect((await user.call("POST", PATH, { views })).body.success).toBe(false);
    expect(names(await user.data("GET", PATH))).toEqual(many.map(({ name }) => name));
    await user.data("POST", PATH, { views: [named("View 3")] });
  });

  it("leaves out filters that it does not know", async () => {
    const user = await site.person(1);
    const views = [{ name: "a", search: { type: "5", secret: "x" } }];
    const [saved] = await user.data<SavedLogView[]>("POST", PATH, { views });
    expect(saved?.search).toEqual({ type: "5" });
  });

  it("does not go beyond the limit where many save at once", async () => {
    const user = await site.person(1);
    const many = Array.from({ length: LOG_VIEWS_MAX - 2 }, (_, index) => named(`View ${index}`));
    await user.data("POST", PATH, { views: many });
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => user.call("POST", PATH, { views: [named(`More ${index}`)] })),
    );
    expect(answers.filter(({ body }) => body.success)).toHaveLength(2);
    expect(await user.data("GET", PATH)).toHaveLength(LOG_VIEWS_MAX);
  });

  it("goes on behind the last row, whatever came meanwhile, with entries of one second and to the end", async () => {
    const admin = await site.person(10);
    const { kysely } = site.foundation.database;
    const rowAt = (created_at: number, index: number) => ({
      ...BLANK_LOG,
      created_at,
      type: 2,
      user_id: admin.userId,
      model_name: "paged",
      request_id: `paged-${index}`,
    });
    const times = [900, 900, 900, 800, 800, 700, 900];
    for (const [index, time] of times.entries()) await kysely.insertInto("logs").values(rowAt(time, index)).execute();
    const seen: string[] = [];
    let after = "";
    do {
      const page = await admin.data<{ items: { request_id: string }[]; next: string; total: number }>(
        "GET",
        `/api/log/?model_name=paged&page_size=2&start_timestamp=1${after && `&after=${after}`}`,
      );
      seen.push(...page.items.map(({ request_id }) => request_id));
      // What is newer than the list does not move it.
      await kysely
        .insertInto("logs")
        .values(rowAt(950, 100 + seen.length))
        .execute();
      after = page.next;
    } while (after !== "");
    expect(seen).toEqual(["paged-6", "paged-2", "paged-1", "paged-0", "paged-4", "paged-3", "paged-5"]);
    const own = await admin.data<{ items: unknown[] }>("GET", "/api/log/self?start_timestamp=1&after=900-1");
    expect(own.items).toHaveLength(3);
    expect((await admin.call("GET", "/api/log/?after=x")).body.code).toBe("invalid_field");
  });
});
