/** Tests of sign-in at sites without OpenID over real HTTP: Discord, Feishu and Lark, DingTalk, Linux DO's trust levels, and named OAuth 2.0 providers with a mapping and conditions. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROLE } from "../../../../contract/src/roles.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { openIdentityConsole } from "../../../../tests/support/systems/identity-console.ts";
import type { IdentityConsole } from "../../../../tests/support/systems/identity-console.ts";
import { SITE_CLIENT } from "../../../../tests/support/systems/identity-sites.ts";

describe.each(await engines())("sites without OpenID on %s", (engine) => {
  let place: IdentityConsole;
  beforeAll(async () => {
    place = await openIdentityConsole(engine);
  });
  afterAll(() => place.close());

  const idOf = (answer: { body: { data: unknown } }): number => (answer.body.data as { id: number }).id;
  const rowOf = (id: number) =>
    place.site.foundation.database.kysely
      .selectFrom("users")
      .select(["username", "display_name", "email"])
      .where("id", "=", id)
      .executeTakeFirstOrThrow();

  test("a Discord account signs in by its snowflake, and its address is taken only where Discord verified it", async () => {
    const ann = { id: 9001, login: "ann", name: "Ann B", info: { email: "Ann@Discord.example", verified: true } };
    const first = await place.signIn(place.visitor(), "discord", ann);
    expect(await rowOf(idOf(first))).toEqual({
      username: "ann",
      display_name: "Ann B",
      email: "ann@discord.example",
    });
    const renamed = await place.signIn(place.visitor(), "discord", { ...ann, login: "other" });
    expect(idOf(renamed)).toBe(idOf(first));
    const bob = { id: 9002, login: "bob", info: { email: "bob@discord.example", verified: false } };
    expect((await rowOf(idOf(await place.signIn(place.visitor(), "discord", bob)))).email).toBeNull();
    const odd = { id: 9003, login: "odd", info: { id: 9003 } };
    expect((await place.signIn(place.visitor(), "discord", odd)).body.code).toBe("identity_failed");
  });

  test.each([
    ["feishu", ""],
    ["lark", "/lark"],
  ])("an account of %s signs in by its open_id at the addresses of that site alone", async (site, folder) => {
    await place.set({ LarkSite: site });
    place.sites.asked.length = 0;
    const ann = {
      id: 9021,
      login: `Ann ${site}`,
      name: "安",
      info: { open_id: `ou_${site}`, email: "ann@lark.example" },
    };
    const first = await place.signIn(place.visitor(), "lark", ann);
    expect(await rowOf(idOf(first))).toMatchObject({ display_name: "安", email: null });
    expect(idOf(await place.signIn(place.visitor(), "lark", { ...ann, login: "other" }))).toBe(idOf(first));
    expect(place.sites.asked.slice(0, 3)).toEqual([
      `GET ${folder}/open-apis/authen/v1/authorize`,
      `POST ${folder}/open-apis/authen/v2/oauth/token`,
      `GET ${folder}/open-apis/authen/v1/user_info`,
    ]);
    const odd = { id: 9022, login: "odd", info: { open_id: 9022 } };
    expect((await place.signIn(place.visitor(), "lark", odd)).body.code).toBe("identity_failed");
    const binder = place.visitor();
    const back = await place.goThrough(binder, "lark", ann);
    expect((await binder.post("/api/oauth/lark", { ...back, code: "never-issued" })).body.code).toBe("identity_failed");
    await place.set({ LarkSite: "feishu" });
  });

  test("a DingTalk account signs in by its unionId, and its code is taken by DingTalk's name of it", async () => {
    const li = { id: 9031, login: "Li", name: "李", info: { email: "li@dingtalk.example" } };
    const back = await place.goThrough(place.visitor(), "dingtalk", li);
    expect(Object.keys(back).toSorted()).toEqual(["authCode", "state"]);
    const first = await place.signIn(place.visitor(), "dingtalk", li);
    expect(await rowOf(idOf(first))).toMatchObject({ display_name: "李", email: null });
    const other = { ...li, login: "other", info: { openId: "of another app" } };
    expect(idOf(await place.signIn(place.visitor(), "dingtalk", other))).toBe(idOf(first));
    const odd = { id: 9032, login: "odd", info: { unionId: 9032 } };
    expect((await place.signIn(place.visitor(), "dingtalk", odd)).body.code).toBe("identity_failed");
    const visitor = place.visitor();
    const wrong = { ...(await place.goThrough(visitor, "dingtalk", li)), authCode: "never-issued" };
    expect((await visitor.post("/api/oauth/dingtalk", wrong)).body.code).toBe("identity_failed");
  });

  test("Linux DO's least trust level keeps new people out, and nobody who has an account", async () => {
    const low = { id: 9010, login: "low", info: { trust_level: 1 } };
    const early = await place.signIn(place.visitor(), "linuxdo", low);
    await place.set({ LinuxDOMinimumTrustLevel: "2" });
    expect(idOf(await place.signIn(place.visitor(), "linuxdo", low))).toBe(idOf(early));
    const trust = async (id: number, info: object) =>
      (await place.signIn(place.visitor(), "linuxdo", { id, login: `p${id}`, info: { ...info } })).body;
    expect(await trust(9011, { trust_level: 1 })).toMatchObject({ success: false, code: "trust_level_low" });
    expect(await trust(9012, {})).toMatchObject({ success: false, code: "trust_level_low" });
    expect(await trust(9013, { trust_level: 2 })).toMatchObject({ success: true });
    await place.set({ LinuxDOMinimumTrustLevel: "0" });
  });

  describe("a named OAuth 2.0 provider", () => {
    const form = (change: object = {}) => ({
      kind: "oauth2",
      slug: "forum",
      name: "Forum",
      client_id: SITE_CLIENT.id,
      client_secret: SITE_CLIENT.secret,
      authorization_endpoint: `${place.sites.url}/forum/authorize?theme=dark`,
      token_endpoint: `${place.sites.url}/forum/token`,
      user_info_endpoint: `${place.sites.url}/forum/me`,
      scopes: "read:user",
      user_id_field: "data.id",
      username_field: "data.name",
      display_name_field: "data.title",
      email_field: "data.email",
      entry_conditions: "data.trust_level >= 2",
      ...change,
    });
    const member = (id: number | string, fields: object = {}) => ({
      id: 1,
      login: "",
      info: { data: { id, name: `m${id}`, trust_level: 2, ...fields } },
    });
    let providerId = 0;
    const change = async (fields: object) => {
      const root = await place.site.person(ROLE.root);
      return (await root.call("PUT", `/api/identity_provider/${providerId}`, form({ client_secret: "", ...fields })))
        .body;
    };

    test("signs in by the mapped fields with PKCE and a state, and shows its mapping without the secret", async () => {
      const root = await place.site.person(ROLE.root);
      const made = await root.call("POST", "/api/identity_provider", form());
      expect(made.body).toMatchObject({ success: true, data: { kind: "oauth2", user_id_field: "data.id" } });
      expect(made.text).not.toContain(SITE_CLIENT.secret);
      providerId = idOf(made);
      const begun = await place.visitor().post("/api/oauth/state", { provider: "forum" });
      const page = new URL(String(begun.body["authorize_url"]));
      expect(Object.fromEntries(page.searchParams)).toMatchObject({
        theme: "dark",
        scope: "read:user",
        state: begun.body.data,
        code_challenge_method: "S256",
      });
      const person = member(41, { title: "Forty One", email: "victim@x.test" });
      const first = await place.signIn(place.visitor(), "forum", person);
      expect(await rowOf(idOf(first))).toEqual({ username: "m41", display_name: "Forty One", email: null });
      const again = await place.signIn(place.visitor(), "forum", member(41, { name: "renamed" }));
      expect(idOf(again)).toBe(idOf(first));
      const other = await place.signIn(place.visitor(), "forum", member("41x"));
      expect(idOf(other)).not.toBe(idOf(first));
    });

    test("keeps a secret that was given for the header, and sends it there", async () => {
      expect(await change({ client_authentication: "header" })).toMatchObject({ success: true });
      expect((await place.signIn(place.visitor(), "forum", member(42))).body.success).toBe(true);
    });

    test("lets in whom its conditions let in, at every sign-in and for binding too", async () => {
      const refused = { success: false, code: "entry_refused" };
      expect((await place.signIn(place.visitor(), "forum", member(43, { trust_level: 1 }))).body).toMatchObject(
        refused,
      );
      const fallen = await place.signIn(place.visitor(), "forum", member(42, { trust_level: 0 }));
      expect([fallen.body, fallen.setCookies]).toMatchObject([refused, []]);
      const person = await place.site.person();
      const bound = await place.signIn(place.visitor(person), "forum", member(44, { trust_level: 1 }), { bind: true });
      expect(bound.body).toMatchObject(refused);
    });

    test("takes an address only by the field that says it is verified", async () => {
      await change({ email_verified_field: "data.is_verified" });
      const emailOf = async (id: number, fields: object) =>
        (await rowOf(idOf(await place.signIn(place.visitor(), "forum", member(id, fields))))).email;
      expect(await emailOf(45, { email: "a@forum.example", is_verified: "true" })).toBeNull();
      expect(await emailOf(46, { email: "b@forum.example", is_verified: true })).toBe("b@forum.example");
    });

    test.each([[2 ** 53 + 2], [0], [-1], [1.5], [true], [null], [{}], [" 41"]])("the id %j is nobody's", async (id) => {
      const answer = await place.signIn(place.visitor(), "forum", member(id as number));
      expect(answer.body).toMatchObject({ success: false, code: "identity_failed" });
    });

    test("keeps the field of the id while accounts are bound by it, and refuses what cannot be meant", async () => {
      for (const [fields, field, code] of [
        [{ user_id_field: "data.name" }, "user_id_field", "provider_bound"],
        [{ kind: "oidc" }, "kind", "provider_bound"],
        [{ user_id_field: " " }, "user_id_field", "invalid_field"],
        [{ entry_conditions: "trust" }, "entry_conditions", "entry_condition_invalid"],
        [{ well_known: "https://x.example" }, "well_known", "invalid_field"],
        [{ user_info_endpoint: "" }, "user_info_endpoint", "provider_endpoints_missing"],
      ] as const)
        expect(await change(fields)).toMatchObject({ success: false, field, code });
    });

    test("is asked at public addresses alone, while private ones are closed", async () => {
      place.policy.allowsPrivate = false;
      const back = await place.goThrough(place.visitor(), "forum", member(47));
      const answer = await place.visitor().post("/api/oauth/forum", back);
      place.policy.allowsPrivate = true;
      // Another browser's state is refused before anything is asked.
      expect(answer.body.code).toBe("oauth_state_invalid");
      const visitor = place.visitor();
      const begun = await place.goThrough(visitor, "forum", member(47));
      place.policy.allowsPrivate = false;
      const closed = await visitor.post("/api/oauth/forum", begun);
      place.policy.allowsPrivate = true;
      expect(closed.body.code).toBe("identity_unreachable");
    });
  });
});
