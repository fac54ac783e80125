/** Tests of what is wrong now, for the mark in the navigation: what counts, and what is an administrator's own doing. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { DegradedHealth } from "../../../../contract/src/channels/degraded.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { type ChannelScene, openChannelScene } from "../../../../tests/support/systems/channel-scene.ts";
import { CALL_COLUMNS } from "../../db/call-hours.ts";
import { bumpVersion } from "../../db/versions.ts";
import { nowSeconds } from "../../util/clock.ts";

const HOUR = 3600;
const NOTHING = Object.fromEntries(CALL_COLUMNS.map((column) => [column, 0])) as Record<
  (typeof CALL_COLUMNS)[number],
  number
>;

describe.each(await engines())("what is degraded on %s", (engine) => {
  let scene: ChannelScene;
  let id: number;

  beforeAll(async () => {
    scene = await openChannelScene(engine, {});
  });
  afterAll(() => scene.site.close());
  beforeEach(async () => {
    await scene.clear();
    const { kysely } = scene.site.foundation.database;
    for (const table of ["call_hours", "open_breakers"] as const) await kysely.deleteFrom(table).execute();
    id = await scene.make({ name: "alpha" });
    await scene.make({ name: "beta" });
  });

  const count = (counts: Partial<typeof NOTHING>, hoursAgo = 0, channel_id = id) => {
    const hour = Math.floor(nowSeconds(scene.site.context.clock) / HOUR) * HOUR - hoursAgo * HOUR;
    return scene.site.foundation.database.kysely
      .insertInto("call_hours")
      .values({ ...NOTHING, ...counts, hour, channel_id, model: "gpt-a" })
      .execute();
  };
  const degraded = () => scene.admin.data<DegradedHealth>("GET", "/api/channel/health/degraded");
  const WELL = { is_degraded: false, lost_models: 0, cooling: 0, auto_disabled: 0, failing: 0 };

  it("is nothing while all is well, while few calls fail, and while callers' own requests are refused", async () => {
    expect(await degraded()).toEqual(WELL);
    await count({ succeeded: 10, failed_upstream: 9 });
    await count({ succeeded: 19, failed_refused: 500, failed_upstream: 1 }, 0, id + 1);
    expect(await degraded()).toEqual(WELL);
  });

  it("is a channel with less than 95 % of 20 attempts, those after which another channel answered among them", async () => {
    await count({ succeeded: 18, retried_upstream: 1, failed_timeout: 1 });
    expect(await degraded()).toEqual({ ...WELL, is_degraded: true, failing: 1 });
  });

  it("looks at the hour before as long as this one has too few calls", async () => {
    await count({ succeeded: 18, failed_timeout: 2 }, 1);
    await count({ succeeded: 1 });
    await count({ succeeded: 0, failed_upstream: 90 }, 2, id + 1);
    expect(await degraded()).toMatchObject({ failing: 1 });
    await scene.site.foundation.database.kysely
      .updateTable("call_hours")
      .set({ succeeded: 20 })
      .where("succeeded", "=", 1)
      .execute();
    expect(await degraded()).toEqual(WELL);
  });

  it("is a channel that cools down or was disabled after failures", async () => {
    const open = { process: "p", channel_id: id, key_id: 0, reason: "resting", updated_time: 1 };
    await scene.site.foundation.database.kysely
      .insertInto("open_breakers")
      .values({ ...open, open_until_ms: Date.now() + 60_000 })
      .execute();
    expect(await degraded()).toEqual({ ...WELL, is_degraded: true, cooling: 1 });
    await scene.admin.data("PUT", "/api/channel", { id, status: 2 });
    expect(await degraded()).toEqual(WELL);
    const { database, snapshot } = scene.site.foundation;
    await database.kysely.transaction().execute(async (transaction) => {
      const changed = { status: 3, changed_version: await bumpVersion(transaction, "channels") };
      await transaction.updateTable("channels").set(changed).where("id", "=", id).execute();
    });
    await snapshot.refresh();
    expect(await degraded()).toEqual({ ...WELL, is_degraded: true, auto_disabled: 1 });
  });

  it("is a model whose last channel an administrator has disabled", async () => {
    await scene.admin.data("PUT", "/api/channel", { id, status: 2 });
    await scene.admin.data("PUT", "/api/channel", { id: id + 1, status: 2 });
    expect(await degraded()).toMatchObject({ is_degraded: true, lost_models: 2, auto_disabled: 0 });
  });
});
