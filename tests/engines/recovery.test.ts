/** Connection pools recover: after the server dropped every connection the next query succeeds, and interrupted work is reported as retryable. */
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { openDatabase } from "../../server/src/db/database.ts";
import type { Database, Engine } from "../../server/src/db/database.ts";
import { isRetryable } from "../../server/src/db/portable.ts";
import { createTestPlace, engines, openTestDatabase, withDatabase } from "../support/databases/databases.ts";

/** Cuts every connection of this database but the one that asks, as a restart of the server would. */
async function cutConnections(database: Database): Promise<void> {
  if (database.engine === "postgres") {
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`.execute(
      database.kysely,
    );
    return;
  }
  const list = await sql<{
    id: number;
  }>`select id from information_schema.processlist where db = database() and id <> connection_id()`.execute(
    database.kysely,
  );
  // One may have ended on its own meanwhile.
  for (const { id } of list.rows)
    await sql
      .raw(`kill ${id}`)
      .execute(database.kysely)
      .catch(() => undefined);
}

/** Reads with a prepared statement, whose binary form a driver parses by other code than the text form. */
async function readPrepared({ mysql, postgres }: Database): Promise<unknown> {
  const result = await postgres?.query({
    name: "read",
    text: "select expires_time from leases where name = $1",
    values: ["n"],
  });
  if (result !== undefined) return result.rows;
  const answer = await mysql?.promise().execute("select expires_time from leases where name = ?", ["n"]);
  return answer?.[0];
}

const servers = (await engines()).filter((engine): engine is Exclude<Engine, "sqlite"> => engine !== "sqlite");

describe.each(servers)("recovery on %s", (engine) => {
  test("work continues after every connection was cut, and interrupted work is retryable", async () => {
    const lost: Error[] = [];
    const opened = await openTestDatabase(engine, { onConnectionLost: (error) => lost.push(error) });
    const cutter = await openDatabase(opened.config);
    const { kysely } = opened.database;
    const insert = (name: string) => kysely.insertInto("facts").values({ name, value: "" }).execute();
    await Promise.all(Array.from({ length: 10 }, (_, index) => insert(`before-${index}`)));
    const transaction = await kysely.startTransaction().execute();
    await transaction.insertInto("facts").values({ name: "cut", value: "" }).execute();
    await cutConnections(cutter);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const error: unknown = await transaction
      .insertInto("facts")
      .values({ name: "cut-2", value: "" })
      .execute()
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect({ error: String(error), isRetryable: isRetryable(error) }).toMatchObject({ isRetryable: true });
    await transaction
      .rollback()
      .execute()
      .catch(() => undefined); // There is nothing left to roll back.
    const refusals: unknown[] = [];
    for (let attempt = 0; attempt < 10; attempt += 1)
      await insert(`after-${attempt}`).catch((reason: unknown) => refusals.push(reason));
    expect(refusals.filter((reason) => !isRetryable(reason))).toEqual([]);
    await Promise.all(Array.from({ length: 10 }, (_, index) => insert(`again-${index}`)));
    const rows = await kysely.selectFrom("facts").select("name").execute();
    expect(rows.filter(({ name }) => name.startsWith("again-"))).toHaveLength(10);
    expect(rows.filter(({ name }) => name.startsWith("cut"))).toEqual([]);
    await cutter.close();
    await opened.close();
  });

  test("a settled value read back is a number in text and prepared form alike", () =>
    withDatabase(engine, async (database) => {
      await database.kysely
        .insertInto("leases")
        .values({ name: "n", holder: "h", expires_time: 2 ** 53 - 1 })
        .execute();
      expect(await readPrepared(database)).toEqual([{ expires_time: 2 ** 53 - 1 }]);
    }));

  test("a server that is not there stops the start in one line without the password", async () => {
    const place = await createTestPlace(engine);
    const url = new URL(place.config.databaseUrl ?? "");
    url.port = "1";
    url.password = "hunter2";
    const error: unknown = await openDatabase({ ...place.config, databaseUrl: url.href }).catch(
      (reason: unknown) => reason,
    );
    expect(String(error)).toMatch(/^Error: The database at 127\.0\.0\.1:1 cannot be opened: /);
    expect(String(error)).not.toMatch(/\n|hunter2/);
    await place.remove();
  });
});
