/** Promises about the people whom a change of prices concerns: who would run out, and who is notified of it, with which figures. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DryRunLine, DryRunResult } from "../../../../contract/src/pricing/dry-run.ts";
import { NO_USAGE } from "../../../../contract/src/pricing/usage.ts";
import { chargeQuota } from "../../../../contract/src/pricing/pricing.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { type Caller, openTestConsole, type TestConsole } from "../../../../tests/support/systems/console.ts";
import { chargeDetail } from "../../billing/charge-detail.ts";
import { settlementOf } from "../../billing/testing.ts";
import { SESSION_COOKIE } from "../http/authenticate.ts";

const START_S = 1_790_000_000;
const DAY_S = 86_400;
const at = (price: string) => ({ ratios: { ModelPrice: price }, tools: {} });
/** 0.012 USD a call: 6,000 units of quota, 200 a day over 30 days. */
const [PRICE, CHARGE] = ["0.012", 6_000];

describe.each(await engines())("people whom prices concern on %s", (engine) => {
  let site: TestConsole;
  let root: Caller;
  const nowS = START_S;

  beforeAll(async () => {
    site = await openTestConsole(engine, {}, () => nowS * 1000);
    root = await site.person(100);
    await root.data("PUT", "/api/option", { key: "ModelPrice", value: `{"m": ${PRICE}, "other": ${PRICE}}` });
  });
  afterAll(() => site.close());

  const call = async (userId: number, model: string): Promise<void> => {
    const price = site.foundation.snapshot.priceOf(model);
    if (price === undefined) throw new Error(`no price of ${model}`);
    const usage = { ...NO_USAGE, callFactor: "1" };
    const terms = { usage, price, groupRatio: "1", quotaPerUnit: "500000", priceVersion: 1 };
    const detail = chargeDetail({ ...terms, model, namedModel: model });
    const requestId = randomUUID();
    const hold = await site.context.billing.hold({ requestId, userId, tokenId: 0, isTokenLimited: false, amount: 0 });
    const charge = chargeQuota(usage, price, "1", "500000");
    const settlement = settlementOf({ userId, tokenId: 0, channelId: 0 }, requestId, charge, nowS - 5 * DAY_S);
    const { log: _log, ...row } = settlement;
    await site.context.billing.settle(hold, { ...row, model, groupName: "default", isTokenLimited: false, detail });
  };
  /** An account with one call and what is left after it, in quota. */
  const person = async (left: number, model = "m"): Promise<Caller> => {
    const made = await site.person();
    const { kysely } = site.foundation.database;
    const { quota } = await kysely
      .selectFrom("users")
      .select("quota")
      .where("id", "=", made.userId)
      .executeTakeFirstOrThrow();
    await call(made.userId, model);
    const quotaDelta = left + CHARGE - Number(quota);
    if (quotaDelta !== 0)
      await site.context.billing.move({
        entryId: randomUUID(),
        kind: "adjustment",
        userId: made.userId,
        quotaDelta,
        detail: "{}",
      });
    return made;
  };
  const dryRun = async (body: object): Promise<DryRunResult> => {
    const response = await fetch(`${site.url}/api/prices/dry_run`, {
      method: "POST",
      headers: {
        Cookie: `${SESSION_COOKIE}=${root.cookie}`,
        "New-Api-User": String(root.userId),
        "Content-Type": "application/json",
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    const last = JSON.parse(text.trim().split("\n").at(-1) ?? "") as DryRunLine;
    if (last.kind !== "result") throw new Error(text);
    return last;
  };

  it.each([30, 7])("a dry run of %s days lists who runs out within a week under it and did not before", async (days) => {
    const early = await person(200 * 5);
    const soon = await person(200 * 10);
    const later = await person(200 * 8);
    const long = await person(200 * 15);
    const elsewhere = await person(200 * 10, "other");
    const found = await dryRun({ days, changes: [{ model: "m", to: at("0.024") }] });
    const ids = new Set([early, soon, later, long, elsewhere].map(({ userId }) => userId));
    expect(found.running_out.people.filter(({ id }) => ids.has(id))).toEqual([
      { id: later.userId, name: later.username, balance: 1_600, days_before: 8, days_left: 4 },
      { id: soon.userId, name: soon.username, balance: 2_000, days_before: 10, days_left: 5 },
    ]);
    expect(found.running_out.count).toBe(found.running_out.people.length);
    const cheaper = await dryRun({ days, changes: [{ model: "m", to: at("0.001") }] });
    expect(cheaper.running_out).toEqual({ count: 0, people: [] });
  });
});
