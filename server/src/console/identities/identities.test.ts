/** Tests of sign-in with accounts of other sites over real HTTP: which account it is, how new ones are created, and who is refused. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { openIdentityConsole, plantIdentity } from "../../../../tests/support/systems/identity-console.ts";
import type { IdentityConsole } from "../../../../tests/support/systems/identity-console.ts";
import { bumpVersion } from "../../db/versions.ts";

describe.each(await engines())("identities on %s", (engine) => {
  let place: IdentityConsole;
  beforeAll(async () => {
    place = await openIdentityConsole(engine);
  });
  afterAll(() => place.close());

  const rowOf = (id: number) =>
    place.site.foundation.database.kysely
      .selectFrom("users")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
  const idOf = (answer: { body: { data: unknown } }): number => (answer.body.data as { id: number }).id;
  const change = async (id: number, columns: object): Promise<void> => {
    const { database, snapshot } = place.site.foundation;
    await database.kysely.transaction().execute(async (transaction) => {
      const changed_version = await bumpVersion(transaction, "users");
      await transaction
        .updateTable("users")
        .set({ ...columns, changed_version })
        .where("id", "=", id)
        .execute();
    });
    await snapshot.refresh();
  };
  const self = async (visitor: ReturnType<IdentityConsole["visitor"]>, id: number) => {
    visitor.userId = id;
    return visitor.get("/api/user/self");
  };

  test("a GitHub account becomes an account here, and its owner comes back to it under another login", async () => {
    const emails = [
      { email: "Other@Site.example", primary: false, verified: true },
      { email: "Octo@Site.example", primary: true, verified: true },
    ];
    const visitor = place.visitor();
    const first = await place.signIn(visitor, "github", { id: 7001, login: "octo", name: "Octo Cat", emails });
    expect(first.body).toMatchObject({
      success: true,
      message: "",
      data: { username: "octo", display_name: "Octo Cat" },
    });
    expect(await rowOf(idOf(first))).toMatchObject({
      github_id: "7001",
      email: "octo@site.example",
      password_hash: null,
    });
    expect((await self(visitor, idOf(first))).body.success).toBe(true);
    const again = await place.signIn(place.visitor(), "github", { id: 7001, login: "renamed" });
    expect(idOf(again)).toBe(idOf(first));
    const other = await place.signIn(place.visitor(), "github", { id: 7002, login: "octo" });
    expect(idOf(other)).not.toBe(idOf(first));
    expect((await rowOf(idOf(other))).username).toMatch(/^octo\d{2,}$/);
  });

  test.each([
    ["a very long login name of a person with many names", "averylongloginnameofapersonwithm"],
    ["山田 太郎@home", "山田太郎home"],
    ["\u202egnp.exe", "gnp.exe"],
    ["", /^github_\d+$/],
    ["   ", /^github_\d+$/],
    ["OcTo", /^OcTo\d{2,}$/],
  ])("the login %j becomes a user name that the console's own rule takes", async (login, expected) => {
    const id = 8000 + login.length * 17 + login.charCodeAt(0) || 7999;
    const { username } = await rowOf(idOf(await place.signIn(place.visitor(), "github", { id, login })));
    expect([...username].length).toBeLessThanOrEqual(32);
    expect(username).toMatch(expected);
  });

  test("an address that is not verified, or is another's, is not taken", async () => {
    const emails = [{ email: "octo@site.example", primary: true, verified: true }];
    const taken = await place.signIn(place.visitor(), "github", { id: 7010, login: "twin", emails });
    expect((await rowOf(idOf(taken))).email).toBeNull();
    const claims = { email: "x@site.example", email_verified: false, preferred_username: "claimed" };
    const unverified = await place.signIn(place.visitor(), "oidc", { id: 7011, login: "", claims });
    expect(await rowOf(idOf(unverified))).toMatchObject({ email: null, username: "claimed", oidc_id: "sub-7011" });
    const spoken = { email: "Y@Site.example", email_verified: true, name: "Y" };
    const verified = await place.signIn(place.visitor(), "oidc", { id: 7012, login: "", claims: spoken });
    expect(await rowOf(idOf(verified))).toMatchObject({ email: "y@site.example", display_name: "Y" });
  });

  test("an imported login name is matched once and replaced by the id; a numeric login never matches an id", async () => {
    const imported = await place.site.person();
    await plantIdentity(place.site.foundation.database.kysely, imported.userId, "github", "oldname");
    const found = await place.signIn(place.visitor(), "github", { id: 7020, login: "oldname" });
    expect(idOf(found)).toBe(imported.userId);
    expect((await rowOf(imported.userId)).github_id).toBe("7020");
    const squatter = await place.signIn(place.visitor(), "github", { id: 7021, login: "oldname" });
    expect(idOf(squatter)).not.toBe(imported.userId);
    const digits = await place.signIn(place.visitor(), "github", { id: 7022, login: "7020" });
    expect(idOf(digits)).not.toBe(imported.userId);
  });

  test("an invitation is kept through the other site", async () => {
    const inviter = await place.site.person();
    const { aff_code } = await rowOf(inviter.userId);
    const invited = await place.signIn(place.visitor(), "linuxdo", { id: 7030, login: "guest" }, { aff: aff_code });
    expect(await rowOf(idOf(invited))).toMatchObject({ inviter_id: inviter.userId, linux_do_id: "7030" });
    expect((await rowOf(inviter.userId)).aff_count).toBe(1);
  });

  test("banned and deleted users get an error that says so, and no account is created where registration is closed", async () => {
    const banned = idOf(await place.signIn(place.visitor(), "github", { id: 7040, login: "banned" }));
    await change(banned, { status: 2 });
    const refused = await place.signIn(place.visitor(), "github", { id: 7040, login: "banned" });
    expect(refused.body).toMatchObject({ success: false, code: "user_banned" });
    await change(banned, { deleted_at: 1 });
    const gone = await place.signIn(place.visitor(), "github", { id: 7040, login: "banned" });
    expect(gone.body).toMatchObject({ success: false, code: "account_deleted" });
    for (const closing of [{ RegisterEnabled: "false" }, { RegisterEnabled: "true", SelfUseModeEnabled: "true" }]) {
      await place.set(closing);
      const closed = await place.signIn(place.visitor(), "github", { id: 7041, login: "late" });
      expect(closed.body).toMatchObject({ success: false, code: "registration_closed" });
      expect(closed.setCookies).toEqual([]);
    }
    await place.set({ RegisterEnabled: "true", SelfUseModeEnabled: "false" });
  });

  test("who has a second factor is asked for it, and is not signed in by the other site alone", async () => {
    const userId = idOf(await place.signIn(place.visitor(), "github", { id: 7045, login: "careful" }));
    const factor = { user_id: userId, secret_cipher: "sealed", confirmed_time: 1, created_time: 1 };
    await place.site.foundation.database.kysely
      .insertInto("totp_factors")
      .values({ ...factor, last_step: 0 })
      .execute();
    const visitor = place.visitor();
    const first = await place.signIn(visitor, "github", { id: 7045, login: "careful" });
    expect(first.body).toMatchObject({ success: true, data: { require_second_factor: true, id: 0 } });
    expect(visitor.cookies.has("turnpike_session")).toBe(false);
  });

  test("a WeChat code signs in with a state of this browser, or from a page of this site in the form of older clients", async () => {
    place.sites.wechat.set("111111", "openid-0");
    const visitor = place.visitor();
    const stateOf = async () => (await visitor.post("/api/oauth/state", { provider: "wechat" })).body.data;
    const state = await stateOf();
    const send = (from: typeof visitor, body: object) => from.post("/api/oauth/wechat", { code: "111111", ...body });
    for (const refused of [await send(visitor, {}), await send(place.visitor(), { state: await stateOf() })])
      expect(refused.body).toMatchObject({ success: false, code: "oauth_state_invalid" });
    const program = await place
      .visitor()
      .get("/api/oauth/wechat?code=111111", { "Sec-Fetch-Site": "none", "New-Api-User": "1" });
    expect(program.body).toMatchObject({ success: false, code: "oauth_state_invalid" });
    expect(place.sites.asked).not.toContain("GET /api/wechat/user");
    const made = await send(visitor, { state });
    expect(await rowOf(idOf(made))).toMatchObject({ wechat_id: "openid-0" });
    expect((await send(visitor, { state })).body.code).toBe("oauth_state_invalid");
    expect(idOf(await place.visitor().get("/api/oauth/wechat?code=111111"))).toBe(idOf(made));
  });

  test("a WeChat code signs in, is refused where wrong, and binds", async () => {
    place.sites.wechat.set("123456", "openid-1");
    const made = await place.visitor().get("/api/oauth/wechat?code=123456");
    expect(await rowOf(idOf(made))).toMatchObject({
      wechat_id: "openid-1",
      display_name: expect.stringMatching(/^wechat_/),
    });
    expect((await place.visitor().get("/api/oauth/wechat?code=654321")).body).toMatchObject({
      success: false,
      code: "identity_code_wrong",
      field: "code",
    });
    place.sites.wechat.set("777777", "openid-2");
    const person = await place.site.person();
    expect((await place.visitor(person).get("/api/oauth/wechat/bind?code=777777")).body.success).toBe(true);
    expect((await rowOf(person.userId)).wechat_id).toBe("openid-2");
    expect((await place.visitor(person).get("/api/oauth/wechat/bind?code=123456")).body.code).toBe("identity_taken");
  });

  test("a site that is down, refuses or answers invalid data is reported as such, and no account is created", async () => {
    const { GitHubClientSecret } = place.site.context.snapshot.options;
    await place.set({ GitHubClientSecret: "wrong" });
    expect((await place.signIn(place.visitor(), "github", { id: 7050, login: "x" })).body.code).toBe("identity_failed");
    await place.set({ GitHubClientSecret });
    expect((await place.signIn(place.visitor(), "github", { id: 0, login: "x" })).body.code).toBe("identity_failed");
    for (const [address, code] of [
      ["http://127.0.0.1:1/token", "identity_unreachable"],
      [`${place.sites.url}/large`, "identity_unreachable"],
      [`${place.sites.url}/redirect`, "identity_failed"],
    ]) {
      await place.set({ "oidc.token_endpoint": address ?? "" });
      expect((await place.signIn(place.visitor(), "oidc", { id: 7051, login: "x" })).body.code).toBe(code);
    }
    await place.set({ "oidc.token_endpoint": `${place.sites.url}/token` });
  });

  test("what a visitor denied at the other site's page, and a way that is off, is refused", async () => {
    const visitor = place.visitor();
    const { state } = await place.goThrough(visitor, "github", { id: 7060, login: "no" });
    const denied = await visitor.post("/api/oauth/github", { state, error: "access_denied" });
    expect(denied.body).toMatchObject({ success: false, code: "identity_failed" });
    await place.set({ GitHubOAuthEnabled: "false" });
    expect((await visitor.post("/api/oauth/state", { provider: "github" })).body.code).toBe("identity_off");
    await place.set({ GitHubOAuthEnabled: "true" });
    expect((await visitor.post("/api/oauth/state", { provider: "nobody" })).body.code).toBe("not_found");
  });
});
