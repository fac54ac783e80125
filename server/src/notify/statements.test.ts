/** Tests of monthly statements: balances to the unit against the ledger, one for each account and month, whichever process sends them and however often. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { engines } from "../../../tests/support/databases/databases.ts";
import { setOptions } from "../../../tests/support/databases/options.ts";
import { type Caller, openTestConsole, type TestConsole } from "../../../tests/support/systems/console.ts";
import { readStatements } from "../billing/statement.ts";
import { keyValueStore } from "../db/key-value-store.ts";
import { monthStart } from "../util/months.ts";
import { valuesContext } from "./outbox.ts";
import { hasDueStatements, sendStatements } from "./statements.ts";

/** Half an hour off, so that both ends of a month lie within an hour of the roll-up. */
const ZONE = "Asia/Kolkata";
const [OCTOBER, NOVEMBER] = [monthStart(ZONE, "2026-10"), monthStart(ZONE, "2026-11")];
const DAY = 86_400;

describe.each(await engines())("monthly statements on %s", (engine) => {
  let site: TestConsole;
  let nowMs = NOVEMBER * 1000;

  beforeAll(async () => {
    site = await openTestConsole(engine, {}, () => nowMs);
    await setOptions(site.foundation, { CheckinTimeZone: ZONE, ServerAddress: "https://site.example" });
  });
  afterAll(() => site.close());

  const context = () => {
    const { database, secrets, snapshot } = site.foundation;
    return { database, secrets, options: () => snapshot.options, facts: keyValueStore(database), clock: () => nowMs };
  };
  const move = async (
    userId: number,
    kind: "top_up" | "reversal" | "gift" | "adjustment",
    quotaDelta: number,
    at: number,
  ) => {
    const entryId = randomUUID();
    await site.foundation.billing.move({ entryId, kind, userId, quotaDelta, detail: "{}" });
    // The ledger dates entries by the machine's clock.
    const { kysely } = site.foundation.database;
    await kysely.updateTable("ledger").set({ created_at: at }).where("entry_id", "=", entryId).execute();
  };
  const settle = async (userId: number, model: string, charge: number, createdAt: number) => {
    const { billing } = site.foundation;
    const requestId = randomUUID();
    const hold = await billing.hold({ requestId, userId, tokenId: 0, isTokenLimited: false, amount: charge });
    await billing.settle(hold, {
      requestId,
      createdAt,
      userId,
      tokenId: 0,
      channelId: 0,
      isTokenLimited: false,
      model,
      groupName: "default",
      charge,
      promptTokens: 1,
      completionTokens: 1,
      detail: "{}",
    });
  };
  const person = async (setting: object = { monthly_statement: true }): Promise<Caller> => {
    const made = await site.person(1, { quota: 0 });
    await made.data("PUT", "/api/user/setting", { notification_email: "me@mail.example", ...setting });
    return made;
  };
  const sent = async ({ userId }: Caller) => {
    const rows = await site.foundation.database.kysely
      .selectFrom("outbox")
      .selectAll()
      .where("user_id", "=", userId)
      .where("event", "=", "monthly_statement")
      .execute();
    return rows.map((row) => ({
      language: row.language,
      values: JSON.parse(
        site.foundation.secrets.decrypt(row.values_cipher, valuesContext(row.event, userId)),
      ) as Record<string, unknown>,
    }));
  };

  it("has every kind of entry once, at both ends of the month too, and adds up to the unit", async () => {
    const { userId } = await person();
    await move(userId, "top_up", 9_000_001, OCTOBER - 1);
    await settle(userId, "old", 13, OCTOBER - 1);
    await move(userId, "top_up", 5_000_000, OCTOBER);
    await move(userId, "gift", 250, OCTOBER + DAY);
    await move(userId, "reversal", -1_000, OCTOBER + 2 * DAY);
    await settle(userId, "a", 100, OCTOBER);
    await settle(userId, "b", 7_000, OCTOBER + 3 * DAY);
    await settle(userId, "a", 11, NOVEMBER - 1);
    await settle(userId, "later", 999, NOVEMBER);
    await move(userId, "adjustment", -5, NOVEMBER);
    const statement = (await readStatements(site.foundation.database, [userId], { start: OCTOBER, end: NOVEMBER })).get(
      userId,
    );
    expect(statement).toEqual({
      opening: 9_000_001 - 13,
      topUps: 5_000_000,
      reversals: -1_000,
      credits: 250,
      spent: 7_111,
      refunds: 0,
      closing: 9_000_001 - 13 + 5_000_000 + 250 - 1_000 - 7_111,
      requests: 3,
      models: [
        { model: "b", quota: 7_000, requests: 1 },
        { model: "a", quota: 111, requests: 2 },
      ],
    });
  });

  it("is answered to its owner, by the site's months", async () => {
    const owner = await person();
    await move(owner.userId, "top_up", 70, OCTOBER + 1);
    expect(await owner.data("GET", "/api/user/statement?month=2026-10")).toMatchObject({
      month: "2026-10",
      start: OCTOBER,
      end: NOVEMBER,
      opening: 0,
      top_ups: 70,
      closing: 70,
    });
    expect((await owner.call("GET", "/api/user/statement?month=2026-13")).body).toMatchObject({ field: "month" });
  });

  it("is sent in the first days of a month, once, to those who want it and had movement, in their language", async () => {
    const [wants, chinese, silent, still] = [
      await person(),
      await person({ monthly_statement: true, language: "zh" }),
      await person({}),
      await person(),
    ];
    for (const { userId } of [wants, chinese, silent]) await move(userId, "top_up", 1_234_567, OCTOBER + DAY);
    const at = async (seconds: number): Promise<boolean> => {
      nowMs = seconds * 1000;
      return hasDueStatements(context());
    };
    const whenOff = await at(NOVEMBER + DAY);
    await setOptions(site.foundation, { MonthlyStatementEnabled: "true" });
    expect([whenOff, await at(NOVEMBER + 3600), await at(NOVEMBER + 9 * DAY), await at(NOVEMBER + DAY)]).toEqual([
      false,
      false,
      false,
      true,
    ]);
    // Killed after the first messages: nothing was noted. Then two processes at the same time.
    const killed = { ...context(), facts: { ...context().facts, write: () => Promise.reject(new Error("killed")) } };
    await expect(sendStatements(killed)).rejects.toThrow("killed");
    await Promise.all([sendStatements(context()), sendStatements(context())]);
    expect(await hasDueStatements(context())).toBe(false);
    expect(await sent(wants)).toEqual([
      {
        language: "en",
        values: expect.objectContaining({ month: "2026-10", opening: 0, top_ups: 1_234_567, closing_units: 1_234_567 }),
      },
    ]);
    expect((await sent(chinese)).map(({ language }) => language)).toEqual(["zh"]);
    expect([await sent(silent), await sent(still)]).toEqual([[], []]);
  });
});
