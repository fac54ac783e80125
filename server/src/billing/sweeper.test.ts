/** The sweeper stores what is derived when read: expired and exhausted tokens, in the transaction that tells every snapshot. */
import { expect, test } from "vitest";
import { engines, openTestDatabase } from "../../../tests/support/databases.ts";
import { SQLITE_WRITER_MODULES } from "./sqlite-books.ts";
import { addToken, addUser, openTestBilling } from "./testing.ts";

test.each(await engines())(
  "%s: expired tokens become 3, exhausted ones 4, others stay, and the tokens' version rises",
  async (engine) => {
    const { database, config, close } = await openTestDatabase(engine, { writerModules: SQLITE_WRITER_MODULES });
    const { kysely } = database;
    const userId = await addUser(database, "owner");
    const [expired, exhausted, unlimited, disabled] = [
      await addToken(database, userId, true),
      await addToken(database, userId, false),
      await addToken(database, userId, true),
      await addToken(database, userId, false),
    ];
    await kysely.updateTable("tokens").set({ expired_time: 1_000 }).where("id", "=", expired).execute();
    await kysely.updateTable("tokens").set({ status: 2 }).where("id", "=", disabled).execute();
    const versionOf = () =>
      kysely.selectFrom("versions").select("version").where("name", "=", "tokens").executeTakeFirstOrThrow();
    const before = await versionOf();
    const billing = await openTestBilling(database, config.dataDir);
    const rows = await kysely.selectFrom("tokens").select(["id", "status", "changed_version"]).orderBy("id").execute();
    expect(rows.map(({ id, status }) => [id, status])).toEqual([
      [expired, 3],
      [exhausted, 4],
      [unlimited, 1],
      [disabled, 2],
    ]);
    const after = await versionOf();
    expect(after.version).toBeGreaterThan(before.version);
    expect(rows[1]?.changed_version).toBe(after.version);
    await billing.close();
    await close();
  },
);
