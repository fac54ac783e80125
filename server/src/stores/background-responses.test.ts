/** Tests of responses in the background on every engine: sealed, read by every process, lost with their process, the oldest beyond the bound deleted. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestDatabase, engines, openTestDatabase } from "../../../tests/support/databases/databases.ts";
import { createSecrets } from "../db/secrets.ts";
import { housekeepingJobs } from "../jobs/housekeeping.ts";
import type { BackgroundResponse } from "../relay/call/ports.ts";
import { backgroundResponses } from "./background-responses.ts";

const DAY_MS = 86_400_000;
const ID = "resp_bg_20261128000000000abcdefghijklmn";
const secrets = createSecrets("k".repeat(31) + "!");
const response = (changes: Partial<BackgroundResponse> = {}): BackgroundResponse => ({
  id: ID,
  userId: 1,
  model: "gpt-4o",
  isStreamed: true,
  status: "queued",
  response: '{"secret words":"额度 🚀"}',
  upstreamId: "",
  ...changes,
});
const frame = (text: string) => `event: x\ndata: ${JSON.stringify({ text })}\n\n`;

describe.each(await engines())("responses in the background on %s", (engine) => {
  let opened: TestDatabase;
  let nowMs = 1_800_000_000_000;
  const process = (processId: string, perUser = 500) =>
    backgroundResponses({ database: opened.database, secrets, clock: () => nowMs, processId, perUser });
  const rows = () => opened.database.kysely.selectFrom("background_responses").selectAll().orderBy("id").execute();
  const live = async (id: string) => {
    const row = { id, started_time: 1, seen_time: 1 };
    await opened.database.kysely.insertInto("processes").values(row).execute();
  };
  beforeAll(async () => {
    opened = await openTestDatabase(engine);
    await live("one");
    await live("two");
  });
  afterAll(() => opened.close());

  test("one is begun, changed and followed by every process, and unreadable in the database", async () => {
    const [one, two] = [process("one"), process("two")];
    await one.begin(response());
    expect(await one.find(ID)).toEqual({ ...response(), maker: "this" });
    expect(await two.find(ID)).toMatchObject({ maker: engine === "sqlite" ? "gone" : "another" });
    await one.addEvents(ID, { lastSequence: 1, frames: [frame("a"), frame("b")] });
    await one.addEvents(ID, { lastSequence: 3, frames: [frame("c"), frame("d\n\n额")] });
    // Whose answer was lost is written again, alone or with what came behind it.
    await one.addEvents(ID, { lastSequence: 3, frames: [frame("c"), frame("d\n\n额")] });
    expect(await two.eventsAfter(ID, -1)).toEqual({ lastSequence: 1, frames: [frame("a"), frame("b")] });
    expect(await two.eventsAfter(ID, 0)).toEqual({ lastSequence: 1, frames: [frame("b")] });
    expect(await two.eventsAfter(ID, 2)).toEqual({ lastSequence: 3, frames: [frame("d\n\n额")] });
    expect(await two.eventsAfter(ID, 3)).toBeUndefined();
    await one.change(ID, { status: "completed", response: '{"a":1}', upstreamId: "resp_x" });
    expect(await two.find(ID)).toMatchObject({ status: "completed", response: '{"a":1}', upstreamId: "resp_x" });
    const events = await opened.database.kysely.selectFrom("background_events").selectAll().execute();
    expect(JSON.stringify([await rows(), events])).not.toMatch(/secret words|额|"a"/);
    await two.remove(ID);
    expect([await one.find(ID), await one.eventsAfter(ID, -1)]).toEqual([undefined, undefined]);
  });

  test("one whose process is gone is known to be, and one that ended is nobody's", async () => {
    await process("dead").begin(response());
    expect(await process("one").find(ID)).toMatchObject({ status: "queued", maker: "gone" });
    await process("one").change(ID, { status: "failed" });
    expect(await process("dead").find(ID)).toMatchObject({ status: "failed", maker: "gone" });
    await process("one").remove(ID);
  });

  test("the process that makes one reads that it is to be cancelled, until it is", async () => {
    const [one, two] = [process("one"), process("two")];
    await one.begin(response());
    await two.askToCancel(ID);
    // On SQLite there is no other process that could have been asked.
    expect([await one.askedToCancel(), await two.askedToCancel()]).toEqual([engine === "sqlite" ? [] : [ID], []]);
    await one.change(ID, { status: "cancelled" });
    expect(await one.askedToCancel()).toEqual([]);
    await one.remove(ID);
  });

  test("a user's oldest go beyond the bound, those under way and of others stay; all go after a day", async () => {
    const store = process("one", 2);
    await store.begin(response({ id: "other", userId: 2, status: "completed" }));
    await store.begin(response({ id: "running" }));
    for (const id of ["a", "b", "c"]) {
      nowMs += 1_000;
      await store.begin(response({ id }));
      await store.addEvents(id, { lastSequence: 0, frames: [frame("x")] });
      await store.change(id, { status: "completed" });
    }
    nowMs += 1_000;
    await store.begin(response({ id: "d" }));
    expect((await rows()).map(({ id }) => id)).toEqual(["b", "c", "d", "other", "running"]);
    expect(await store.eventsAfter("a", -1)).toBeUndefined();
    nowMs += DAY_MS;
    const [job] = housekeepingJobs(
      opened.database,
      () => nowMs,
      () => 0,
    ).filter(({ name }) => name === "old_background_responses");
    await job?.run(new AbortController().signal);
    expect([await rows(), await store.eventsAfter("b", -1)]).toEqual([[], undefined]);
  });
});
