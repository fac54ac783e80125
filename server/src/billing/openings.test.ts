/** Tests of opening entries on each engine: posted repeatedly they equal the other system's balances, in a few statements whatever their number. */
import { describe, expect, test } from "vitest";
import { engines, openTestDatabase } from "../../../tests/support/databases/databases.ts";
import { targetOf, watchedDatabase } from "../../../tests/support/databases/statements.ts";
import { NEW_USER } from "../db/new-user.ts";
import { auditDatabase } from "./audit.ts";
import { type Opening, postOpenings } from "./openings.ts";

const IDS = Array.from({ length: 300 }, (_, index) => index + 1);

const openingOf = (id: number, quota: number): Opening => ({
  entryId: `opening:0123456789ab:u${id}`,
  userId: id,
  tokenId: 0,
  channelId: 0,
  quota,
  tokenQuota: 0,
  affQuota: id,
  used: 1_000 - quota,
  requests: 1_000 - quota,
  detail: "{}",
});

describe.each(await engines())("openings on %s", (engine) => {
  test("of several passes say what is so now, and are asked for a pass at a time", async () => {
    const into = await openTestDatabase(engine);
    let asked = 0;
    const { kysely } = watchedDatabase(into.database, {
      isWatched: (node) => node.kind === "SelectQueryNode" && targetOf(node) === "ledger",
      before: () => void (asked += 1),
    });
    const post = (quotaOf: (id: number) => number) =>
      kysely.transaction().execute((transaction) =>
        postOpenings(
          { engine, transaction },
          IDS.map((id) => openingOf(id, quotaOf(id))),
          1_700_000_000,
        ),
      );
    try {
      const users = IDS.map((id) => ({
        ...NEW_USER,
        id,
        username: `user${id}`,
        username_key: `user${id}`,
        aff_code: `a${id}`,
        changed_version: 1,
      }));
      await kysely.insertInto("users").values(users).execute();
      const second = (id: number): number => (id % 2 === 0 ? 100 : 90);
      const third = (id: number): number => (id % 3 === 0 ? -5 : second(id));
      expect(await post(() => 100)).toBe(300);
      expect(await post(second)).toBe(150);
      expect(await post(third)).toBe(100);
      asked = 0;
      expect(await post(third)).toBe(0);
      expect(asked).toBeLessThanOrEqual(4);
      const rows = await kysely
        .selectFrom("users")
        .select(["id", "quota", "used_quota", "request_count", "aff_quota"])
        .orderBy("id")
        .execute();
      expect(rows.map((row) => Object.values(row).map(Number))).toEqual(
        IDS.map((id) => [id, third(id), 1_000 - third(id), 1_000 - third(id), id]),
      );
      expect((await auditDatabase(into.database)).faults).toEqual([]);
    } finally {
      await into.close();
    }
  });
});
