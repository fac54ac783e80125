/** Attack: plant a session from a sibling host, or read the data folder with an account on the machine. */
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createSession } from "../../server/src/console/session-store.ts";
import { ROOT_PASSWORD, setUp, startTestServer, type TestServer } from "../support/systems/server.ts";
import { startServer } from "../support/systems/processes.ts";

describe("a sibling host", () => {
  let server: TestServer;
  const HTTPS = { "x-forwarded-proto": "https", "x-forwarded-for": "192.0.2.9" };
  beforeAll(async () => {
    server = await startTestServer({ TRUSTED_PROXIES: "127.0.0.1" });
    await setUp(server);
  });
  afterAll(() => server.stop());

  const signIn = async (headers: Record<string, string>) => {
    const answer = await server
      .client()
      .post("/api/user/login", { username: "root", password: ROOT_PASSWORD }, { headers });
    return answer.headers.getSetCookie();
  };
  const statusOf = async (cookie: string, headers: Record<string, string>) =>
    (await server.client().get("/api/user/self", { headers: { ...headers, cookie, "new-api-user": "1" } })).status;

  test("cannot set the cookies that count over https: they have the prefix, and what a client says of itself changes nothing", async () => {
    const [cookie = ""] = await signIn(HTTPS);
    expect(cookie).toMatch(/^__Host-turnpike_session=[\w-]{43};.*Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    expect(cookie).not.toContain("Domain");
    const state = await server.client().post("/api/oauth/state", {}, { headers: HTTPS });
    expect(state.headers.getSetCookie()[0]).toMatch(/^__Host-turnpike_flow=.*Path=\/;.*Secure/);
    expect((await signIn({}))[0]).toMatch(/^turnpike_session=/);
  });

  test("has nothing of a session of its own that it plants under the old name", async () => {
    const value = (await signIn({}))[0]?.split(";")[0] ?? "";
    expect(await statusOf(value, {})).toBe(200);
    expect(await statusOf(value, HTTPS)).toBe(401);
  });

  test("sessions from before the upgrade stay valid until they end", async () => {
    const { database, secrets } = server.app.foundation;
    const since = Number(
      (
        await database.kysely
          .selectFrom("facts")
          .select("value")
          .where("name", "=", "cookie_prefix_since")
          .executeTakeFirstOrThrow()
      ).value,
    );
    const row = { userId: 1, ip: "192.0.2.9", userAgent: "test", way: "password" };
    const value = await createSession(database.kysely, secrets, row, since - 60);
    expect(await statusOf(`turnpike_session=${value}`, HTTPS)).toBe(200);
  });

  test("https answers say that this host is https for a year, others say nothing", async () => {
    const header = async (headers: Record<string, string>) =>
      (await server.client().get("/api/status", { headers })).headers.get("strict-transport-security");
    expect([await header(HTTPS), await header({})]).toEqual(["max-age=31536000", null]);
  });
});

describe("another account on the machine", () => {
  let folder = "";
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const openFiles = async (dataDir: string) => {
    const names = [".", ...(await readdir(dataDir))];
    const modes = await Promise.all(
      names.map(async (name) => [name, (await stat(join(dataDir, name))).mode & 0o077] as const),
    );
    return modes.filter(([, others]) => others !== 0).map(([name]) => name);
  };
  const newFolder = async () => {
    folder = await mkdtemp(join(tmpdir(), "turnpike-files-"));
    return join(folder, "data");
  };

  test("reads nothing of a new data folder, nor of one that an earlier version made", async () => {
    const dataDir = await newFolder();
    await mkdir(dataDir, { mode: 0o755 });
    await writeFile(join(dataDir, "settlements-old.journal"), "", { mode: 0o644 });
    const started = await startServer({ DATA_DIR: dataDir });
    expect(await openFiles(dataDir)).toEqual([]);
    expect((await readdir(dataDir)).length).toBeGreaterThan(3);
    await started.end();
  });

  test("is shut out before a widened key is used: the start is refused with the command that repairs it", async () => {
    const dataDir = await newFolder();
    await mkdir(dataDir);
    const key = join(dataDir, "secret.key");
    await writeFile(key, `${"k1".repeat(24)}\n`);
    await chmod(key, 0o640);
    await expect(startServer({ DATA_DIR: dataDir })).rejects.toThrow(`chmod 600 '${key}'`);
    await chmod(key, 0o600);
    const started = await startServer({ DATA_DIR: dataDir });
    await started.end();
  });
});
