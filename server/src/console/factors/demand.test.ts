/** Tests of required actions: a required second factor must be set up and cannot be removed, and a password set by another person must be changed. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { openTestConsole } from "../../../../tests/support/systems/console.ts";
import type { Caller, ConsoleAnswer, TestConsole } from "../../../../tests/support/systems/console.ts";
import { ROLE } from "../../../../contract/src/roles.ts";
import { hashPassword } from "../passwords.ts";
import { stepAt, totpCode } from "./totp.ts";

const OLD = "correct horse 1";
const NEW = "battery staple 2";

describe.each(await engines())("what an account has to do first on %s", (engine) => {
  let site: TestConsole;
  let root: Caller;
  let passwordHash: string;
  const kysely = () => site.foundation.database.kysely;

  beforeAll(async () => {
    site = await openTestConsole(engine);
    passwordHash = await hashPassword(OLD);
    root = await site.person(ROLE.root, { passwordHash });
    site.context.limiter.take = () => Promise.resolve({ isAllowed: true, retryAfterSeconds: 0 });
  });
  afterAll(() => site.close());
  beforeEach(async () => {
    for (const table of ["totp_factors", "recovery_codes", "passkeys"] as const)
      await kysely().deleteFrom(table).execute();
    await addKey(root);
    await demand("nobody");
  });

  const demand = (value: string) => root.call("PUT", "/api/option", { key: "SecondFactorDemand", value });

  let keys = 0;
  async function addKey({ userId }: Caller): Promise<string> {
    keys += 1;
    const id = `key${keys}`;
    const row = { name: "key", public_key: "", counter: 0, transports: "", created_time: 1, used_time: 0 };
    await kysely()
      .insertInto("passkeys")
      .values({ ...row, is_backed_up: 0, credential_hash: id, credential_id: id, user_id: userId })
      .execute();
    return id;
  }

  async function addApp(person: Caller): Promise<void> {
    const { secret } = await person.data<{ secret: string }>("POST", "/api/user/self/totp");
    const code = totpCode(secret, stepAt(Date.now() / 1000));
    await person.data("POST", "/api/user/self/totp/confirm", { code });
  }

  async function logIn({ username }: Pick<Caller, "username">, password: string): Promise<ConsoleAnswer> {
    const response = await fetch(`${site.url}/api/user/login`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ username, password }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: JSON.parse(text) as ConsoleAnswer["body"],
    };
  }

  const read = async (person: Caller): Promise<string> => {
    const { status, body } = await person.call("GET", "/api/token");
    return body.success ? "ok" : `${status} ${body.code}`;
  };
  const requiredOf = async (person: Caller) =>
    (await person.data<{ required_action: string }>("GET", "/api/user/self")).required_action;

  describe("the demand of a second factor", () => {
    it("cannot be set by an administrator without a factor, and the refusal names the option and the remedy", async () => {
      await kysely().deleteFrom("passkeys").execute();
      for (const value of ["administrators", "everybody"])
        expect((await demand(value)).body).toMatchObject({
          success: false,
          code: "option_prerequisite",
          field: "SecondFactorDemand",
          values: { reason: "own_factor_first" },
        });
      await root.data("POST", "/api/user/self/totp");
      expect((await demand("everybody")).body.code).toBe("option_prerequisite");
      await kysely().deleteFrom("totp_factors").execute();
      await addApp(root);
      expect((await demand("everybody")).body.success).toBe(true);
      expect(await read(root)).toBe("ok");
    });

    it.each([
      ["nobody", ["ok", "ok"]],
      ["administrators", ["ok", "403 second_factor_needed"]],
      ["everybody", ["403 second_factor_needed", "403 second_factor_needed"]],
    ])("of %s holds whom it names, until they have a factor", async (value, results) => {
      const people = [await site.person(), await site.person(ROLE.admin)];
      await demand(value);
      expect(await Promise.all(people.map(read))).toEqual(results);
      const [app, key] = people as [Caller, Caller];
      await addApp(app);
      await addKey(key);
      expect(await Promise.all(people.map(read))).toEqual(["ok", "ok"]);
      expect(await Promise.all(people.map(requiredOf))).toEqual(["", ""]);
    });

    it("is in the responses of login and own account, and an unconfirmed app does not satisfy it", async () => {
      const admin = await site.person(ROLE.admin, { passwordHash });
      await demand("administrators");
      expect((await logIn(admin, OLD)).body).toMatchObject({ data: { required_action: "second_factor" } });
      await admin.data("POST", "/api/user/self/totp");
      expect([await requiredOf(admin), await read(admin)]).toEqual(["second_factor", "403 second_factor_needed"]);
    });

    it("applies to sign-in with other sites and to access tokens too", async () => {
      const admin = await site.person(ROLE.admin);
      const { value } = await admin.data<{ value: string }>("POST", "/api/user/self/access_tokens", {
        name: "t",
        scope: "admin",
      });
      await kysely().updateTable("sessions").set({ way: "oidc" }).where("user_id", "=", admin.userId).execute();
      await demand("administrators");
      expect(await read(admin)).toBe("403 second_factor_needed");
      const headers = { Authorization: `Bearer ${value}`, "New-Api-User": String(admin.userId) };
      expect((await fetch(`${site.url}/api/channel`, { headers })).status).toBe(403);
      expect((await fetch(`${site.url}/api/user/self`, { headers })).status).toBe(200);
    });

    it("lets the own password be changed meanwhile, and nothing else of the account", async () => {
      const admin = await site.person(ROLE.admin, { passwordHash });
      await demand("administrators");
      const change = { password: NEW, original_password: OLD };
      for (const more of [{ display_name: "x" }, { username: "x" }])
        expect(await admin.call("PUT", "/api/user/self", { ...change, ...more })).toMatchObject({
          status: 403,
          body: { code: "second_factor_needed", field: Object.keys(more)[0] },
        });
      expect((await admin.call("PUT", "/api/user/self", change)).body.success).toBe(true);
    });

    it("asks for a passkey after the password where that is the only factor", async () => {
      const admin = await site.person(ROLE.admin, { passwordHash });
      await addKey(admin);
      expect((await logIn(admin, OLD)).headers.get("set-cookie")).not.toBeNull();
      await demand("administrators");
      const first = await logIn(admin, OLD);
      expect(first.headers.get("set-cookie")).toBeNull();
      expect(first.body.data).toMatchObject({ id: 0, require_second_factor: true, methods: ["passkey"] });
    });

    it("keeps the last factor, whichever it is, but takes an administrator's removal", async () => {
      const admin = await site.person(ROLE.admin, { passwordHash });
      const id = await addKey(admin);
      await addApp(admin);
      await demand("administrators");
      const [off, remove] = ["/api/user/self/totp", `/api/user/self/passkeys/${id}`];
      expect((await admin.call("DELETE", off)).body.success).toBe(true);
      expect((await admin.call("DELETE", remove)).body).toMatchObject({ success: false, code: "factor_demanded" });
      await addApp(admin);
      expect((await admin.call("DELETE", remove)).body.success).toBe(true);
      expect((await admin.call("DELETE", off)).body).toMatchObject({ success: false, code: "factor_demanded" });
      expect((await admin.data<{ recovery_codes: number }>("GET", "/api/user/self/factors")).recovery_codes).toBe(8);
      expect((await root.call("DELETE", `/api/user/${admin.userId}/factors`)).body.success).toBe(true);
      expect(await read(admin)).toBe("403 second_factor_needed");
    });

    it("is not made while the one who makes it takes the own factor away", async () => {
      for (let round = 0; round < 5; round += 1) {
        await demand("nobody");
        await kysely().deleteFrom("passkeys").execute();
        const id = await addKey(root);
        const [made, removed] = await Promise.all([
          demand("everybody"),
          root.call("DELETE", `/api/user/self/passkeys/${id}`),
        ]);
        expect([made, removed].filter(({ body }) => body.success)).toHaveLength(1);
        expect([undefined, "option_prerequisite"]).toContain(made.body.code);
        expect([undefined, "factor_demanded"]).toContain(removed.body.code);
        if (removed.body.success) await addKey(root);
      }
    });

    it("keeps one of two that are removed at once", async () => {
      for (let round = 0; round < 5; round += 1) {
        await demand("nobody");
        const admin = await site.person(ROLE.admin, { passwordHash });
        const id = await addKey(admin);
        await addApp(admin);
        await demand("administrators");
        const acts = ["/api/user/self/totp", `/api/user/self/passkeys/${id}`].map((path) => admin.call("DELETE", path));
        const codes = (await Promise.all(acts)).map(({ body }) => body.code ?? "removed");
        expect(codes.toSorted()).toEqual(["factor_demanded", "removed"]);
      }
    });
  });

  describe("a password that another user set", () => {
    const setTemporary = (value: boolean) =>
      root.call("PUT", "/api/option", { key: "TemporaryPasswordsEnabled", value });
    beforeAll(() => setTemporary(true));
    afterAll(() => setTemporary(false));

    it("stays as it is where the site does not make such passwords temporary", async () => {
      await setTemporary(false);
      const username = `n${Date.now() % 1e9}`;
      const { id: userId } = await root.data<{ id: number }>("POST", "/api/user", { username, password: OLD });
      const { answer, session } = await sessionOf({ userId, username }, OLD);
      expect(answer.body.data).toMatchObject({ required_action: "" });
      expect(await read(session)).toBe("ok");
      await setTemporary(true);
      expect(await read(session)).toBe("403 password_change_needed");
    });

    const temporaryOf = async (userId: number) =>
      (
        await kysely()
          .selectFrom("users")
          .select("is_password_temporary")
          .where("id", "=", userId)
          .executeTakeFirstOrThrow()
      ).is_password_temporary;

    /** The session of a login. */
    async function sessionOf(person: Pick<Caller, "userId" | "username">, password: string) {
      const answer = await logIn(person, password);
      expect(answer.body.success).toBe(true);
      return { answer, session: await site.session(person) };
    }

    const change = (person: Caller, from: string, to: string) =>
      person.call("PUT", "/api/user/self", { password: to, original_password: from });

    it("is changed at the first sign-in of an account that an administrator made", async () => {
      const username = `n${Date.now() % 1e9}`;
      const { id: userId } = await root.data<{ id: number }>("POST", "/api/user", { username, password: OLD });
      const { answer, session } = await sessionOf({ userId, username }, OLD);
      expect(answer.body.data).toMatchObject({ required_action: "password_change" });
      expect([await requiredOf(session), await read(session)]).toEqual([
        "password_change",
        "403 password_change_needed",
      ]);
      expect((await change(session, OLD, OLD)).body.code).toBe("password_same");
      expect((await change(session, "wrong wrong 1", NEW)).body.code).toBe("original_password_wrong");
      expect(await read(session)).toBe("403 password_change_needed");
      expect((await change(session, OLD, NEW)).body.success).toBe(true);
      expect([await requiredOf(session), await read(session)]).toEqual(["", "ok"]);
      expect((await logIn({ username }, NEW)).body.data).toMatchObject({ required_action: "" });
    });

    it("is changed after an administrator set it and after a reset made it, and counts as one's own after that", async () => {
      const person = await site.person(ROLE.user, { passwordHash });
      expect(await temporaryOf(person.userId)).toBe(0);
      await root.data("PUT", "/api/user", { id: person.userId, password: NEW });
      const { session } = await sessionOf(person, NEW);
      expect(await read(session)).toBe("403 password_change_needed");
      expect((await change(session, NEW, OLD)).body.success).toBe(true);
      expect(await temporaryOf(person.userId)).toBe(0);
      await root.data("PUT", "/api/user", { id: person.userId, display_name: "Renamed" });
      expect(await temporaryOf(person.userId)).toBe(0);
    });

    it("lets no factor be set up before, which would outlive it", async () => {
      const person = await site.person(ROLE.user, { passwordHash });
      await root.data("PUT", "/api/user", { id: person.userId, password: NEW });
      const { session } = await sessionOf(person, NEW);
      await demand("everybody");
      for (const [method, path, body] of [
        ["POST", "/api/user/self/totp"],
        ["POST", "/api/user/self/totp/confirm", { code: "000000" }],
        ["POST", "/api/user/self/passkeys/challenge"],
        ["POST", "/api/user/self/access_tokens", { name: "t", scope: "admin" }],
      ] as const)
        expect((await session.call(method, path, body)).body.code).toBe("password_change_needed");
      expect((await change(session, NEW, OLD)).body.success).toBe(true);
      expect(await requiredOf(session)).toBe("second_factor");
    });

    it("does not apply on a demo site, whose password is public and cannot be changed", async () => {
      const person = await site.person(ROLE.user, { passwordHash });
      await root.data("PUT", "/api/user", { id: person.userId, password: NEW });
      await root.data("PUT", "/api/option", { key: "DemoSiteEnabled", value: "true" });
      const { answer, session } = await sessionOf(person, NEW);
      expect([answer.body.data, await read(session)]).toMatchObject([{ required_action: "" }, "ok"]);
      await root.data("PUT", "/api/option", { key: "DemoSiteEnabled", value: "false" });
      expect(await read(session)).toBe("403 password_change_needed");
    });

    it("does not apply after another way of signing in, which does not use the password", async () => {
      const person = await site.person(ROLE.user, { passwordHash });
      await root.data("PUT", "/api/user", { id: person.userId, password: NEW });
      const session = await site.session(person);
      await kysely().updateTable("sessions").set({ way: "oidc" }).where("user_id", "=", person.userId).execute();
      expect(await read(session)).toBe("ok");
    });
  });

  it("does not affect public endpoints, which answer as to a guest", async () => {
    const person = await site.person(ROLE.user, { group: "vip" });
    const groups = async () => Object.keys(await person.data<object>("GET", "/api/user/groups"));
    const known = await groups();
    await demand("everybody");
    const guest = (await (await fetch(`${site.url}/api/user/groups`)).json()) as { data: object };
    expect(await groups()).toEqual(Object.keys(guest.data));
    expect(known).toContain("vip");
    expect((await person.call("POST", "/api/oauth/state", { provider: "github", bind: true })).body.success).toBe(
      false,
    );
    expect((await person.call("POST", "/api/user/logout")).body.success).toBe(true);
    expect((await person.call("GET", "/api/user/self")).status).toBe(401);
  });
});
