/** Tests of the clean-up: what expired or is older than any dashboard is deleted, and nothing else. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../tests/support/databases/databases.ts";
import { CallCounts, addCounts } from "../db/call-hours.ts";
import { housekeepingJobs } from "./housekeeping.ts";

const NOW = 1_800_000_000;
let opened: TestDatabase;

beforeAll(async () => {
  opened = await openTestDatabase("sqlite");
});
afterAll(() => opened.close());

test("calls by token are kept for the longest range and the one before it; those by channel and model stay", async () => {
  const { database } = opened;
  const counts = new CallCounts();
  for (const days of [0, 185, 187, 400])
    counts.succeeded({ createdAt: NOW - days * 86_400, userId: 1, tokenId: 2, channelId: 3, model: "m" }, 900, 0);
  await database.kysely.transaction().execute((transaction) => addCounts(database, transaction, counts));
  const job = housekeepingJobs(
    database,
    () => NOW * 1000,
    () => 7,
  ).find(({ name }) => name === "old_token_calls");
  await job?.run();
  const tokens = await database.kysely.selectFrom("token_call_hours").select("hour").execute();
  const calls = await database.kysely.selectFrom("call_hours").select("hour").execute();
  expect([tokens.length, calls.length]).toEqual([2, 4]);
});
