/** Tests of one user's page and of acts on several: no secrets that sign in or call, only users of lower roles, each by the single act's rules. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LedgerEntry, PeopleBatchResult, Person, PersonToken } from "../../../../contract/src/people.ts";
import type { ManagedUser } from "../../../../contract/src/features/users.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { openTestConsole, type Caller, type TestConsole } from "../../../../tests/support/systems/console.ts";

describe.each(await engines())("people on %s", (engine) => {
  let site: TestConsole;
  let root: Caller;
  let admin: Caller;
  let peer: Caller;
  let ada: Caller;

  const withoutConfirmation = (who: Caller) =>
    site.context.database.kysely
      .updateTable("sessions")
      .set({ confirmed_time: 0 })
      .where("user_id", "=", who.userId)
      .execute();

  beforeAll(async () => {
    site = await openTestConsole(engine);
    root = await site.person(100);
    admin = await site.person(10);
    peer = await site.person(10);
    ada = await site.person(1, { quota: 5000 });
    await ada.data("POST", "/api/token", { name: "ci", unlimited_quota: true });
  });
  afterAll(() => site.close());

  it("shows what signs a person in and how much they have", async () => {
    const now = Math.floor(Date.now() / 1000);
    await site.context.database.kysely
      .insertInto("totp_factors")
      .values({ user_id: ada.userId, secret_cipher: "x", confirmed_time: now, last_step: 0, created_time: now })
      .execute();
    const person = await admin.data<Person>("GET", `/api/user/${ada.userId}/overview`);
    expect(person).toMatchObject({ id: ada.userId, has_totp: true, passkeys: 0, sessions: 1, tokens: 1 });
    expect(person.last_active_time).toBeGreaterThan(now - 3600);
  });

  it("the list says when people were last active and whether a second factor protects them, of lower roles alone", async () => {
    const { items } = await admin.data<{ items: ManagedUser[] }>("GET", "/api/user?page_size=100");
    const of = (who: Caller) => items.find(({ id }) => id === who.userId);
    expect(of(ada)?.has_second_factor).toBe(true);
    expect(of(ada)?.last_active_time).toBeGreaterThan(0);
    expect(of(peer)).toMatchObject({ has_second_factor: null, last_active_time: 0 });
  });

  it("lists tokens without any part of their keys", async () => {
    const answer = await admin.call("GET", `/api/user/${ada.userId}/tokens`);
    const { items, total } = answer.body.data as { items: PersonToken[]; total: number };
    expect(total).toBe(1);
    expect(items[0]).toMatchObject({ name: "ci", status: 1, unlimited_quota: true });
    const [stored] = await site.context.database.kysely
      .selectFrom("tokens")
      .select(["key_first", "key_last", "key_hash"])
      .where("user_id", "=", ada.userId)
      .execute();
    for (const part of Object.values(stored ?? {})) expect(answer.text).not.toContain(part);
    expect(Object.keys(items[0] ?? {}).filter((name) => name.includes("key"))).toEqual([]);
  });

  it("a credit with a reason is a ledger entry that names reason and administrator, in pages", async () => {
    const change = { id: ada.userId, quota_delta: 700, reason: "  refund for the outage " };
    await admin.data("PUT", "/api/user", change);
    await admin.data("PUT", "/api/user", { id: ada.userId, quota_delta: -200 });
    const path = `/api/user/${ada.userId}/ledger`;
    const [taken, given, opening] = await admin.data<LedgerEntry[]>("GET", path);
    expect(given).toMatchObject({
      kind: "adjustment",
      quota_delta: 700,
      reason: "refund for the outage",
      actor: admin.username,
    });
    expect(taken).toMatchObject({ quota_delta: -200, reason: "" });
    const rest = await admin.data<LedgerEntry[]>("GET", `${path}?before=${given?.id}`);
    expect(rest).toEqual([opening]);
    const { quota } = await admin.data<Person>("GET", `/api/user/${ada.userId}/overview`);
    expect(quota).toBe(5500);
  });

  it("shows sessions and the security log of lower roles, and of nobody else", async () => {
    expect(await admin.data<unknown[]>("GET", `/api/user/${ada.userId}/sessions`)).toHaveLength(1);
    await site.securityLog.flush();
    const events = await admin.data<{ kind: string }[]>("GET", `/api/user/${ada.userId}/security_events`);
    expect(events.map(({ kind }) => kind)).toContain("token_made");
    for (const part of ["overview", "tokens", "ledger", "sessions", "security_events"]) {
      const answer = await admin.call("GET", `/api/user/${peer.userId}/${part}`);
      expect(answer.body.code).toBe("user_role_not_lower");
    }
  });

  it("acts on several, and names those that were refused with the reason", async () => {
    const [one, two] = [await site.person(1), await site.person(1)];
    const ids = [one.userId, two.userId, peer.userId, 987_654_321];
    const result = await admin.data<PeopleBatchResult>("POST", "/api/user/batch", { ids, action: "disable" });
    expect(result).toEqual({
      done: 2,
      refused: [
        { id: peer.userId, code: "user_role_not_lower" },
        { id: 987_654_321, code: "not_found" },
      ],
    });
    const { items } = await root.data<{ items: ManagedUser[] }>("GET", "/api/user?status=2");
    expect(items.map(({ id }) => id).toSorted()).toEqual([one.userId, two.userId].toSorted());
    await site.securityLog.flush();
    const [event] = await root.data<object[]>("GET", `/api/user/${one.userId}/security_events`);
    expect(event).toMatchObject({ kind: "account_changed", actor_id: admin.userId, reason: "disable" });
  });

  it("moves several to a group that exists, and refuses another before anything is done", async () => {
    const one = await site.person(1);
    const body = { ids: [one.userId], action: "group" };
    const refused = await admin.call("POST", "/api/user/batch", { ...body, group: "no-such-group" });
    expect(refused.body).toMatchObject({ code: "group_unknown", field: "group" });
    expect(await admin.data("POST", "/api/user/batch", { ...body, group: "vip" })).toEqual({ done: 1, refused: [] });
    expect(await admin.data<Person>("GET", `/api/user/${one.userId}/overview`)).toMatchObject({ group: "vip" });
  });

  it("deregisters several only after a confirmation", async () => {
    const one = await site.person(1);
    const body = { ids: [one.userId], action: "delete" };
    await withoutConfirmation(admin);
    const refused = await admin.call("POST", "/api/user/batch", body);
    expect(refused.body.code).toBe("step_up_required");
    expect(await root.data("POST", "/api/user/batch", body)).toEqual({ done: 1, refused: [] });
    const gone = await root.data<Person>("GET", `/api/user/${one.userId}/overview`);
    expect(gone.DeletedAt).not.toBeNull();
  });
});
