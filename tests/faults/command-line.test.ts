/** The command line as operators use it: beside a running server and without one, on every engine, with what scripts read of it. */
import { spawnSync } from "node:child_process";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Ran, turnpike, turnpikeHere } from "../support/systems/command-line.ts";
import { type ServerProcess, startServer } from "../support/systems/processes.ts";
import { ROOT_PASSWORD, TestClient } from "../support/systems/server.ts";
import { PERSON_PASSWORD, type Site, dataOf, itemsOf, loggedIn, makeSite } from "../support/systems/site.ts";
import { createTestPlace, engines } from "../support/databases/databases.ts";
import { askServer } from "../../server/src/command-line/control-socket.ts";

const password = ({ out }: Ran): string => (JSON.parse(out) as { password: string }).password;

describe.each(await engines())("beside a running server on %s", (engine) => {
  let site: Site;
  let server: ServerProcess;

  beforeAll(async () => {
    site = await makeSite(engine, { upstreamUrl: "http://127.0.0.1:9", quotas: [1_000, 1_000] });
    server = await startServer(site.env);
  });
  afterAll(async () => {
    await server.end();
    await site.remove();
  });

  const isOpen = async (client: TestClient): Promise<boolean> => (await client.get("/api/user/self")).body.success;
  const acts = async () => {
    const root = await loggedIn(server.url, "root", ROOT_PASSWORD);
    const rows = await itemsOf<{ type: number; username: string; content: string }>(root.get("/api/log/?type=3"));
    return rows.filter(({ username }) => username === "command line").map(({ content }) => content);
  };

  test("a lost password is replaced by a temporary one, which alone signs in, and sessions end", async () => {
    const before = await loggedIn(server.url, "person0");
    const ran = await turnpike(site.env, "user", "reset-password", "person0", "--json");
    expect([ran.code, ran.complaint]).toEqual([0, ""]);
    expect(password(ran)).toMatch(/^\w{16}$/);
    await expect.poll(() => isOpen(before)).toBe(false);
    const client = new TestClient(server.url);
    expect((await client.login("person0", PERSON_PASSWORD)).body.success).toBe(false);
    expect((await client.login("person0", password(ran))).body.success).toBe(true);
    expect(await acts()).toContain(`Gave user "person0" (#${site.people[0]?.userId}) a temporary password`);
  });

  test("an account becomes an administrator or a super administrator, once", async () => {
    const id = site.people[1]?.userId ?? 0;
    expect(await turnpike(site.env, "user", "promote", `#${id}`)).toMatchObject({ code: 0 });
    expect(await dataOf((await loggedIn(server.url, "person1")).get("/api/user/self"))).toMatchObject({ role: 10 });
    expect(await turnpikeHere(site.env, "user", "promote", "PERSON1", "--role=root")).toMatchObject({ code: 0 });
    expect(await dataOf((await loggedIn(server.url, "person1")).get("/api/user/self"))).toMatchObject({ role: 100 });
    const again = await turnpikeHere(site.env, "user", "promote", "person1", "--role=root");
    expect(again).toMatchObject({ code: 1, out: "", complaint: '"person1" has this role or a higher one already\n' });
  });

  test("wrong guesses and a ban are lifted", async () => {
    const root = await loggedIn(server.url, "root", ROOT_PASSWORD);
    const { userId } = await dataOf<{ id: number }>(
      root.post("/api/user", { username: "locked", password: PERSON_PASSWORD }),
    ).then(({ id }) => ({ userId: id }));
    await dataOf(root.post("/api/user/manage", { id: userId, action: "disable" }));
    for (let guess = 0; guess < 7; guess += 1) await new TestClient(server.url).login("locked", `wrong ${guess}`);
    expect((await new TestClient(server.url).login("locked", PERSON_PASSWORD)).status).toBe(429);
    expect(await turnpike(site.env, "user", "unlock", "locked")).toMatchObject({ code: 0 });
    expect((await new TestClient(server.url).login("locked", PERSON_PASSWORD)).body.success).toBe(true);
  });

  test("factors are removed, and sessions ended", async () => {
    const none = await turnpike(site.env, "user", "disable-2fa", "root", "--json");
    expect(JSON.parse(none.out)).toMatchObject({ totp: false, passkeys: 0, username: "root" });
    const client = await loggedIn(server.url, "root", ROOT_PASSWORD);
    expect(await turnpike(site.env, "user", "end-sessions", "root")).toMatchObject({ code: 0 });
    await expect.poll(() => isOpen(client)).toBe(false);
  });

  test("an account that does not exist is named, and the books still balance", async () => {
    const missing = await turnpikeHere(site.env, "user", "unlock", "nobody-here");
    expect(missing).toEqual({ code: 1, out: "", complaint: 'There is no user "nobody-here"\n' });
    const audit = await turnpike(site.env, "audit", "--json");
    expect([audit.code, JSON.parse(audit.out)]).toMatchObject([0, { faults: [], refused: [] }]);
  });

  test("after the server has ended the command acts by itself", async () => {
    await server.end();
    const ran = await turnpike(site.env, "user", "reset-password", "root", "--json");
    expect([ran.code, ran.complaint]).toEqual([0, ""]);
    server = await startServer(site.env);
    expect((await new TestClient(server.url).login("root", password(ran))).body.success).toBe(true);
  });

  // PostgreSQL and MariaDB need no socket: the command line reaches the database itself.
  test("a socket is opened beside SQLite alone, for its owner, and refuses what is no command", async () => {
    const { dataDir } = site.place.config;
    if (engine !== "sqlite") {
      await expect(stat(join(dataDir, "control.sock"))).rejects.toThrow("ENOENT");
      return;
    }
    expect((await stat(join(dataDir, "control.sock"))).mode & 0o777).toBe(0o600);
    for (const request of [
      {},
      { act: "delete", account: "root", role: "admin" },
      { act: "unlock", account: "x".repeat(20_000) },
    ])
      expect(await askServer(dataDir, request)).toMatchObject({ exitCode: 1 });
    await server.end("SIGKILL");
    expect(await askServer(dataDir, {})).toBeUndefined();
    server = await startServer(site.env);
    expect(await askServer(dataDir, {})).toMatchObject({ exitCode: 1 });
  });
});

describe.each(await engines())("an empty database on %s", (engine) => {
  test("is migrated by a command of its own, which says before what it will do; nothing else migrates it", async () => {
    const place = await createTestPlace(engine, { isEmpty: true });
    const { dataDir, databaseUrl = "", secretKey = "" } = place.config;
    const env = {
      DATA_DIR: dataDir,
      SECRET_KEY: secretKey,
      ...(databaseUrl === "" ? {} : { DATABASE_URL: databaseUrl }),
    };
    try {
      const check = async (run = turnpikeHere) => {
        const { code, out } = await run(env, "migrate", "--check", "--json");
        return { code, steps: (JSON.parse(out) as { steps: { title: string }[] }).steps };
      };
      const before = await check(turnpike);
      expect(before.code).toBe(1);
      expect(before.steps[0]?.title).toMatch(/^0001 /);
      const early = await turnpikeHere(env, "user", "unlock", "root");
      expect([early.code, early.complaint]).toEqual([1, expect.stringContaining("turnpike migrate")]);
      expect(await check()).toEqual(before);
      const ran = await turnpike(env, "migrate", "--json");
      expect([ran.code, JSON.parse(ran.out)]).toEqual([0, { steps: before.steps.length }]);
      expect(ran.complaint.trim().split("\n")).toHaveLength(before.steps.length);
      expect(await check()).toEqual({ code: 0, steps: [] });
    } finally {
      await place.remove();
    }
  });
});

describe("a command line", () => {
  test.each([
    [["--help"], 0, "Commands:"],
    [["user", "promote", "--help"], 0, "turnpike user promote ada"],
    [["--version"], 0, "v0."],
  ])("%j is answered on standard output", async (words, code, text) => {
    const ran = await turnpike({}, ...words);
    expect([ran.code, ran.complaint]).toEqual([code, ""]);
    expect(ran.out).toContain(text);
  });

  test.each([
    [["nothing"], 'There is no command "nothing"'],
    [["user"], "One of: turnpike user reset-password"],
    [["user", "promote"], "takes <account>"],
    [["user", "promote", "ada", "--role", "king"], "--role must be admin or root"],
    [["audit", "--fast"], "--fast"],
  ])("%j is refused with code 2 and says what is wrong", async (words, text) => {
    const ran = await turnpikeHere({}, ...words);
    expect([ran.code, ran.out]).toEqual([2, ""]);
    expect(ran.complaint).toContain(text);
  });

  test("with --json has nothing but its answer on standard output, also through the program that installs what is missing", () => {
    const { stdout } = spawnSync(process.execPath, ["bin/turnpike.mjs", "version", "--json"], { encoding: "utf8" });
    expect(JSON.parse(stdout)).toMatchObject({ version: expect.stringMatching(/^v\d/) as string });
  });

  test("a wrong variable of the environment is named", async () => {
    const ran = await turnpike({ PORT: "x" }, "audit");
    expect([ran.code, ran.complaint]).toEqual([1, expect.stringContaining("PORT")]);
  });
});
