/** Tests of the sweeper: it stores the status of expired and exhausted tokens, in the transaction that raises the snapshot's version, and voids holds of dead processes. */
import { expect, test } from "vitest";
import { engines, createTestPlace, openTestDatabase } from "../../../tests/support/databases/databases.ts";
import { targetOf, watchedDatabase } from "../../../tests/support/databases/statements.ts";
import { openDatabase } from "../db/database.ts";
import { TIME_LIMITS } from "../db/engines/time-limits.ts";
import { migrate } from "../db/migrations/migrate.ts";
import { SQLITE_WRITER_MODULES } from "./engines/sqlite.ts";
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

test.each(await engines())(
  "%s: a token that its owner made unlimited or unending while the sweeper looked stays enabled",
  async (engine) => {
    const { database, config, close } = await openTestDatabase(engine, { writerModules: SQLITE_WRITER_MODULES });
    const { kysely } = database;
    const userId = await addUser(database, "owner");
    const ending = await addToken(database, userId, true);
    const exhausted = await addToken(database, userId, false);
    await kysely.updateTable("tokens").set({ expired_time: 1_000 }).where("id", "=", ending).execute();
    const changes = [
      kysely.updateTable("tokens").set({ expired_time: -1 }).where("id", "=", ending),
      kysely.updateTable("tokens").set({ unlimited_quota: 1 }).where("id", "=", exhausted),
    ];
    const watched = watchedDatabase(database, {
      isWatched: (node) => node.kind === "SelectQueryNode" && targetOf(node) === "tokens",
      after: async () => void (await changes.shift()?.execute()),
    });
    const billing = await openTestBilling(watched, config.dataDir);
    const rows = await kysely.selectFrom("tokens").select(["id", "status"]).orderBy("id").execute();
    expect(rows).toEqual([
      { id: ending, status: 1 },
      { id: exhausted, status: 1 },
    ]);
    await billing.close();
    await close();
  },
);

const serverEngines = (await engines()).filter((engine) => engine !== "sqlite");

test.each(serverEngines)(
  "%s: holds of a process that is gone are voided with the one connection that the sweeper has",
  async (engine) => {
    const place = await createTestPlace(engine);
    // A statement outside of the transaction that is open waits for a second connection, and fails.
    const config = { ...place.config, databasePoolSize: 1 };
    const database = await openDatabase(config, { timeLimits: { ...TIME_LIMITS, connectMs: 2_000 } });
    await migrate(database);
    const { kysely } = database;
    const userId = await addUser(database, "owner");
    const tokenId = await addToken(database, userId, false);
    const gone = { process_id: "gone", user_id: userId, token_id: tokenId, amount: 30, created_time: 1_000 };
    await kysely
      .insertInto("holds")
      .values(["first", "second"].map((id) => ({ id, ...gone })))
      .execute();
    await kysely.updateTable("users").set({ held: 60 }).where("id", "=", userId).execute();
    await kysely.updateTable("tokens").set({ held: 60 }).where("id", "=", tokenId).execute();
    const billing = await openTestBilling(database, config.dataDir);
    expect(await kysely.selectFrom("holds").select("id").execute()).toEqual([]);
    const held = [
      await kysely.selectFrom("users").select("held").where("id", "=", userId).executeTakeFirst(),
      await kysely.selectFrom("tokens").select("held").where("id", "=", tokenId).executeTakeFirst(),
    ];
    expect(held).toEqual([{ held: 0 }, { held: 0 }]);
    const logged = await kysely.selectFrom("logs").select(["request_id", "username"]).orderBy("request_id").execute();
    expect(logged).toEqual([
      { request_id: "first", username: "owner" },
      { request_id: "second", username: "owner" },
    ]);
    await billing.close();
    await database.close();
    await place.remove();
  },
);
