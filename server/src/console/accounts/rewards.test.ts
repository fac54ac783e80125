/** Concurrency test of invitations: a thousand registrations on two processes at once post each gift and each reward once. */
import { expect, test } from "vitest";
import { createTestPlace, engines } from "../../../../tests/support/databases/databases.ts";
import { openFoundation } from "../../composition/foundation.ts";
import { auditDatabase } from "../../billing/audit.ts";
import { upsert } from "../../db/portable.ts";
import { bumpVersion } from "../../db/versions.ts";
import { createLogger } from "../../observe/logger.ts";
import { Metrics } from "../../observe/metrics.ts";
import { createAccount } from "./new-account.ts";

const COUNT = 1_000;
const AT_ONCE = 8;

test.each(await engines())(
  "%s",
  async (engine) => {
    const place = await createTestPlace(engine);
    const logger = createLogger({ level: "silent" });
    const onDeath = (error: Error) => {
      throw error;
    };
    const open = () =>
      openFoundation({ config: place.config, logger, metrics: new Metrics(), onPhase: () => undefined, onDeath });
    const first = await open();
    // The embedded database belongs to one process.
    const processes = engine === "sqlite" ? [first] : [first, await open()];
    const { database } = first;
    try {
      const options = { QuotaForNewUser: "700", QuotaForInvitee: "50", QuotaForInviter: "30" };
      await database.kysely.transaction().execute(async (transaction) => {
        for (const [name, value] of Object.entries(options))
          await upsert(database, transaction, "options", { name, value, updated_time: 1 }, ["name"], { value });
        await bumpVersion(transaction, "options");
      });
      for (const { snapshot } of processes) await snapshot.refresh();
      const contexts = processes.map((process) => ({ ...process, logger, clock: Date.now }));
      const inviter = await createAccount(contexts[0] ?? expect.fail(), { username: "inviter" });
      const users = database.kysely.selectFrom("users").selectAll();
      const { aff_code } = await users.where("id", "=", inviter.id).executeTakeFirstOrThrow();
      let made = 0;
      const work = async (context: (typeof contexts)[number]): Promise<void> => {
        while (made < COUNT) await createAccount(context, { username: `guest${(made += 1)}`, inviteCode: aff_code });
      };
      await Promise.all(contexts.flatMap((context) => Array.from({ length: AT_ONCE }, () => work(context))));
      const guests = await users.where("inviter_id", "=", inviter.id).execute();
      expect(guests).toHaveLength(COUNT);
      expect(new Set(guests.map(({ quota }) => quota))).toEqual(new Set([750]));
      const row = await users.where("id", "=", inviter.id).executeTakeFirstOrThrow();
      expect(row).toMatchObject({ aff_count: COUNT, aff_quota: COUNT * 30, aff_history_quota: COUNT * 30, quota: 700 });
      expect(await database.kysely.selectFrom("pending_rewards").selectAll().execute()).toEqual([]);
      expect((await auditDatabase(database)).faults).toEqual([]);
    } finally {
      for (const process of processes.toReversed()) await process.close();
      await place.remove();
    }
  },
  120_000,
);
