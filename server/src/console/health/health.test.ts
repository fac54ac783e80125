/** Tests of the health page: figures by channel and model, the worst first, and the open circuit breakers of all processes. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { HealthPage } from "../../../../contract/src/features/health.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { type ChannelScene, openChannelScene } from "../../../../tests/support/systems/channel-scene.ts";
import { CALL_COLUMNS } from "../../db/call-hours.ts";
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

  it("tells success, 429s and first tokens of each model of a channel", async () => {
    await count(ids[1], "gpt-a", { succeeded: 6, failed_rate_limited: 3, first_token_05: 6 });
    await count(ids[1], "gpt-a", { succeeded: 4 }, 1);
    await count(ids[1], "gpt-b", { succeeded: 1, failed_upstream: 1 });
    const [beta] = (await page("hours=24")).items;
    expect(beta).toMatchObject({ id: ids[1], figures: { succeeded: 11, failed: 4 } });
    expect(beta?.models).toMatchObject([
      { model: "gpt-a", figures: { succeeded: 10, failed: 3, failures: { rate_limited: 3 } } },
      { model: "gpt-b", figures: { succeeded: 1, failures: { upstream: 1 } } },
    ]);
    expect(beta?.models[0]?.figures.first_token).toMatchObject({ count: 6 });
    expect(beta?.models[0]?.figures.first_token.p50_ms).toBeGreaterThan(50);
  });

  it("counts attempts: what another channel or key answered is a failure of the channel that was asked first", async () => {
    await count(ids[0], "gpt-a", { succeeded: 1, retried_rate_limited: 2, retried_refused: 1 });
    await count(ids[2], "gpt-a", { succeeded: 9, failed_upstream: 1 });
    const [alpha, gamma] = (await page()).items;
    expect(alpha).toMatchObject({
      id: ids[0],
      figures: { succeeded: 1, failed: 3, failures: { rate_limited: 2, refused: 1 } },
    });
    expect(gamma).toMatchObject({ id: ids[2], figures: { succeeded: 9, failed: 1 } });
  });

  it("counts the hours that are asked for, the one under way among them", async () => {
    await count(ids[0], "gpt-a", { succeeded: 1 });
    await count(ids[0], "gpt-a", { succeeded: 10 }, 5);
    await count(ids[0], "gpt-a", { succeeded: 100 }, 100);
    const succeeded = async (query: string) => (await page(query)).items[0]?.figures.succeeded;
    expect([await succeeded("hours=1"), await succeeded("hours=24"), await succeeded("hours=168")]).toEqual([
      1, 11, 111,
    ]);
    expect([await succeeded("hours=7"), await succeeded("")]).toEqual([11, 11]);
  });

  it("has channels in trouble first, then the busy ones, and finds by name, id and model", async () => {
    await count(ids[0], "gpt-a", { succeeded: 500 });
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
    expect(names(await page("p=2&page_size=2"))).toEqual(["beta"]);
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
    expect((await user.call("GET", "/api/channel/health")).status).toBe(403);
  });
});
