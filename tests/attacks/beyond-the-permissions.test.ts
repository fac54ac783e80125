/** Attack: an administrator who is restricted does by another way what is withheld: users, money, keys, settings, or his own permissions. */
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { PERMISSIONS, type Permission } from "../../contract/src/permissions.ts";
import { ROLE } from "../../contract/src/roles.ts";
import { type AccessPerson, addPeople, sessionHeaders } from "../access/people.ts";
import { setUp, startTestServer, type TestServer } from "../support/systems/server.ts";

const KEY = "sk-upstream-secret-00000wxyz";

describe("a restricted administrator", () => {
  let server: TestServer;
  let own: Server;
  let heard = "";
  let ownUrl = "";
  let admin: AccessPerson;
  let root: AccessPerson;
  let victim: AccessPerson;
  let channelId = 0;
  const kysely = () => server.app.foundation.database.kysely;
  const send = (person: AccessPerson, method: string, path: string, body?: object) =>
    server.client().send(method, path, { ...(body === undefined ? {} : { body }), headers: sessionHeaders(person) });
  /** By session and by access token. */
  const bothWays = async (method: string, path: string, body?: object) => {
    const token = { Authorization: `Bearer ${admin.accessToken}`, "New-Api-User": String(admin.id) };
    const sent = body === undefined ? {} : { body };
    return [
      await send(admin, method, path, body),
      await server.client().send(method, path, { ...sent, headers: token }),
    ];
  };
  const without = async (...withheld: Permission[]) => {
    const permissions = PERMISSIONS.filter((permission) => !withheld.includes(permission));
    const answer = await send(root, "PUT", `/api/user/${admin.id}/permissions`, { permissions });
    expect(answer.body).toMatchObject({ success: true, data: { admin_permissions: permissions } });
  };
  const tryAll = async (calls: readonly (readonly [method: string, path: string, body?: object])[]) => {
    const codes: (string | undefined)[] = [];
    for (const [method, path, body] of calls)
      for (const answer of await bothWays(method, path, body)) codes.push(answer.body.code);
    return codes;
  };
  const userRow = (id: number) =>
    kysely()
      .selectFrom("users")
      .select(["username", "display_name", "password_hash", "quota", "group_name", "status", "role", "deleted_at"])
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
  const options = async () =>
    (await kysely().selectFrom("options").select(["name", "value"]).orderBy("name").execute()).map(
      ({ name, value }) => `${name}=${value}`,
    );

  beforeAll(async () => {
    own = createServer((request, response) => {
      heard += JSON.stringify(request.headers);
      response.setHeader("content-type", "application/json").end('{"data":[]}');
    });
    own.listen(0, "127.0.0.1");
    await once(own, "listening");
    ownUrl = `http://127.0.0.1:${(own.address() as AddressInfo).port}`;
    server = await startTestServer({ ALLOW_PRIVATE_UPSTREAMS: "1" });
    const client = await setUp(server);
    const form = { type: 1, name: "up", key: KEY, base_url: "http://127.0.0.1:9", models: "m", groups: ["default"] };
    channelId = ((await client.post("/api/channel", form)).body.data as number[])[0] ?? 0;
  });
  afterAll(async () => {
    await server.stop();
    own.close();
  });
  beforeEach(async () => {
    const made = await addPeople(server.app.foundation, [
      { role: ROLE.admin },
      { role: ROLE.root },
      { role: ROLE.user },
    ]);
    [admin, root, victim] = made as [AccessPerson, AccessPerson, AccessPerson];
  });

  test("without users changes no account in any way", async () => {
    await without("users");
    const before = await userRow(victim.id);
    const codes = await tryAll([
      ["PUT", "/api/user", { id: victim.id, password: "long enough 47" }],
      ["PUT", "/api/user", { id: victim.id, display_name: "Mine" }],
      ["POST", "/api/user/manage", { id: victim.id, action: "disable" }],
      ["POST", "/api/user/manage", { id: victim.id, action: "end_sessions" }],
      ["DELETE", `/api/user/${victim.id}`],
      ["DELETE", `/api/user/${victim.id}/factors`],
      ["DELETE", `/api/user/${victim.id}/bindings/github?last=true`],
      ["POST", "/api/user", { username: "mine", password: "long enough 47" }],
    ]);
    expect(new Set(codes)).toEqual(new Set(["permission_withheld"]));
    expect(await userRow(victim.id)).toEqual(before);
    expect(await kysely().selectFrom("users").select("id").where("username", "=", "mine").execute()).toEqual([]);
    const sessions = await kysely().selectFrom("sessions").select("user_id").where("user_id", "=", victim.id).execute();
    expect(sessions.length).toBeGreaterThan(0);
  });

  test("without money gives nobody quota: no balance, code, order, group, price or ratio", async () => {
    await without("money");
    const before = [await userRow(victim.id), await options()];
    const codes = await tryAll([
      ["PUT", "/api/user", { id: victim.id, quota: 10 ** 9 }],
      ["PUT", "/api/user", { id: victim.id, quota_delta: 10 ** 9 }],
      ["POST", "/api/user/manage", { id: victim.id, action: "add_quota", mode: "add", value: 10 ** 9 }],
      ["POST", "/api/user/manage", { id: victim.id, action: "add_quota", mode: "override", value: 10 ** 9 }],
      ["POST", "/api/redemption", { name: "free", count: 1, quota: 10 ** 9 }],
      ["POST", `/api/topup/${victim.orderId}/complete`, {}],
      ["PUT", "/api/option", { key: "GroupRatio", value: '{"default":0}' }],
      ["PUT", "/api/option", { key: "ModelRatio", value: '{"m":0}' }],
      ["PUT", "/api/option", { key: "QuotaForNewUser", value: "1000000000" }],
      ["PUT", "/api/option", { key: "QuotaPerUnit", value: "1" }],
      ["PUT", "/api/option", { key: "SelfUseModeEnabled", value: "true" }],
      ["PUT", "/api/option", { key: "checkin_setting.max_quota", value: "1000000000" }],
      ["POST", "/api/option/rest_model_ratio", {}],
      ["PUT", "/api/prices", { changes: [] }],
    ]);
    expect(new Set(codes)).toEqual(new Set(["permission_withheld"]));
    expect([await userRow(victim.id), await options()]).toEqual(before);
    expect(await kysely().selectFrom("redemptions").select("id").where("name", "=", "free").execute()).toEqual([]);
  });

  test("without money moves nobody to a cheaper group, though he may change the account otherwise", async () => {
    await send(root, "PUT", "/api/option", { key: "GroupRatio", value: '{"default":1,"cheap":0.1}' });
    await without("money");
    const [refused] = await bothWays("PUT", "/api/user", { id: victim.id, group: "cheap", display_name: "Ann" });
    expect(refused?.body).toMatchObject({ code: "permission_withheld", field: "group" });
    const [renamed] = await bothWays("PUT", "/api/user", { id: victim.id, group: "default", display_name: "Ann" });
    expect(renamed?.body.success).toBe(true);
    expect(await userRow(victim.id)).toMatchObject({ group_name: "default", display_name: "Ann" });
  });

  test("without secrets neither sees, finds, copies nor moves a key", async () => {
    await without("channels_secrets");
    heard = "";
    const codes = await tryAll([
      ["POST", `/api/channel/copy/${channelId}`],
      ["POST", `/api/channel/${channelId}/keys`, { key: "sk-mine" }],
      ["POST", `/api/channel/${channelId}/keys/delete`, { which: "auto_disabled" }],
      ["PUT", "/api/channel", { id: channelId, base_url: ownUrl }],
      ["PUT", "/api/channel", { id: channelId, base_url: ownUrl, key: "sk-mine" }],
      ["PUT", "/api/channel", { id: channelId, type: 3 }],
      ["PUT", "/api/channel", { id: channelId, key: "sk-mine" }],
      ["PUT", "/api/channel", { id: channelId, setting: JSON.stringify({ proxy: ownUrl }) }],
      ["PUT", "/api/channel", { id: channelId, header_override: '{"X-Leak":"{api_key}"}' }],
    ]);
    expect(new Set(codes)).toEqual(new Set(["permission_withheld"]));
    const drafts = await tryAll([["POST", "/api/channel/test/draft", { id: channelId, base_url: ownUrl }]]);
    expect(new Set(drafts)).toEqual(new Set(["channel_key_missing"]));
    await bothWays("GET", `/api/channel/fetch_models/${channelId}`);
    expect(heard).not.toContain(KEY);
    const stored = kysely().selectFrom("channels").select(["base_url", "header_override"]).where("id", "=", channelId);
    expect(await stored.executeTakeFirstOrThrow()).toMatchObject({ base_url: "http://127.0.0.1:9" });
    expect(await kysely().selectFrom("channels").select("id").execute()).toHaveLength(1);
    const texts: string[] = [];
    for (const path of ["/api/channel", `/api/channel/${channelId}`, `/api/channel/${channelId}/keys`])
      for (const answer of await bothWays("GET", path)) texts.push(JSON.stringify(answer.body));
    expect(texts.filter((text) => text.includes(KEY.slice(0, 6)) || text.includes(KEY.slice(-4)))).toEqual([]);
    for (const keyword of [KEY, KEY.slice(0, 6), KEY.slice(-4)])
      for (const { body } of await bothWays("GET", `/api/channel/search?keyword=${keyword}`))
        expect(body).toMatchObject({ success: true, data: { total: 0 } });
    const [found] = [await send(root, "GET", `/api/channel/search?keyword=${KEY.slice(-4)}`)];
    expect(found.body).toMatchObject({ data: { total: 1 } });
  });

  test("who only operates channels switches and tests them, and changes nothing else of them", async () => {
    await without("channels_write", "channels_secrets");
    const refused = await tryAll([
      ["PUT", "/api/channel", { id: channelId, name: "mine", status: 2 }],
      ["PUT", "/api/channel", { id: channelId, models: "m,n" }],
      ["PUT", "/api/channel/tag", { tag: "t", priority: 9 }],
      ["POST", "/api/channel", { type: 1, name: "mine", key: "k", models: "m", groups: ["default"] }],
      ["DELETE", `/api/channel/${channelId}`],
    ]);
    expect(new Set(refused)).toEqual(new Set(["permission_withheld"]));
    const [off] = await bothWays("PUT", "/api/channel", { id: channelId, status: 2 });
    expect(off?.body.success).toBe(true);
    const [on] = await bothWays("POST", "/api/channel/batch/status", { ids: [channelId], status: 1 });
    expect(on?.body.success).toBe(true);
    expect(await kysely().selectFrom("channels").select(["name", "status"]).execute()).toEqual([
      { name: "up", status: 1 },
    ]);
  });

  test("without operating does not choose a channel by the end of his key", async () => {
    const call = () =>
      server.client().send("POST", "/v1/chat/completions", {
        body: { model: "m", messages: [{ role: "user", content: "hi" }] },
        headers: { Authorization: `Bearer sk-${admin.tokenKey}-${channelId}` },
      });
    await without("channels_operate");
    expect(JSON.stringify((await call()).body)).toContain("channel_choice_forbidden");
  });

  test("without options sets none, with money alone sets those of money", async () => {
    await without("options");
    const [refused] = await bothWays("PUT", "/api/option", { key: "RetryTimes", value: "9" });
    expect(refused?.body).toMatchObject({ code: "permission_withheld", field: "RetryTimes" });
    const [set] = await bothWays("PUT", "/api/option", { key: "PreConsumedQuota", value: "700" });
    expect(set?.body.success).toBe(true);
    const [ofRoot] = await bothWays("PUT", "/api/option", { key: "SMTPServer", value: "mail.evil.example" });
    expect(ofRoot?.body.code).toBe("option_of_root");
  });

  test("grants nothing to himself or to another, and is restricted at once", async () => {
    const path = `/api/user/${admin.id}/permissions`;
    expect(new Set(await tryAll([["PUT", path, { permissions: [...PERMISSIONS] }]]))).toEqual(
      new Set(["permission_denied"]),
    );
    expect((await send(admin, "GET", "/api/log")).body.success).toBe(true);
    await without("logs", "users");
    for (const answer of await bothWays("GET", "/api/log")) expect(answer.body.code).toBe("permission_withheld");
    const self = await send(admin, "GET", "/api/user/self");
    expect((self.body.data as { admin_permissions: string[] }).admin_permissions).not.toContain("logs");
    const listed = await send(admin, "GET", "/api/user");
    expect(listed.body).toMatchObject({ success: true });
    expect(JSON.stringify(listed.body)).not.toMatch(/"admin_permissions":\[/);
    // With every act again he is as administrators are by default.
    await without();
    expect((await send(admin, "GET", "/api/log")).body.success).toBe(true);
    const { permissions } = await kysely()
      .selectFrom("users")
      .select("permissions")
      .where("id", "=", admin.id)
      .executeTakeFirstOrThrow();
    expect(permissions).toBeNull();
  });

  test("the super administrator restricts neither himself nor people who are no administrators", async () => {
    for (const [id, code] of [
      [root.id, "user_is_self"],
      [victim.id, "user_is_common"],
    ] as const) {
      const answer = await send(root, "PUT", `/api/user/${id}/permissions`, { permissions: ["logs"] });
      expect(answer.body).toMatchObject({ success: false, code });
    }
    const wrong = await send(root, "PUT", `/api/user/${admin.id}/permissions`, { permissions: ["everything"] });
    expect(wrong.body.success).toBe(false);
  });
});
