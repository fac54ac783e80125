/** Tests of groups by top-ups: the credit and the rise are one, orders paid at once count together, and no user is moved down or out of a group set by hand. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { setOptions } from "../../../../tests/support/databases/options.ts";
import { openTestConsole } from "../../../../tests/support/systems/console.ts";
import type { Caller, TestConsole } from "../../../../tests/support/systems/console.ts";
import { auditDatabase } from "../../billing/audit.ts";
import type { Foundation } from "../../composition/foundation.ts";
import { creditOrder } from "./credit.ts";
import { findOrder, insertOrder } from "./store.ts";

const UNIT = 500_000;

describe.each(await engines())("groups by top-ups on %s", (engine) => {
  let site: TestConsole;
  let other: Foundation;
  let orders = 0;

  beforeAll(async () => {
    site = await openTestConsole(engine);
    other = engine === "sqlite" ? site.foundation : await site.second();
  });
  afterAll(async () => {
    if (other !== site.foundation) await other.close();
    await site.close();
  });
  const setGroups = async (PaidGroups: string) => {
    await setOptions(site.foundation, {
      PaidGroups,
      QuotaPerUnit: String(UNIT),
      GroupRatio: '{"default": 1, "vip": 1, "svip": 1, "staff": 1}',
    });
    await other.snapshot.refresh();
  };
  beforeEach(() => setGroups('{"vip": 10, "svip": 100, "gone": 1000}'));

  /** Makes an order of so many units and gives what credits it, on one process or the other. */
  const orderOf = async ({ userId }: Caller, units: number) => {
    orders += 1;
    const id = await insertOrder(site.foundation.database, {
      user_id: userId,
      trade_no: `TP-${engine}-${orders}`,
      quota: units * UNIT,
      money_minor: 100,
      currency: "USD",
      amount: units,
      method: "stripe",
      status: "pending",
      created_time: 1,
      completed_time: 0,
    });
    return async ({ database, billing, snapshot, secrets }: Foundation): Promise<boolean> => {
      const order = await findOrder(database, id);
      if (order === undefined) throw new Error("the order is gone");
      return creditOrder({ database, billing, snapshot, secrets, clock: Date.now }, order, { reference: "" });
    };
  };
  const pay = async (person: Caller, units: number): Promise<void> => {
    const credit = await orderOf(person, units);
    expect([await credit(site.foundation), await credit(other)]).toEqual([true, false]);
  };
  const kysely = () => site.foundation.database.kysely;
  const groupOf = async ({ userId }: Caller): Promise<string> => {
    const { group_name } = await kysely()
      .selectFrom("users")
      .select("group_name")
      .where("id", "=", userId)
      .executeTakeFirstOrThrow();
    expect(site.foundation.snapshot.userById(userId)?.groupName).toBe(group_name);
    return group_name;
  };
  const rises = async ({ userId }: Caller): Promise<unknown[]> => {
    const rows = await kysely()
      .selectFrom("logs")
      .select("other")
      .where("user_id", "=", userId)
      .orderBy("id")
      .execute();
    const events = rows.map(
      ({ other: text }) => (JSON.parse(text) as { event: { code: string; values: unknown } }).event,
    );
    return events.flatMap(({ code, values }) => (code === "group_raised" ? [values] : []));
  };

  it("come with the payment that reaches the bound, once, with a row in the log, and are in force at once", async () => {
    const person = await site.person();
    await pay(person, 9);
    expect(await groupOf(person)).toBe("default");
    await pay(person, 1);
    expect(await groupOf(person)).toBe("vip");
    await pay(person, 90);
    expect(await groupOf(person)).toBe("svip");
    expect(await rises(person)).toEqual([
      { from: "default", to: "vip" },
      { from: "vip", to: "svip" },
    ]);
  });

  it("count orders together that are paid at once on two processes", async () => {
    const person = await site.person();
    const credits = await Promise.all([5, 5].map((units) => orderOf(person, units)));
    const [first, second] = credits;
    expect(await Promise.all([first?.(site.foundation), second?.(other)])).toEqual([true, true]);
    await site.foundation.snapshot.refresh();
    expect(await groupOf(person)).toBe("vip");
    expect(await rises(person)).toEqual([{ from: "default", to: "vip" }]);
    expect((await auditDatabase(site.foundation.database)).faults).toEqual([]);
  });

  it("never take users from a group that an administrator gave them, nor to a lower one, nor to one without a ratio", async () => {
    const staff = await site.person(1, { group: "staff" });
    const high = await site.person(1, { group: "svip" });
    const rich = await site.person();
    await Promise.all([pay(staff, 500), pay(high, 10), pay(rich, 5_000)]);
    expect([await groupOf(staff), await groupOf(high), await groupOf(rich)]).toEqual(["staff", "svip", "default"]);
    expect([await rises(staff), await rises(high), await rises(rich)]).toEqual([[], [], []]);
  });

  it("do not count what was taken back, and leave users where they are when it is", async () => {
    const person = await site.person();
    await pay(person, 10);
    await kysely()
      .updateTable("top_ups")
      .set({ taken_back: 10 * UNIT })
      .where("user_id", "=", person.userId)
      .execute();
    expect(await groupOf(person)).toBe("vip");
    await pay(person, 95);
    expect(await groupOf(person)).toBe("vip");
    await setGroups("{}");
    await pay(person, 1_000);
    expect(await groupOf(person)).toBe("vip");
  });
});
