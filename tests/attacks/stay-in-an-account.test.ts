/**
 * Attack: keep access to an account after a seen password and a stolen session, by access tokens, a login that waits for its second step, or a
 * reset link. Whatever the owner or an administrator does to end it ends all of it, on every process.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROLE } from "../../contract/src/roles.ts";
import { engines } from "../support/databases/databases.ts";
import type { TestClient } from "../support/systems/server.ts";
import { dataOf } from "../support/systems/site.ts";
import { openScene, type Scene, STOLEN_PASSWORD, stranger, type Victim } from "../support/systems/break-in.ts";

const NEW_PASSWORD = "another horse 8";

interface Loot {
  session: TestClient;
  tokens: string[];
  ticket: string;
  code: string;
  link: string;
}

/** What ends the attacker's stay, and whom it can happen to. */
interface Event {
  name: string;
  role?: number;
  /** No sign-in follows; the next act does not ask. */
  act(scene: Scene, victim: Victim, owner: TestClient): Promise<unknown>;
}

const manage = (scene: Scene, { id }: Victim, action: string) =>
  dataOf(scene.root.post("/api/user/manage", { id, action }));

const EVENTS: readonly Event[] = [
  {
    name: "the owner changes the password",
    act: (_scene, _victim, owner) =>
      dataOf(owner.put("/api/user/self", { password: NEW_PASSWORD, original_password: STOLEN_PASSWORD })),
  },
  {
    name: "the owner resets the password by mail",
    act: async (scene, victim) => {
      const token = await scene.resetLink(victim);
      return dataOf(stranger(scene.urls[0]).post("/api/user/reset", { email: victim.email, token }));
    },
  },
  {
    name: "the owner ends all other sessions",
    act: (_scene, _victim, owner) => dataOf(owner.send("DELETE", "/api/user/self/sessions")),
  },
  {
    name: "an administrator disables the account and enables it again",
    act: async (scene, victim) => {
      await manage(scene, victim, "disable");
      return manage(scene, victim, "enable");
    },
  },
  {
    name: "an administrator sets a password",
    act: (scene, { id }) => dataOf(scene.root.put("/api/user", { id, password: NEW_PASSWORD })),
  },
  { name: "an administrator ends all sessions", act: (scene, victim) => manage(scene, victim, "end_sessions") },
  { name: "the account is deregistered", act: (scene, victim) => manage(scene, victim, "delete") },
  { name: "an administrator is demoted", role: ROLE.admin, act: (scene, victim) => manage(scene, victim, "demote") },
  { name: "a user is promoted", act: (scene, victim) => manage(scene, victim, "promote") },
];

const byToken = (url: string, { id }: Victim, token: string) =>
  stranger(url).get("/api/user/self", { headers: { authorization: `Bearer ${token}`, "new-api-user": String(id) } });

async function prepare(scene: Scene, victim: Victim): Promise<Loot> {
  const [, url] = scene.urls;
  const session = await scene.signIn(url, victim);
  const older = await dataOf<string>(session.get("/api/user/token"));
  const named = await dataOf<{ value: string }>(
    session.post("/api/user/self/access_tokens", { name: "backup job", scope: "admin" }),
  );
  const { ticket } = await dataOf<{ ticket: string }>(
    stranger(url).post("/api/user/login", { username: victim.username, password: STOLEN_PASSWORD }),
  );
  const link = await scene.resetLink(victim);
  return { session, tokens: [older, named.value], ticket, code: victim.recoveryCodes.pop() ?? "", link };
}

/** Everything the attacker tries afterwards, on both processes; the names of what still worked. */
async function tryAll(scene: Scene, victim: Victim, loot: Loot): Promise<string[]> {
  const worked: string[] = [];
  const note = (name: string, { body }: { body: { success: boolean } }) => body.success && worked.push(name);
  for (const url of scene.urls) {
    const session = stranger(url);
    Object.assign(session, { cookie: loot.session.cookie, userId: victim.id });
    note("session", await session.get("/api/user/self"));
    note("a new token by the session", await session.post("/api/user/token"));
    for (const token of loot.tokens) note("access token", await byToken(url, victim, token));
    const { ticket, code } = loot;
    note("second step", await stranger(url).post("/api/user/login/second_step", { ticket, code }));
  }
  const reset = { email: victim.email, token: loot.link };
  note("reset link", await stranger(scene.urls[1]).post("/api/user/reset", reset));
  return worked;
}

describe.each(await engines())("staying in an account on %s", (engine) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(engine);
  });
  afterAll(() => scene.close());

  test("what the attacker prepared works until it is ended", async () => {
    const victim = await scene.victim({ hasTotp: true });
    const worked = await tryAll(scene, victim, await prepare(scene, victim));
    expect([...new Set(worked)]).toEqual([
      "session",
      "a new token by the session",
      "access token",
      "second step",
      "reset link",
    ]);
  });

  test.each(EVENTS)("nothing is left after $name", async ({ role = ROLE.user, act }) => {
    const victim = await scene.victim({ role, hasTotp: true });
    const owner = await scene.session(scene.urls[0], victim);
    const loot = await prepare(scene, victim);
    await act(scene, victim, owner);
    expect(await tryAll(scene, victim, loot)).toEqual([]);
  });

  test("what is under way while the password changes is over with it too", async () => {
    const victim = await scene.victim({});
    const owner = await scene.session(scene.urls[0], victim);
    const thief = await scene.signIn(scene.urls[1], victim);
    const making = Array.from({ length: 15 }, (_, index) =>
      thief.post("/api/user/self/access_tokens", { name: `t${index}`, scope: "admin" }),
    );
    const entering = Array.from({ length: 3 }, async () => {
      const client = stranger(scene.urls[1]);
      await client.login(victim.username, STOLEN_PASSWORD);
      return client;
    });
    await dataOf(owner.put("/api/user/self", { password: NEW_PASSWORD, original_password: STOLEN_PASSWORD }));
    const tokens = (await Promise.all(making)).flatMap(({ body }) =>
      body.success ? [(body.data as { value: string }).value] : [],
    );
    const answers = await Promise.all(tokens.map((token) => byToken(scene.urls[1], victim, token)));
    expect(answers.filter(({ body }) => body.success)).toEqual([]);
    for (const client of await Promise.all(entering))
      expect((await client.get("/api/user/self")).body.success).toBe(false);
    expect((await owner.get("/api/user/self")).body.success).toBe(true);
  });

  test("an address that was given up resets nothing any more", async () => {
    const victim = await scene.victim({});
    const token = await scene.resetLink(victim);
    const { kysely } = scene.app.foundation.database;
    await kysely
      .updateTable("users")
      .set({ email: `new-${victim.email}` })
      .where("id", "=", victim.id)
      .execute();
    const answer = await stranger(scene.urls[1]).post("/api/user/reset", { email: victim.email, token });
    expect(answer.body.success).toBe(false);
    await scene.signIn(scene.urls[0], victim);
  });
});
