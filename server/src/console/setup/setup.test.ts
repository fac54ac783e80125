/** Tests of the set-up wizard over real HTTP: its refusals, that it runs once, its code, its initial quota. */
import { afterEach, describe, expect, test } from "vitest";
import type { TestServer } from "../../../../tests/support/systems/server.ts";
import { setUp, setupCodeOf, setupForm, startTestServer } from "../../../../tests/support/systems/server.ts";

const servers: TestServer[] = [];

async function start(environment: Record<string, string> = {}): Promise<TestServer> {
  const server = await startTestServer(environment);
  servers.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

describe("before the setup", () => {
  test("the database is named and no account exists; where it lies is for who has the code", async () => {
    const server = await start();
    const told = { status: false, root_init: false, database_type: "sqlite" };
    expect((await server.client().get("/api/setup")).body.data).toEqual({ ...told, database_place: "" });
    expect((await server.client().get("/api/setup?code=guess")).body.data).toEqual({ ...told, database_place: "" });
    const { data } = (await server.client().get(`/api/setup?code=${await setupCodeOf(server.app)}`)).body;
    expect(data).toEqual({ ...told, database_place: expect.stringMatching(/^\/.+turnpike\.db$/) });
  });

  test.each([
    [{ username: "   " }, "Please enter the admin username", "username"],
    [{ username: "x".repeat(33) }, "The admin username may have at most 32 characters", "username"],
    [{ password: "short12", confirmPassword: "short12" }, "Password must be at least 8 characters long", "password"],
    [{ confirmPassword: "another one" }, "The two passwords entered do not match", "confirmPassword"],
  ])("%j is refused with HTTP 200 and its message, and writes nothing", async (change, message, field) => {
    const server = await start();
    const client = server.client();
    const answer = await client.post("/api/setup", await setupForm(server.app, change));
    expect(answer).toMatchObject({ status: 200, body: { success: false, message, field } });
    expect((await client.get("/api/setup")).body.data).toMatchObject({ status: false, root_init: false });
  });
});

describe("the setup", () => {
  test("makes the account with its opening quota in the ledger, stores the mode, and is reported by the status", async () => {
    const server = await start();
    const client = await setUp(server, { SelfUseModeEnabled: true });
    const { kysely } = server.app.foundation.database;
    const user = await kysely.selectFrom("users").selectAll().executeTakeFirstOrThrow();
    expect(user).toMatchObject({ username: "root", role: 100, status: 1, quota: 100_000_000 });
    expect(user.password_hash).toMatch(/^\$argon2id\$/);
    const ledger = await kysely.selectFrom("ledger").selectAll().execute();
    expect(ledger).toMatchObject([{ entry_id: `opening:${user.id}`, kind: "opening", quota_delta: 100_000_000 }]);
    const status = (await client.get("/api/status")).body.data;
    expect(status).toMatchObject({ setup: true, self_use_mode_enabled: true, demo_site_enabled: false });
    expect(server.app.foundation.snapshot.options.AllowPrivateUpstreamsEnabled).toBe(true);
  });

  test("logs the new administrator in by its answer, on a browser's connection alone", async () => {
    const server = await start();
    const client = server.client();
    const answer = await client.post("/api/setup", await setupForm(server.app));
    expect(answer.body.data).toMatchObject({ id: 1, username: "root", role: 100, status: 1, group: "default" });
    client.userId = 1;
    expect((await client.get("/api/user/self")).body.data).toMatchObject({ username: "root", role: 100 });
    const stranger = server.client();
    stranger.userId = 1;
    expect((await stranger.get("/api/user/self")).status).toBe(401);
  });

  test("private upstreams stay closed outside self-use", async () => {
    const server = await start();
    await setUp(server);
    expect(server.app.foundation.snapshot.options.AllowPrivateUpstreamsEnabled).toBe(false);
  });

  test("of eight posts at once exactly one wins; the others get 200 and success:false", async () => {
    const server = await start();
    const form = await setupForm(server.app);
    const posts = Array.from({ length: 8 }, (_, index) =>
      server.client().post("/api/setup", { ...form, username: `root${index}` }),
    );
    const answers = await Promise.all(posts);
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    expect(answers.filter(({ body }) => body.success)).toHaveLength(1);
    const users = await server.app.foundation.database.kysely.selectFrom("users").select("id").execute();
    expect(users).toHaveLength(1);
  });

  test("a second one is refused and changes nothing", async () => {
    const server = await start();
    await setUp(server);
    const again = await server.client().post("/api/setup", await setupForm(server.app, { username: "evil" }));
    expect(again).toMatchObject({ status: 200, body: { success: false, code: "setup_done" } });
    expect((await server.client().get("/api/setup")).body.data).toEqual({
      status: true,
      root_init: false,
      database_type: "",
      database_place: "",
    });
  });
});

describe("the code", () => {
  test("is in the printed address, and the set-up is refused without it, from this machine too", async () => {
    const server = await start();
    const code = await setupCodeOf(server.app);
    expect(code).toHaveLength(20);
    for (const wrong of ["", `${code}x`, code.slice(1), code.toUpperCase().replaceAll(/\d/g, "0")]) {
      const { status, body } = await server.client().post("/api/setup", await setupForm(server.app, { code: wrong }));
      expect({ status, ...body }).toMatchObject({ status: 200, code: "setup_code_wrong", field: "code" });
    }
    expect((await server.client().get("/api/setup")).body.data).toMatchObject({ status: false, root_init: false });
    await setUp(server);
    expect(await server.app.setupUrl()).toBeUndefined();
  });

  test("is SETUP_CODE where the environment names one", async () => {
    const server = await start({ SETUP_CODE: "chosen-by-a-script" });
    expect(await setupCodeOf(server.app)).toBe("chosen-by-a-script");
    const answer = await server
      .client()
      .post("/api/setup", await setupForm(server.app, { code: "chosen-by-a-script" }));
    expect(answer.body.success).toBe(true);
  });

  test("may be tried twenty times from one address", async () => {
    const server = await start();
    const form = await setupForm(server.app, { code: "not the code" });
    for (let tries = 0; tries < 20; tries += 1)
      expect((await server.client().post("/api/setup", form)).body.code).toBe("setup_code_wrong");
    expect((await server.client().post("/api/setup", await setupForm(server.app))).status).toBe(429);
  });
});
