/** Tests of actions on the own account: a repeated transfer moves rewards once, a deleted account is deleted everywhere, a test message reports the receiver's response. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeCertificate } from "../../../../tests/support/systems/certificate.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { openTestConsole } from "../../../../tests/support/systems/console.ts";
import type { Caller, TestConsole } from "../../../../tests/support/systems/console.ts";
import { startMailServer } from "../../../../tests/support/messages/mail-server.ts";
import type { MailServer } from "../../../../tests/support/messages/mail-server.ts";
import { setOptions } from "../../../../tests/support/databases/options.ts";
import { auditDatabase } from "../../billing/audit.ts";
import { valuesContext } from "../../notify/outbox.ts";
import { hashPassword } from "../passwords.ts";

const UNIT = 500_000;

describe.each(await engines())("acts on the own account on %s", (engine) => {
  let site: TestConsole;
  let mail: MailServer;

  beforeAll(async () => {
    mail = await startMailServer({ certificate: makeCertificate() });
    site = await openTestConsole(engine);
    await setOptions(site.foundation, {
      SMTPServer: "127.0.0.1",
      SMTPPort: String(mail.port),
      SMTPAccount: "site@site.example",
      SystemName: "Acme",
    });
  });
  afterAll(async () => {
    await site.close();
    await mail.close();
  });

  const row = (userId: number) =>
    site.foundation.database.kysely.selectFrom("users").selectAll().where("id", "=", userId).executeTakeFirstOrThrow();
  const reward = (person: Caller, quota: number, entryId: string) =>
    site.foundation.billing.move({
      entryId,
      kind: "reward",
      userId: person.userId,
      affQuotaDelta: quota,
      detail: "{}",
    });
  const transfer = (person: Caller, quota: number) => person.call("POST", "/api/user/aff_transfer", { quota });
  const codeOf = async (answer: ReturnType<Caller["call"]>) => (await answer).body.code ?? "done";

  it("moves rewards once, though twenty ask at once and rewards are left for more", async () => {
    const person = await site.person();
    await reward(person, 30 * UNIT, `reward:a:${person.userId}`);
    const codes = await Promise.all(Array.from({ length: 20 }, () => codeOf(transfer(person, UNIT))));
    const done = codes.filter((code) => code === "done").length;
    const { quota, aff_quota } = await row(person.userId);
    // Requests that overlap are one; each that came after another had ended is a transfer of its own.
    expect({ quota, aff_quota }).toEqual({ quota: done * UNIT, aff_quota: (30 - done) * UNIT });
    expect(codes.filter((code) => code !== "done" && code !== "transfer_repeated")).toEqual([]);
    expect(done).toBeGreaterThanOrEqual(1);
  });

  it("never moves more than there is", async () => {
    const person = await site.person();
    await reward(person, UNIT, `reward:b:${person.userId}`);
    const codes = await Promise.all(Array.from({ length: 20 }, () => codeOf(transfer(person, UNIT))));
    expect(codes.filter((code) => code === "done")).toHaveLength(1);
    expect(await row(person.userId)).toMatchObject({ quota: UNIT, aff_quota: 0, aff_history_quota: UNIT });
    const log = await site.foundation.database.kysely
      .selectFrom("logs")
      .selectAll()
      .where("user_id", "=", person.userId)
      .execute();
    expect(log.map(({ other }) => JSON.parse(other).event)).toEqual([
      { code: "rewards_transferred", values: { quota: UNIT } },
    ]);
    expect((await auditDatabase(site.foundation.database)).faults).toEqual([]);
  });

  it("refuses less than one unit, fractions, and more than the rewards", async () => {
    const person = await site.person();
    await reward(person, UNIT, `reward:c:${person.userId}`);
    for (const quota of [0, -UNIT, UNIT - 1, UNIT + 0.5])
      expect([quota, await codeOf(transfer(person, quota))]).toEqual([quota, "transfer_too_small"]);
    expect((await transfer(person, 1)).body).toMatchObject({
      message: "The transfer amount minimum is $1.00",
      field: "quota",
    });
    expect(await codeOf(transfer(person, UNIT + 1))).toBe("rewards_insufficient");
    expect(await row(person.userId)).toMatchObject({ quota: 0, aff_quota: UNIT });
  });

  it("gives the code of the own invitation", async () => {
    const person = await site.person();
    expect(await person.data("GET", "/api/user/aff")).toBe((await row(person.userId)).aff_code);
  });

  it("ends a deleted account in every session, keeps its row, and tells its address", async () => {
    const person = await site.person(1, { quota: 5 });
    const other = await site.session(person);
    const { kysely } = site.foundation.database;
    await kysely
      .updateTable("users")
      .set({ email: `gone-${engine}@mail.example` })
      .where("id", "=", person.userId)
      .execute();
    const token = await person.data<string>("POST", "/api/user/token");
    expect((await person.call("DELETE", "/api/user/self")).body.success).toBe(true);
    for (const caller of [person, other]) expect((await caller.call("GET", "/api/user/self")).status).toBe(401);
    const byToken = await fetch(`${site.url}/api/user/self`, {
      headers: { authorization: `Bearer ${token}`, "new-api-user": String(person.userId) },
    });
    expect(byToken.status).toBe(401);
    expect(await row(person.userId)).toMatchObject({ username: person.username, quota: 5 });
    expect(site.foundation.snapshot.userById(person.userId)?.isDeleted).toBe(true);
    const told = await kysely.selectFrom("outbox").selectAll().where("user_id", "=", person.userId).execute();
    const recipient = `gone-${engine}@mail.example`;
    expect(told).toMatchObject([
      { event: "access_token_made", recipient },
      { event: "account_deleted", recipient },
    ]);
  });

  it("deletes no super administrator's account, and none whose password was not confirmed lately", async () => {
    const root = await site.person(100);
    expect((await root.call("DELETE", "/api/user/self")).body.code).toBe("super_administrator_stays");
    const person = await site.person();
    await site.foundation.database.kysely
      .updateTable("sessions")
      .set({ confirmed_time: 0 })
      .where("user_id", "=", person.userId)
      .execute();
    expect((await person.call("DELETE", "/api/user/self")).body.code).toBe("step_up_required");
    expect((await row(person.userId)).deleted_at).toBeNull();
  });

  it("sends a test mail in the account's language and shows the server's answer, or says why not", async () => {
    const person = await site.person();
    const test = () => person.call("POST", "/api/user/setting/test");
    expect((await test()).body.code).toBe("notification_no_address");
    await person.data("PUT", "/api/user/setting", { notification_email: "me@mail.example", language: "zh" });
    expect((await test()).body.data).toEqual({
      is_delivered: true,
      failure: "",
      answer: expect.stringContaining("queued as 4711"),
    });
    expect(await mail.wait(({ to }) => to === "me@mail.example")).toMatchObject({ subject: "Acme：测试消息" });
    await setOptions(site.foundation, { SMTPServer: "" });
    expect((await test()).body.data).toMatchObject({ is_delivered: false, failure: "smtp_not_configured" });
    await setOptions(site.foundation, { SMTPServer: "127.0.0.1" });
  });

  it("makes an address the account's own by the code that was sent there, once, and tells the one before", async () => {
    const [person, other] = [await site.person(), await site.person()];
    const { kysely } = site.foundation.database;
    const [before, address] = [`before-${engine}@mail.example`, `new-${engine}@mail.example`];
    await kysely.updateTable("users").set({ email: before }).where("id", "=", person.userId).execute();
    expect(await codeOf(person.call("POST", "/api/user/email_code", { email: " " }))).toBe("email_code_missing");
    await person.data("POST", "/api/user/email_code", { email: address.toUpperCase() });
    const sent = await kysely
      .selectFrom("outbox")
      .selectAll()
      .where("recipient", "=", address)
      .executeTakeFirstOrThrow();
    const values = site.foundation.secrets.decrypt(sent.values_cipher, valuesContext(sent.event, sent.user_id));
    const { code } = JSON.parse(values) as { code: string };
    const bind = (who: Caller, email: string, typed: string) =>
      codeOf(who.call("POST", "/api/oauth/email/bind", { email, code: typed }));
    expect(await bind(person, address, code === "000000" ? "000001" : "000000")).toBe("code_invalid");
    expect(await bind(person, `x${address}`, code)).toBe("code_invalid");
    expect(await bind(person, address, code)).toBe("done");
    expect((await row(person.userId)).email).toBe(address);
    const told = await kysely.selectFrom("outbox").selectAll().where("user_id", "=", person.userId).execute();
    expect(told).toMatchObject([{ event: "identity_added", recipient: before }]);
    expect(await bind(other, address, code)).toBe("code_invalid");
    // The address belongs to an account: another one gets no code for it.
    await other.data("POST", "/api/user/email_code", { email: address });
    expect(await kysely.selectFrom("outbox").select("id").where("recipient", "=", address).execute()).toHaveLength(1);
  });

  it("tells a new password to the account's own address, whatever the setting says", async () => {
    const person = await site.person(1, { passwordHash: await hashPassword("old-password") });
    const { kysely } = site.foundation.database;
    await kysely.updateTable("users").set({ email: "own@mail.example" }).where("id", "=", person.userId).execute();
    await person.data("PUT", "/api/user/setting", { notify_type: "webhook", webhook_url: "https://hook.example" });
    await person.data("PUT", "/api/user/self", { password: "new-password", original_password: "old-password" });
    const told = await kysely.selectFrom("outbox").selectAll().where("user_id", "=", person.userId).execute();
    expect(told).toMatchObject([{ event: "password_changed", method: "email", recipient: "own@mail.example" }]);
  });
});
