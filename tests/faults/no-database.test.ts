/** Fault: a server whose database is down at startup reports it, answers health checks and refuses all other requests with 503 until the database is up. */
import { describe, expect, test } from "vitest";
import { createTestPlace, enginesHere } from "../support/databases/databases.ts";
import { canStart, startMariadb, startPostgres } from "../support/databases/own-engines.ts";
import { callChat } from "../support/clients/calls.ts";
import { IS_LONG, IS_SHORT } from "../support/soak/short-or-long.ts";
import { runServerToItsEnd, startServer, startUpstream, until } from "../support/systems/processes.ts";
import { MODELS, makeSite } from "../support/systems/site.ts";

const STARTS = { postgres: startPostgres, mysql: startMariadb } as const;
/** Several wait as one does, and for each other too. */
const PROCESSES = IS_SHORT ? [2] : [1, 2];
const servers = (["postgres", "mysql"] as const).filter(
  (name) => (IS_LONG || name === "postgres") && canStart(name === "postgres" ? "postgres" : "mariadbd"),
);

describe.each(servers)("a %s that is away when the server starts", (name) => {
  test.each(PROCESSES)(
    "is waited for by %i processes: alive, not ready, 503 for calls and console, and all works when it is there",
    { timeout: 180_000 },
    async (workers) => {
      const upstream = await startUpstream();
      const engine = await STARTS[name]();
      const place = await createTestPlace(name, { server: engine.url });
      const site = await makeSite(name, { upstreamUrl: upstream.url, quotas: [10 ** 9], place });
      await engine.kill();
      const server = await startServer({ ...site.env, WORKERS: String(workers) });
      expect(server.output()).toMatch(/waits for its database: The database at 127\.0\.0\.1:\d+ cannot be opened: /);
      const key = site.people[0]?.key ?? "";
      const call = () => callChat(server.url, key, { model: MODELS.counted, isStream: false });
      expect((await fetch(`${server.url}/livez`)).status).toBe(200);
      expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
      const refused = await call();
      expect([refused.status, JSON.parse(refused.body.toString())]).toEqual([
        503,
        expect.objectContaining({ error: expect.objectContaining({ code: "database_unavailable" }) as unknown }),
      ]);
      const console = await fetch(`${server.url}/api/status`);
      expect([console.status, await console.json()]).toMatchObject([
        503,
        { success: false, code: "database_unavailable" },
      ]);
      await engine.start();
      await until(async () => (await fetch(`${server.url}/readyz`)).ok, "a green /readyz", 60_000);
      await until(() => server.output().includes("Turnpike is at"), "the end of the start", 60_000);
      expect((await call()).isComplete).toBe(true);
      expect(await server.end()).toEqual({ code: 0, signal: null });
      await site.remove();
      await engine.remove();
      await upstream.end();
    },
  );

  test("does not keep the server from ending", { timeout: 60_000 }, async () => {
    const env = {
      DATABASE_URL: `${name}://turnpike@127.0.0.1:1/turnpike`,
      SECRET_KEY: "tests-only-7f3a91c0d2e84b56a1f09c3d",
    };
    const server = await startServer(env);
    expect(await server.end()).toEqual({ code: 0, signal: null });
  });
});

test.skipIf(!(await enginesHere()).includes("postgres"))(
  "a database that the server does not have is a wrong setting: one plain line and the end",
  { timeout: 60_000 },
  async () => {
    const place = await createTestPlace("postgres");
    const url = new URL(place.config.databaseUrl ?? "");
    url.pathname = "/turnpike_none";
    const env = { DATABASE_URL: url.href, SECRET_KEY: "tests-only-7f3a91c0d2e84b56a1f09c3d" };
    const { code, output } = await runServerToItsEnd({ ...env, DATA_DIR: place.config.dataDir });
    expect([code, output.trim().split("\n")]).toEqual([
      1,
      [expect.stringMatching(/^The database at .* does not exist$/)],
    ]);
    await place.remove();
  },
);

test("an address that is none is one plain line and the end", { timeout: 60_000 }, async () => {
  const { code, output } = await runServerToItsEnd({ DATABASE_URL: "postgres//nowhere" });
  expect([code, output.trim().split("\n")]).toEqual([1, [expect.stringContaining("DATABASE_URL")]]);
});
