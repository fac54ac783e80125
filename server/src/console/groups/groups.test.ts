/** Tests of group usage counts on every engine: users and tokens that are not deleted, and channels. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { engines } from "../../../../tests/support/databases/databases.ts";
import type { TestClient, TestServer } from "../../../../tests/support/systems/server.ts";
import { setUp, startTestServer } from "../../../../tests/support/systems/server.ts";

describe.each(await engines())("the usage of groups on %s", (engine) => {
  let server: TestServer;
  let root: TestClient;
  beforeAll(async () => {
    server = await startTestServer({ engine });
    root = await setUp(server);
  });
  afterAll(() => server.stop());

  const usage = async () => (await root.get("/api/group/usage")).body.data;

  test("counts users, tokens that name it and channels; what is gone and what follows its user does not count", async () => {
    const before = await usage();
    expect(before).toEqual([{ group: "default", users: 1, tokens: 0, channels: 0 }]);
    for (const name of ["ann", "ben", "cem"])
      await root.post("/api/user/", { username: name, password: "long enough" });
    const { kysely } = server.app.foundation.database;
    await kysely.updateTable("users").set({ group_name: "vip" }).where("username", "!=", "root").execute();
    await kysely.updateTable("users").set({ deleted_at: 1 }).where("username", "=", "cem").execute();
    const token = { name: "t", expired_time: -1, unlimited_quota: true };
    for (const group of ["vip", "default", ""]) await root.post("/api/token/", { ...token, group });
    const channel = { name: "c", type: 1, key: "k", models: "m" };
    for (const group of ["vip,svip", "vip"]) await root.post("/api/channel/", { ...channel, group });
    expect(await usage()).toEqual([
      { group: "default", users: 1, tokens: 1, channels: 0 },
      { group: "svip", users: 0, tokens: 0, channels: 1 },
      { group: "vip", users: 2, tokens: 1, channels: 2 },
    ]);
  });
});
