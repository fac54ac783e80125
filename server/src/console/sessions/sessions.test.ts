/** Tests of login and logout over real HTTP: cookies, revocation, default credentials, imported hashes, backoff. */
import { NEW_USER } from "../../db/new-user.ts";
import bcrypt from "bcryptjs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bumpVersion } from "../../db/versions.ts";
import { hashPassword } from "../passwords.ts";
import type { TestClient, TestServer } from "../../../../tests/support/systems/server.ts";
import { ROOT_PASSWORD, setUp, startTestServer } from "../../../../tests/support/systems/server.ts";

let server: TestServer;
let root: TestClient;

const kysely = () => server.app.foundation.database.kysely;

beforeAll(async () => {
  server = await startTestServer({ TRUSTED_PROXIES: "127.0.0.1" });
  root = await setUp(server);
});
afterAll(() => server.stop());

let clients = 0;

/** A client from an address of its own, so that the login limit of one test is not another's. */
function freshClient(): TestClient {
  const client = server.client();
  clients += 1;
  const address = `203.0.113.${clients}`;
  const { send } = client;
  client.send = (method, path, request = {}) =>
    send.call(client, method, path, { ...request, headers: { "x-forwarded-for": address, ...request.headers } });
  return client;
}

async function addUser(username: string, change: { password_hash?: string; role?: number } = {}): Promise<number> {
  const { snapshot, database } = server.app.foundation;
  await database.kysely.transaction().execute(async (transaction) => {
    const changed_version = await bumpVersion(transaction, "users");
    const row = { ...NEW_USER, username, aff_code: username, created_time: 1, changed_version };
    const password_hash = change.password_hash ?? (await hashPassword(ROOT_PASSWORD));
    await transaction
      .insertInto("users")
      .values({ ...row, password_hash, role: change.role ?? 1 })
      .execute();
  });
  await snapshot.refresh();
  return (await kysely().selectFrom("users").select("id").where("username", "=", username).executeTakeFirstOrThrow())
    .id;
}

describe("login", () => {
  test("answers who logged in, with every other user field blank, and no secret", async () => {
    const answer = await freshClient().login("root", ROOT_PASSWORD);
    expect(answer.body.data).toMatchObject({
      username: "root",
      role: 100,
      status: 1,
      group: "default",
      password: "",
      email: "",
      quota: 0,
      default_credentials: false,
    });
    expect(JSON.stringify(answer.body)).not.toContain("argon2");
  });

  test("gives a cookie that scripts cannot read and other sites do not send; Secure behind https", async () => {
    const plain = await freshClient().login("root", ROOT_PASSWORD);
    const cookie = plain.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/^turnpike_session=[\w-]{43};/);
    expect(cookie).toContain("HttpOnly");
    expect(cookie).toContain("SameSite=Lax");
    expect(cookie).not.toContain("Secure");
    const body = { username: "root", password: ROOT_PASSWORD };
    const headers = { "x-forwarded-proto": "https" };
    const secure = await freshClient().post("/api/user/login", body, { headers });
    expect(secure.headers.get("set-cookie")).toContain("Secure");
  });

  test("stores only a hash of the cookie", async () => {
    const client = freshClient();
    await client.login("root", ROOT_PASSWORD);
    const value = client.cookie.split("=")[1] ?? "";
    const rows = await kysely().selectFrom("sessions").selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(value);
  });

  test("an unknown user, a wrong password and a banned user hear the same", async () => {
    const id = await addUser("banned");
    await kysely().updateTable("users").set({ status: 2 }).where("id", "=", id).execute();
    const tries = [
      ["nobody", "x"],
      ["root", "wrong password"],
      ["banned", ROOT_PASSWORD],
    ] as const;
    for (const [username, password] of tries) {
      const { status, body } = await freshClient().login(username, password);
      expect({ status, code: body.code }).toEqual({ status: 200, code: "login_failed" });
    }
  });

  test("empty fields are refused with a readable error", async () => {
    const { body } = await freshClient().login("", "");
    expect(body).toMatchObject({ success: false, message: "Please enter username and password" });
  });

  test("root with 123456 is marked in the response, so that the console can warn", async () => {
    const { password_hash } = await kysely().selectFrom("users").select("password_hash").executeTakeFirstOrThrow();
    const known = await hashPassword("123456");
    await kysely().updateTable("users").set({ password_hash: known }).where("username", "=", "root").execute();
    const answer = await freshClient().login("root", "123456");
    await kysely().updateTable("users").set({ password_hash }).where("username", "=", "root").execute();
    expect(answer.body.data).toMatchObject({ default_credentials: true });
  });

  test("an imported bcrypt hash is accepted and replaced by argon2id", async () => {
    const id = await addUser("imported", { password_hash: await bcrypt.hash("imported pass", 4) });
    expect((await freshClient().login("imported", "imported pass")).body.success).toBe(true);
    const row = await kysely()
      .selectFrom("users")
      .select("password_hash")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    expect(row.password_hash).toMatch(/^\$argon2id\$/);
    expect((await freshClient().login("imported", "imported pass")).body.success).toBe(true);
  });

  test("guessing on one account from many addresses is slowed down with Retry-After", async () => {
    await addUser("guessed");
    for (let attempt = 0; attempt < 6; attempt += 1) await freshClient().login("guessed", "wrong");
    const answer = await freshClient().login("guessed", ROOT_PASSWORD);
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("a right password from a network where the owner was before passes while 40 networks guess; from elsewhere it waits", async () => {
    await addUser("besieged");
    const from = (address: string, password: string) => {
      const headers = { "x-forwarded-for": address };
      return server.client().post("/api/user/login", { username: "besieged", password }, { headers });
    };
    expect((await from("198.51.100.7", ROOT_PASSWORD)).body.success).toBe(true);
    const guesses = [];
    for (let index = 0; index < 40; index += 1) guesses.push(await from(`10.9.${index}.1`, "wrong"));
    expect(guesses.filter(({ body }) => body.success)).toEqual([]);
    expect(guesses.filter(({ status }) => status === 429).length).toBeGreaterThan(10);
    expect((await from("10.10.1.1", ROOT_PASSWORD)).status).toBe(429);
    expect((await from("198.51.100.99", ROOT_PASSWORD)).body.success).toBe(true);
  });

  test("a login ends the session the browser had before", async () => {
    const client = freshClient();
    await client.login("root", ROOT_PASSWORD);
    const before = client.cookie;
    await client.login("root", ROOT_PASSWORD);
    expect(client.cookie).not.toBe(before);
    const answer = await freshClient().get("/api/option/", { headers: { cookie: before, "new-api-user": "1" } });
    expect(answer.status).toBe(401);
  });
});

describe("a session", () => {
  test.each(["POST", "GET"])("ends on the server at logout by %s", async (method) => {
    const client = freshClient();
    await client.login("root", ROOT_PASSWORD);
    const { cookie } = client;
    expect((await client.send(method, "/api/user/logout")).body.success).toBe(true);
    const answer = await freshClient().get("/api/option/", { headers: { cookie, "new-api-user": "1" } });
    expect(answer.status).toBe(401);
  });

  test("takes role and status from the snapshot: a demotion and a ban hold at the next call", async () => {
    const id = await addUser("powerful", { role: 10 });
    const client = freshClient();
    await client.login("powerful", ROOT_PASSWORD);
    expect((await client.get("/api/option/")).status).toBe(200);
    await change(id, { role: 1 });
    expect((await client.get("/api/option/")).status).toBe(403);
    await change(id, { role: 10, status: 2 });
    expect((await client.get("/api/option/")).body).toMatchObject({ code: "user_banned" });
    await change(id, { status: 1, deleted_at: 5 });
    expect((await client.get("/api/option/")).status).toBe(401);
  });

  async function change(id: number, set: { role?: number; status?: number; deleted_at?: number }): Promise<void> {
    await kysely()
      .transaction()
      .execute(async (transaction) => {
        const changed_version = await bumpVersion(transaction, "users");
        await transaction
          .updateTable("users")
          .set({ ...set, changed_version })
          .where("id", "=", id)
          .execute();
      });
    await server.app.foundation.snapshot.refresh();
  }

  test("expires after thirty days", async () => {
    const client = freshClient();
    await client.login("root", ROOT_PASSWORD);
    await kysely().updateTable("sessions").set({ expires_time: 10 }).execute();
    expect((await client.get("/api/option/")).status).toBe(401);
    await root.login("root", ROOT_PASSWORD);
  });

  test("does nothing without the user header, or with another user's", async () => {
    const client = freshClient();
    await client.login("root", ROOT_PASSWORD);
    client.userId = 0;
    expect((await client.get("/api/option/")).body).toMatchObject({ code: "user_header_missing" });
    client.userId = 999;
    expect((await client.get("/api/option/")).status).toBe(401);
    client.userId = 0;
    const answer = await client.get("/api/option/", { headers: { "turnpike-user": "1" } });
    expect(answer.status).toBe(200);
  });
});

describe("an access token", () => {
  test("works with and without Bearer, is stored as a hash, and cannot confirm a password", async () => {
    const token = "t".repeat(32);
    const token_hash = server.app.foundation.secrets.hash("access_token", token);
    const root = await kysely()
      .selectFrom("users")
      .select("id")
      .where("username", "=", "root")
      .executeTakeFirstOrThrow();
    const row = { user_id: root.id, name: "main", token_hash, scope: "admin" };
    await kysely().insertInto("personal_access_tokens").values(row).execute();
    for (const authorization of [token, `Bearer ${token}`]) {
      const answer = await freshClient().get("/api/option/", { headers: { authorization, "new-api-user": "1" } });
      expect(answer.status).toBe(200);
    }
    const headers = { authorization: "Bearer wrong", "new-api-user": "1" };
    const wrong = await freshClient().get("/api/option/", { headers });
    expect(wrong).toMatchObject({ status: 401, body: { code: "access_token_invalid" } });
    const change = { key: "RegisterEnabled", value: "false" };
    const authorization = { headers: { authorization: token, "new-api-user": "1" } };
    expect((await freshClient().put("/api/option/", change, authorization)).body.code).toBe("step_up_required");
  });

  describe("names its owner by itself", () => {
    const bearer = { authorization: `Bearer ${"t".repeat(32)}` };
    const listed = (headers: Record<string, string>) => freshClient().get("/api/option/", { headers });
    const named = (headers: Record<string, string>) =>
      freshClient().post("/api/token/", { name: "by a program", expired_time: -1 }, { headers });

    test("the user header may be absent or blank, and another person's is refused", async () => {
      expect((await listed(bearer)).status).toBe(200);
      expect((await listed({ ...bearer, "new-api-user": "" })).status).toBe(200);
      for (const other of ["999", "-1", "root"])
        expect(await listed({ ...bearer, "new-api-user": other })).toMatchObject({
          status: 401,
          body: { code: "user_header_missing" },
        });
    });

    test("a browser extension may send it from its own origin", async () => {
      const extension = { origin: "chrome-extension://abcdefghijklmnop", "sec-fetch-site": "none" };
      expect((await named({ ...bearer, ...extension })).status).toBe(200);
      expect((await named({ ...bearer, "sec-fetch-site": "cross-site" })).status).toBe(200);
    });

    test("with a cookie beside it, or by what a browser keeps for a site, the origin counts", async () => {
      const foreign = { origin: "https://evil.test" };
      const cookie = `turnpike_session=${"0".repeat(32)}`;
      for (const headers of [
        { ...bearer, ...foreign, cookie },
        { ...foreign, cookie },
        { ...foreign, authorization: "Basic cm9vdDp0" },
        { ...foreign, authorization: "" },
      ])
        expect(await named(headers)).toMatchObject({ status: 403, body: { code: "cross_site" } });
    });
  });
});

describe("limits of an address", () => {
  test("the 21st registration within twenty minutes is refused with 429 and Retry-After, and signing in is not", async () => {
    const client = freshClient();
    for (let call = 0; call < 20; call += 1) await client.post("/api/user/register", { username: "", password: "" });
    const answer = await client.post("/api/user/register", { username: "", password: "" });
    expect(answer).toMatchObject({ status: 429, body: { success: false, code: "too_many_requests" } });
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(1000);
    for (let call = 0; call < 21; call += 1) await client.post("/api/user/login", { username: "", password: "" });
    expect((await client.login("root", ROOT_PASSWORD)).body.success).toBe(true);
  });
});
