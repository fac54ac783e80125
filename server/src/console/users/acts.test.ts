/** Tests of acts of administrators on users: who may act on whom, what an act ends at once, and that each is logged and notified. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ManagedState, UserAction } from "../../../../contract/src/features/users.ts";
import { openTestConsole, type Caller, type TestConsole } from "../../../../tests/support/systems/console.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { bumpVersion } from "../../db/versions.ts";

describe.each(await engines())("acts on users on %s", (engine) => {
  let site: TestConsole;
  let root: Caller;
  let admin: Caller;

  beforeAll(async () => {
    site = await openTestConsole(engine);
    root = await site.person(100);
    admin = await site.person(10);
  });
  afterAll(() => site.close());

  const manage = (actor: Caller, id: number, action: string) =>
    actor.call("POST", "/api/user/manage", { id, action }).then(({ body }) => body);
  const act = (actor: Caller, id: number, action: UserAction) =>
    actor.data<ManagedState>("POST", "/api/user/manage", { id, action });
  const set = (id: number, change: Record<string, unknown>) =>
    site.foundation.database.kysely
      .transaction()
      .execute(async (transaction) => {
        const changed_version = await bumpVersion(transaction, "users");
        await transaction
          .updateTable("users")
          .set({ ...change, changed_version })
          .where("id", "=", id)
          .execute();
      })
      .then(() => site.context.snapshot.refresh());
  const row = (id: number) =>
    site.foundation.database.kysely.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  const told = (id: number) =>
    site.foundation.database.kysely.selectFrom("outbox").select("event").where("user_id", "=", id).execute();
  const audited = async (actor: Caller): Promise<{ event: { code: string; values: object }; admin_info: object }[]> => {
    const rows = site.foundation.database.kysely.selectFrom("logs").select("other").where("user_id", "=", actor.userId);
    return (await rows.where("type", "=", 3).orderBy("id").execute()).map(({ other }) => JSON.parse(other));
  };

  it("promotes and demotes, answers what the user is now, writes it down and tells them", async () => {
    const ada = await site.person(1);
    await set(ada.userId, { email: `${ada.username}@example.org` });
    expect(await act(root, ada.userId, "promote")).toEqual({ role: 10, status: 1, DeletedAt: null });
    expect((await ada.call("GET", "/api/user/")).status).toBe(401);
    const promoted = await site.session(ada);
    expect((await promoted.call("GET", "/api/user/")).body.success).toBe(true);
    expect(await act(root, ada.userId, "demote")).toEqual({ role: 1, status: 1, DeletedAt: null });
    expect((await promoted.call("GET", "/api/user/")).status).toBe(401);
    expect((await (await site.session(ada)).call("GET", "/api/user/")).status).toBe(403);
    expect((await told(ada.userId)).map(({ event }) => event)).toEqual(["role_changed", "role_changed"]);
    await expect
      .poll(async () => (await audited(root)).map(({ event }) => event.code))
      .toEqual(["user_promoted", "user_demoted"]);
    expect((await audited(root))[0]).toEqual({
      event: { code: "user_promoted", values: { name: ada.username, id: ada.userId } },
      admin_info: {
        before: { role: 1, status: 1, DeletedAt: null },
        after: { role: 10, status: 1, DeletedAt: null },
      },
    });
  });

  it("lets only the super administrator make and unmake administrators", async () => {
    const ada = await site.person(1);
    for (const action of ["promote", "demote"])
      expect(await manage(admin, ada.userId, action)).toMatchObject({ success: false, code: "only_root_promotes" });
    expect(await manage(root, ada.userId, "demote")).toMatchObject({ code: "user_is_common", field: "action" });
    expect(await manage(root, admin.userId, "promote")).toMatchObject({ code: "user_is_admin", field: "action" });
    expect((await row(ada.userId)).role).toBe(1);
  });

  it.each(["promote", "demote", "enable", "disable", "end_sessions", "delete"])(
    "refuses %s on equal and higher roles and on oneself",
    async (action) => {
      const peer = await site.person(10);
      for (const target of [peer, root, admin]) {
        const before = await row(target.userId);
        expect((await manage(admin, target.userId, action)).success).toBe(false);
        expect(await row(target.userId)).toEqual(before);
      }
      expect((await manage(root, root.userId, action)).success).toBe(false);
      expect(await row(root.userId)).toMatchObject({ role: 100, status: 1, deleted_at: null });
    },
  );

  it("refuses whom nobody is and what no action is, naming the field", async () => {
    expect(await manage(root, 0, "disable")).toMatchObject({ success: false, field: "id" });
    expect(await manage(root, admin.userId, "frobnicate")).toMatchObject({ success: false, field: "action" });
    const { body } = await root.call("POST", "/api/user/manage", { action: "disable" });
    expect(body).toMatchObject({ success: false, field: "id" });
    expect(await manage(root, 999_999, "disable")).toMatchObject({ code: "not_found" });
    expect((await root.call("DELETE", "/api/user/0")).body).toMatchObject({ code: "not_found" });
  });

  it("ends the sessions and access tokens of a user, who may sign in again, writes it down and tells them", async () => {
    const ada = await site.person(1);
    await set(ada.userId, { email: `${ada.username}@example.org` });
    const token = await ada.data<string>("POST", "/api/user/token");
    expect(await act(admin, ada.userId, "end_sessions")).toEqual({ role: 1, status: 1, DeletedAt: null });
    expect((await ada.call("GET", "/api/user/self")).status).toBe(401);
    const headers = { Authorization: `Bearer ${token}`, "New-Api-User": String(ada.userId) };
    expect((await fetch(`${site.url}/api/user/self`, { headers })).status).toBe(401);
    expect((await (await site.session(ada)).call("GET", "/api/user/self")).status).toBe(200);
    expect((await told(ada.userId)).map(({ event }) => event)).toContain("sessions_ended_by_administrator");
    await expect
      .poll(async () => (await audited(admin)).map(({ event }) => event))
      .toContainEqual({ code: "user_sessions_ended", values: { name: ada.username, id: ada.userId } });
  });

  it("disables: open sessions and access tokens end, and enabling revives neither", async () => {
    const ada = await site.person(1);
    const token = await ada.data<string>("POST", "/api/user/token");
    const byToken = () =>
      fetch(`${site.url}/api/user/self`, {
        headers: { Authorization: `Bearer ${token}`, "New-Api-User": String(ada.userId) },
      });
    expect((await byToken()).status).toBe(200);
    expect(await act(admin, ada.userId, "disable")).toMatchObject({ status: 2 });
    expect((await ada.call("GET", "/api/user/self")).status).toBe(401);
    expect((await byToken()).status).toBe(401);
    expect(await act(admin, ada.userId, "enable")).toMatchObject({ status: 1 });
    expect((await ada.call("GET", "/api/user/self")).status).toBe(401);
    expect((await byToken()).status).toBe(401);
  });

  it("counts a status of 3 as disabled, and enables it for nobody", async () => {
    const ada = await site.person(1);
    await set(ada.userId, { status: 3 });
    expect(await manage(root, ada.userId, "enable")).toMatchObject({ code: "user_not_activated", field: "action" });
    expect(await act(root, ada.userId, "disable")).toMatchObject({ status: 3 });
    expect((await ada.call("GET", "/api/user/self")).status).toBe(403);
  });

  it.each(["DELETE", "POST"])(
    "deregisters by %s: nothing signs in any more, the row stays, no act takes",
    async (method) => {
      const ada = await site.person(1, { quota: 700 });
      const token = await ada.data<string>("POST", "/api/user/token");
      if (method === "POST") expect((await act(admin, ada.userId, "delete")).DeletedAt).toMatch(/^\d{4}-.*Z$/);
      else await admin.data("DELETE", `/api/user/${ada.userId}`);
      expect((await ada.call("GET", "/api/user/self")).status).toBe(401);
      const headers = { Authorization: `Bearer ${token}`, "New-Api-User": String(ada.userId) };
      expect((await fetch(`${site.url}/api/user/self`, { headers })).status).toBe(401);
      expect(await row(ada.userId)).toMatchObject({ username: ada.username, quota: 700 });
      for (const action of ["enable", "disable", "delete", "promote"])
        expect(await manage(root, ada.userId, action)).toMatchObject({ code: "user_deregistered", field: "id" });
      expect((await root.call("GET", `/api/user/${ada.userId}`)).body).toMatchObject({ code: "not_found" });
      const found = await root.data<{ items: object[] }>("GET", `/api/user/search?keyword=${ada.username}&status=4`);
      expect(found.items).toMatchObject([{ id: ada.userId }]);
      expect(await root.data("GET", `/api/user/search?keyword=${ada.username}&status=1`)).toMatchObject({ total: 0 });
    },
  );

  it("holds in a process that has not heard yet: an administrator who was demoted acts no more", async () => {
    const late = await site.person(10);
    const ada = await site.person(1);
    // Without a new version row no snapshot is refreshed: what this process knows is old.
    await site.foundation.database.kysely.updateTable("users").set({ role: 1 }).where("id", "=", late.userId).execute();
    expect(await manage(late, ada.userId, "disable")).toMatchObject({ success: false, code: "permission_denied" });
    expect((await row(ada.userId)).status).toBe(1);
  });

  it("is done once though ten ask at once", async () => {
    const ada = await site.person(1);
    const answers = await Promise.all(Array.from({ length: 10 }, () => manage(root, ada.userId, "promote")));
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    await expect
      .poll(async () => {
        const rows = await audited(root);
        return rows.filter(
          ({ event }) => event.code === "user_promoted" && "id" in event.values && event.values.id === ada.userId,
        );
      })
      .toHaveLength(1);
  });
});
