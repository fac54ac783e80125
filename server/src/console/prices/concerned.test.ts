/** Tests of the users whom a change of prices concerns: who would run out, and who is notified of it, with which figures. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { DryRunLine, DryRunResult } from "../../../../contract/src/pricing/dry-run.ts";
import { NOTICES_A_DAY, type StoredPriceChange } from "../../../../contract/src/pricing/price-changes.ts";
import { NO_USAGE } from "../../../../contract/src/pricing/usage.ts";
import { chargeQuota } from "../../../../contract/src/pricing/pricing.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { type Caller, openTestConsole, type TestConsole } from "../../../../tests/support/systems/console.ts";
import { chargeDetail } from "../../billing/charge-detail.ts";
import { settlementOf } from "../../billing/testing.ts";
import { valuesContext } from "../../notify/outbox.ts";
import { SESSION_COOKIE } from "../http/authenticate.ts";
import { announceChanges } from "./announce.ts";

const START_S = 1_790_000_000;
const DAY_S = 86_400;
const at = (price: string) => ({ ratios: { ModelPrice: price }, tools: {} });
/** 0.012 USD a call: 6,000 units of quota, 200 a day over 30 days. */
const [PRICE, CHARGE] = ["0.012", 6_000];

describe.each(await engines())("people whom prices concern on %s", (engine) => {
  let site: TestConsole;
  let root: Caller;
  let nowS = START_S;

  beforeAll(async () => {
    site = await openTestConsole(engine, {}, () => nowS * 1000);
    root = await site.person(100);
    await root.data("PUT", "/api/option", { key: "ModelPrice", value: `{"m": ${PRICE}, "other": ${PRICE}}` });
  });
  beforeEach(async () => {
    const { kysely } = site.foundation.database;
    for (const table of ["price_changes", "outbox"] as const) await kysely.deleteFrom(table).execute();
    // Calls of earlier tests are out of the 30 days, and sessions are over.
    nowS += 60 * DAY_S;
    root = await site.session(root);
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

  it.each([30, 7])(
    "a dry run of %s days lists who runs out within a week under it and did not before",
    async (days) => {
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
    },
  );

  const withMail = async (who: Caller, language: "en" | "zh"): Promise<Caller> => {
    const change = { email: `${who.username}@people.example`, setting: JSON.stringify({ language }) };
    await site.foundation.database.kysely.updateTable("users").set(change).where("id", "=", who.userId).execute();
    return who;
  };
  const apply = (to: string, applyTime = 0) =>
    root.call("POST", "/api/prices/changes", {
      changes: [{ model: "m", from: at(PRICE), to: at(to) }],
      group_ratios: {},
      apply_time: applyTime,
      notify: true,
    });
  const changes = () => root.data<StoredPriceChange[]>("GET", "/api/prices/changes");
  const messages = async () => {
    const rows = await site.foundation.database.kysely.selectFrom("outbox").selectAll().orderBy("user_id").execute();
    return rows.map(({ event, user_id: id, language, recipient, values_cipher }) => {
      const values: unknown = JSON.parse(site.context.secrets.decrypt(values_cipher, valuesContext(event, Number(id))));
      return { event, id: Number(id), language, recipient, values };
    });
  };

  it("prices that are applied notify each person concerned once, in their language, with their own figures", async () => {
    const one = await withMail(await person(10_000), "en");
    const two = await withMail(await person(10_000), "zh");
    await call(two.userId, "m");
    await withMail(await person(10_000, "other"), "en");
    const gone = await withMail(await person(10_000), "en");
    const { kysely } = site.foundation.database;
    await kysely.updateTable("users").set({ status: 2 }).where("id", "=", gone.userId).execute();
    expect((await apply("0.018")).status).toBe(200);
    expect(await changes()).toMatchObject([{ notify: "waiting", notified: 0 }]);
    // An embedded database belongs to one process: there two rounds run at the same time.
    const other = engine === "sqlite" ? site.foundation : await site.second();
    try {
      const context = { ...site.context, database: other.database, snapshot: other.snapshot };
      await Promise.all([announceChanges(site.context), announceChanges(context)]);
    } finally {
      if (other !== site.foundation) await other.close();
    }
    await announceChanges(site.context);
    const figures = { days: 30, address: "" };
    expect(await messages()).toEqual([
      {
        event: "prices_changed",
        id: one.userId,
        language: "en",
        recipient: `${one.username}@people.example`,
        values: { old_cost: CHARGE, new_cost: CHARGE * 1.5, ...figures },
      },
      {
        event: "prices_changed",
        id: two.userId,
        language: "zh",
        recipient: `${two.username}@people.example`,
        values: { old_cost: CHARGE * 2, new_cost: CHARGE * 3, ...figures },
      },
    ]);
    expect(await changes()).toMatchObject([{ notify: "sent", notified: 2 }]);
  });

  it("groups that change have their ratios of before in the figures", async () => {
    const one = await withMail(await person(10_000), "en");
    const answer = await root.call("POST", "/api/prices/changes", {
      changes: [],
      group_ratios: { default: "2" },
      apply_time: 0,
      notify: true,
    });
    expect(answer.status).toBe(200);
    await announceChanges(site.context);
    const values = { old_cost: CHARGE, new_cost: CHARGE * 2 };
    expect(await messages()).toMatchObject([{ id: one.userId, values }]);
    await root.data("PUT", "/api/option", { key: "GroupRatio", value: '{"default": 1}' });
  });

  it("prices from a date notify when they are scheduled and name it; cancelled ones send nothing more", async () => {
    const one = await withMail(await person(10_000), "en");
    const start = nowS + 9 * DAY_S;
    const { id } = (await apply("0.024", start)).body.data as { id: number };
    await announceChanges(site.context);
    const values = { old_cost: CHARGE, new_cost: CHARGE * 2, start };
    expect(await messages()).toMatchObject([{ event: "prices_announced", id: one.userId, values }]);
    await apply("0.03", start);
    await root.data("DELETE", `/api/prices/changes/${id}`);
    expect(await messages()).toEqual([]);
    const [waiting] = await changes();
    await root.data("DELETE", `/api/prices/changes/${waiting?.id ?? 0}`);
    await announceChanges(site.context);
    expect(await messages()).toEqual([]);
  });

  it("notifies of so many changes a day and no more; one that is refused changes no price", async () => {
    for (let count = 0; count < NOTICES_A_DAY; count += 1) expect((await apply("0.02", nowS + 10)).status).toBe(200);
    const refused = await apply("0.02");
    expect([refused.status, refused.body.code]).toEqual([409, "price_notices_spent"]);
    expect(site.foundation.snapshot.priceOf("m")).toMatchObject({ price: PRICE });
    nowS += DAY_S;
    root = await site.session(root);
    expect((await apply("0.02")).status).toBe(200);
  });

  it("asks for no notice where none is wanted", async () => {
    await withMail(await person(10_000), "en");
    const body = { changes: [{ model: "m", from: at(PRICE), to: at("0.018") }], group_ratios: {}, apply_time: 0 };
    await root.data("POST", "/api/prices/changes", body);
    await announceChanges(site.context);
    expect([await messages(), (await changes())[0]?.notify]).toEqual([[], ""]);
  });
});
