/** Tests of notices of model retirement: recent users of its model by key are notified 60, 30 and 7 days before, once each. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { setOptions } from "../../../tests/support/databases/options.ts";
import { engines } from "../../../tests/support/databases/databases.ts";
import { type Caller, type TestConsole, openTestConsole } from "../../../tests/support/systems/console.ts";
import { keyValueStore } from "../db/key-value-store.ts";
import { announceRetirements, hasDueRetirements } from "./model-retirements.ts";
import { valuesContext } from "./outbox.ts";

const DAY_MS = 86_400_000;
const RETIRES = "2027-06-30";
const at = (days: number): number => Date.parse(`${RETIRES}T00:00:00Z`) - days * DAY_MS;

describe.each(await engines())("a model that is taken off on %s", (engine) => {
  let site: TestConsole;
  let nowMs = at(61);
  let people: Record<"user" | "former" | "other" | "disabled" | "visitor", Caller>;

  const context = () => {
    const { database, secrets, snapshot } = site.foundation;
    return {
      database,
      secrets,
      options: () => snapshot.options,
      facts: keyValueStore(database),
      clock: () => nowMs,
    };
  };
  const look = () => announceRetirements(context());
  const used = (person: Caller, model: string, ms: number, token_id = 9) =>
    site.foundation.database.kysely
      .insertInto("usage_hours")
      .values({
        hour: Math.floor(ms / 3_600_000) * 3_600,
        user_id: person.userId,
        token_id,
        channel_id: 1,
        model,
        group_name: "default",
        requests: 1,
        quota: 1,
        prompt_tokens: 1,
        completion_tokens: 1,
      })
      .execute();
  const notices = async () => {
    const rows = await site.foundation.database.kysely
      .selectFrom("outbox")
      .selectAll()
      .where("event", "=", "model_retires")
      .orderBy("id")
      .execute();
    return rows.map(({ user_id, event, values_cipher }) => ({
      user: user_id,
      ...(JSON.parse(site.foundation.secrets.decrypt(values_cipher, valuesContext(event, user_id))) as object),
    }));
  };
  const person = async () => {
    const made = await site.person(1);
    await made.data("PUT", "/api/user/setting", { notification_email: "me@mail.example" });
    return made;
  };

  beforeAll(async () => {
    site = await openTestConsole(engine, {}, () => nowMs);
    const [user, former, other, disabled, visitor] = [
      await person(),
      await person(),
      await person(),
      await person(),
      await person(),
    ];
    people = { user, former, other, disabled, visitor };
    const update = site.foundation.database.kysely.updateTable("users").set({ status: 2 });
    await update.where("id", "=", disabled.userId).execute();
    await used(user, "gpt-4", nowMs - DAY_MS);
    await used(former, "gpt-4", nowMs - 31 * DAY_MS);
    await used(other, "gpt-4o", nowMs - DAY_MS);
    await used(disabled, "gpt-4", nowMs - DAY_MS);
    await used(visitor, "gpt-4", nowMs - DAY_MS, 0);
  });
  afterAll(() => site.close());

  it("is announced to nobody without a day, nor more than 60 days before", async () => {
    expect(await hasDueRetirements(context())).toBe(false);
    const ModelRetirementDates = JSON.stringify({ "gpt-4": RETIRES });
    await setOptions(site.foundation, { ModelRetirementDates, ServerAddress: "https://site.example/" });
    expect(await hasDueRetirements(context())).toBe(false);
    await look();
    expect(await notices()).toEqual([]);
  });

  it("is announced 60 days before to those who used it with a key in the last 30 days, once", async () => {
    nowMs = at(60);
    await Promise.all([look(), look()]);
    await look();
    const address = "https://site.example/pricing";
    expect(await notices()).toEqual([{ user: people.user.userId, model: "gpt-4", day: RETIRES, days: 60, address }]);
    expect(await hasDueRetirements(context())).toBe(false);
  });

  it("is announced again 30 and 7 days before, to those who use it then, and not once the day has come", async () => {
    await used(people.other, "gpt-4", at(35));
    await used(people.user, "gpt-4", at(10));
    nowMs = at(30);
    await look();
    nowMs = at(29);
    await look();
    nowMs = at(7);
    await look();
    nowMs = at(0);
    await look();
    const later = (await notices()).slice(1) as { user: number; days?: number }[];
    expect(later.map(({ user, days }) => [user, days])).toEqual([
      [people.user.userId, 30],
      [people.other.userId, 30],
      [people.user.userId, 7],
      [people.other.userId, 7],
    ]);
  });

  it("is announced anew where the day is moved", async () => {
    await setOptions(site.foundation, { ModelRetirementDates: JSON.stringify({ "gpt-4": "2027-07-05" }) });
    const before = (await notices()).length;
    await look();
    await look();
    const added = (await notices()).slice(before) as { user: number; day?: string }[];
    // The other person's last call is more than 30 days ago by now.
    expect(added.map(({ user, day }) => [user, day])).toEqual([[people.user.userId, "2027-07-05"]]);
  });
});
