/** Tests of making and changing users: only fields of the form are written, balances move by differences, and calls billed meanwhile lose nothing. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ManagedUser } from "../../../../contract/src/features/users.ts";
import { openTestConsole, type Caller, type TestConsole } from "../../../../tests/support/systems/console.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { settlementOf } from "../../billing/testing.ts";
import { auditDatabase } from "../../billing/audit.ts";

const PASSWORD = "a-good-one";

describe.each(await engines())("changes of users on %s", (engine) => {
  let site: TestConsole;
  let root: Caller;
  let admin: Caller;

  beforeAll(async () => {
    site = await openTestConsole(engine);
    root = await site.person(100, { quota: 1000 });
    admin = await site.person(10);
  });
  afterAll(() => site.close());

  const CHANGE = "0123456789abcdef0123456789abcdef";
  const row = (id: number) =>
    site.foundation.database.kysely.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  const put = (body: object, actor = admin) => actor.call("PUT", "/api/user/", body).then((answer) => answer.body);
  const post = (body: object) => admin.call("POST", "/api/user/", body).then((answer) => answer.body);
  const login = (username: string, password: string) =>
    fetch(`${site.url}/api/user/login`, { method: "POST", body: JSON.stringify({ username, password }) }).then(
      async (response) => (await response.json()) as { success: boolean },
    );
  const eventsOf = async (id: number) => {
    const rows = site.foundation.database.kysely.selectFrom("logs").select("other").where("user_id", "=", id);
    const events = await rows.where("type", "=", 3).orderBy("id").execute();
    return events.map(({ other }) => JSON.parse(other) as { event: object; admin_info?: object });
  };

  it("makes an ordinary user who can log in, and refuses by name what a new account is not given", async () => {
    const sent = { username: " grace ", password: PASSWORD, id: root.userId };
    for (const [field, value] of Object.entries({ quota: 9_999_999, group: "vip", email: "g@example.org" }))
      expect(await post({ ...sent, [field]: value })).toMatchObject({
        success: false,
        code: "field_unsupported",
        field,
      });
    expect(await post({ ...sent, role: 100 })).toMatchObject({ success: false, field: "role" });
    const made = (await post(sent)).data as ManagedUser;
    expect(made).toMatchObject({
      username: "grace",
      display_name: "grace",
      role: 1,
      status: 1,
      group: "default",
      password: "",
    });
    expect(made.id).not.toBe(root.userId);
    expect(await row(made.id)).toMatchObject({ quota: 0, role: 1, group_name: "default" });
    expect((await login("grace", PASSWORD)).success).toBe(true);
    await expect
      .poll(async () => (await eventsOf(admin.userId)).map(({ event }) => event))
      .toContainEqual({ code: "user_created", values: { name: "grace", id: made.id } });
  });

  it.each([
    [{ username: "", password: PASSWORD }, "username"],
    [{ username: "has space", password: PASSWORD }, "username"],
    [{ username: "a@b", password: PASSWORD }, "username"],
    [{ username: "x".repeat(33), password: PASSWORD }, "username"],
    [{ username: "bob", password: "short12" }, "password"],
    [{ username: "bob", password: "x".repeat(21) }, "password"],
    [{ username: "bob" }, "password"],
    [{ username: "bob", password: PASSWORD, display_name: "x".repeat(33) }, "display_name"],
  ])("refuses %j", async (body, field) => {
    expect(await post(body)).toMatchObject({ success: false, field });
    expect(
      await site.foundation.database.kysely.selectFrom("users").select("id").where("username", "=", "bob").execute(),
    ).toEqual([]);
  });

  it("refuses a name that another has in other letters, at making and at changing", async () => {
    await post({ username: "Linus", password: PASSWORD });
    expect(await post({ username: "LINUS", password: PASSWORD })).toMatchObject({
      code: "username_taken",
      field: "username",
    });
    const ada = await site.person(1);
    expect(await put({ id: ada.userId, username: "ｌｉｎｕｓ" })).toMatchObject({
      code: "username_taken",
      field: "username",
    });
    expect((await row(ada.userId)).username).toBe(ada.username);
  });

  it("changes name, display name and group, and writes what was and what is", async () => {
    const ada = await site.person(1);
    const name = `n${ada.username.slice(1)}`;
    const { success, data } = await put({ id: ada.userId, username: name, display_name: " Ada ", group: "vip" });
    expect([success, data]).toMatchObject([true, { username: name, display_name: "Ada", group: "vip" }]);
    await expect
      .poll(async () => (await eventsOf(admin.userId)).at(-1))
      .toEqual({
        event: { code: "user_changed", values: { name: ada.username, id: ada.userId } },
        admin_info: {
          before: { username: ada.username, display_name: "", group_name: "default" },
          after: { username: name, display_name: "Ada", group_name: "vip" },
        },
      });
    expect(await put({ id: ada.userId, group: "no-such-group" })).toMatchObject({
      code: "group_unknown",
      field: "group",
    });
    expect(await put({ id: ada.userId, group: "" })).toMatchObject({ code: "group_unknown", field: "group" });
  });

  it("takes the whole row as it was read, and changes nothing by it", async () => {
    const ada = await site.person(1, { quota: 500 });
    const read = await admin.data<ManagedUser>("GET", `/api/user/${ada.userId}`);
    const before = await row(ada.userId);
    const sent = {
      ...read,
      role: 100,
      status: 2,
      email: "evil@example.org",
      github_id: "1",
      aff_quota: 99,
      inviter_id: 1,
      setting: "{}",
      access_token: null,
      used_quota: 7,
    };
    expect((await put(sent)).success).toBe(true);
    expect(await row(ada.userId)).toEqual(before);
  });

  it("lets a new password end every session and the access token, and tells the person", async () => {
    const ada = await site.person(1);
    const token = await ada.data<string>("POST", "/api/user/token");
    await site.foundation.database.kysely
      .updateTable("users")
      .set({ email: "ada@example.org" })
      .where("id", "=", ada.userId)
      .execute();
    expect(await put({ id: ada.userId, password: "x".repeat(21) })).toMatchObject({ field: "password" });
    expect((await ada.call("GET", "/api/user/self")).status).toBe(200);
    expect((await put({ id: ada.userId, password: PASSWORD })).success).toBe(true);
    expect((await ada.call("GET", "/api/user/self")).status).toBe(401);
    const headers = { Authorization: `Bearer ${token}`, "New-Api-User": String(ada.userId) };
    expect((await fetch(`${site.url}/api/user/self`, { headers })).status).toBe(401);
    expect((await login(ada.username, PASSWORD)).success).toBe(true);
    const told = site.foundation.database.kysely.selectFrom("outbox").select("event").where("user_id", "=", ada.userId);
    expect(await told.execute()).toEqual([{ event: "password_set_by_administrator" }]);
    expect(JSON.stringify(await eventsOf(admin.userId))).not.toContain(PASSWORD);
  });

  it("posts a balance as the difference to what the editor saw, else to what there is, or the signed correction", async () => {
    const ada = await site.person(1, { quota: 1000 });
    const quota = async () => (await row(ada.userId)).quota;
    await put({ id: ada.userId, quota: 1500 });
    expect(await quota()).toBe(1500);
    const requestId = `call-of-${ada.userId}`;
    const { billing } = site.foundation;
    const hold = await billing.hold({ requestId, userId: ada.userId, tokenId: 0, isTokenLimited: false, amount: 200 });
    const scene = { userId: ada.userId, tokenId: 0, channelId: 0 };
    await billing.settle(hold, { ...settlementOf(scene, requestId, 200), isTokenLimited: false });
    // A call took 200 since the editor was opened.
    await put({ id: ada.userId, quota: 2000, quota_seen: 1500 });
    expect(await quota()).toBe(1800);
    // Another administrator changed it since: that is not undone unseen.
    expect(await put({ id: ada.userId, quota: 2000, quota_seen: 1300 })).toMatchObject({
      code: "user_quota_changed",
      field: "quota",
    });
    expect(await quota()).toBe(1800);
    await put({ id: ada.userId, quota_delta: -1900, quota: 5 });
    expect(await quota()).toBe(-100);
    await put({ id: ada.userId, quota: -100 });
    expect(await quota()).toBe(-100);
    const events = (await eventsOf(ada.userId)).map(({ event }) => event);
    expect(events).toEqual(
      [
        { from: 1000, to: 1500 },
        { from: 1300, to: 1800 },
        { from: 1800, to: -100 },
      ].map((values) => ({ code: "quota_changed_by_admin", values })),
    );
    const own = await ada.data<{ items: { content: string }[] }>("GET", "/api/log/self?type=3");
    expect(own.items[0]?.content).toBe("An administrator changed the quota from 1800 to -100");
    expect(JSON.stringify(own)).not.toContain(admin.username);
  });

  it.each([
    { quota: 1.5 },
    { quota: 2 ** 53 },
    { quota_delta: 2 ** 53 - 1 },
    { quota_delta: 0.1 },
    { quota_delta: null },
    { quota: "5" },
  ])("refuses %j", async (change) => {
    const ada = await site.person(1, { quota: 5 });
    expect((await put({ id: ada.userId, display_name: "changed", ...change })).success).toBe(false);
    expect(await row(ada.userId)).toMatchObject({ quota: 5, display_name: "" });
  });

  it("holds a balance of 2^53 - 1", async () => {
    const ada = await site.person(1);
    expect((await put({ id: ada.userId, quota: Number.MAX_SAFE_INTEGER })).data).toMatchObject({
      quota: Number.MAX_SAFE_INTEGER,
    });
    expect((await put({ id: ada.userId, quota_delta: -Number.MAX_SAFE_INTEGER })).data).toMatchObject({ quota: 0 });
  });

  it("loses nothing while calls are billed and ten administrators correct at once", async () => {
    const ada = await site.person(1, { quota: 100_000 });
    const bill = (n: number) =>
      site.context.billing.move({
        entryId: `bill:${ada.userId}:${n}`,
        kind: "redemption",
        userId: ada.userId,
        quotaDelta: -7,
        detail: "{}",
      });
    const acts = Array.from({ length: 20 }, (_, n) => [
      bill(n),
      put({ id: ada.userId, quota_delta: 10 }),
      put({ id: ada.userId, display_name: `name ${n}` }),
    ]).flat();
    await Promise.all<unknown>(acts);
    expect((await row(ada.userId)).quota).toBe(100_000 + 20 * 3);
    expect((await auditDatabase(site.foundation.database)).faults).toEqual([]);
  });

  it("is closed on equal and higher roles; the super administrator has their own balance, but neither name nor password", async () => {
    const peer = await site.person(10, { quota: 1 });
    for (const target of [peer, root]) {
      expect((await admin.call("GET", `/api/user/${target.userId}`)).body).toMatchObject({
        code: "user_role_not_lower",
      });
      expect(await put({ id: target.userId, quota_delta: 5 })).toMatchObject({
        code: "user_role_not_lower",
        field: "id",
      });
    }
    expect(await put({ id: admin.userId, quota_delta: 5 })).toMatchObject({ code: "user_is_self", field: "id" });
    expect((await put({ id: peer.userId, quota_delta: 5 }, root)).data).toMatchObject({ quota: 6 });
    expect((await put({ id: root.userId, quota_delta: 5 }, root)).data).toMatchObject({ quota: 1005 });
    expect(await put({ id: root.userId, password: PASSWORD }, root)).toMatchObject({
      code: "user_is_self",
      field: "password",
    });
    expect(await put({ id: root.userId, username: "other" }, root)).toMatchObject({
      code: "user_is_self",
      field: "username",
    });
    expect(await put({ id: 0, quota: 1 })).toMatchObject({ success: false, field: "id" });
    expect(await put({ quota: 1 })).toMatchObject({ success: false, field: "id" });
    expect(await put({ id: 987_654, quota: 1 })).toMatchObject({ code: "not_found" });
  });

  it.each([{}, { quota_seen: 500 }])("sets a balance once that is set twenty times at once, with %j", async (seen) => {
    for (const start of [500, 5_000_000]) {
      const ada = await site.person(1, { quota: start });
      const before = "quota_seen" in seen ? { quota_seen: start } : {};
      const wanted = { id: ada.userId, quota: 1000, ...before };
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          put(index % 2 === 0 ? wanted : { ...wanted, change_id: `${CHANGE.slice(0, -2)}${10 + index}` }),
        ),
      );
      expect(answers.map(({ success }) => success)).toEqual(answers.map(() => true));
      expect((await row(ada.userId)).quota).toBe(1000);
      expect(await site.foundation.billing.available(ada.userId)).toBe(1000);
    }
    expect((await auditDatabase(site.foundation.database)).faults).toEqual([]);
  });

  it("moves the balance once for a change that is sent twenty times, and says so", async () => {
    const ada = await site.person(1, { quota: 500 });
    const change = { id: ada.userId, quota_delta: 100, change_id: CHANGE };
    const answers = await Promise.all(Array.from({ length: 20 }, () => put(change)));
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    expect(answers.filter(({ code }) => code === "quota_change_repeated")).toHaveLength(19);
    expect((await row(ada.userId)).quota).toBe(600);
    expect(await put({ ...change, change_id: "short" })).toMatchObject({ success: false, field: "change_id" });
    expect((await auditDatabase(site.foundation.database)).faults).toEqual([]);
  });
});
