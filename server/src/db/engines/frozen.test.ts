/** Tests of a frozen database server, with open connections and no response: no query waits forever. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type TestPlace, createTestPlace, engines } from "../../../../tests/support/databases/databases.ts";
import { type FreezingProxy, startFreezingProxy } from "../../../../tests/support/databases/freezing-proxy.ts";
import { type Database, openDatabase } from "../database.ts";
import { isRetryable } from "../portable.ts";

const servers = (await engines()).filter((engine) => engine !== "sqlite");
const PORTS = { postgres: 5432, mysql: 3306 } as const;
const POOL_SIZE = 3;

describe.each(servers)("a frozen %s", (engine) => {
  let place: TestPlace;
  let proxy: FreezingProxy;
  let database: Database;

  beforeEach(async () => {
    place = await createTestPlace(engine);
    proxy = await startFreezingProxy(place.config.databaseUrl ?? "", PORTS[engine]);
    const config = { ...place.config, databaseUrl: proxy.url, databasePoolSize: POOL_SIZE };
    database = await openDatabase(config, { timeLimits: { connectMs: 500, answerMs: 500, questionMs: 500 } });
    await database.kysely.schema.createTable("things").addColumn("id", "integer").execute();
  });
  afterEach(async () => {
    proxy.thaw();
    await database.close();
    proxy.end();
    await place.remove();
  });

  const failures = (works: readonly (() => Promise<unknown>)[]) =>
    Promise.all(
      works.map((work) =>
        work().then(
          () => "answered",
          (error: unknown) => error,
        ),
      ),
    );
  const select = () =>
    database.kysely
      .selectFrom("things" as "facts")
      .selectAll()
      .execute();
  const rawSelect = (): Promise<unknown> =>
    database.mysql?.promise().query("SELECT id FROM things") ??
    database.postgres?.query("SELECT id FROM things") ??
    Promise.reject(new Error("no pool"));

  test("fails every statement in time, those of open transactions and of the raw pool too", async () => {
    const hasWritten = Promise.withResolvers<void>();
    const isFrozen = Promise.withResolvers<void>();
    const transaction = database.kysely.transaction().execute(async (queries) => {
      await queries.deleteFrom("things" as "facts").execute();
      hasWritten.resolve();
      await isFrozen.promise;
      await queries.deleteFrom("things" as "facts").execute();
    });
    await hasWritten.promise;
    proxy.freeze();
    isFrozen.resolve();
    const errors = await failures([() => transaction, select, rawSelect]);
    expect(errors.map((error) => [error instanceof Error, isRetryable(error)])).toEqual(errors.map(() => [true, true]));
  });

  test("fails those who wait for one of its connections as early as those who hold one", async () => {
    proxy.freeze();
    const errors = await failures(Array.from({ length: POOL_SIZE * 4 }, () => rawSelect));
    expect(errors.filter(isRetryable)).toHaveLength(POOL_SIZE * 4);
  });

  test("is asked through new connections when it answers again, and the old ones are gone", async () => {
    await failures([select, rawSelect]);
    const before = proxy.connectionCount;
    proxy.freeze();
    await failures([select, rawSelect]);
    proxy.thaw();
    // A busy machine may need longer than the limit of an answer for the first one.
    for (const ask of [select, rawSelect])
      await expect.poll(() => failures([ask]), { timeout: 10_000 }).toEqual(["answered"]);
    expect(proxy.connectionCount).toBeGreaterThan(before);
  });

  test("does not break a connection that is idle in the pool", async () => {
    await select();
    const before = proxy.connectionCount;
    await new Promise((resolve) => setTimeout(resolve, 1_000)); // twice the limit of an answer
    await select();
    expect(proxy.connectionCount).toBe(before);
  });
});
