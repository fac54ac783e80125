/** The number of processes follows the list of the living on every engine, and stays known while the database is away. */
import { expect, test } from "vitest";
import { engines, openTestDatabase } from "../../tests/support/databases.ts";
import { createPeers } from "./peers.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test.each(await engines())("processes are counted on %s", async (engine) => {
  const { database, close } = await openTestDatabase(engine);
  const peers = createPeers(2, 20);
  expect([peers.count(), createPeers(0).count()]).toEqual([2, 1]);
  const rows = ["a", "b", "c"].map((id) => ({ id, started_time: 1, seen_time: 1 }));
  await database.kysely.insertInto("processes").values(rows).execute();
  peers.follow(database);
  await pause(300);
  // SQLite is exactly one process, whatever stands in the list: what was configured stays.
  const expected = engine === "sqlite" ? 2 : 3;
  expect(peers.count()).toBe(expected);
  await close();
  await pause(100);
  expect(peers.count()).toBe(expected);
  await peers.close();
});
