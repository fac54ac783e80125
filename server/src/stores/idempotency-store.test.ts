/** Idempotency keys on every engine: one of many claims wins, the end is kept, a day later the key is free. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { allEngines, openTestDatabase } from "../../../tests/support/databases/databases.ts";
import type { TestDatabase } from "../../../tests/support/databases/databases.ts";
import { KEY_LIFE_SECONDS, deleteExpiredKeys, idempotencyStore } from "./idempotency-store.ts";
import type { IdempotencyStore, KeyedCall } from "../relay/call/idempotency-store.ts";

const NOW = 1_800_000_000;
const keyed = (changes: Partial<KeyedCall> = {}): KeyedCall => ({
  tokenId: 1,
  keyHash: "k".repeat(64),
  bodyHash: "b".repeat(64),
  requestId: "first",
  createdAt: NOW,
  ...changes,
});

describe.each(await allEngines())("keys on %s", (engine) => {
  let opened: TestDatabase;
  let store: IdempotencyStore;
  beforeAll(async () => {
    opened = await openTestDatabase(engine);
    store = idempotencyStore(opened.database);
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
