/** Tests of the user agreement and privacy policy: registration and the console require acceptance of the texts in force, and acceptances are recorded. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ROLE } from "../../../contract/src/roles.ts";
import { engines } from "../../../tests/support/databases/databases.ts";
import { type Caller, openTestConsole, type TestConsole } from "../../../tests/support/systems/console.ts";

const PASSWORD = "correct horse 1";

describe.each(await engines())("the user agreement and privacy policy on %s", (engine) => {
  let site: TestConsole;
  let root: Caller;

  beforeAll(async () => {
    site = await openTestConsole(engine);
    root = await site.person(ROLE.root);
    site.context.limiter.take = () => Promise.resolve({ isAllowed: true, retryAfterSeconds: 0 });
  });
  afterAll(() => site.close());
  beforeEach(async () => {
    await set("legal.user_agreement", "");
    await set("legal.privacy_policy", "");
  });

  const set = (key: string, value: string) => root.data("PUT", "/api/option", { key, value });
  const versionNow = async (): Promise<string> => {
    const { body } = await root.call("GET", "/api/status");
    return (body.data as { terms_version: string }).terms_version;
  };
  const read = async (person: Caller): Promise<string> => {
    const { status, body } = await person.call("GET", "/api/token");
    return body.success ? "ok" : `${status} ${body.code}`;
  };
  const requiredOf = async (person: Caller) =>
    (await person.data<{ required_action: string }>("GET", "/api/user/self")).required_action;
  const accept = (person: Caller, terms_version: string) =>
    person.call("POST", "/api/user/self/terms", { terms_version });

  let names = 0;
  async function register(more: object) {
    names += 1;
    const username = `reader${names}`;
    const response = await fetch(`${site.url}/api/user/register`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ username, password: PASSWORD, ...more }),
    });
    const body = (await response.json()) as { success: boolean; code?: string; field?: string };
    const users = site.foundation.database.kysely.selectFrom("users").select("id").where("username", "=", username);
    return { username, body, user: await users.executeTakeFirst() };
  }
  const acceptedBy = (userId: number) =>
    site.foundation.database.kysely
      .selectFrom("terms_acceptances")
      .selectAll()
      .where("user_id", "=", userId)
      .orderBy("accepted_time")
      .execute();

  it("without texts nothing is asked, and nothing is stored", async () => {
    const person = await site.person();
    expect(await versionNow()).toBe("");
    expect([await read(person), await requiredOf(person)]).toEqual(["ok", ""]);
    const { body, user } = await register({});
    expect(body.success).toBe(true);
    expect(await acceptedBy(user?.id ?? 0)).toEqual([]);
  });

  it("a registration without the version in force makes no account, and names the field", async () => {
    await set("legal.user_agreement", "# Rules");
    for (const [more, code] of [
      [{}, "terms_needed"],
      [{ terms_version: "0".repeat(32) }, "terms_changed"],
    ] as const) {
      const { body, user } = await register(more);
      expect(body).toMatchObject({ success: false, code, field: "terms_version" });
      expect(user).toBeUndefined();
    }
  });

  it("a registration with it stores who accepted which version and when", async () => {
    await set("legal.privacy_policy", "We store your calls.");
    const version = await versionNow();
    expect(version).toMatch(/^[0-9a-f]{32}$/);
    const { body, user } = await register({ terms_version: version });
    expect(body.success).toBe(true);
    const now = Math.floor(site.context.clock() / 1000);
    const [row] = await acceptedBy(user?.id ?? 0);
    expect(row).toMatchObject({ user_id: user?.id, version });
    expect(Math.abs(Number(row?.accepted_time) - now)).toBeLessThan(60);
  });

  it("an account that came another way accepts before anything else, once, and again when a text changed", async () => {
    const person = await site.person();
    await set("legal.user_agreement", "First");
    expect([await read(person), await requiredOf(person)]).toEqual(["403 terms_needed", "terms"]);
    const first = await versionNow();
    expect((await accept(person, "")).body).toMatchObject({ code: "terms_needed", field: "terms_version" });
    expect((await accept(person, "f".repeat(32))).body).toMatchObject({ success: false, code: "terms_changed" });
    expect(await read(person)).toBe("403 terms_needed");
    expect((await accept(person, first)).body.success).toBe(true);
    expect((await accept(person, first)).body.code).toBeUndefined();
    expect([await read(person), await requiredOf(person)]).toEqual(["ok", ""]);
    await set("legal.user_agreement", "Second");
    expect(await read(person)).toBe("403 terms_needed");
    expect((await accept(person, first)).body.code).toBe("terms_changed");
    expect((await accept(person, await versionNow())).body.success).toBe(true);
    expect(await read(person)).toBe("ok");
    expect((await acceptedBy(person.userId)).length).toBe(2);
    // A text that is as it was before was accepted already.
    await set("legal.user_agreement", "First");
    expect(await read(person)).toBe("ok");
  });

  it("administrators are asked too, the super administrator is not", async () => {
    const admin = await site.person(ROLE.admin);
    await set("legal.user_agreement", "For all");
    expect([await read(admin), await read(root)]).toEqual(["403 terms_needed", "ok"]);
  });

  it("administrators see who accepted which version, the latest first, and find a person by name; others do not", async () => {
    const admin = await site.person(ROLE.admin);
    const person = await site.person();
    await set("legal.user_agreement", "Listed");
    const version = await versionNow();
    for (const each of [admin, person]) await accept(each, version);
    const list = await admin.data<{ items: object[]; total: number }>(
      "GET",
      `/api/user/terms?username=${person.username}`,
    );
    expect(list.total).toBe(1);
    expect(list.items).toMatchObject([
      { user_id: person.userId, username: person.username, version, is_current: true },
    ]);
    expect((await admin.data<{ total: number }>("GET", "/api/user/terms")).total).toBeGreaterThanOrEqual(2);
    expect((await admin.data<{ total: number }>("GET", "/api/user/terms?username=no-such-name")).total).toBe(0);
    expect((await person.call("GET", "/api/user/terms")).status).toBe(403);
    await set("legal.user_agreement", "Listed anew");
    const later = await root.data<{ items: object[] }>("GET", `/api/user/terms?username=${person.username}`);
    expect(later.items).toMatchObject([{ version, is_current: false }]);
  });
});
