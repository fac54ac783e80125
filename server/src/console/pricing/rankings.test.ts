/** Tests of the rankings: shares of what the price list has and nothing else, off at first, and never of a model with a handful of calls. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Rankings } from "../../../../contract/src/features/pricing.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { type ChannelScene, openChannelScene } from "../../../../tests/support/systems/channel-scene.ts";
import { setOptions } from "../../../../tests/support/databases/options.ts";
import { CALL_COLUMNS } from "../../db/call-hours.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;
const KEPT_S = 600;
const NOTHING = Object.fromEntries(CALL_COLUMNS.map((column) => [column, 0])) as Record<
  (typeof CALL_COLUMNS)[number],
  number
>;

describe.each(await engines())("rankings on %s", (engine) => {
  let scene: ChannelScene;
  let now = 1_800_000_000;

  beforeAll(async () => {
    scene = await openChannelScene(engine, {}, () => now * 1000);
    await scene.make({ name: "main", models: "gpt-a,gpt-b,gpt-c,gpt-few" });
    await scene.make({ name: "hidden", models: "secret", groups: ["inner"] });
  });
  afterAll(() => scene.site.close());
  beforeEach(async () => {
    // What was read before is not answered any more.
    now += KEPT_S;
    await scene.site.foundation.database.kysely.deleteFrom("call_hours").execute();
    await setOptions(scene.site.foundation, { ModelRankingsEnabled: "true", HeaderNavModules: "{}" });
  });

  const answered = (model: string, succeeded: number, ageS = 0) =>
    scene.site.foundation.database.kysely
      .insertInto("call_hours")
      .values({
        ...NOTHING,
        succeeded,
        failed_upstream: 500,
        hour: Math.floor((now - ageS) / HOUR) * HOUR,
        channel_id: 1,
        model,
      })
      .execute();
  const asked = async (query = "") => {
    const answer = await fetch(`${scene.site.url}/api/rankings?${query}`);
    const site = answer.headers.get("access-control-allow-origin");
    return { status: answer.status, site, body: (await answer.json()) as { data: Rankings; code?: string } };
  };
  const ranked = async (query = "") => (await asked(query)).body.data.models;

  it("gives a visitor each listed model's share of the answered calls, the most used first, and nothing else", async () => {
    await answered("gpt-a", 100);
    await answered("gpt-b", 300, 2 * DAY);
    await answered("gpt-few", 9);
    await answered("secret", 5_000);
    await answered("gone", 5_000);
    const { body, site } = await asked();
    // Pages of other sites may show it.
    expect(site).toBe("*");
    expect(body.data).toEqual({
      enabled: true,
      days: 7,
      models: [
        { rank: 1, model: "gpt-b", share_permille: 750 },
        { rank: 2, model: "gpt-a", share_permille: 250 },
      ],
      made_at: now,
    });
  });

  it("counts 7 or 30 days, and a week where another range is asked for", async () => {
    await answered("gpt-a", 50, DAY);
    await answered("gpt-c", 50, 20 * DAY);
    await answered("gpt-b", 50, 40 * DAY);
    const names = async (query: string) => (await ranked(query)).map(({ model }) => model);
    expect([await names("days=7"), await names("days=30"), await names("days=365")]).toEqual([
      ["gpt-a"],
      ["gpt-a", "gpt-c"],
      ["gpt-a"],
    ]);
  });

  it("answers everybody from one reading for ten minutes", async () => {
    await answered("gpt-a", 50);
    expect(await ranked()).toHaveLength(1);
    await answered("gpt-b", 50);
    now += KEPT_S - 1;
    expect(await ranked()).toHaveLength(1);
    now += 1;
    expect(await ranked()).toHaveLength(2);
  });

  it("says nothing while it is off, and to visitors nothing where the price list is for people who are logged in", async () => {
    await answered("gpt-a", 50);
    await setOptions(scene.site.foundation, {
      HeaderNavModules: JSON.stringify({ pricing: { enabled: true, requireAuth: true } }),
    });
    expect(await asked()).toMatchObject({ status: 401, body: { code: "not_logged_in" } });
    const member = await scene.site.person();
    expect((await member.data<Rankings>("GET", "/api/rankings")).models).toHaveLength(1);
    await setOptions(scene.site.foundation, { ModelRankingsEnabled: "false", HeaderNavModules: "{}" });
    expect(await asked()).toMatchObject({ site: null, body: { data: { enabled: false, models: [] } } });
  });
});
