/** Tests of the health page: figures by channel, model and cell, the worst first, the last failure, and the open circuit breakers of all processes. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ChannelModelsHealth, HealthPage } from "../../../../contract/src/features/health.ts";
import { BLANK_LOG } from "../../../../tests/support/checks/log-rows.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { type ChannelScene, openChannelScene } from "../../../../tests/support/systems/channel-scene.ts";
import { CALL_COLUMNS } from "../../db/call-hours.ts";
import { bumpVersion } from "../../db/versions.ts";
import { type OpenBreaker, expiredBreakersJob, publishOpenBreakers } from "../../stores/open-breakers.ts";
import { nowSeconds } from "../../util/clock.ts";

const HOUR = 3600;
const NOTHING = Object.fromEntries(CALL_COLUMNS.map((column) => [column, 0])) as Record<
  (typeof CALL_COLUMNS)[number],
  number
>;
const logger = { warn: () => undefined };

describe.each(await engines())("the health of channels on %s", (engine) => {
  let scene: ChannelScene;
  let ids: number[];

  beforeAll(async () => {
    scene = await openChannelScene(engine, {});
  });
  afterAll(() => scene.site.close());
  beforeEach(async () => {
    await scene.clear();
    const { kysely } = scene.site.foundation.database;
    for (const table of ["call_hours", "open_breakers"] as const) await kysely.deleteFrom(table).execute();
    ids = [];
    for (const name of ["alpha", "beta", "gamma"]) ids.push(await scene.make({ name }));
  });

  const nowS = () => nowSeconds(scene.site.context.clock);
  const hourAgo = (hours: number) => Math.floor(nowS() / HOUR) * HOUR - hours * HOUR;
  const count = (channel_id = 0, model: string, counts: Partial<typeof NOTHING>, hours = 0) =>
    scene.site.foundation.database.kysely
      .insertInto("call_hours")
      .values({ ...NOTHING, ...counts, hour: hourAgo(hours), channel_id, model })
      .execute();
  const page = (query = "") => scene.admin.data<HealthPage>("GET", `/api/channel/health?${query}`);
  const modelsOf = (id = 0, query = "") =>
    scene.admin.data<ChannelModelsHealth>("GET", `/api/channel/${id}/health?${query}`);
  const names = (health: HealthPage) => health.items.map(({ name }) => name);
  const tell = (process: string, open: () => readonly OpenBreaker[]) =>
    publishOpenBreakers({
      database: scene.site.foundation.database,
      logger,
      clock: scene.site.context.clock,
      process,
      open,
      everyMs: 5,
    });

  it("has success, 429s and first tokens of a channel, and of each of its models", async () => {
    await count(ids[1], "gpt-a", { succeeded: 6, failed_rate_limited: 3, first_token_05: 6 });
    await count(ids[1], "gpt-a", { succeeded: 4 }, 1);
    await count(ids[1], "gpt-b", { succeeded: 1, failed_upstream: 1 });
    const [beta] = (await page("hours=24")).items;
    expect(beta).toMatchObject({ id: ids[1], figures: { succeeded: 11, failed: 4 } });
    const { models, total } = await modelsOf(ids[1]);
    expect(models).toMatchObject([
      { model: "gpt-a", figures: { succeeded: 10, failed: 3, failures: { rate_limited: 3 } } },
      { model: "gpt-b", figures: { succeeded: 1, failures: { upstream: 1 } } },
    ]);
    expect([total, models[0]?.cells.length, models[1]?.cells.length]).toEqual([2, 2, 1]);
    expect(models[0]?.figures.first_token).toMatchObject({ count: 6 });
    expect(models[0]?.figures.first_token.p50_ms).toBeGreaterThan(50);
    expect(await modelsOf(ids[2])).toMatchObject({ models: [], total: 0 });
    expect((await scene.admin.call("GET", "/api/channel/7777777/health")).body).toMatchObject({ code: "not_found" });
  });

  it("counts attempts: what another channel or key answered is a failure of the channel that was asked first", async () => {
    await count(ids[0], "gpt-a", { succeeded: 1, retried_rate_limited: 2, retried_refused: 1 });
    await count(ids[2], "gpt-a", { succeeded: 9, failed_upstream: 1 });
    const [alpha, gamma] = (await page()).items;
    expect(alpha).toMatchObject({
      id: ids[0],
      figures: { succeeded: 1, failed: 3, failures: { rate_limited: 2, refused: 1 } },
    });
    expect(alpha?.cells).toMatchObject([{ succeeded: 1, failed: 3, refused: 1 }]);
    expect(gamma).toMatchObject({ id: ids[2], figures: { succeeded: 9, failed: 1 } });
  });

  it("splits each range into its cells, the one under way among them, which add up to the row", async () => {
    await count(ids[0], "gpt-a", { succeeded: 1, first_token_05: 1 });
    await count(ids[0], "gpt-a", { succeeded: 10, failed_upstream: 2, first_token_09: 10 }, 5);
    await count(ids[0], "gpt-a", { succeeded: 100 }, 100);
    await count(ids[0], "gpt-a", { succeeded: 1000 }, 24 * 28);
    await count(ids[0], "gpt-a", { succeeded: 5000 }, 24 * 32);
    for (const [query, cells, seconds, succeeded] of [
      ["hours=24", 24, HOUR, 11],
      ["hours=168", 28, 6 * HOUR, 111],
      ["hours=720", 30, 24 * HOUR, 1111],
      ["hours=7", 24, HOUR, 11],
      ["", 24, HOUR, 11],
    ] as const) {
      const { start, cell_seconds, cell_count, items } = await page(query);
      const [row] = items;
      expect([cell_count, cell_seconds, row?.figures.succeeded]).toEqual([cells, seconds, succeeded]);
      expect(start % cell_seconds).toBe(0);
      expect(nowS() - (start + cell_count * cell_seconds)).toBeLessThan(0);
      expect(row?.cells.every(({ at }) => (at - start) % cell_seconds === 0 && at >= start && at <= nowS())).toBe(true);
      for (const of of ["succeeded", "failed"] as const)
        expect(row?.cells.reduce((sum, cell) => sum + cell[of], 0)).toBe(row?.figures[of]);
    }
    const { cells = [] } = (await page("hours=24")).items[0] ?? {};
    expect(cells.map(({ at, p50_ms }) => [at, p50_ms !== null])).toEqual([
      [hourAgo(5), true],
      [hourAgo(0), true],
    ]);
    expect(cells[0]?.p50_ms).toBeGreaterThan(cells[1]?.p50_ms ?? Infinity);
  });

  it("has channels in trouble first and those that are switched off last, and finds by name, id and model", async () => {
    await count(ids[0], "gpt-a", { succeeded: 500, failed_refused: 90 });
    await count(ids[2], "gpt-a", { succeeded: 1, failed_timeout: 2 });
    expect(names(await page())).toEqual(["gamma", "alpha", "beta"]);
    const open = tell("one", () => [
      { channelId: ids[1] ?? 0, keyId: 0, reason: "resting", untilMs: Date.now() + 60_000 },
    ]);
    await expect.poll(async () => names(await page())).toEqual(["beta", "gamma", "alpha"]);
    await open.stop();
    expect(names(await page("keyword=ALPHA"))).toEqual(["alpha"]);
    expect(names(await page(`keyword=${ids[1]}`))).toEqual(["beta"]);
    expect((await page("keyword=gpt-b")).total).toBe(3);
    await scene.admin.data("PUT", "/api/channel", { id: ids[2], status: 2 });
    expect((await page()).items.map(({ name, status }) => [name, status])).toEqual([
      ["alpha", "enabled"],
      ["beta", "enabled"],
      ["gamma", "disabled"],
    ]);
  });

  it("lists 200 channels at most, and says how many there are", async () => {
    const { kysely } = scene.site.foundation.database;
    const { id: _id, ...row } = await kysely.selectFrom("channels").selectAll().limit(1).executeTakeFirstOrThrow();
    await kysely.transaction().execute(async (transaction) => {
      const changed_version = await bumpVersion(transaction, "channels");
      const rows = Array.from({ length: 200 }, (_, index) => ({ ...row, name: `many ${index}`, changed_version }));
      for (let from = 0; from < rows.length; from += 50)
        await transaction
          .insertInto("channels")
          .values(rows.slice(from, from + 50))
          .execute();
    });
    await scene.make({ name: "worst of all" });
    const found = await page();
    expect([found.items.length, found.total]).toEqual([200, 204]);
    expect(names(await page("keyword=worst"))).toEqual(["worst of all"]);
  });

  describe("the last failure", () => {
    const fail = (channel_id = 0, created_at: number, content: string, other: object) =>
      scene.site.foundation.database.kysely
        .insertInto("logs")
        .values({
          ...BLANK_LOG,
          type: 5,
          user_id: 1,
          model_name: "gpt-a",
          channel_id,
          created_at,
          content,
          other: JSON.stringify(other),
        })
        .execute();
    const last = async (caller = scene.admin) =>
      (await caller.data<HealthPage>("GET", "/api/channel/health?keyword=alpha")).items[0]?.last_failure;

    beforeEach(() => scene.site.foundation.database.kysely.deleteFrom("logs").execute());

    it("is the failed call of the log with its words, for those who may read them", async () => {
      expect(await last()).toBeNull();
      await count(ids[0], "gpt-a", { failed_rate_limited: 1, failed_refused: 4 }, 2);
      expect(await last()).toEqual({ at: hourAgo(2), is_exact: false, kind: "rate_limited", words: "" });
      const at = hourAgo(2) + 60;
      await fail(ids[0], at - 30, "older", { status_code: 500 });
      await fail(ids[0], at, `slow down ${"x".repeat(400)}`, { status_code: 429, error_code: "rate" });
      await fail(ids[1], at + 1, "another channel's", { status_code: 500 });
      expect(await last()).toEqual({
        at,
        is_exact: true,
        kind: "rate_limited",
        words: `slow down ${"x".repeat(290)}`,
      });
      const watcher = await scene.site.person(10);
      const { database, snapshot } = scene.site.foundation;
      await database.kysely.transaction().execute(async (transaction) => {
        const changed = { permissions: "channels_see", changed_version: await bumpVersion(transaction, "users") };
        await transaction.updateTable("users").set(changed).where("id", "=", watcher.userId).execute();
      });
      await snapshot.refresh();
      expect(await last(watcher)).toEqual({ at, is_exact: true, kind: "rate_limited", words: "" });
    });

    it("is in the upstream's words where the receipt has them, without the name of their cause", async () => {
      const tried = [
        { id: ids[1], name: "beta", reason: "auth: another channel's" },
        { id: ids[0], name: "alpha", reason: "rate: tokens per minute: 100" },
      ];
      await fail(ids[0], hourAgo(1), "The upstreams are busy", { status_code: 429, admin_info: { tried } });
      expect(await last()).toMatchObject({ kind: "rate_limited", words: "tokens per minute: 100" });
    });

    it("is that of a later cell where a call failed that another channel answered", async () => {
      await fail(ids[0], hourAgo(2) + 60, "older", { status_code: 429 });
      await count(ids[0], "gpt-a", { retried_timeout: 2, retried_upstream: 1 });
      expect(await last()).toEqual({ at: hourAgo(0), is_exact: false, kind: "timeout", words: "" });
    });
  });

  it("tells what is open in all processes, until the last one closes it", async () => {
    const [first = 0] = ids;
    const soon = Date.now() + 30_000;
    const later = Date.now() + 60_000;
    let open: OpenBreaker[] = [{ channelId: first, keyId: 0, reason: "resting", untilMs: soon }];
    const one = tell("one", () => open);
    const two = tell("two", () => [{ channelId: first, keyId: 0, reason: "resting_as_asked", untilMs: later }]);
    const breakers = async () => (await page()).items.find(({ id }) => id === first)?.breakers;
    const both = { reason: "resting_as_asked", until_ms: later, processes: 2, key_mark: "" };
    await expect.poll(breakers).toEqual([both]);
    expect((await page("keyword=beta")).open).toBe(1);
    const listed = await scene.list("sort=id");
    expect(listed.map(({ cooling_until_ms: untilMs }) => untilMs)).toEqual([later, 0, 0]);
    open = [];
    await expect.poll(breakers).toEqual([{ ...both, processes: 1 }]);
    await Promise.all([one.stop(), two.stop()]);
    expect(await breakers()).toEqual([]);
  });

  it("forgets expired breakers, and those of dead processes", async () => {
    const { database } = scene.site.foundation;
    const [first = 0] = ids;
    const over = { process: "gone", channel_id: first, key_id: 0, reason: "resting", updated_time: 1 };
    await database.kysely
      .insertInto("open_breakers")
      .values({ ...over, open_until_ms: 5 })
      .execute();
    expect((await page()).open).toBe(0);
    await expiredBreakersJob(database, () => Date.now()).run();
    expect(await database.kysely.selectFrom("open_breakers").select("process").execute()).toEqual([]);
  });

  it("is not for users", async () => {
    const user = await scene.site.person(1);
    for (const path of ["health", `${ids[0]}/health`, "health/degraded"])
      expect([path, (await user.call("GET", `/api/channel/${path}`)).status]).toEqual([path, 403]);
  });
});
