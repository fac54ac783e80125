/** Attack: lock the owner out for good from an open session: the last way to sign in cannot be removed, by concurrent calls on two processes either. */
import { plantIdentity } from "../support/systems/identity-console.ts";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningApp, startApp } from "../../server/src/app.ts";
import { createSession } from "../../server/src/console/session-store.ts";
import { NEW_USER, nameColumns } from "../../server/src/db/new-user.ts";
import { insertReturningId } from "../../server/src/db/portable.ts";
import { bumpVersion } from "../../server/src/db/versions.ts";
import { createLogger } from "../../server/src/observe/logger.ts";
import { type TestPlace, engines, createTestPlace } from "../support/databases/databases.ts";
import { ROOT_PASSWORD, TestClient, setupForm } from "../support/systems/server.ts";
import { dataOf } from "../support/systems/site.ts";

const ROUNDS = 4;

interface Ways {
  passkeys: number;
  github: boolean;
}

describe.each(await engines())("ways into accounts on %s", (engine) => {
  let place: TestPlace;
  let apps: readonly RunningApp[] = [];

  beforeAll(async () => {
    place = await createTestPlace(engine, { env: { GLOBAL_API_RATE_LIMIT_ENABLE: "false", PORT: "0" } });
    const open = () =>
      startApp(place.config, {
        logger: createLogger({ level: "silent" }),
        webDirectory: join(place.config.dataDir, "no-web"),
      });
    const first = await open();
    apps = engine === "sqlite" ? [first] : [first, await open()];
    const root = new TestClient(first.url);
    await dataOf(root.post("/api/setup", await setupForm(first)));
    await dataOf(root.login("root", ROOT_PASSWORD));
    const github = { GitHubClientId: "id", GitHubClientSecret: "secret", GitHubOAuthEnabled: "true" };
    for (const [key, value] of Object.entries(github)) await dataOf(root.put("/api/option", { key, value }));
  });
  afterAll(async () => {
    for (const app of apps) await app.close();
    await place?.remove();
  });

  const kysely = () => appAt(0).foundation.database.kysely;
  const appAt = (index: number): RunningApp => {
    const app = apps[index % apps.length];
    if (app === undefined) throw new Error("no server runs");
    return app;
  };

  /** A user without a password. @returns their session at each server, and the calls that remove their ways to sign in. */
  async function person({ passkeys, github }: Ways) {
    const { database, secrets } = appAt(0).foundation;
    const username = `u${randomUUID().slice(0, 8)}`;
    const now = Math.floor(Date.now() / 1000);
    const keys = Array.from({ length: passkeys }, () => randomUUID());
    const made = await database.kysely.transaction().execute(async (transaction) => {
      const changed_version = await bumpVersion(transaction, "users");
      const row = { ...NEW_USER, ...nameColumns(username), aff_code: username, changed_version };
      const userId = await insertReturningId(database, transaction, "users", row);
      if (github) await plantIdentity(transaction, userId, "github", randomUUID());
      for (const hash of keys) {
        const key = { credential_hash: hash, credential_id: hash, user_id: userId, name: "Key", public_key: "k" };
        await transaction
          .insertInto("passkeys")
          .values({ ...key, counter: 0, transports: "", is_backed_up: 0, created_time: now, used_time: 0 })
          .execute();
      }
      const session = { userId, ip: "127.0.0.1", userAgent: "test", way: "passkey" };
      return { userId, cookie: await createSession(transaction, secrets, session, now) };
    });
    for (const app of apps) await app.foundation.snapshot.refresh();
    const ways = keys.map((key) => `/api/user/self/passkeys/${key}`);
    return { ...made, calls: github ? [...ways, "/api/user/self/binding/github"] : ways };
  }

  async function waysLeft(userId: number): Promise<number> {
    const keys = await kysely().selectFrom("passkeys").select("name").where("user_id", "=", userId).execute();
    const bound = await kysely().selectFrom("identities").select("subject").where("user_id", "=", userId).execute();
    return keys.length + bound.length;
  }

  test.each<Ways>([
    { passkeys: 1, github: false },
    { passkeys: 2, github: false },
    { passkeys: 1, github: true },
    { passkeys: 3, github: true },
    { passkeys: 0, github: true },
  ])("with %j one is left of all that are removed at once", async (ways) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { userId, cookie, calls } = await person(ways);
      const answers = await Promise.all(
        calls.map((path, index) => {
          const client = new TestClient(appAt(index).url);
          client.cookie = `turnpike_session=${cookie}`;
          client.userId = userId;
          return client.send("DELETE", path);
        }),
      );
      expect(await waysLeft(userId)).toBe(1);
      const refused = answers.filter(({ body }) => !body.success);
      expect(refused.map(({ body }) => body.code)).toEqual(["identity_last"]);
    }
  });

  test("while the option of the other site is off, its account counts for nothing", async () => {
    const { userId, cookie, calls } = await person({ passkeys: 1, github: true });
    const root = new TestClient(appAt(0).url);
    await dataOf(root.login("root", ROOT_PASSWORD));
    await dataOf(root.put("/api/option", { key: "GitHubOAuthEnabled", value: "false" }));
    const client = new TestClient(appAt(0).url);
    Object.assign(client, { cookie: `turnpike_session=${cookie}`, userId });
    expect((await client.send("DELETE", calls[0] ?? "")).body.code).toBe("identity_last");
    expect(await waysLeft(userId)).toBe(2);
    await dataOf(root.put("/api/option", { key: "GitHubOAuthEnabled", value: "true" }));
  });
});
