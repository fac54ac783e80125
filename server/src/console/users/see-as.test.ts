/** Tests of seeing the console as another user: reads alone, no secrets, no user of an equal or higher role, bound to one session, expiring, and logged. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { API, FEATURE_NAMES } from "../../../../contract/src/api.ts";
import type { Endpoint } from "../../../../contract/src/endpoint.ts";
import { SEEING_SECONDS, type Seeing } from "../../../../contract/src/people.ts";
import { openTestConsole, type Caller, type TestConsole } from "../../../../tests/support/systems/console.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { bumpVersion } from "../../db/versions.ts";
import { browserSessions } from "../http/browser-session.ts";
import { SEEN_READS } from "../http/seeing.ts";

const ENDPOINTS = FEATURE_NAMES.flatMap((feature) =>
  Object.entries(API[feature] as unknown as Record<string, Endpoint>).map(
    ([name, endpoint]) => [`${feature}.${name}`, endpoint] as const,
  ),
);

describe.each(await engines())("seeing the console as a person on %s", (engine) => {
  let site: TestConsole;
  let root: Caller;
  let nowMs = 1_800_000_000_000;

  beforeAll(async () => {
    site = await openTestConsole(engine, {}, () => nowMs);
    root = await site.person(100);
  });
  afterAll(() => site.close());

  const see = (actor: Caller, id: number) => actor.call("POST", `/api/user/${id}/see`);
  const begun = (actor: Caller, id: number) => actor.data<Seeing>("POST", `/api/user/${id}/see`);
  const as = (actor: Caller, id: number, method: string, path: string, body?: unknown) =>
    actor.call(method, path, body, { "New-Api-User": String(id) });
  const set = async (id: number, change: Record<string, unknown>) => {
    await site.foundation.database.kysely.transaction().execute(async (transaction) => {
      const changed_version = await bumpVersion(transaction, "users");
      await transaction
        .updateTable("users")
        .set({ ...change, changed_version })
        .where("id", "=", id)
        .execute();
    });
    await site.context.snapshot.refresh();
  };

  it("answers what the person reads, and the administrator as themselves all the while", async () => {
    const [admin, ada] = [await site.person(10), await site.person(1, { quota: 4321 })];
    const { until, user } = await begun(admin, ada.userId);
    expect(until).toBe(nowMs / 1000 + SEEING_SECONDS);
    expect(user).toMatchObject({ id: ada.userId, username: ada.username, role: 1 });
    expect((await as(admin, ada.userId, "GET", "/api/user/self")).body.data).toMatchObject({
      id: ada.userId,
      quota: 4321,
    });
    expect(await admin.data("GET", "/api/user/self")).toMatchObject({ id: admin.userId });
    await admin.data("DELETE", "/api/user/self/see");
    expect((await as(admin, ada.userId, "GET", "/api/user/self")).status).toBe(401);
  });

  it("refuses every call but the reads that are named, and the relay's, and shows no part of a key", async () => {
    const [admin, ada] = [await site.person(10), await site.person(1)];
    const token = await ada.data<{ id: number; key: string }>("POST", "/api/token/", {
      name: "a",
      unlimited_quota: true,
    });
    await begun(admin, ada.userId);
    for (const [name, { method, path, access }] of ENDPOINTS) {
      if (["public", "signed"].includes(access) || SEEN_READS.has(name)) continue;
      if (["users.endSeeing", "sessions.logout", "sessions.logoutByGet"].includes(name)) continue;
      const { body } = await as(
        admin,
        ada.userId,
        method,
        path.replaceAll(/\{\w+\}/g, String(token.id)),
        method === "GET" ? undefined : {},
      );
      expect([name, body.code]).toEqual([name, "view_read_only"]);
    }
    for (const path of ["/api/token/", `/api/token/${token.id}`, "/api/token/search?keyword=a"]) {
      const { text, status } = await as(admin, ada.userId, "GET", path);
      expect([path, status, text.includes(token.key.slice(0, 4)), text.includes(token.key.slice(-4))]).toEqual([
        path,
        200,
        false,
        false,
      ]);
    }
    const incoming = {
      socket: { remoteAddress: "127.0.0.1" },
      headers: { cookie: `turnpike_session=${admin.cookie}`, "new-api-user": String(ada.userId) },
    };
    await expect(browserSessions(site.context)(incoming as never)).rejects.toMatchObject({
      code: "user_header_missing",
    });
  });

  it("opens reads of the own account alone, which change nothing", () => {
    const open = ENDPOINTS.filter(([name]) => SEEN_READS.has(name));
    expect(open.map(([name]) => name).toSorted()).toEqual([...SEEN_READS].toSorted());
    for (const [name, { method, access, changesState, stepUp, sessionOnly }] of open)
      expect([name, method, ["user", "optional"].includes(access), changesState, stepUp, sessionOnly]).toEqual([
        name,
        "GET",
        true,
        undefined,
        undefined,
        undefined,
      ]);
  });

  it("is refused for oneself, equal and higher roles, and to those who lack a permission or a fresh confirmation", async () => {
    const [admin, peer, ada] = [await site.person(10), await site.person(10), await site.person(1)];
    for (const [actor, id] of [
      [admin, peer.userId],
      [admin, root.userId],
      [admin, admin.userId],
      [root, root.userId],
      [ada, peer.userId],
    ] as const)
      expect([id, (await see(actor, id)).body.success]).toEqual([id, false]);
    expect((await see(admin, 999_999)).body.code).toBe("not_found");
    for (const permissions of ["users", "users,logs", "users,money", "money,logs"]) {
      await set(admin.userId, { permissions });
      expect((await see(admin, ada.userId)).body.code).toBe("permission_withheld");
    }
    await set(admin.userId, { permissions: null });
    await set(ada.userId, { status: 2 });
    expect((await see(admin, ada.userId)).body.code).toBe("user_banned");
    await set(ada.userId, { status: 1 });
    await site.foundation.database.kysely
      .updateTable("sessions")
      .set({ confirmed_time: 0 })
      .where("user_id", "=", admin.userId)
      .execute();
    expect((await see(admin, ada.userId)).body.code).toBe("step_up_required");
    expect((await as(admin, ada.userId, "GET", "/api/user/self")).status).toBe(401);
  });

  it("ends at once where roles, permissions or the person change, with the time, and with the next person", async () => {
    const [admin, ada, bob] = [await site.person(10), await site.person(1), await site.person(1)];
    const read = async (id: number) => (await as(admin, id, "GET", "/api/user/self")).body;
    const changes: [number, object, object][] = [
      [ada.userId, { role: 10 }, { role: 1 }],
      [ada.userId, { status: 2 }, { status: 1 }],
      [ada.userId, { deleted_at: 1 }, { deleted_at: null }],
      [admin.userId, { permissions: "users" }, { permissions: null }],
      [admin.userId, { role: 1 }, { role: 10 }],
    ];
    await begun(admin, ada.userId);
    for (const [id, change, back] of changes) {
      expect((await read(ada.userId)).success).toBe(true);
      await set(id, { ...change });
      expect([change, (await read(ada.userId)).code]).toEqual([change, "view_ended"]);
      await set(id, { ...back });
    }
    await begun(admin, bob.userId);
    expect((await read(ada.userId)).success).toBe(false);
    expect((await read(bob.userId)).success).toBe(true);
    nowMs += SEEING_SECONDS * 1000;
    expect((await read(bob.userId)).code).toBe("view_ended");
    nowMs -= SEEING_SECONDS * 1000;
  });

  it("belongs to the session that began it: another one of the same administrator, and a token of theirs, see nothing", async () => {
    const [admin, ada] = [await site.person(10), await site.person(1)];
    const other = await site.session(admin);
    const token = await admin.data<string>("POST", "/api/user/token");
    const bearer = (more: object) => ({ Authorization: `Bearer ${token}`, ...more });
    await begun(admin, ada.userId);
    expect((await as(other, ada.userId, "GET", "/api/user/self")).status).toBe(401);
    const ofToken = await fetch(`${site.url}/api/user/self`, {
      headers: bearer({ "New-Api-User": String(ada.userId) }),
    });
    expect(ofToken.status).toBe(401);
    const begins = await fetch(`${site.url}/api/user/${ada.userId}/see`, { method: "POST", headers: bearer({}) });
    expect(begins.status).toBe(403);
  });

  it("is written into the audit trail, and into the security log that the person reads", async () => {
    const [admin, ada] = [await site.person(10), await site.person(1)];
    await begun(admin, ada.userId);
    await begun(admin, ada.userId);
    const { kysely } = site.foundation.database;
    const entries = await kysely
      .selectFrom("audit_entries")
      .select("event")
      .where("actor_id", "=", admin.userId)
      .execute();
    expect(entries.map(({ event }) => JSON.parse(event))).toEqual(
      Array.from({ length: 2 }, () => ({ code: "user_seen_as", values: { name: ada.username, id: ada.userId } })),
    );
    await expect
      .poll(
        async () =>
          (await ada.data<{ kind: string }[]>("GET", "/api/user/self/security_events")).filter(
            ({ kind }) => kind === "account_seen",
          ).length,
      )
      .toBe(2);
  });
});
