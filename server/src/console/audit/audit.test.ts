/** Tests of the audit trail: values before and after of options, prices, channels and users, only for those who may see the thing, reverted by the rules of the act. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AuditEntry } from "../../../../contract/src/features/audit.ts";
import type { ChannelRow } from "../../../../contract/src/features/channels.ts";
import type { ManagedUser } from "../../../../contract/src/features/users.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { openTestConsole, type Caller, type TestConsole } from "../../../../tests/support/systems/console.ts";
import { deleteOldEntries } from "./store.ts";

interface Page {
  items: AuditEntry[];
  total: number;
}

describe.each(await engines())("the audit trail on %s", (engine) => {
  let site: TestConsole;
  let root: Caller;
  let admin: Caller;
  let ada: Caller;
  let channelId: number;

  const trail = (who: Caller, query = "") => who.data<Page>("GET", `/api/audit?page_size=100&${query}`);
  const newest = async (who: Caller, query: string): Promise<AuditEntry> => {
    const [entry] = (await trail(who, query)).items;
    if (entry === undefined) throw new Error(`no entry of ${query}`);
    return entry;
  };
  const setOption = (who: Caller, key: string, value: string) => who.data("PUT", "/api/option", { key, value });
  const permit = (who: Caller, permissions: readonly string[]) =>
    root.data("PUT", `/api/user/${who.userId}/permissions`, { permissions });
  const confirmed = (who: Caller, time: number) =>
    site.context.database.kysely
      .updateTable("sessions")
      .set({ confirmed_time: time })
      .where("user_id", "=", who.userId)
      .execute();

  beforeAll(async () => {
    site = await openTestConsole(engine);
    root = await site.person(100);
    admin = await site.person(10);
    ada = await site.person(1);
    const channel = { name: "a", type: 1, key: "sk-secret-of-the-channel", models: "m1,m2", groups: ["default"] };
    const ids = await root.data<number[]>("POST", "/api/channel", channel);
    channelId = ids[0] ?? 0;
  });
  afterAll(() => site.close());

  it("says from what to what an option was changed, by whom, and takes it back", async () => {
    await setOption(admin, "RetryTimes", "3");
    const entry = await newest(admin, "kind=option&object=RetryTimes");
    expect(entry).toMatchObject({ actor: admin.username, can_revert: true });
    expect(entry.changes).toEqual([{ field: "RetryTimes", from: expect.any(String), to: "3", is_cut: false }]);
    await admin.data("POST", `/api/audit/${entry.id}/revert`);
    const back = await newest(admin, "kind=option&object=RetryTimes");
    expect(back.changes).toMatchObject([{ from: "3", to: entry.changes[0]?.from }]);
    const again = await admin.call("POST", `/api/audit/${entry.id}/revert`);
    expect([again.status, again.body.code]).toEqual([409, "audit_superseded"]);
  });

  it("a secret is in it only as changed, and cannot be taken back", async () => {
    await setOption(root, "SMTPToken", "a-secret-of-the-mail");
    const entry = await newest(root, "object=SMTPToken");
    expect(entry.changes).toEqual([{ field: "SMTPToken", is_cut: false }]);
    const stored = await site.context.database.kysely.selectFrom("audit_entries").selectAll().execute();
    expect(JSON.stringify(stored)).not.toMatch(/a-secret-of-the-mail|sk-secret-of-the-channel/);
    expect((await root.call("POST", `/api/audit/${entry.id}/revert`)).body.code).toBe("audit_final");
  });

  it("an option of the super administrator is taken back by nobody else, and only after a confirmation", async () => {
    await setOption(root, "SecurityLogDays", "200");
    const entry = await newest(admin, "object=SecurityLogDays");
    expect(entry.can_revert).toBe(false);
    const path = `/api/audit/${entry.id}/revert`;
    expect((await admin.call("POST", path)).body.code).toBe("option_of_root");
    await confirmed(root, 0);
    expect((await root.call("POST", path)).body.code).toBe("step_up_required");
    await confirmed(root, Math.floor(Date.now() / 1000));
    await root.data("POST", path);
    expect((await newest(root, "object=SecurityLogDays")).changes).toMatchObject([{ from: "200", to: "180" }]);
  });

  it("a channel's change says each field, its key only as another one, and goes back while nothing else touched it", async () => {
    const read = () => root.data<ChannelRow>("GET", `/api/channel/${channelId}`);
    await admin.data("PUT", "/api/channel", { id: channelId, models: "m1", priority: 7, remark: "less" });
    const entry = await newest(admin, `kind=channel&object=${channelId}`);
    expect(entry.changes.map(({ field, from, to }) => [field, from, to])).toEqual([
      ["models", "m1,m2", "m1"],
      ["priority", "0", "7"],
      ["remark", "", "less"],
    ]);
    await admin.data("POST", `/api/audit/${entry.id}/revert`);
    expect(await read()).toMatchObject({ models: "m1,m2", priority: 0, remark: "" });
    await admin.data("PUT", "/api/channel", { id: channelId, key: "sk-another-secret-of-the-channel" });
    const keyed = await newest(admin, `kind=channel&object=${channelId}`);
    expect(keyed.changes).toEqual([{ field: "key", is_cut: false }]);
    expect(keyed.can_revert).toBe(false);
  });

  it("a user's change goes back, a balance only by another entry of the ledger", async () => {
    await admin.data("PUT", "/api/user", { id: ada.userId, group: "vip", quota_delta: 50 });
    const [quota, group] = (await trail(admin, `kind=user&object=${ada.userId}`)).items;
    expect(quota?.changes).toEqual([{ field: "quota", from: "0", to: "50", is_cut: false }]);
    expect(quota?.can_revert).toBe(false);
    expect(group?.changes).toEqual([{ field: "group_name", from: "default", to: "vip", is_cut: false }]);
    await admin.data("POST", `/api/audit/${group?.id}/revert`);
    const now = await admin.data<ManagedUser>("GET", `/api/user/${ada.userId}`);
    expect(now).toMatchObject({ group: "default", quota: 50 });
  });

  it("a price has an entry for its model, and goes back", async () => {
    const none = { ratios: {}, tiers: null, tools: {} };
    const [row] = await root.data<{ own: object }[]>("GET", "/api/prices?model=m1");
    const from = row?.own ?? none;
    await root.data("PUT", "/api/prices", {
      changes: [{ model: "m1", from, to: { ...from, ratios: { ModelRatio: "2" } } }],
    });
    const entry = await newest(root, "kind=price&object=m1");
    expect(entry.can_revert).toBe(true);
    await root.data("POST", `/api/audit/${entry.id}/revert`);
    const [after] = await root.data<{ own: object }[]>("GET", "/api/prices?model=m1");
    expect(after?.own).toEqual(from);
  });

  it("shows each administrator what they may see of the things themselves, and nobody above them", async () => {
    const boss = await site.person(10);
    await root.data("PUT", "/api/user", { id: boss.userId, display_name: "Boss" });
    expect((await trail(admin, `kind=user&object=${boss.userId}`)).total).toBe(0);
    expect((await trail(root, `kind=user&object=${boss.userId}`)).total).toBe(1);
    const few = await site.person(10);
    await permit(few, ["channels_see"]);
    await expect.poll(async () => [...new Set((await trail(few)).items.map(({ kind }) => kind))]).toEqual(["channel"]);
    const entry = await newest(few, `object=${channelId}`);
    expect(entry.can_revert).toBe(false);
    const [models] = (await trail(root, `kind=channel&object=${channelId}`)).items.filter(
      ({ can_revert }) => can_revert,
    );
    expect((await few.call("POST", `/api/audit/${models?.id}/revert`)).body.code).toMatch(/permission_withheld/);
    const option = await newest(root, "kind=option");
    expect((await few.call("POST", `/api/audit/${option.id}/revert`)).body.code).toBe("not_found");
    expect((await ada.call("GET", "/api/audit")).status).toBe(403);
  });

  it("filters by who did it and when, and old entries end", async () => {
    const { items } = await trail(root, `actor=${admin.username}`);
    expect(new Set(items.map(({ actor }) => actor))).toEqual(new Set([admin.username]));
    expect((await trail(root, "end_timestamp=1000")).total).toBe(0);
    await deleteOldEntries(site.context.database, Math.floor(Date.now() / 1000) + 60);
    expect((await trail(root)).total).toBe(0);
  });
});
