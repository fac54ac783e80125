/** Tests of new accounts and codes: look-alike names collide, rewards are posted once even if the process dies, and a code can be used once. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openTestConsole } from "../../../../tests/support/systems/console.ts";
import type { TestConsole } from "../../../../tests/support/systems/console.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { bumpVersion } from "../../db/versions.ts";
import { upsert } from "../../db/portable.ts";
import { auditDatabase } from "../../billing/audit.ts";
import { createAccount, payRewards } from "./new-account.ts";
import { CODE_TRIES, giveCode, giveTicket, newDigits, resendSeconds, takeCode, takeTicket } from "./one-time-codes.ts";

describe.each(await engines())("accounts on %s", (engine) => {
  let site: TestConsole;
  const now = 1_900_000_000;

  beforeAll(async () => {
    site = await openTestConsole(engine);
    const { database, snapshot } = site.foundation;
    const options = { QuotaForNewUser: "700", QuotaForInvitee: "50", QuotaForInviter: "30" };
    await database.kysely.transaction().execute(async (transaction) => {
      for (const [name, value] of Object.entries(options))
        await upsert(database, transaction, "options", { name, value, updated_time: 1 }, ["name"], { value });
      await bumpVersion(transaction, "options");
    });
    await snapshot.refresh();
  });
  afterAll(() => site.close());

  const row = (id: number) =>
    site.foundation.database.kysely.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  const logsOf = (id: number) =>
    site.foundation.database.kysely
      .selectFrom("logs")
      .select("other")
      .where("user_id", "=", id)
      .orderBy("id")
      .execute();

  describe("a new one", () => {
    it("gets its gift, the invitee's bonus, and its inviter a reward, with log rows and a count", async () => {
      const inviter = await createAccount(site.context, { username: "inviter" });
      const { aff_code } = await row(inviter.id);
      const invited = await createAccount(site.context, { username: "invited", inviteCode: aff_code });
      expect(await row(invited.id)).toMatchObject({ quota: 750, inviter_id: inviter.id, display_name: "invited" });
      expect(await row(inviter.id)).toMatchObject({ quota: 700, aff_count: 1, aff_quota: 30, aff_history_quota: 30 });
      expect(await logsOf(inviter.id)).toHaveLength(2);
      expect((await logsOf(invited.id)).map(({ other }) => other)).toEqual([
        expect.stringContaining("new_user_gift"),
        expect.stringContaining("invitee_gift"),
      ]);
      expect(await site.foundation.database.kysely.selectFrom("pending_rewards").selectAll().execute()).toEqual([]);
    });

    it("is given what a crash kept from it, once", async () => {
      const move = vi.spyOn(site.context.billing, "move").mockRejectedValueOnce(new Error("the process died"));
      const created = await createAccount(site.context, { username: "crashed" });
      expect((await row(created.id)).quota).toBe(0);
      move.mockRestore();
      await Promise.all([payRewards(site.context), payRewards(site.context)]);
      expect((await row(created.id)).quota).toBe(700);
      expect((await auditDatabase(site.foundation.database)).faults).toEqual([]);
    });

    it.each(["Root", "ROOT", "ｒｏｏｔ", "rOoT"])("may not be called %s beside root", async (username) => {
      await createAccount(site.context, { username: "root" }).catch(() => undefined);
      await expect(createAccount(site.context, { username })).rejects.toMatchObject({ code: "username_taken" });
    });

    it("may not have another's email, and of twenty at once with one name one is made", async () => {
      await createAccount(site.context, { username: "mailed", email: "a@b.example" });
      const second = createAccount(site.context, { username: "mailed2", email: "a@b.example" });
      await expect(second).rejects.toMatchObject({ code: "email_taken" });
      const race = Array.from({ length: 20 }, () => createAccount(site.context, { username: "race" }));
      const ends = await Promise.allSettled(race);
      expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    });
  });

  describe("a code", () => {
    const store = () => ({ database: site.foundation.database, secrets: site.foundation.secrets });
    const give = async (subject: string, payload = {}) => {
      const secret = newDigits();
      await giveCode(store(), store().database.kysely, { purpose: "email", subject, secret, payload, now });
      return { purpose: "email", subject, secret } as const;
    };

    it("counts once, of many at once too, and gives its payload", async () => {
      const code = await give("once@b.example", { invite: "x" });
      const takes = await Promise.allSettled(Array.from({ length: 20 }, () => takeCode(store(), { ...code, now })));
      const taken = takes.filter((take) => take.status === "fulfilled");
      expect(taken.map(({ value }) => value)).toEqual([{ invite: "x" }]);
      await expect(takeCode(store(), { ...code, now })).rejects.toMatchObject({ code: "code_invalid" });
    });

    it("ends after ten minutes, and after five wrong ones", async () => {
      const code = await give("late@b.example");
      await expect(takeCode(store(), { ...code, now: now + 600 })).rejects.toMatchObject({ code: "code_invalid" });
      const guessed = await give("guessed@b.example");
      for (let guess = 0; guess < CODE_TRIES; guess += 1)
        await expect(takeCode(store(), { ...guessed, secret: "no", now })).rejects.toThrow(
          "The code is wrong or expired",
        );
      await expect(takeCode(store(), { ...guessed, now })).rejects.toMatchObject({ code: "code_invalid" });
    });

    it("says when another may be asked for, and is no code of another purpose", async () => {
      const code = await give("again@b.example");
      const { subject } = code;
      expect(await resendSeconds(store(), { purpose: "email", subject, now: now + 10 })).toBe(20);
      expect(await resendSeconds(store(), { purpose: "email", subject, now: now + 30 })).toBe(0);
      await expect(takeCode(store(), { ...code, purpose: "reset", now })).rejects.toThrow(
        "The code is wrong or expired",
      );
    });

    it("that is a ticket is found by itself", async () => {
      const ticket = await giveTicket(store(), { purpose: "oauth", payload: { provider: "github" }, now });
      expect(await takeTicket(store(), { purpose: "oauth", ticket, now })).toEqual({ provider: "github" });
      await expect(takeTicket(store(), { purpose: "oauth", ticket, now })).rejects.toThrow(
        "The code is wrong or expired",
      );
    });
  });
});
