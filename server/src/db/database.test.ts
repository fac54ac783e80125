/** Tests of the connections to a server: a closed database has none, and an open one says how many it uses. */
import { describe, expect, test } from "vitest";
import { engines, createTestPlace } from "../../../tests/support/databases/databases.ts";
import { administer, SERVERS, type ServerEngine } from "../../../tests/support/databases/servers.ts";
import { openDatabase } from "./database.ts";

/** How many connections a server has to a database. */
const COUNT: Record<ServerEngine, (name: string) => string> = {
  postgres: (name) => `SELECT count(*)::int AS open FROM pg_stat_activity WHERE datname = '${name}'`,
  mysql: (name) => `SELECT count(*) AS open FROM information_schema.processlist WHERE db = '${name}'`,
};

const servers = (await engines()).filter((engine) => engine !== "sqlite");

describe.each(servers)("a database on %s", (engine) => {
  test("has no connection left once it is closed, also where nothing was asked of it", async () => {
    const { config, remove } = await createTestPlace(engine);
    const name = new URL(config.databaseUrl ?? "").pathname.slice(1);
    const open = async () => (await administer(engine, SERVERS[engine], COUNT[engine](name)))[0]?.["open"];
    const database = await openDatabase(config);
    expect(await open()).toBeGreaterThan(0);
    await database.close();
    // Sooner than an idle connection ends by itself.
    await expect.poll(open, { timeout: 5_000 }).toBe(0);
    await remove();
  });

  test("says how many connections it has, how many of them are idle, and who waits for one", async () => {
    const { config, remove } = await createTestPlace(engine, { env: { DATABASE_POOL_SIZE: "2" } });
    const database = await openDatabase(config);
    const figures = () => database.connections?.();
    const { promise, resolve: release } = Promise.withResolvers<void>();
    const asked = ["first", "second", "third"].map(() =>
      database.kysely.connection().execute(async () => {
        await promise;
      }),
    );
    await expect.poll(figures).toEqual({ open: 2, idle: 0, waiting: 1 });
    release();
    await Promise.all(asked);
    await expect.poll(figures).toMatchObject({ idle: 2, waiting: 0 });
    await database.close();
    await remove();
  });
});
