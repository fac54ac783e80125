/** Tests of the public availability of models: off until it is turned on, nothing of channels or numbers in it, and one reading for all visitors. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CALL_COLUMNS } from "../../db/call-hours.ts";
import { bumpVersion } from "../../db/versions.ts";
import type { ModelsAvailability } from "../../../../contract/src/features/health.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { setOptions } from "../../../../tests/support/databases/options.ts";
import { type Caller, openTestConsole, type TestConsole } from "../../../../tests/support/systems/console.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;
/** Half past noon. */
const NOON = 1_800_057_600 - (1_800_057_600 % DAY) + 12 * HOUR + 1800;
const NOTHING = Object.fromEntries(CALL_COLUMNS.map((column) => [column, 0])) as Record<
  (typeof CALL_COLUMNS)[number],
  number
>;

describe.each(await engines())("the availability of models on %s", (engine) => {
  let site: TestConsole;
  let admin: Caller;
  let nowS = NOON;

  beforeAll(async () => {
    site = await openTestConsole(engine, {}, () => nowS * 1000);
    admin = await site.person(10);
    await setOptions(site.foundation, { GroupRatio: '{"default": 1, "hidden": 1}' });
  });
  afterAll(() => site.close());
  beforeEach(async () => {
    // What was kept is too old.
    nowS += DAY;
    for (const table of ["call_hours", "abilities", "channels"] as const)
      await site.foundation.database.kysely.deleteFrom(table).execute();
    await site.foundation.snapshot.refresh();
    await setOptions(site.foundation, { StatusPageEnabled: "true" });
  });

  const make = async (models: string, groups = ["default"]) => {
    const form = { type: 1, name: `secret lane of ${models}`, key: "sk-0123456789", models, groups };
    const [id = 0] = await admin.data<number[]>("POST", "/api/channel/", form);
    return id;
  };
  const count = (channel_id: number, model: string, counts: Partial<typeof NOTHING>, hoursAgo = 0) =>
    site.foundation.database.kysely
      .insertInto("call_hours")
      .values({ ...NOTHING, ...counts, hour: nowS - (nowS % HOUR) - hoursAgo * HOUR, channel_id, model })
      .execute();
  const ask = () => fetch(`${site.url}/api/status/models`);
  const answer = async () => ((await (await ask()).json()) as { data: ModelsAvailability }).data;
  const only = async () => (await answer()).models[0];

  it("is no page while the option is off, also for those who are logged in, and the status does not name it", async () => {
    const id = await make("gpt-a");
    await count(id, "gpt-a", { succeeded: 50 });
    expect((await ask()).status).toBe(200);
    const named = async () =>
      ((await (await fetch(`${site.url}/api/status`)).json()) as { data: { status_page_enabled: boolean } }).data
        .status_page_enabled;
    expect(await named()).toBe(true);
    await setOptions(site.foundation, { StatusPageEnabled: "false" });
    const refused = await ask();
    expect([refused.status, await refused.text()]).toEqual([404, expect.not.stringContaining("gpt-a")]);
    expect((await admin.call("GET", "/api/status/models")).status).toBe(404);
    expect(await named()).toBe(false);
  });

  it("has shares and days, and nothing of channels, groups or numbers of calls", async () => {
    const id = await make("gpt-a");
    await count(id, "gpt-a", { succeeded: 2997, failed_upstream: 3 }, 3);
    await count(id, "gpt-a", { succeeded: 95, failed_timeout: 5 }, 24 * 5);
    await count(id, "gpt-a", { succeeded: 1, failed_upstream: 20 }, 24 * 29);
    await count(id, "gpt-a", { succeeded: 1, failed_upstream: 2 }, 24 * 2);
    await count(id, "gpt-a", { succeeded: 9000 }, 24 * 31);
    const { models, start, made_at, is_cut } = await answer();
    const days = Array.from({ length: 30 }, () => "few");
    days[29] = "good";
    days[24] = "fair";
    days[0] = "bad";
    expect(models).toEqual([{ model: "gpt-a", state: "up", day_share: 0.999, month_share: 0.99, days }]);
    expect([start, made_at, is_cut]).toEqual([nowS - (nowS % DAY) - 29 * DAY, nowS, false]);
    const text = await (await ask()).text();
    for (const word of ["secret", "default", "hidden", "2997", "3000", "channel", "upstream"])
      expect(text).not.toContain(word);
  });

  it("does not round up, and says nothing of few calls", async () => {
    const id = await make("gpt-a");
    await count(id, "gpt-a", { succeeded: 99_999, failed_upstream: 1 });
    expect(await only()).toMatchObject({ day_share: 0.999, month_share: 0.999 });
    nowS += 60;
    await site.foundation.database.kysely.updateTable("call_hours").set({ succeeded: 8 }).execute();
    expect(await only()).toMatchObject({ day_share: null, month_share: null });
  });

  it("cannot be made to look broken by what callers are refused before a channel is tried", async () => {
    const id = await make("gpt-a");
    await count(id, "gpt-a", { succeeded: 100, failed_refused: 900 });
    await count(0, "gpt-a", { failed_rate_limited: 900, failed_no_channel: 900 });
    expect(await only()).toMatchObject({ state: "up", day_share: 1 });
  });

  it("says degraded while calls of the last hours fail, also where another channel had answered by then", async () => {
    const id = await make("gpt-a");
    await count(id, "gpt-a", { succeeded: 30, retried_upstream: 900 });
    expect(await only()).toMatchObject({ state: "up", day_share: 1 });
    nowS += 60;
    await site.foundation.database.kysely.updateTable("call_hours").set({ failed_upstream: 3 }).execute();
    expect(await only()).toMatchObject({ state: "degraded", day_share: 0.909 });
  });

  it("lists what visitors may call: not models of other groups, nor what an administrator switched off", async () => {
    await make("gpt-hidden", ["hidden"]);
    const retired = await make("gpt-retired");
    const failed = await make("gpt-failed");
    await make("gpt-a");
    await admin.data("PUT", "/api/channel", { id: retired, status: 2 });
    await site.foundation.database.kysely.transaction().execute(async (transaction) => {
      const changed = { status: 3, changed_version: await bumpVersion(transaction, "channels") };
      await transaction.updateTable("channels").set(changed).where("id", "=", failed).execute();
    });
    await site.foundation.snapshot.refresh();
    expect((await answer()).models.map(({ model, state }) => [model, state])).toEqual([
      ["gpt-a", "up"],
      ["gpt-failed", "down"],
    ]);
  });

  it("is put together once in 30 seconds, however many ask, and days that are over once in ten minutes", async () => {
    const id = await make("gpt-a");
    await count(id, "gpt-a", { succeeded: 20 });
    await count(id, "gpt-a", { succeeded: 20 }, 24 * 3);
    const all = await Promise.all(Array.from({ length: 20 }, answer));
    expect(new Set(all.map(({ made_at }) => made_at))).toEqual(new Set([nowS]));
    const made = nowS;
    await site.foundation.database.kysely.updateTable("call_hours").set({ failed_upstream: 80 }).execute();
    nowS += 29;
    expect(await answer()).toEqual(all[0]);
    nowS += 1;
    expect(await answer()).toMatchObject({ made_at: made + 30, models: [{ day_share: 0.2, month_share: 0.333 }] });
    nowS += 600;
    expect(await answer()).toMatchObject({ models: [{ day_share: 0.2, month_share: 0.2 }] });
  });

  it("asks the database again after it failed, without waiting", async () => {
    const id = await make("gpt-a");
    await count(id, "gpt-a", { succeeded: 20 });
    const { kysely } = site.foundation.database;
    await kysely.schema.alterTable("call_hours").renameTo("call_hours_away").execute();
    expect((await ask()).status).toBe(500);
    await kysely.schema.alterTable("call_hours_away").renameTo("call_hours").execute();
    expect(await only()).toMatchObject({ model: "gpt-a", day_share: 1 });
  });
});
