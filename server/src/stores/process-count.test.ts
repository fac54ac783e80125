/** Tests of the process count: it equals the number of live processes on every engine, and stays known while the database is away. */
import { expect, test } from "vitest";
import { engines, openTestDatabase } from "../../../tests/support/databases/databases.ts";
import type { Database } from "../db/database.ts";
import { createPeers } from "./process-count.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test.each(await engines())("processes are counted on %s", async (engine) => {
  const { database, close } = await openTestDatabase(engine);
  const peers = createPeers(2, 20);
  expect([peers.count(), createPeers(0).count()]).toEqual([2, 1]);
  const rows = ["a", "b", "c"].map((id) => ({ id, started_time: 1, seen_time: 1 }));
  await database.kysely.insertInto("processes").values(rows).execute();
  peers.follow(database);
  // SQLite is exactly one process, whatever stands in the list: what was configured stays.
  const expected = engine === "sqlite" ? 2 : 3;
  await pause(100);
  await expect.poll(() => peers.count()).toBe(expected);
  await close();
  await pause(100);
  expect(peers.count()).toBe(expected);
  await peers.close();
});

test("a database that does not answer is asked once", async () => {
  let asked = 0;
  const never = { selectFrom: () => never, select: () => never, executeTakeFirstOrThrow: () => ((asked += 1), answer) };
  const { promise: answer, resolve } = Promise.withResolvers<{ total: number }>();
  const peers = createPeers(2, 5);
  peers.follow({ engine: "postgres", kysely: never } as unknown as Database);
  await expect.poll(() => asked).toBe(1);
  await pause(50);
  expect(asked).toBe(1);
  resolve({ total: 4 });
  await expect.poll(() => peers.count()).toBe(4);
  await peers.close();
});
