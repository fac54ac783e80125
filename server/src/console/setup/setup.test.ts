/** The first-run wizard over real HTTP: its refusals, that it happens once, its code, its opening quota. */
import { afterEach, describe, expect, test } from "vitest";
import type { TestServer } from "../../../../tests/support/server.ts";
import { setUp, setupForm, startTestServer } from "../../../../tests/support/server.ts";

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
  test("the database is named and no account exists", async () => {
    const answer = await (await start()).client().get("/api/setup");
    expect(answer.body.data).toEqual({
      status: false,
      root_init: false,
      database_type: "sqlite",
      code_required: false,
    });
  });

  test.each([
    [{ username: "   " }, "Please enter the admin username", "username"],
    [{ username: "thirteen chars" }, "The admin username may have at most 12 characters", "username"],
    [{ password: "short12", confirmPassword: "short12" }, "Password must be at least 8 characters long", "password"],
    [{ confirmPassword: "another one" }, "The two passwords entered do not match", "confirmPassword"],
  ])("%j is refused with HTTP 200 and the spec's message, and writes nothing", async (change, message, field) => {
    const client = (await start()).client();
    const answer = await client.post("/api/setup", setupForm(change));
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

  test("private upstreams stay closed outside self-use", async () => {
    const server = await start();
    await setUp(server);
    expect(server.app.foundation.snapshot.options.AllowPrivateUpstreamsEnabled).toBe(false);
  });

  test("of eight posts at once exactly one wins; the others get 200 and success:false", async () => {
    const server = await start();
    const posts = Array.from({ length: 8 }, (_, index) =>
      server.client().post("/api/setup", setupForm({ username: `root${index}` })),
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
    const again = await server.client().post("/api/setup", setupForm({ username: "evil" }));
    expect(again).toMatchObject({ status: 200, body: { success: false, code: "setup_done" } });
    expect((await server.client().get("/api/setup")).body.data).toEqual({
      status: true,
      root_init: false,
      database_type: "",
      code_required: false,
    });
  });

  test("through a proxy, or under a foreign name, it wants the printed code", async () => {
    const server = await start();
    const proxied = { headers: { "x-forwarded-for": "203.0.113.9" } };
    expect((await server.client().get("/api/setup", proxied)).body.data).toMatchObject({ code_required: true });
    const refused = await server.client().post("/api/setup", setupForm(), proxied);
    expect(refused).toMatchObject({ status: 200, body: { code: "setup_code_wrong" } });
  });

  test("off loopback the printed address carries the code, and only with it the wizard opens", async () => {
    const server = await start({ HOST: "0.0.0.0" });
    const address = new URL((await server.app.setupUrl()) ?? "");
    const code = address.searchParams.get("code") ?? "";
    expect(code).toHaveLength(20);
    const wrong = await server.client().post("/api/setup", setupForm({ code: `${code}x` }));
    expect(wrong.body).toMatchObject({ success: false, code: "setup_code_wrong" });
    expect((await server.client().post("/api/setup", setupForm({ code }))).body.success).toBe(true);
    expect(await server.app.setupUrl()).toBeUndefined();
  });
});
