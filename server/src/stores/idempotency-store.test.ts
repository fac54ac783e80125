/** Tests of idempotency keys on every engine: one of many concurrent claims wins, the response is stored, and the key is free after a day. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestDatabase, engines, openTestDatabase } from "../../../tests/support/databases/databases.ts";
import { KEY_LIFE_SECONDS, type KeptAnswerBounds, deleteExpiredKeys, idempotencyStore } from "./idempotency-store.ts";
import type { IdempotencyStore, KeptAnswer, KeyedCall } from "../relay/call/ports.ts";

const NOW = 1_800_000_000;
const keyed = (changes: Partial<KeyedCall> = {}): KeyedCall => ({
  userId: 1,
  tokenId: 1,
  keyHash: "k".repeat(64),
  bodyHash: "b".repeat(64),
  requestId: "first",
  createdAt: NOW,
  ...changes,
});

describe.each(await engines())("keys on %s", (engine) => {
  let opened: TestDatabase;
  let store: IdempotencyStore;
  /** A process with these bounds. */
  const storeWith = (changes: Partial<KeptAnswerBounds> = {}): IdempotencyStore => {
    const bounds = { answersPerUser: 2_000, bytesPerUser: 2 ** 24, bytesInAll: 2 ** 30, ...changes };
    return idempotencyStore({ ...opened, bounds: () => bounds });
  };
  beforeAll(async () => {
    opened = await openTestDatabase(engine);
    store = storeWith();
  });
  afterAll(() => opened.close());

  test("of many claims at once one wins and the others hear of it", async () => {
    const calls = Array.from({ length: 20 }, (_, index) => keyed({ tokenId: 9, requestId: `r${index}` }));
    const answers = await Promise.all(calls.map((call) => store.claim(call)));
    const winner = calls[answers.indexOf(undefined)];
    expect(answers.filter((answer) => answer === undefined)).toHaveLength(1);
    const others = answers.filter((answer) => answer !== undefined);
    expect(new Set(others.map(({ requestId }) => requestId))).toEqual(new Set([winner?.requestId]));
    expect(others.every(({ isRunning, answer }) => isRunning && answer === undefined)).toBe(true);
  });

  test("an answer comes back byte for byte; without one the call has only ended", async () => {
    const body = Buffer.from([0, 255, 10, ...Buffer.from("Füße 你好 \u0000")]);
    const large = Buffer.alloc(262_144, 250);
    for (const [requestId, kept] of [
      ["a", body],
      ["b", large],
    ] as const) {
      const call = keyed({ keyHash: requestId.repeat(64), requestId });
      await store.claim(call);
      await store.finish(call, { status: 201, contentType: "application/json", body: kept });
      const stored = await store.claim({ ...call, requestId: "second" });
      expect(stored).toMatchObject({ requestId, isRunning: false, bodyHash: call.bodyHash });
      expect(stored?.answer).toMatchObject({ status: 201, contentType: "application/json" });
      expect(stored?.answer?.body.equals(kept)).toBe(true);
    }
    const streamed = keyed({ keyHash: "s".repeat(64) });
    await store.claim(streamed);
    await store.finish(streamed, undefined);
    expect(await store.claim(streamed)).toMatchObject({ isRunning: false, answer: undefined });
  });

  test("a key is freed by its own call only, and belongs to one token", async () => {
    const call = keyed({ keyHash: "f".repeat(64) });
    await store.claim(call);
    await store.release({ ...call, requestId: "somebody else's" });
    await store.finish({ ...call, requestId: "somebody else's" }, undefined);
    expect(await store.claim(call)).toMatchObject({ isRunning: true });
    expect(await store.claim({ ...call, tokenId: 2 })).toBeUndefined();
    await store.release(call);
    expect(await store.claim(call)).toBeUndefined();
  });

  const answerOf = (bytes: number): KeptAnswer => ({
    status: 200,
    contentType: "text/plain",
    body: Buffer.alloc(bytes, "x"),
  });
  /** Ends so many calls of the user at once, and gives how many of their answers can be sent again. */
  const keptOf = async (
    stores: readonly IdempotencyStore[],
    userId: number,
    calls: number,
    bytes: number,
  ): Promise<number> => {
    const all = Array.from({ length: calls }, (_, index) =>
      keyed({ userId, tokenId: userId, keyHash: `${userId}-${index}`, requestId: `${userId}-${index}` }),
    );
    const storeOf = (index: number) => stores[index % stores.length] ?? store;
    await Promise.all(
      all.map(async (call, index) => {
        await storeOf(index).claim(call);
        await storeOf(index).finish(call, answerOf(bytes));
      }),
    );
    const stored = await Promise.all(all.map((call) => store.claim({ ...call, requestId: "again" })));
    expect(stored.every((each) => each !== undefined && !each.isRunning)).toBe(true);
    return stored.filter((each) => each?.answer !== undefined).length;
  };
  const countedOf = (userId: number) =>
    opened.database.kysely
      .selectFrom("kept_answers")
      .select(["answers", "bytes"])
      .where("user_id", "=", userId)
      .executeTakeFirst();

  test("a user's answers are kept up to a number and a size, by two processes together, whatever comes at once", async () => {
    const processes = (bounds: Partial<KeptAnswerBounds>) => [storeWith(bounds), storeWith(bounds)];
    expect(await keptOf(processes({ answersPerUser: 7 }), 101, 30, 100)).toBe(7);
    expect(await countedOf(101)).toMatchObject({ answers: 7 });
    // Sealed text is a third longer: 3 of 8,000 bytes fit into 40,000.
    expect(await keptOf(processes({ bytesPerUser: 40_000 }), 102, 20, 8_000)).toBe(3);
    expect(await keptOf(processes({}), 103, 20, 8_000)).toBe(20);
    expect(await keptOf(processes({ answersPerUser: 0 }), 104, 3, 10)).toBe(0);
  });

  test("all users together are kept up to a size", async () => {
    const { bytes } = await opened.database.kysely
      .selectFrom("kept_answers")
      .select((row) => row.fn.sum<number>("bytes").as("bytes"))
      .executeTakeFirstOrThrow();
    const process = storeWith({ bytesInAll: Number(bytes) + 40_000 });
    const kept = await Promise.all([105, 106, 107].map((userId) => keptOf([process], userId, 4, 8_000)));
    expect(kept.reduce((sum, each) => sum + each, 0)).toBe(3);
  });

  test("an answer lies sealed in the database, and one that an earlier version left in plain text is sent again", async () => {
    const call = keyed({ keyHash: "sealed", requestId: "sealed" });
    await store.claim(call);
    await store.finish(call, { status: 200, contentType: "text/plain", body: Buffer.from("a secret answer") });
    const rows = opened.database.kysely.selectFrom("idempotency_keys").selectAll().where("key_hash", "=", "sealed");
    const { answer } = await rows.executeTakeFirstOrThrow();
    expect([answer.includes("secret"), Buffer.from(answer, "base64").includes("secret")]).toEqual([false, false]);
    const old = { state: 1, answer: Buffer.from("from before").toString("base64"), answer_bytes: 0 };
    await opened.database.kysely.updateTable("idempotency_keys").set(old).where("key_hash", "=", "sealed").execute();
    expect((await store.claim(call))?.answer?.body.toString()).toBe("from before");
  });

  test("what goes after a day gives its room back", async () => {
    const process = storeWith({ answersPerUser: 5 });
    expect(await keptOf([process], 108, 8, 100)).toBe(5);
    const yesterday = { created_time: NOW - KEY_LIFE_SECONDS };
    const { kysely } = opened.database;
    await kysely.updateTable("idempotency_keys").set(yesterday).where("key_hash", "=", "108-0").execute();
    await process.claim(keyed({ userId: 108, tokenId: 108, keyHash: "108-0", requestId: "a new call" }));
    const answers = Number((await countedOf(108))?.answers);
    expect([4, 5]).toContain(answers);
    await kysely.updateTable("idempotency_keys").set(yesterday).where("user_id", "=", 108).execute();
    await deleteExpiredKeys(opened.database, NOW);
    expect(await countedOf(108)).toEqual({ answers: 0, bytes: 0 });
    expect(await keptOf([process], 108, 8, 100)).toBe(5);
  });

  test("after a day the key is free, and the sweep takes the row away", async () => {
    const old = keyed({ keyHash: "o".repeat(64), createdAt: NOW - KEY_LIFE_SECONDS });
    await store.claim(old);
    const fresh = { ...old, createdAt: NOW, requestId: "fresh" };
    expect(await store.claim(fresh)).toBeUndefined();
    expect(await store.claim(old)).toMatchObject({ requestId: "fresh" });
    const rows = async () =>
      (await opened.database.kysely.selectFrom("idempotency_keys").select("key_hash").execute()).length;
    const before = await rows();
    await store.claim(keyed({ keyHash: "p".repeat(64), createdAt: NOW - KEY_LIFE_SECONDS - 1 }));
    await deleteExpiredKeys(opened.database, NOW);
    expect(await rows()).toBe(before);
    await deleteExpiredKeys(opened.database, NOW + KEY_LIFE_SECONDS);
    expect(await rows()).toBe(0);
  });
});
