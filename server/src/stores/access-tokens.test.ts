/** Tests of upstream access tokens on every engine: exchanged once for all waiting calls in all processes, stored encrypted, usable without a database. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestDatabase, engines, openTestDatabase } from "../../../tests/support/databases/databases.ts";
import type { AccessTokens } from "../relay/call/ports.ts";
import { accessTokens, expiredTokensJob } from "./access-tokens.ts";

const LIFETIME_SECONDS = 1_000;

describe.each(await engines())("access tokens on %s", (engine) => {
  let opened: TestDatabase;
  let nowMs = 1_800_000_000_000;
  let exchanges = 0;
  let warnings = 0;

  const exchange = async () => {
    const token = `token-${(exchanges += 1)}`;
    await new Promise((resolve) => setTimeout(resolve, 20));
    return { token, lifetimeSeconds: LIFETIME_SECONDS };
  };
  const process = (holder: string, database = opened.database): AccessTokens =>
    accessTokens({
      database,
      secrets: opened.secrets,
      clock: () => nowMs,
      holder,
      logger: { warn: () => void (warnings += 1) },
    });

  beforeAll(async () => {
    opened = await openTestDatabase(engine);
  });
  afterAll(() => opened.close());

  test("100 calls at once in two processes cost one exchange", async () => {
    exchanges = 0;
    const [one, two] = [process("one"), process("two")];
    const calls = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? one : two).get("a key", exchange));
    expect(new Set(await Promise.all(calls))).toEqual(new Set(["token-1"]));
    expect(exchanges).toBe(1);
  });

  test("the token and the key are in no row that could be read", async () => {
    const rows = await opened.database.kysely.selectFrom("access_tokens").selectAll().execute();
    expect(rows.length).toBe(1);
    expect(JSON.stringify(rows)).not.toMatch(/token-1|a key/);
  });

  test("a tenth of its life before its end it is renewed", async () => {
    const tokens = process("three");
    nowMs += (LIFETIME_SECONDS - 101) * 1000;
    expect(await tokens.get("a key", exchange)).toBe("token-1");
    nowMs += 2_000;
    expect(await tokens.get("a key", exchange)).toBe("token-2");
  });

  test("one that was refused is forgotten by all, but not the one that took its place", async () => {
    const [one, two] = [process("one"), process("two")];
    const refused = await one.get("a key", exchange);
    await one.forget("a key", refused);
    const renewed = await one.get("a key", exchange);
    await two.forget("a key", refused);
    expect([refused === renewed, await two.get("a key", exchange)]).toEqual([false, renewed]);
  });

  test("a failed exchange rejects for all who wait, and the next one tries anew", async () => {
    const tokens = process("one");
    const fails = () => Promise.reject(new Error("no such key"));
    const calls = [tokens.get("bad key", fails), tokens.get("bad key", fails)];
    expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await expect(calls[0]).rejects.toThrow("no such key");
    expect(await tokens.get("bad key", exchange)).toMatch(/^token-/);
  });

  test("those that have run out are taken away", async () => {
    nowMs += 2 * LIFETIME_SECONDS * 1000;
    await expiredTokensJob(opened.database, () => nowMs).run();
    expect(await opened.database.kysely.selectFrom("access_tokens").select("name_hash").execute()).toEqual([]);
  });

  test("without a database each process has its own, and logs a warning", async () => {
    const gone = await openTestDatabase(engine);
    await gone.close();
    warnings = 0;
    expect(await process("lone", gone.database).get("a key", exchange)).toMatch(/^token-/);
    expect(warnings).toBe(1);
  });
});
