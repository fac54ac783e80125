/** The ledger on every engine: holds never overdraw, settlements are posted once, balances are the sum of the ledger. */
import { randomUUID } from "node:crypto";
import type { Transaction } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestDatabase, engines, openTestDatabase } from "../../../tests/support/databases/databases.ts";
import type { Schema } from "../db/schema.ts";
import type { Billing, Hold } from "./billing.ts";
import { SQLITE_WRITER_MODULES } from "./engines/sqlite.ts";
import { type Scene, openTestBilling, setScene, settlementOf, tryHold } from "./testing.ts";

const isHold = (hold: Hold | string): hold is Hold => typeof hold !== "string";

for (const engine of await engines()) {
  describe(`the ledger on ${engine}`, () => {
    let place: TestDatabase;
    let billing: Billing;

    beforeAll(async () => {
      place = await openTestDatabase(engine, { writerModules: SQLITE_WRITER_MODULES });
      billing = await openTestBilling(place.database, place.config.dataDir);
    });

    afterAll(async () => {
      await billing.close();
      await place.close();
    });

    const userRow = (scene: Scene) =>
      place.database.kysely.selectFrom("users").selectAll().where("id", "=", scene.userId).executeTakeFirstOrThrow();
    const tokenRow = (scene: Scene) =>
      place.database.kysely.selectFrom("tokens").selectAll().where("id", "=", scene.tokenId).executeTakeFirstOrThrow();

    test("holds asked for together are granted or refused each by its own account, and what is held is the sum of those granted", async () => {
      const [rich, poor, shortToken] = [
        await setScene(place.database, billing, 10_000, 10_000),
        await setScene(place.database, billing, 150, 10_000),
        await setScene(place.database, billing, 10_000, 150),
      ];
      const asked = [rich, poor, shortToken].flatMap((scene) => Array.from({ length: 4 }, () => scene));
      const given = await Promise.all(asked.map((scene) => tryHold(billing, scene, 100)));
      const answers = given.map((hold) => (isHold(hold) ? "held" : hold));
      const countOf = (answer: string) => answers.filter((each) => each === answer).length;
      expect([countOf("held"), countOf("user_quota"), countOf("token_quota")]).toEqual([4 + 1 + 1, 3, 3]);
      for (const [scene, free] of [
        [rich, 9_600],
        [poor, 50],
        [shortToken, 9_900],
      ] as const)
        expect(await billing.available(scene.userId)).toBe(free);
      await Promise.all(given.filter(isHold).map((hold) => billing.void(hold)));
      expect(await billing.available(poor.userId)).toBe(150);
    });

    test("200 holds at once on a balance of 10 prices: exactly 10 are given", async () => {
      const scene = await setScene(place.database, billing, 1_000, 100_000);
      const holds = await Promise.all(Array.from({ length: 200 }, () => tryHold(billing, scene, 100)));
      const given = holds.filter(isHold);
      expect(given).toHaveLength(10);
      expect(holds.filter((hold) => hold === "user_quota")).toHaveLength(190);
      expect(await billing.available(scene.userId)).toBe(0);
      await Promise.all(given.map((hold) => billing.settle(hold, settlementOf(scene, hold.requestId, 100))));
      expect(await userRow(scene)).toMatchObject({ quota: 0, held: 0, used_quota: 1_000, request_count: 10 });
      expect(await tokenRow(scene)).toMatchObject({ remain_quota: 99_000, held: 0, used_quota: 1_000 });
    });

    test("200 holds at once on a token of 10 prices: exactly 10, and the user loses nothing to the others", async () => {
      const scene = await setScene(place.database, billing, 1_000_000, 1_000);
      const holds = await Promise.all(Array.from({ length: 200 }, () => tryHold(billing, scene, 100)));
      expect(holds.filter(isHold)).toHaveLength(10);
      expect(holds.filter((hold) => hold === "token_quota")).toHaveLength(190);
      expect(await billing.available(scene.userId)).toBe(999_000);
      for (const hold of holds.filter(isHold)) await billing.void(hold);
      expect(await billing.available(scene.userId)).toBe(1_000_000);
      expect(await userRow(scene)).toMatchObject({ quota: 1_000_000, held: 0, used_quota: 0 });
      expect(await tokenRow(scene)).toMatchObject({ remain_quota: 1_000, held: 0 });
    });

    test("of 50 holds that the balance does not reach for, one is given, of all that is left, and the next one when it has ended", async () => {
      const scene = await setScene(place.database, billing, 900, 100_000);
      const tryAll = () =>
        Promise.all(Array.from({ length: 50 }, () => tryHold(billing, scene, 5_000, randomUUID(), 100)));
      const holds = await tryAll();
      const [alone, ...others] = holds.filter(isHold);
      if (alone === undefined) throw new Error("nobody was let in");
      expect([others.length, alone.amount, alone.spendable]).toEqual([0, 900, 900]);
      expect(await billing.available(scene.userId)).toBe(0);
      expect([await tryHold(billing, scene, 1), await billing.extend(alone, 1)]).toEqual(["user_quota", false]);
      await billing.settle(alone, settlementOf(scene, alone.requestId, 700));
      expect(await userRow(scene)).toMatchObject({ quota: 200, held: 0 });
      expect((await tryAll()).filter(isHold).map(({ amount }) => amount)).toEqual([200]);
      const poor = await setScene(place.database, billing, 99, 100_000);
      expect(await tryHold(billing, poor, 5_000, randomUUID(), 100)).toBe("user_quota");
    });

    test("a token that has less than a hold is used up while the call runs, its user is held for all of it", async () => {
      const scene = await setScene(place.database, billing, 20_000, 300);
      const holds = await Promise.all(
        Array.from({ length: 20 }, () => tryHold(billing, scene, 5_000, randomUUID(), 100)),
      );
      const given = holds.filter(isHold);
      expect(given.map(({ amount, spendable }) => [amount, spendable])).toEqual([[5_000, 300]]);
      expect(holds.filter((hold) => hold === "token_quota")).toHaveLength(19);
      expect(await billing.available(scene.userId)).toBe(15_000);
      for (const hold of given) await billing.void(hold);
      expect(await billing.available(scene.userId)).toBe(20_000);
      expect(isHold(await tryHold(billing, scene, 300))).toBe(true);
    });

    test("a call without a token touches the user alone", async () => {
      const scene = { ...(await setScene(place.database, billing, 500, 0)), tokenId: 0 };
      const hold = await tryHold(billing, scene, 200);
      if (!isHold(hold)) throw new Error(hold);
      await billing.settle(hold, { ...settlementOf(scene, hold.requestId, 150), isTokenLimited: false });
      expect(await userRow(scene)).toMatchObject({ quota: 350, held: 0 });
    });

    test("settling twice books once, also from a second hold of the same request", async () => {
      const scene = await setScene(place.database, billing, 1_000, 1_000);
      const hold = await tryHold(billing, scene, 100);
      if (!isHold(hold)) throw new Error(hold);
      const settlement = settlementOf(scene, hold.requestId, 70);
      const outcomes = await Promise.all([billing.settle(hold, settlement), billing.settle(hold, settlement)]);
      expect([...outcomes].sort()).toEqual(["already_settled", "committed"]);
      expect(await billing.settle(hold, settlement)).toBe("already_settled");
      expect(await userRow(scene)).toMatchObject({ quota: 930, held: 0, used_quota: 70, request_count: 1 });
      expect(await billing.available(scene.userId)).toBe(930);
      const logs = await place.database.kysely
        .selectFrom("logs")
        .selectAll()
        .where("request_id", "=", hold.requestId)
        .execute();
      expect(logs).toHaveLength(1);
    });

    test("a charge above its hold is booked and reported, and a balance that is not positive admits no call but free ones", async () => {
      const overshoots: number[] = [];
      const second = await openTestBilling(place.database, place.config.dataDir, {
        onOvershoot: (quota) => overshoots.push(quota),
      });
      const scene = await setScene(place.database, second, 100, 1_000);
      const hold = await tryHold(second, scene, 100);
      if (!isHold(hold)) throw new Error(hold);
      await second.settle(hold, settlementOf(scene, hold.requestId, 130));
      expect(overshoots).toEqual([30]);
      expect(await second.available(scene.userId)).toBe(-30);
      expect(await tryHold(second, scene, 1)).toBe("user_quota");
      expect(isHold(await tryHold(second, scene, 0))).toBe(true);
      await second.close();
    });

    test("a charge of a call that held nothing is counted, also where its account is read for the first time beside it", async () => {
      for (let round = 0; round < 10; round += 1) {
        const scene = await setScene(place.database, billing, 1_000, 1_000);
        const hold = await tryHold(billing, scene, 0);
        if (!isHold(hold)) throw new Error(hold);
        await Promise.all([
          billing.available(scene.userId),
          billing.extend(hold, 1),
          billing.settle(hold, settlementOf(scene, hold.requestId, 30)),
        ]);
        await expect.poll(() => billing.available(scene.userId)).toBe(970);
        expect(await tryHold(billing, scene, 971)).toBe("token_quota");
      }
    });

    test("an extension takes what is there or nothing, and settles with its hold", async () => {
      const scene = await setScene(place.database, billing, 100, 1_000);
      const hold = await tryHold(billing, scene, 40);
      if (!isHold(hold)) throw new Error(hold);
      expect(await billing.extend(hold, 50)).toBe(true);
      expect(await billing.extend(hold, 11)).toBe(false);
      expect(hold.amount).toBe(90);
      expect(await billing.available(scene.userId)).toBe(10);
      await billing.settle(hold, settlementOf(scene, hold.requestId, 85));
      expect(await billing.extend(hold, 1)).toBe(false);
      expect(await billing.available(scene.userId)).toBe(15);
      expect(await userRow(scene)).toMatchObject({ quota: 15, held: 0 });
    });

    test("adjustments are booked once, transfers only as far as the rewards reach", async () => {
      const scene = await setScene(place.database, billing, 100, 0);
      const { userId } = scene;
      const gift = { entryId: randomUUID(), kind: "gift", userId, quotaDelta: 50, detail: "{}" } as const;
      expect(await billing.move(gift)).toBe(true);
      expect(await billing.move(gift)).toBe(false);
      await billing.move({ entryId: randomUUID(), kind: "reward", userId, affQuotaDelta: 30, detail: "{}" });
      const transfer = { kind: "transfer", userId, quotaDelta: 20, affQuotaDelta: -20, detail: "{}" } as const;
      const results = await Promise.allSettled([1, 2].map(() => billing.move({ ...transfer, entryId: randomUUID() })));
      expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      expect(await userRow(scene)).toMatchObject({ quota: 170, aff_quota: 10, aff_history_quota: 30 });
      expect(await billing.available(userId)).toBe(170);
      await expect(billing.move({ ...gift, entryId: randomUUID(), userId: 999_999 })).rejects.toMatchObject({
        kind: "unknown_user",
      });
    });

    test("an adjustment and its claim are one: refused, failed or posted before, the claim's writes are undone with it", async () => {
      const scene = await setScene(place.database, billing, 100, 0);
      const { userId } = scene;
      const gift = (entryId: string = randomUUID()) =>
        ({ entryId, kind: "gift", userId, quotaDelta: 50, detail: "{}" }) as const;
      const name = randomUUID();
      const written = async () =>
        (await place.database.kysely.selectFrom("facts").select("value").where("name", "=", name).execute()).length;
      const claim = (isGiven: boolean) => async (transaction: Transaction<Schema>) => {
        await transaction.insertInto("facts").values({ name, value: "claimed" }).execute();
        return isGiven;
      };
      expect(await billing.move(gift(), claim(false))).toBe(false);
      const stranger = { ...gift(), userId: 999_999 };
      await expect(billing.move(stranger, claim(true))).rejects.toMatchObject({ kind: "unknown_user" });
      const failing = () => Promise.reject(new Error("no claim"));
      await expect(billing.move(gift(), failing)).rejects.toThrow("no claim");
      const posted = gift();
      await billing.move(posted);
      expect(await billing.move(posted, claim(true))).toBe(false);
      expect(await written()).toBe(0);
      expect(await userRow(scene)).toMatchObject({ quota: 150 });
      expect(await billing.move(gift(), claim(true))).toBe(true);
      expect(await written()).toBe(1);
      expect(await userRow(scene)).toMatchObject({ quota: 200 });
      expect(await billing.available(userId)).toBe(200);
    });

    test("the roll-up has one row an hour, model and group, with the sums of its calls", async () => {
      const scene = await setScene(place.database, billing, 10_000, 10_000);
      const times = [1_700_000_000, 1_700_000_001, 1_700_003_600];
      for (const time of times) {
        const hold = await tryHold(billing, scene, 10);
        if (!isHold(hold)) throw new Error(hold);
        await billing.settle(hold, settlementOf(scene, hold.requestId, 7, time));
      }
      const rows = await place.database.kysely
        .selectFrom("usage_hours")
        .selectAll()
        .where("user_id", "=", scene.userId)
        .orderBy("hour")
        .execute();
      expect(rows.map(({ hour, requests, quota, prompt_tokens }) => [hour, requests, quota, prompt_tokens])).toEqual([
        [1_699_999_200, 2, 14, 20],
        [1_700_002_800, 1, 7, 10],
      ]);
    });

    test("what calls cost is summed to the unit beside what they were charged; an unknown cost is not 0", async () => {
      const scene = await setScene(place.database, billing, 10_000, 10_000);
      // Unknown, free, known; one that is no amount is unknown, and never keeps its charge out.
      const calls = [{ charge: 7 }, { charge: 9, cost: 0 }, { charge: 20, cost: 13 }, { charge: 5, cost: 8 }];
      const all = [...calls, { charge: 4, cost: -1 }, { charge: 3, cost: Number.NaN }];
      await Promise.all(
        all.map(async ({ charge, ...cost }) => {
          const hold = await tryHold(billing, scene, charge);
          if (!isHold(hold)) throw new Error(hold);
          expect(await billing.settle(hold, { ...settlementOf(scene, hold.requestId, charge), ...cost })).toBe(
            "committed",
          );
        }),
      );
      const { kysely } = place.database;
      const [hour] = await kysely.selectFrom("usage_hours").selectAll().where("user_id", "=", scene.userId).execute();
      expect(hour).toMatchObject({ requests: 6, quota: 48, cost: 21, costed_quota: 34 });
      const rows = await kysely
        .selectFrom("ledger")
        .select("cost")
        .where("user_id", "=", scene.userId)
        .where("kind", "=", "charge")
        .execute();
      expect(rows.map(({ cost }) => cost).toSorted((a, b) => (a ?? -1) - (b ?? -1))).toEqual([
        null,
        null,
        null,
        0,
        8,
        13,
      ]);
    });

    test(
      "receipts too long for one message, alone or together, keep no settlement out",
      { timeout: 60_000 },
      async () => {
        const scene = await setScene(place.database, billing, 10_000_000, 10_000_000);
        const settleWith = async (other: string): Promise<string> => {
          const hold = await tryHold(billing, scene, 10);
          if (!isHold(hold)) throw new Error(hold);
          const settlement = settlementOf(scene, hold.requestId, 10);
          const log = settlement.log === undefined ? {} : { log: { ...settlement.log, other } };
          return billing.settle(hold, { ...settlement, ...log });
        };
        const receipt = (length: number): string => JSON.stringify({ warnings: ["x".repeat(length)] });
        const lengths = [20_000_000, ...Array.from({ length: 700 }, () => 60_000)];
        const outcomes = await Promise.all(lengths.map((length) => settleWith(receipt(length))));
        expect([new Set(outcomes), billing.isHealthy]).toEqual([new Set(["committed"]), true]);
        expect(await userRow(scene)).toMatchObject({ held: 0, request_count: lengths.length });
      },
    );

    // SQLite takes any number, and its holds are in memory alone.
    if (engine !== "sqlite")
      test("a charge that the database refuses gives its hold back", async () => {
        const scene = await setScene(place.database, billing, 1_000, 1_000);
        const hold = await tryHold(billing, scene, 400);
        if (!isHold(hold)) throw new Error(hold);
        const settlement = settlementOf(scene, hold.requestId, 10);
        if (settlement.log !== undefined) settlement.log.useTimeMs = 1e300;
        await expect(billing.settle(hold, settlement)).rejects.toThrow(/out of range|bigint/i);
        await expect.poll(() => billing.available(scene.userId)).toBe(1_000);
        expect(await tokenRow(scene)).toMatchObject({ held: 0 });
        expect(billing.isHealthy).toBe(true);
      });

    test("texts that a database refuses are made storable, and never cost the settlement", async () => {
      const scene = await setScene(place.database, billing, 1_000, 1_000);
      const hold = await tryHold(billing, scene, 10);
      if (!isHold(hold)) throw new Error(hold);
      const settlement = settlementOf(scene, hold.requestId, 10);
      const odd = { ...settlement, model: `a\0\ud800${"x".repeat(400)}`, detail: '{"a":"\0"}' };
      if (odd.log !== undefined) odd.log = { ...odd.log, content: `\0${"y".repeat(9_000)}`, username: "z".repeat(300) };
      expect(await billing.settle(hold, odd)).toBe("committed");
      expect(await userRow(scene)).toMatchObject({ quota: 990, used_quota: 10 });
    });
  });
}
