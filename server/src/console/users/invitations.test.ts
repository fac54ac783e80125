/** Tests of invitations: one account for each link, with its address, group and quota; their permission, their number, and no hint who is known. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { INVITED_A_DAY, type Invitation } from "../../../../contract/src/people.ts";
import { auditDatabase } from "../../billing/audit.ts";
import { bumpVersion } from "../../db/versions.ts";
import { valuesContext } from "../../notify/outbox.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { setOptions } from "../../../../tests/support/databases/options.ts";
import { type Caller, openTestConsole, type TestConsole } from "../../../../tests/support/systems/console.ts";

const DAY_S = 86_400;
const PASSWORD = "Turnpike-gate-4411";

describe.each(await engines())("invitations on %s", (engine) => {
  let site: TestConsole;
  let root: Caller;
  let admin: Caller;
  let nowS = 1_790_000_000;
  let count = 0;

  beforeAll(async () => {
    site = await openTestConsole(engine, {}, () => nowS * 1000);
    root = await site.person(100);
    await setOptions(site.foundation, {
      SMTPServer: "mail.example",
      SMTPAccount: "site@mail.example",
      ServerAddress: "https://site.example",
      RegisterEnabled: "false",
      QuotaForNewUser: "1000",
      GroupRatio: '{"default": 1, "vip": 0.5}',
    });
  });
  beforeEach(async () => {
    for (const table of ["invitations", "outbox"] as const)
      await site.foundation.database.kysely.deleteFrom(table).execute();
    admin = await site.person(10);
    root = await site.session(root);
  });
  afterAll(() => site.close());

  const newAddress = (): string => `invited-${(count += 1)}@people.example`;
  const invite = (who: Caller, emails: readonly string[], more: object = {}) =>
    who.call("POST", "/api/invitation", { emails, ...more });
  const list = (): Promise<Invitation[]> => root.data("GET", "/api/invitation");
  const mails = async () => {
    const { kysely } = site.foundation.database;
    const rows = await kysely.selectFrom("outbox").selectAll().where("event", "=", "invitation").execute();
    return rows.map(({ recipient, values_cipher }) => {
      const values = JSON.parse(site.context.secrets.decrypt(values_cipher, valuesContext("invitation", 0))) as {
        address: string;
      };
      return { recipient, address: values.address, token: new URL(values.address).searchParams.get("token") ?? "" };
    });
  };
  const tokenOf = async (email: string): Promise<string> => {
    const mail = (await mails()).find(({ recipient }) => recipient === email);
    if (mail === undefined) throw new Error(`no mail to ${email}`);
    return mail.token;
  };
  const accept = async (token: string, username = `guest${(count += 1)}`) => {
    const response = await fetch(`${site.url}/api/invitation/accept`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token, username, password: PASSWORD, terms_version: "" }),
    });
    return { username, body: (await response.json()) as { success: boolean; code?: string } };
  };
  const userBy = (email: string) =>
    site.foundation.database.kysely
      .selectFrom("users")
      .select(["id", "role", "group_name", "quota", "username"])
      .where("email", "=", email)
      .execute();

  it("a link makes one plain account with the chosen group and quota while registration is closed, and the books agree", async () => {
    const email = newAddress();
    const sent = await invite(root, [email.toUpperCase(), email], { group: "vip", quota: 5_000, valid_days: 3 });
    expect(sent.body.data).toEqual({ invited: 1 });
    const token = await tokenOf(email);
    const answers = await Promise.all([accept(token), accept(token)]);
    expect(answers.filter(({ body }) => body.success)).toHaveLength(1);
    const made = answers.find(({ body }) => body.success)?.username;
    expect(await userBy(email)).toMatchObject([{ role: 1, group_name: "vip", quota: 6_000, username: made }]);
    expect(await list()).toMatchObject([{ email, state: "accepted", username: made, created_by: root.username }]);
    expect((await accept(token)).body.code).toBe("invitation_invalid");
    expect((await auditDatabase(site.foundation.database)).faults).toEqual([]);
  });

  it("a link that is taken back, replaced or over makes nothing; a name that is taken does not use it up", async () => {
    const [first, second, third] = [newAddress(), newAddress(), newAddress()];
    await invite(root, [first, second, third], { valid_days: 1 });
    const [taken, replaced, over] = await Promise.all([first, second, third].map(tokenOf));
    const id = (await list()).find(({ email }) => email === first)?.id ?? 0;
    expect((await root.call("DELETE", `/api/invitation/${id}`)).body.success).toBe(true);
    expect((await root.call("DELETE", `/api/invitation/${id}`)).body.code).toBe("invitation_invalid");
    expect((await mails()).map(({ recipient }) => recipient)).not.toContain(first);
    await invite(root, [second]);
    expect((await accept(replaced ?? "")).body.code).toBe("invitation_invalid");
    expect((await accept(await tokenOf(second), root.username)).body.code).toBe("username_taken");
    expect((await accept(await tokenOf(second))).body.success).toBe(true);
    expect((await accept(taken ?? "")).body.code).toBe("invitation_invalid");
    nowS += DAY_S;
    expect((await accept(over ?? "")).body.code).toBe("invitation_invalid");
  });

  it("answers and lists an address that has an account like any other, and sends it nothing", async () => {
    const known = newAddress();
    const { kysely } = site.foundation.database;
    const person = await site.person(100);
    await kysely.updateTable("users").set({ email: known }).where("id", "=", person.userId).execute();
    const unknown = newAddress();
    const answers = [await invite(admin, [known]), await invite(admin, [unknown])];
    expect(answers[0]?.body).toEqual(answers[1]?.body);
    const shown = (await list()).map(({ email, id: _id, ...rest }) => ({ ...rest, isKnown: email === known }));
    expect({ ...shown[0], isKnown: true }).toEqual({ ...shown[1] });
    expect((await mails()).map(({ recipient }) => recipient)).toEqual([unknown]);
  });

  it("quota and group are for who may move money, and none of it for members; a sender who loses the right takes the link along", async () => {
    const restrict = (permissions: string) =>
      site.foundation.database.kysely.transaction().execute(async (transaction) =>
        transaction
          .updateTable("users")
          .set({ permissions, changed_version: await bumpVersion(transaction, "users") })
          .where("id", "=", admin.userId)
          .execute(),
      );
    await restrict("users,logs");
    await site.foundation.snapshot.refresh();
    for (const more of [{ quota: 1 }, { group: "vip" }])
      expect((await invite(admin, [newAddress()], more)).body.code).toBe("permission_withheld");
    const email = newAddress();
    expect((await invite(admin, [email])).body.success).toBe(true);
    await restrict("logs");
    await site.foundation.snapshot.refresh();
    expect((await accept(await tokenOf(email))).body.code).toBe("invitation_invalid");
    const member = await site.person(1);
    for (const answer of [await invite(member, [newAddress()]), await member.call("GET", "/api/invitation")])
      expect(answer.status).toBe(403);
  });

  it("one administrator invites so many a day and no more", async () => {
    for (let sent = 0; sent < INVITED_A_DAY; sent += 50)
      expect((await invite(admin, Array.from({ length: 50 }, newAddress))).status).toBe(200);
    expect((await invite(admin, [newAddress()])).body.code).toBe("invitations_spent");
    expect((await invite(admin, Array.from({ length: 51 }, newAddress))).status).toBe(400);
    expect((await invite(root, [newAddress()])).status).toBe(200);
  });
});
