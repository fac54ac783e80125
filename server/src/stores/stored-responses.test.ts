/** Tests of stored responses on every engine: found by every process, one user's alone, and the oldest go beyond the bound. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestDatabase, engines, openTestDatabase } from "../../../tests/support/databases/databases.ts";
import { housekeepingJobs } from "../jobs/housekeeping.ts";
import type { StoredResponse } from "../relay/call/ports.ts";
import { storedResponses } from "./stored-responses.ts";

const DAY_MS = 86_400_000;
const response = (changes: Partial<StoredResponse> = {}): StoredResponse => ({
  id: "resp_0123456789abcdef",
  userId: 1,
  channelId: 3,
  channelKeyId: 4,
  model: "gpt-4o",
  ...changes,
});

describe.each(await engines())("stored responses on %s", (engine) => {
  let opened: TestDatabase;
  let nowMs = 1_800_000_000_000;
  let errors = 0;
  const process = (bounds: { perUser?: number; lookEvery?: number } = {}) =>
    storedResponses({
      database: opened.database,
      clock: () => nowMs,
      logger: { error: () => void (errors += 1) },
      ...bounds,
    });
  const idsOf = async (userId: number) =>
    (
      await opened.database.kysely
        .selectFrom("stored_responses")
        .select("id")
        .where("user_id", "=", userId)
        .orderBy("id")
        .execute()
    ).map(({ id }) => id);
  beforeAll(async () => {
    opened = await openTestDatabase(engine);
  });
  afterAll(() => opened.close());

  test("every process finds one, and who was first with an id stays its user", async () => {
    const [one, other] = [process(), process()];
    await one.note(response());
    expect(await other.find("resp_0123456789abcdef")).toEqual(response());
    await other.note(response({ userId: 2, channelId: 9 }));
    for (const each of [one, other, process()]) expect(await each.find(response().id)).toEqual(response());
    await one.note(response({ channelId: 5, channelKeyId: 0 }));
    expect(await process().find(response().id)).toMatchObject({ channelId: 5, channelKeyId: 0 });
    await one.remove(response());
    expect([await one.find(response().id), await process().find(response().id)]).toEqual([undefined, undefined]);
  });

  test("many at once of two processes are all written", async () => {
    const stores = [process(), process()];
    const ids = Array.from({ length: 60 }, (_, index) => `resp_many_${String(index).padStart(10, "0")}`);
    await Promise.all(
      ids.flatMap((id, index) => [
        stores[index % 2]?.note(response({ id, userId: 7 })),
        stores[(index + 1) % 2]?.note(response({ id, userId: 7 })),
      ]),
    );
    expect([await idsOf(7), errors]).toEqual([ids, 0]);
  });

  test("of one user the newest stay, and none longer than 30 days", async () => {
    const store = process({ perUser: 5, lookEvery: 10 });
    for (let index = 0; index < 10; index += 1) {
      nowMs += 1000;
      await store.note(response({ id: `resp_bound_000000000${index}`, userId: 8 }));
    }
    expect(await idsOf(8)).toEqual([5, 6, 7, 8, 9].map((index) => `resp_bound_000000000${index}`));
    nowMs += 30 * DAY_MS - 2_000;
    const job = housekeepingJobs(
      opened.database,
      () => nowMs,
      () => 0,
    ).find(({ name }) => name === "old_stored_responses");
    await job?.run(new AbortController().signal);
    expect(await idsOf(8)).toEqual([8, 9].map((index) => `resp_bound_000000000${index}`));
  });
});
