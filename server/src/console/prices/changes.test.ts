/** Tests of changes of prices: now or at their date, once among processes, cancelled while they wait, and reverted. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { PriceRow } from "../../../../contract/src/features/prices.ts";
import {
  KEPT_CHANGES_MOST,
  PRICE_VERSIONS_MOST,
  type PriceTablesVersion,
  type StoredPriceChange,
  WAITING_CHANGES_MOST,
} from "../../../../contract/src/pricing/price-changes.ts";
import { bumpVersion } from "../../db/versions.ts";
import { auditDatabase } from "../../billing/audit.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { type Caller, openTestConsole, type TestConsole } from "../../../../tests/support/systems/console.ts";
import { applyDueChanges, dueChangesJob } from "./due-changes.ts";

const START_S = 1_790_000_000;
const NONE = { ratios: {}, tools: {} };
const at = (ratio: string) => ({ ratios: { ModelRatio: ratio }, tools: {} });

describe.each(await engines())("changes of prices on %s", (engine) => {
  let site: TestConsole;
  let root: Caller;
  let nowS = START_S;

  beforeAll(async () => {
    site = await openTestConsole(engine, {}, () => nowS * 1000);
    root = await site.person(100);
    await root.data("PUT", "/api/option", { key: "GroupRatio", value: '{"default": 1, "vip": 0.5}' });
  });
  beforeEach(async () => {
    nowS += 10_000;
    await site.foundation.database.kysely.deleteFrom("price_changes").execute();
    // A price that the test before has just changed is seen in a moment.
    await expect
      .poll(async () => {
        const { own } = await priceOf("m");
        const changes = [{ model: "m", from: own, to: at("1") }];
        const reset = { changes, group_ratios: { vip: "0.5" }, apply_time: 0 };
        return (await root.call("POST", "/api/prices/changes", reset)).body.success;
      })
      .toBe(true);
    await site.foundation.database.kysely.deleteFrom("price_changes").execute();
  });
  afterAll(() => site.close());

  const priceOf = async (model: string): Promise<PriceRow> => {
    const [row] = await root.data<PriceRow[]>("GET", `/api/prices?model=${model}`);
    if (row === undefined) throw new Error(`no row of ${model}`);
    return row;
  };
  const ratioOf = async (model: string) => (await priceOf(model)).own.ratios.ModelRatio;
  const apply = (to: string, apply_time: number, more: object = {}, who = root) =>
    who.call("POST", "/api/prices/changes", {
      changes: [{ model: "m", from: at("1"), to: at(to) }],
      group_ratios: {},
      apply_time,
      ...more,
    });
  const idOf = (answer: { body: { data: unknown } }): number => (answer.body.data as { id: number }).id;
  const changes = () => root.data<StoredPriceChange[]>("GET", "/api/prices/changes");
  const versions = () => root.data<PriceTablesVersion[]>("GET", "/api/prices/versions");
  const groups = () => site.foundation.snapshot.options.GroupRatio;

  it("applies prices and ratios of groups at once, all of them or none", async () => {
    const answer = await apply("3", 0, { group_ratios: { vip: "0.25" } });
    expect(answer.body.data).toMatchObject({ is_applied: true });
    expect([await ratioOf("m"), groups()]).toEqual(["3", { default: "1", vip: "0.25" }]);
    expect(await changes()).toMatchObject([{ id: idOf(answer), state: "applied", models: ["m"], groups: ["vip"] }]);
    const refused = await apply("5", 0, { group_ratios: { vip: "0.9" } });
    expect([refused.status, refused.body.code]).toEqual([409, "price_changed"]);
    expect([await ratioOf("m"), groups()["vip"], (await changes()).length]).toEqual(["3", "0.25", 1]);
  });

  it("refuses times that are past or too far, groups that do not exist, and nothing at all", async () => {
    for (const time of [nowS, nowS - 1, nowS + 400 * 86_400])
      expect((await apply("2", time)).body).toMatchObject({ code: "invalid_field", field: "apply_time" });
    expect((await apply("2", nowS + 60, { group_ratios: { nobody: "1" } })).body.code).toBe("option_invalid");
    expect((await apply("2", nowS + 60, { changes: [] })).status).toBe(400);
    expect(await changes()).toEqual([]);
  });

  it("waits for its date, stands over what was changed meanwhile, and leaves other models and groups alone", async () => {
    await apply("2", nowS + 100, { group_ratios: { vip: "0.75" } });
    await applyDueChanges(site.context);
    expect(await ratioOf("m")).toBe("1");
    await root.data("PUT", "/api/prices", { changes: [{ model: "m", from: at("1"), to: at("9") }] });
    await root.data("PUT", "/api/prices", { changes: [{ model: "other", from: NONE, to: at("4") }] });
    await root.data("PUT", "/api/option", { key: "GroupRatio", value: '{"default": 1.5, "vip": 0.5, "new": 3}' });
    nowS += 100;
    expect(await dueChangesJob(site.context).hasWork?.()).toBe(true);
    await applyDueChanges(site.context);
    expect([await ratioOf("m"), await ratioOf("other")]).toEqual(["2", "4"]);
    expect(groups()).toEqual({ default: "1.5", vip: "0.75", new: "3" });
    expect(await changes()).toMatchObject([{ state: "applied", ended_time: nowS }]);
    expect(await dueChangesJob(site.context).hasWork?.()).toBe(false);
    await root.data("PUT", "/api/prices", { changes: [{ model: "other", from: at("4"), to: NONE }] });
  });

  it("is applied once by two processes at the same time, and by the second where the first was cut off before its commit", async () => {
    // An embedded database belongs to one process: there two rounds run at the same time.
    const other = engine === "sqlite" ? site.foundation : await site.second();
    try {
      await apply("2", nowS + 10);
      nowS += 10;
      const context = { ...site.context, database: other.database, snapshot: other.snapshot };
      // What a kill leaves: nothing of the transaction.
      const cutOff = site.foundation.database.kysely.transaction().execute(async (transaction) => {
        await transaction.updateTable("price_changes").set({ state: "applied" }).execute();
        throw new Error("killed");
      });
      await expect(cutOff).rejects.toThrow("killed");
      expect(await changes()).toMatchObject([{ state: "waiting" }]);
      await Promise.all([applyDueChanges(site.context), applyDueChanges(context)]);
      expect(await changes()).toMatchObject([{ state: "applied", failure: "" }]);
      await expect.poll(() => other.snapshot.options.ModelRatio["m"]).toBe("2");
      const events = await site.foundation.database.kysely
        .selectFrom("logs")
        .select("other")
        .where("type", "=", 3)
        .where("created_at", "=", nowS)
        .execute();
      expect(events.filter(({ other: text }) => text.includes('"prices_changed"'))).toHaveLength(1);
    } finally {
      if (other !== site.foundation) await other.close();
    }
  });

  it("can be cancelled while it waits, once, and is never applied then", async () => {
    const id = idOf(await apply("2", nowS + 10));
    const both = await Promise.all([1, 2].map(() => root.call("DELETE", `/api/prices/changes/${id}`)));
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    nowS += 10;
    await applyDueChanges(site.context);
    expect([await ratioOf("m"), (await changes())[0]?.state]).toEqual(["1", "cancelled"]);
    expect((await root.call("DELETE", "/api/prices/changes/999999")).body.code).toBe("not_found");
  });

  it("is not applied for somebody who may not change prices any more, and says so", async () => {
    const admin = await site.person(10);
    const answer = await apply("2", nowS + 10, {}, admin);
    expect(answer.status).toBe(200);
    await site.foundation.database.kysely.transaction().execute(async (transaction) =>
      transaction
        .updateTable("users")
        .set({ permissions: "logs,users", changed_version: await bumpVersion(transaction, "users") })
        .where("id", "=", admin.userId)
        .execute(),
    );
    nowS += 10;
    await applyDueChanges(site.context);
    expect(await ratioOf("m")).toBe("1");
    expect(await changes()).toMatchObject([{ state: "failed", failure: "permission_withheld" }]);
  });

  it("lets so many wait and no more, keeps so many and no more, and shows none of it to members", async () => {
    for (let count = 0; count < WAITING_CHANGES_MOST; count += 1)
      expect((await apply("2", nowS + 10 + count)).status).toBe(200);
    expect((await apply("2", nowS + 10)).body.code).toBe("price_changes_waiting");
    const { kysely } = site.foundation.database;
    const old = {
      state: "applied",
      draft: '{"changes":[],"group_ratios":{}}',
      apply_time: 1,
      created_time: 1,
      created_by: 0,
    };
    await kysely
      .insertInto("price_changes")
      .values(Array.from({ length: KEPT_CHANGES_MOST }, () => old))
      .execute();
    await apply("2", 0);
    const left = await kysely.selectFrom("price_changes").select("state").execute();
    expect(left.filter(({ state }) => state === "waiting")).toHaveLength(WAITING_CHANGES_MOST);
    expect(left.length).toBeLessThanOrEqual(KEPT_CHANGES_MOST + WAITING_CHANGES_MOST);
    const member = await site.person(1);
    for (const path of ["/api/prices/changes", "/api/prices/versions"])
      expect((await member.call("GET", path)).status).toBe(403);
  });

  it("goes back to earlier prices and ratios, and keeps groups that are new", async () => {
    await site.foundation.snapshot.refresh();
    const before = site.foundation.snapshot.priceVersion;
    nowS += 5;
    await apply("3", 0, { group_ratios: { vip: "0.25" } });
    await root.data("PUT", "/api/option", { key: "GroupRatio", value: '{"default": 1, "vip": 0.25, "late": 2}' });
    const listed = await versions();
    expect(listed.length).toBeLessThanOrEqual(PRICE_VERSIONS_MOST);
    expect(listed.find(({ id }) => id === before)).toMatchObject({ differing_models: 1, is_in_force: false });
    expect(listed.find(({ is_in_force }) => is_in_force)).toMatchObject({ differing_models: 0, differing_groups: 0 });
    expect((await root.call("POST", `/api/prices/versions/${before}/restore`)).status).toBe(200);
    expect(await ratioOf("m")).toBe("1");
    expect(groups()).toMatchObject({ vip: "0.5", late: "2" });
    expect((await root.call("POST", "/api/prices/versions/999999/restore")).body.code).toBe("not_found");
    expect((await auditDatabase(site.foundation.database)).faults).toEqual([]);
  });
});
