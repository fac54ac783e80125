/** Tests of low-balance warnings: users who keep calling below their threshold are notified at most once in two hours, and no others. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { setOptions } from "../../../tests/support/databases/options.ts";
import { engines } from "../../../tests/support/databases/databases.ts";
import { openTestConsole } from "../../../tests/support/systems/console.ts";
import type { Caller, TestConsole } from "../../../tests/support/systems/console.ts";
import { keyValueStore } from "../db/key-value-store.ts";
import { valuesContext } from "./outbox.ts";
import { warnOfLowBalances } from "./quota-warning.ts";

const HOUR_MS = 3_600_000;

describe.each(await engines())("a low balance on %s", (engine) => {
  let site: TestConsole;
  let nowMs = 1_800_000_000_000;
  let charges = 0;

  beforeAll(async () => {
    site = await openTestConsole(engine, {}, () => nowMs);
    await setOptions(site.foundation, { QuotaRemindThreshold: "1000", ServerAddress: "https://site.example/" });
    await look();
  });
  afterAll(() => site.close());

  const look = () => {
    const { database, secrets, snapshot } = site.foundation;
    const { logger } = site.context;
    const options = () => snapshot.options;
    return warnOfLowBalances({
      database,
      secrets,
      logger,
      options,
      facts: keyValueStore(database),
      clock: () => nowMs,
    });
  };
  const charge = async (person: Caller, quota: number) => {
    charges += 1;
    const about = { entryId: `charge:${charges}`, kind: "adjustment", detail: "{}" } as const;
    await site.foundation.billing.move({ ...about, userId: person.userId, quotaDelta: -quota });
  };
  const person = async (quota: number, setting: object = {}) => {
    const made = await site.person(1, { quota });
    await made.data("PUT", "/api/user/setting", { notification_email: "me@mail.example", ...setting });
    return made;
  };
  const warnings = async ({ userId }: Caller) => {
    const rows = await site.foundation.database.kysely
      .selectFrom("outbox")
      .selectAll()
      .where("user_id", "=", userId)
      .execute();
    return rows.map(
      (row) =>
        JSON.parse(site.foundation.secrets.decrypt(row.values_cipher, valuesContext(row.event, userId))) as object,
    );
  };

  it("is sent with the balance, the threshold and the link to the balance", async () => {
    const ada = await person(1500);
    await charge(ada, 400);
    await look();
    expect(await warnings(ada)).toEqual([]);
    await charge(ada, 200);
    await look();
    const address = "https://site.example/topup";
    expect(await warnings(ada)).toEqual([{ remaining: 900, threshold: 1000, address }]);
  });

  it("is sent at most once in two hours, and again after that while the account keeps calling", async () => {
    const ada = await person(500);
    for (let call = 0; call < 4; call += 1) {
      await charge(ada, 10);
      await Promise.all([look(), look()]);
    }
    nowMs += 2 * HOUR_MS - 1_000;
    await charge(ada, 10);
    await look();
    expect(await warnings(ada)).toHaveLength(1);
    nowMs += 2_000;
    await look(); // Nothing was charged since.
    expect(await warnings(ada)).toHaveLength(1);
    await charge(ada, 10);
    await look();
    expect(await warnings(ada)).toHaveLength(2);
  });

  it("is measured by the account's own threshold where it set one", async () => {
    const [early, late] = [
      await person(90_000, { quota_warning_threshold: 80_000 }),
      await person(900, { quota_warning_threshold: 100 }),
    ];
    await charge(early, 20_000);
    await charge(late, 100);
    await look();
    expect(await warnings(early)).toMatchObject([{ remaining: 70_000, threshold: 80_000 }]);
    expect(await warnings(late)).toEqual([]);
  });

  it("is not sent to accounts without an address, and goes by webhook if the account chose that", async () => {
    const [silent, hooked] = [
      await person(500, { notification_email: "" }),
      await person(500, { notify_type: "webhook", webhook_url: "https://hook.example/x" }),
    ];
    await charge(silent, 1);
    await charge(hooked, 1);
    await look();
    expect(await warnings(silent)).toEqual([]);
    const row = await site.foundation.database.kysely
      .selectFrom("outbox")
      .selectAll()
      .where("user_id", "=", hooked.userId)
      .executeTakeFirst();
    expect(row).toMatchObject({ method: "webhook", recipient: "hook.example" });
  });
});
