/** Tests of linking and unlinking identities: one account for each, a notification by mail, never the last way to sign in; named providers; and disabling the password. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROLE } from "../../../../contract/src/roles.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { BOT_TOKEN, openIdentityConsole } from "../../../../tests/support/systems/identity-console.ts";
import type { IdentityConsole } from "../../../../tests/support/systems/identity-console.ts";
import { SITE_CLIENT } from "../../../../tests/support/systems/identity-sites.ts";
import { bumpVersion } from "../../db/versions.ts";
import { telegramHash } from "./providers/telegram.ts";

describe.each(await engines())("bindings on %s", (engine) => {
  let place: IdentityConsole;
  beforeAll(async () => {
    place = await openIdentityConsole(engine);
  });
  afterAll(() => place.close());

  const kysely = () => place.site.foundation.database.kysely;
  const columnsOf = (id: number) =>
    kysely().selectFrom("users").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  const mailTo = (userId: number) =>
    kysely().selectFrom("outbox").select(["event", "recipient"]).where("user_id", "=", userId).orderBy("id").execute();
  const setEmail = (id: number, email: string) =>
    kysely()
      .transaction()
      .execute(async (transaction) => {
        await bumpVersion(transaction, "users");
        await transaction.updateTable("users").set({ email }).where("id", "=", id).execute();
      });
  const bindTo = (person: Parameters<IdentityConsole["visitor"]>[0], provider: string, id: number, login = `b${id}`) =>
    place.signIn(place.visitor(person), provider, { id, login }, { bind: true });

  test("an identity is linked to the account of the session, listed by its login, and notified by mail", async () => {
    const person = await place.site.person();
    await setEmail(person.userId, "bound@site.example");
    const answer = await bindTo(person, "github", 301, "octo");
    expect(answer.body).toEqual({ success: true, message: "bind" });
    expect(answer.setCookies).toEqual([]);
    expect(await columnsOf(person.userId)).toMatchObject({ github_id: "301" });
    expect(await person.data("GET", "/api/user/self/binding")).toEqual([
      { provider: "github", name: "", login: "octo" },
    ]);
    expect(await mailTo(person.userId)).toEqual([{ event: "identity_added", recipient: "bound@site.example" }]);
    expect((await bindTo(person, "github", 301, "octo")).body.message).toBe("bind");
    expect(await mailTo(person.userId)).toHaveLength(1);
  });

  test("one identity goes to one account, of twenty at once too, and a second of the same site is refused", async () => {
    const first = await place.site.person();
    const second = await place.site.person();
    await bindTo(first, "linuxdo", 310);
    expect((await bindTo(second, "linuxdo", 310)).body).toMatchObject({ success: false, code: "identity_taken" });
    expect((await bindTo(first, "linuxdo", 311)).body).toMatchObject({ success: false, code: "identity_bound" });
    const race = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const visitor = place.visitor(await place.site.person());
        const { data } = (await visitor.post("/api/oauth/state", { provider: "linuxdo", bind: true })).body;
        return { visitor, state: data };
      }),
    );
    const ends = await Promise.all(
      race.map(({ visitor, state }) =>
        visitor.post("/api/oauth/linuxdo", { state, code: place.sites.codeFor({ id: 312, login: "race" }) }),
      ),
    );
    expect(ends.filter(({ body }) => body.success)).toHaveLength(1);
  });

  test("the last way to sign in stays; an identity beside a password or another identity can be removed, with a mail", async () => {
    const made = await place.signIn(place.visitor(), "github", { id: 320, login: "alone" });
    const userId = (made.body.data as { id: number }).id;
    const person = await place.site.session({ userId, username: "alone" });
    const unbind = (provider: string) => person.call("DELETE", `/api/user/self/binding/${provider}`);
    expect((await unbind("github")).body).toMatchObject({ success: false, code: "identity_last" });
    expect((await unbind("linuxdo")).body).toMatchObject({ success: false, code: "identity_not_bound" });
    await bindTo(person, "linuxdo", 321);
    await place.set({ LinuxDOOAuthEnabled: "false" });
    expect((await unbind("github")).body.code).toBe("identity_last");
    await place.set({ LinuxDOOAuthEnabled: "true" });
    await setEmail(userId, "alone@site.example");
    expect((await unbind("github")).body.success).toBe(true);
    expect(await columnsOf(userId)).toMatchObject({ github_id: null, linux_do_id: "321" });
    expect((await mailTo(userId)).map(({ event }) => event)).toEqual(["identity_removed"]);
    expect((await unbind("linuxdo")).body.code).toBe("identity_last");
    const withPassword = await place.site.person(ROLE.user, { passwordHash: "$2b$10$x" });
    await bindTo(withPassword, "github", 322);
    expect((await withPassword.call("DELETE", "/api/user/self/binding/github")).body.success).toBe(true);
    const again = await place.signIn(place.visitor(), "github", { id: 322, login: "free" });
    expect((again.body.data as { id: number }).id).not.toBe(withPassword.userId);
  });

  test("a browser that Telegram's widget led here is led on to the personal settings", async () => {
    const person = await place.site.person();
    const visitor = place.visitor(person);
    const { data } = (await visitor.post("/api/oauth/state", { provider: "telegram", bind: true })).body;
    const fields = { id: "330", first_name: "Tel", auth_date: String(Math.floor(Date.now() / 1000)) };
    const query = new URLSearchParams({
      ...fields,
      hash: telegramHash(BOT_TOKEN, fields),
      state: String(data),
      lang: "en",
    });
    const answer = await visitor.get(`/api/oauth/telegram/bind?${query.toString()}`, {
      "Sec-Fetch-Site": "cross-site",
    });
    expect([answer.status, answer.location]).toEqual([302, "/personal/security"]);
    expect((await columnsOf(person.userId)).telegram_id).toBe("330");
    const later = { id: "331", auth_date: fields.auth_date };
    const stranger = await place
      .visitor()
      .post("/api/oauth/telegram/login", { ...later, hash: telegramHash(BOT_TOKEN, later) });
    expect(stranger.body).toMatchObject({ success: false, code: "identity_not_bound" });
  });

  test("an administrator sees and takes away what a person of a lower role has bound, the last way in where he says so", async () => {
    const admin = await place.site.person(ROLE.admin);
    const person = await place.site.person();
    const { userId } = person;
    await setEmail(userId, "cleared@site.example");
    const setPassword = (password_hash: string | null) =>
      kysely().updateTable("users").set({ password_hash }).where("id", "=", userId).execute();
    await setPassword("a hash");
    await bindTo(person, "github", 360, "octo");
    const path = `/api/user/${userId}`;
    const list = () => admin.data<object[]>("GET", `${path}/oauth/bindings`);
    const binding = { provider: "github", name: "", login: "octo" };
    expect(await list()).toEqual([{ ...binding, is_last: false }]);
    await setPassword(null);
    expect(await list()).toEqual([{ ...binding, is_last: true }]);
    const unbind = (query = "", way = "github") => admin.call("DELETE", `${path}/bindings/${way}${query}`);
    expect((await unbind()).body).toMatchObject({ success: false, code: "identity_last_of_user", field: "last" });
    expect((await unbind("?last=true", "discord")).body.code).toBe("identity_not_bound");
    expect(await list()).toHaveLength(1);
    expect((await unbind("?last=true")).body.success).toBe(true);
    expect(await list()).toEqual([]);
    expect((await mailTo(userId)).map(({ event }) => event)).toContain("identity_removed_by_administrator");
    const gone = await place.signIn(place.visitor(), "github", { id: 360, login: "octo" });
    expect((gone.body.data as { id: number }).id).not.toBe(userId);
    const peer = await place.site.person(ROLE.admin);
    for (const [id, code] of [
      [peer.userId, "user_role_not_lower"],
      [admin.userId, "user_is_self"],
    ] as const) {
      expect((await admin.call("GET", `/api/user/${id}/oauth/bindings`)).body.code).toBe(code);
      expect((await admin.call("DELETE", `/api/user/${id}/bindings/github?last=true`)).body.code).toBe(code);
    }
  });

  describe("a named provider", () => {
    const form = (change: object = {}) => ({
      slug: "company",
      name: "Company",
      client_id: SITE_CLIENT.id,
      client_secret: SITE_CLIENT.secret,
      authorization_endpoint: `${place.sites.url}/authorize`,
      token_endpoint: `${place.sites.url}/token`,
      user_info_endpoint: `${place.sites.url}/userinfo`,
      ...change,
    });

    test("signs users in, is listed in the status while it is enabled, and its secret is never shown", async () => {
      const root = await place.site.person(ROLE.root);
      const made = await root.call("POST", "/api/identity_provider", form());
      expect(made.body.success).toBe(true);
      const { id } = made.body.data as { id: number };
      const status = () => place.visitor().get("/api/status");
      const listed = (await status()).body.data as { identity_providers: unknown };
      expect(listed.identity_providers).toEqual([{ slug: "company", name: "Company" }]);
      const claims = { preferred_username: "worker" };
      const first = await place.signIn(place.visitor(), "company", { id: 340, login: "", claims });
      expect(first.body).toMatchObject({ success: true, data: { username: "worker" } });
      const again = await place.signIn(place.visitor(), "company", { id: 340, login: "", claims });
      expect((again.body.data as { id: number }).id).toBe((first.body.data as { id: number }).id);
      const answers = [made, await root.call("GET", "/api/identity_provider")].map(({ text }) => text).join("");
      expect(answers).not.toContain(SITE_CLIENT.secret);
      const off = await root.call(
        "PUT",
        `/api/identity_provider/${id}`,
        form({ is_enabled: false, client_secret: "" }),
      );
      expect(off.body.success).toBe(true);
      expect((await place.visitor().post("/api/oauth/state", { provider: "company" })).body.code).toBe("identity_off");
      await root.call("PUT", `/api/identity_provider/${id}`, form({ client_secret: "" }));
      expect((await place.signIn(place.visitor(), "company", { id: 340, login: "", claims })).body.success).toBe(true);
    });

    test("deletes its identities too, so that a new provider of its name signs no one in to their accounts", async () => {
      const root = await place.site.person(ROLE.root);
      const [row] = await root.data<{ id: number }[]>("GET", "/api/identity_provider");
      expect((await root.call("DELETE", `/api/identity_provider/${row?.id}`)).body.success).toBe(true);
      expect(
        await kysely().selectFrom("identities").select("user_id").where("provider", "=", "company").execute(),
      ).toEqual([]);
      const answer = await root.call("POST", "/api/identity_provider", form());
      expect(answer.body.success).toBe(true);
      const other = await place.signIn(place.visitor(), "company", { id: 340, login: "" });
      expect((other.body.data as { username: string }).username).toMatch(/^company_\d+/);
    });

    test.each([
      ["slug", { slug: "github" }],
      ["slug", { slug: "state" }],
      ["slug", { slug: "company" }],
      ["slug", { slug: "Not/Fine" }],
      ["name", { slug: "b", name: " " }],
      ["token_endpoint", { slug: "b", token_endpoint: "" }],
      ["token_endpoint", { slug: "b", token_endpoint: "ftp://x.example" }],
      ["well_known", { slug: "b", well_known: "javascript:alert(1)" }],
      ["well_known", { slug: "b", well_known: "https://u:p@x.example" }],
    ])("with a wrong %s is refused by the field's name: %j", async (field, change) => {
      const root = await place.site.person(ROLE.root);
      expect((await root.call("POST", "/api/identity_provider", form(change))).body).toMatchObject({
        success: false,
        field,
      });
    });
  });

  test("the password can be turned off once an administrator came in another way; that way then stays on", async () => {
    const root = await place.site.person(ROLE.root);
    const put = async (key: string, value: string) => (await root.call("PUT", "/api/option", { key, value })).body;
    const refused = { success: false, code: "option_prerequisite" };
    expect(await put("PasswordLoginEnabled", "false")).toMatchObject({ ...refused, field: "PasswordLoginEnabled" });
    await place.signIn(place.visitor(), "github", { id: 350, login: "user" });
    expect(await put("PasswordLoginEnabled", "false")).toMatchObject(refused);
    await bindTo(root, "github", 351);
    await place.signIn(place.visitor(), "github", { id: 351, login: "root" });
    await put("GitHubOAuthEnabled", "false");
    expect(await put("PasswordLoginEnabled", "false")).toMatchObject(refused);
    await put("GitHubOAuthEnabled", "true");
    expect(await put("PasswordLoginEnabled", "false")).toMatchObject({ success: true });
    expect(await put("GitHubOAuthEnabled", "false")).toMatchObject({ ...refused, field: "GitHubOAuthEnabled" });
    expect(await put("LinuxDOOAuthEnabled", "false")).toMatchObject({ success: true });
    expect((await root.call("DELETE", "/api/user/self/binding/github")).body.code).toBe("identity_last");
    const [company] = await root.data<{ id: number }[]>("GET", "/api/identity_provider");
    await bindTo(root, "company", 352);
    await place.signIn(place.visitor(), "company", { id: 352, login: "" });
    expect(await put("GitHubOAuthEnabled", "false")).toMatchObject({ success: true });
    expect((await root.call("DELETE", `/api/identity_provider/${company?.id}`)).body.code).toBe("provider_needed");
    expect(await put("PasswordLoginEnabled", "true")).toMatchObject({ success: true });
    expect((await root.call("DELETE", `/api/identity_provider/${company?.id}`)).body.success).toBe(true);
  });
});
