/** Tests of a model's figures: the same as health, log and dashboard over the same rows, shares without counts, nothing of channels or of other people for users. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { CallFigures } from "../../../../contract/src/call-figures.ts";
import type { ChannelModelsHealth } from "../../../../contract/src/features/health.ts";
import { CACHED_CALLS, type ModelCache, type ModelFigures } from "../../../../contract/src/features/pricing.ts";
import type { OwnOverview } from "../../../../contract/src/features/dashboard.ts";
import { storedPermissions } from "../../../../contract/src/permissions.ts";
import { BLANK_LOG } from "../../../../tests/support/checks/log-rows.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import type { Caller } from "../../../../tests/support/systems/console.ts";
import { type ChannelScene, openChannelScene } from "../../../../tests/support/systems/channel-scene.ts";
import { receiptShorthand } from "../../billing/shorthand.ts";
import { CALL_COLUMNS } from "../../db/call-hours.ts";
import { bumpVersion } from "../../db/versions.ts";
import { nowSeconds } from "../../util/clock.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;
const NOTHING = Object.fromEntries(CALL_COLUMNS.map((column) => [column, 0])) as Record<
  (typeof CALL_COLUMNS)[number],
  number
>;

describe.each(await engines())("the figures of a model on %s", (engine) => {
  let scene: ChannelScene;
  let user: Caller;
  let ids: number[];

  beforeAll(async () => {
    scene = await openChannelScene(engine, {});
    user = await scene.site.person(1);
  });
  afterAll(() => scene.site.close());
  beforeEach(async () => {
    await scene.clear();
    const { kysely } = scene.site.foundation.database;
    for (const table of ["call_hours", "usage_hours", "open_breakers"] as const)
      await kysely.deleteFrom(table).execute();
    ids = [];
    for (const name of ["alpha", "beta"]) ids.push(await scene.make({ name }));
    await scene.make({ name: "gamma", models: "gpt-b" });
  });

  const nowS = () => nowSeconds(scene.site.context.clock);
  const thisHour = () => Math.floor(nowS() / HOUR) * HOUR;
  const today = () => Math.floor(nowS() / DAY) * DAY;
  const count = (channel_id: number, counts: Partial<typeof NOTHING>, hour = thisHour(), model = "gpt-a") =>
    scene.site.foundation.database.kysely
      .insertInto("call_hours")
      .values({ ...NOTHING, ...counts, hour, channel_id, model })
      .execute();
  const spent = (user_id: number, model: string, quota: number, hour = thisHour()) =>
    scene.site.foundation.database.kysely
      .insertInto("usage_hours")
      .values({
        user_id,
        model,
        hour,
        channel_id: ids[0] ?? 0,
        token_id: 1,
        group_name: "default",
        requests: 2,
        quota,
        prompt_tokens: 30,
        completion_tokens: 4,
        cost: 0,
        costed_quota: 0,
      })
      .execute();
  const figures = (caller: Caller, query = "model_name=gpt-a") =>
    caller.data<ModelFigures>("GET", `/api/pricing/model?${query}`);

  it("has 90 days, the last one today, with the share of each in thousandths and nothing where nothing was asked", async () => {
    await count(ids[0] ?? 0, { succeeded: 570, failed_upstream: 430 });
    await count(ids[1] ?? 0, { succeeded: 2, failed_timeout: 1, failed_refused: 9 }, today() - 3 * DAY);
    await count(ids[0] ?? 0, { succeeded: 7 }, today() - 89 * DAY);
    await count(ids[0] ?? 0, { succeeded: 7 }, today() - 90 * DAY);
    const { days, answered_permille, whole } = await figures(user);
    expect([days.length, days.at(-1), days[0]]).toEqual([90, today(), today() - 89 * DAY]);
    expect([answered_permille.at(-1), answered_permille.at(-4), answered_permille[0]]).toEqual([570, 666, 1000]);
    expect(answered_permille.filter((share) => share !== null)).toHaveLength(3);
    expect(whole).toMatchObject({
      answered_permille: Math.floor((579 / 1010) * 1000),
      failed_permille: Math.round((440 / 1019) * 1000),
    });
  });

  it("begins its days where the viewer's begin, across a change of clocks too, and refuses an unknown zone", async () => {
    const { days } = await figures(user, "model_name=gpt-a&time_zone=America/New_York");
    const local = new Intl.DateTimeFormat("en-GB", {
      timeZone: "America/New_York",
      hour: "numeric",
      minute: "numeric",
    });
    expect(days).toHaveLength(90);
    expect(new Set(days.map((day) => local.format(day * 1000)))).toEqual(new Set(["00:00"]));
    expect((await user.call("GET", "/api/pricing/model?model_name=gpt-a&time_zone=Mars")).body.code).toBe(
      "invalid_field",
    );
  });

  it("has the times and channels of the health page for an administrator, attempts that went on elsewhere among them", async () => {
    await count(ids[0] ?? 0, {
      succeeded: 8,
      retried_rate_limited: 3,
      first_token_05: 6,
      first_token_09: 2,
      total_11: 8,
    });
    await count(ids[1] ?? 0, { succeeded: 1, failed_upstream: 1 }, thisHour() - 5 * HOUR);
    await count(ids[1] ?? 0, { succeeded: 50 }, thisHour() - 40 * HOUR);
    const model = await figures(scene.admin);
    const onHealth: { id: number; figures: CallFigures | undefined }[] = [];
    for (const id of ids) {
      const health = await scene.admin.data<ChannelModelsHealth>("GET", `/api/channel/${id}/health?hours=24`);
      const figures = health.models.find((each) => each.model === "gpt-a")?.figures;
      if (figures !== undefined) onHealth.push({ id, figures });
    }
    expect(model.channels?.map(({ id, figures: each }) => ({ id, figures: each }))).toEqual(
      onHealth.toSorted((a, b) => a.id - b.id),
    );
    expect(model.channels?.[0]?.figures).toMatchObject({ succeeded: 8, failed: 3 });
    const { first_token } = model.channels?.[0]?.figures ?? {};
    expect(model.first_token.at(-1)).toEqual({ p50_ms: first_token?.p50_ms, p95_ms: first_token?.p95_ms });
  });

  it("says which channels are off or cooling down, those that take calls first", async () => {
    const [first = 0, second = 0] = ids;
    await scene.admin.data("PUT", "/api/channel/", { id: first, status: 2 });
    const until = Date.now() + 60_000;
    const open = { process: "one", channel_id: second, key_id: 0, reason: "resting", updated_time: nowS() };
    await scene.site.foundation.database.kysely
      .insertInto("open_breakers")
      .values({ ...open, open_until_ms: until })
      .execute();
    expect((await figures(scene.admin)).channels).toMatchObject([
      { id: second, name: "beta", status: "enabled", cooling_until_ms: until },
      { id: first, name: "alpha", status: "disabled", cooling_until_ms: 0 },
    ]);
  });

  it("tells a user their own spend of 30 days alone, the sum of the dashboard, and neither counts nor channels", async () => {
    await count(ids[0] ?? 0, { succeeded: 47_114_711, failed_upstream: 12_341_234 });
    await spent(user.userId, "gpt-a", 500);
    await spent(user.userId, "gpt-a", 70, thisHour() - 29 * DAY);
    await spent(user.userId, "gpt-a", 9_000, thisHour() - 31 * DAY);
    await spent(user.userId, "gpt-b", 8);
    await spent(scene.admin.userId, "gpt-a", 100_000);
    const answer = await figures(user);
    expect(answer.spend).toEqual({ quota: 570, requests: 4, prompt_tokens: 60, completion_tokens: 8 });
    const range = `start_timestamp=${thisHour() - 30 * DAY + HOUR}&end_timestamp=${nowS()}`;
    const overview = await user.data<OwnOverview>("GET", `/api/data/self/overview?${range}`);
    expect(overview.models.find(({ model }) => model === "gpt-a")?.quota).toBe(answer.spend.quota);
    expect(answer.channels).toBeNull();
    const text = JSON.stringify(answer);
    for (const secret of ["47114711", "12341234", "59455945", "alpha", "beta"]) expect(text).not.toContain(secret);
  });

  it("withholds channels from an administrator who may not see them", async () => {
    const admin = await scene.site.person(10);
    await scene.site.foundation.database.kysely.transaction().execute(async (transaction) => {
      const change = {
        permissions: storedPermissions(["users"]),
        changed_version: await bumpVersion(transaction, "users"),
      };
      await transaction.updateTable("users").set(change).where("id", "=", admin.userId).execute();
    });
    await scene.site.foundation.snapshot.refresh();
    expect((await figures(admin)).channels).toBeNull();
  });

  it("knows no model but those of the list, and is not for visitors", async () => {
    await count(0, { failed_no_channel: 3 }, thisHour(), "made-up");
    for (const query of ["model_name=made-up", "model_name=GPT-A", ""])
      expect((await user.call("GET", `/api/pricing/model?${query}`)).body.code).toBe("not_found");
    for (const path of ["/api/pricing/model?model_name=gpt-a", "/api/pricing/speeds"])
      expect((await fetch(`${scene.site.url}${path}`)).status).toBe(401);
  });
});

describe.each(await engines())("cached tokens of a model on %s", (engine) => {
  let scene: ChannelScene;
  let user: Caller;
  beforeAll(async () => {
    scene = await openChannelScene(engine, {});
    await scene.make();
    user = await scene.site.person(1);
  });
  afterAll(() => scene.site.close());
  beforeEach(async () => void (await scene.site.foundation.database.kysely.deleteFrom("logs").execute()));

  const nowS = () => nowSeconds(scene.site.context.clock);
  interface Call {
    prompt?: number;
    cached?: number;
    client?: string;
    model?: string;
    type?: number;
    at?: number;
  }
  const rowOf = (who: Caller, { prompt = 100, cached = 0, client, model = "gpt-a", type = 2, at = nowS() }: Call) => ({
    ...BLANK_LOG,
    type,
    user_id: who.userId,
    model_name: model,
    created_at: at,
    prompt_tokens: prompt,
    other: receiptShorthand.write(JSON.stringify({ cache_tokens: cached, client, usage: { cacheReadTokens: cached } })),
  });
  const called = async (who: Caller, calls: readonly Call[]) => {
    const rows = calls.map((call) => rowOf(who, call));
    for (let from = 0; from < rows.length; from += 500)
      await scene.site.foundation.database.kysely
        .insertInto("logs")
        .values(rows.slice(from, from + 500))
        .execute();
  };
  const cache = (caller: Caller) => caller.data<ModelCache>("GET", "/api/pricing/cache?model_name=gpt-a");

  it("are those of the caller's own calls, by program; of everybody's for an administrator who sees the log", async () => {
    await called(user, [
      { prompt: 1_000, cached: 810, client: "claude-code" },
      { prompt: 500, cached: 200, client: "codex" },
      { prompt: 300, cached: 0 },
      { prompt: 300, cached: 30 },
      { prompt: 7_000, cached: 7_000, model: "gpt-b" },
      { prompt: 7_000, cached: 7_000, type: 5 },
      { prompt: 7_000, cached: 7_000, at: nowS() - 8 * DAY },
    ]);
    await called(scene.admin, [{ prompt: 9_000, cached: 9_000, client: "codex" }]);
    const { since, ...own } = await cache(user);
    expect(own).toEqual({
      of_everybody: false,
      calls: 4,
      prompt_tokens: 2_100,
      cached_tokens: 1_040,
      clients: [
        { client: "claude-code", calls: 1, prompt_tokens: 1_000, cached_tokens: 810 },
        { client: "", calls: 2, prompt_tokens: 600, cached_tokens: 30 },
        { client: "codex", calls: 1, prompt_tokens: 500, cached_tokens: 200 },
      ],
    });
    expect(nowS() - since).toBeGreaterThanOrEqual(7 * DAY - 60);
    const everybody = await cache(scene.admin);
    expect(everybody).toMatchObject({ of_everybody: true, calls: 5, cached_tokens: 10_040 });
    const admin = await scene.site.person(10);
    await scene.site.foundation.database.kysely.transaction().execute(async (transaction) => {
      const change = {
        permissions: storedPermissions(["channels_see"]),
        changed_version: await bumpVersion(transaction, "users"),
      };
      await transaction.updateTable("users").set(change).where("id", "=", admin.userId).execute();
    });
    await scene.site.foundation.snapshot.refresh();
    expect(await cache(admin)).toMatchObject({ of_everybody: false, calls: 0, clients: [] });
  });

  it("are of the newest calls alone, and say since when", async () => {
    const at = nowS() - 5_000;
    await called(
      user,
      Array.from({ length: CACHED_CALLS + 3 }, (_, index) => ({
        at: at + index,
        prompt: 10,
        cached: index < 3 ? 10 : 5,
      })),
    );
    const found = await cache(user);
    expect(found).toMatchObject({ calls: CACHED_CALLS, cached_tokens: 5 * CACHED_CALLS, since: at + 3 });
  });

  it("are of models of the list alone, and not for visitors", async () => {
    for (const query of ["model_name=made-up", ""])
      expect((await user.call("GET", `/api/pricing/cache?${query}`)).body.code).toBe("not_found");
    expect((await fetch(`${scene.site.url}/api/pricing/cache?model_name=gpt-a`)).status).toBe(401);
  });
});

describe.each(await engines())("speeds of models on %s", (engine) => {
  let scene: ChannelScene;
  beforeAll(async () => {
    scene = await openChannelScene(engine, {});
  });
  afterAll(() => scene.site.close());

  it("are medians of a week, of models of the list alone, as the page of each says", async () => {
    const id = await scene.make();
    const hour = Math.floor(nowSeconds(scene.site.context.clock) / HOUR) * HOUR;
    const rows = [
      { model: "gpt-a", hour, channel_id: id, succeeded: 3, first_token_06: 3 },
      { model: "gpt-a", hour: hour - 8 * DAY, channel_id: id, succeeded: 99, first_token_30: 99 },
      { model: "gpt-b", hour, channel_id: id, succeeded: 3, total_06: 3 },
      { model: "retired", hour, channel_id: id, succeeded: 3, first_token_06: 3 },
    ];
    for (const row of rows)
      await scene.site.foundation.database.kysely
        .insertInto("call_hours")
        .values({ ...NOTHING, ...row })
        .execute();
    const user = await scene.site.person(1);
    const { first_token } = await user.data<ModelFigures>("GET", "/api/pricing/model?model_name=gpt-a");
    expect(await user.data("GET", "/api/pricing/speeds")).toEqual({ "gpt-a": first_token.at(-1)?.p50_ms });
  });
});
