/**
 * Attack: with an access token or an open session, take over an account for good, the owner's or another's: password, way to sign in, factor,
 * mailbox, role. Neither gives any of them, for any scope, and a smaller scope gives no more than it says.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ACCESS_TOKEN_LIMIT } from "../../contract/src/features/personal.ts";
import { ROLE } from "../../contract/src/roles.ts";
import { engines } from "../support/databases/databases.ts";
import type { TestAnswer, TestClient } from "../support/systems/server.ts";
import { dataOf } from "../support/systems/site.ts";
import { openScene, type Scene, STOLEN_PASSWORD, stranger, type Victim } from "../support/systems/break-in.ts";

/** Calls that would make the attacker the owner, or that would keep the owner out. */
const TAKE_OVERS: readonly [method: string, path: string, body?: object][] = [
  ["PUT", "/api/user/self", { password: STOLEN_PASSWORD }],
  ["PUT", "/api/user/self", { username: "mine" }],
  ["PUT", "/api/user/setting", { notify_type: "webhook", webhook_url: "https://evil.example/" }],
  ["PUT", "/api/user/setting", { notification_email: "evil@example.org" }],
  ["POST", "/api/oauth/email/bind", { email: "evil@example.org", code: "000000" }],
  ["POST", "/api/oauth/wechat/bind", { code: "000000" }],
  ["POST", "/api/oauth/state", { provider: "", bind: true }],
  ["POST", "/api/user/self/totp"],
  ["POST", "/api/user/self/totp/confirm", { code: "000000" }],
  ["POST", "/api/user/self/passkeys/challenge"],
  ["POST", "/api/user/self/recovery_codes"],
  ["GET", "/api/user/token"],
  ["POST", "/api/user/token"],
  ["POST", "/api/user/self/access_tokens", { name: "more", scope: "read" }],
  ["DELETE", "/api/user/self/sessions"],
  ["DELETE", "/api/user/self"],
  ["POST", "/api/user/confirm", { password: "" }],
];

describe.each(await engines())("taking an account over on %s", (engine) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(engine);
  });
  afterAll(() => scene.close());

  const makeToken = async (victim: Victim, scope: string) => {
    const owner = await scene.session(scene.urls[0], victim);
    const asked = { name: scope, scope };
    return (await dataOf<{ value: string }>(owner.post("/api/user/self/access_tokens", asked))).value;
  };

  const withToken = (url: string, { id }: Victim, token: string) => {
    const client = stranger(url);
    return (method: string, path: string, body?: object): Promise<TestAnswer> =>
      client.send(method, path, {
        ...(body === undefined ? {} : { body }),
        headers: { authorization: `Bearer ${token}`, "new-api-user": String(id) },
      });
  };

  const rowsOf = async ({ id }: Victim) => {
    const { kysely } = scene.app.foundation.database;
    const user = await kysely
      .selectFrom("users")
      .select(["username", "password_hash", "email", "wechat_id", "setting", "deleted_at"])
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    const tokens = await kysely.selectFrom("personal_access_tokens").select("id").where("user_id", "=", id).execute();
    const sessions = await kysely.selectFrom("sessions").select("id").where("user_id", "=", id).orderBy("id").execute();
    const totp = await kysely.selectFrom("totp_factors").selectAll().where("user_id", "=", id).execute();
    return { user, tokens, sessions, totp };
  };

  test.each([
    ["an access token of the widest scope", ROLE.admin],
    ["an access token of the widest scope", ROLE.user],
  ])("%s of role %i changes no way to sign in, if the account has no password", async (_name, role) => {
    const victim = await scene.victim({ role, password: false });
    const token = await makeToken(victim, "admin");
    const before = await rowsOf(victim);
    for (const url of scene.urls)
      for (const [method, path, body] of TAKE_OVERS) {
        const { body: answer } = await withToken(url, victim, token)(method, path, body);
        expect([method, path, answer.success]).toEqual([method, path, false]);
      }
    expect(await rowsOf(victim)).toEqual(before);
    const signedIn = await stranger(scene.urls[0]).login(victim.username, STOLEN_PASSWORD);
    expect(signedIn.body.success).toBe(false);
  });

  test("nor does a session that was left open for an hour", async () => {
    const victim = await scene.victim({ password: false });
    const left: TestClient = await scene.session(scene.urls[1], victim, 3600);
    const before = await rowsOf(victim);
    for (const [method, path, body] of TAKE_OVERS) {
      const { body: answer } = await left.send(method, path, body === undefined ? {} : { body });
      expect([method, path, answer.success]).toEqual([method, path, false]);
    }
    expect(await rowsOf(victim)).toEqual(before);
  });

  /** What a super administrator or an administrator may do to others' ways in, and must be confirmed for. */
  const othersTakenOver = (target: Victim, accomplice: Victim): readonly [string, string, object?][] => [
    ["PUT", "/api/user", { id: target.id, password: "evil chose this 1" }],
    ["PUT", "/api/user", { id: target.id, username: `x${target.username.slice(1)}` }],
    ["PUT", "/api/user", { id: target.id, quota: 5, password: "evil chose this 1" }],
    ["POST", "/api/user/manage", { id: accomplice.id, action: "promote" }],
  ];

  const adminsTakenAway = (target: Victim): readonly [string, string, object?][] => [
    ["POST", "/api/user/manage", { id: target.id, action: "demote" }],
    ["POST", "/api/user/manage", { id: target.id, action: "delete" }],
    ["DELETE", `/api/user/${target.id}`],
  ];

  const roleOf = async ({ id }: Victim) =>
    (
      await scene.app.foundation.database.kysely
        .selectFrom("users")
        .select(["role", "quota"])
        .where("id", "=", id)
        .execute()
    )[0];

  test.each(["an access token", "a session left open for an hour"])(
    "%s of the super administrator gives no administrator's account, and no role",
    async (way) => {
      const [owner, target, accomplice] = [
        await scene.victim({ role: ROLE.root }),
        await scene.victim({ role: ROLE.admin }),
        await scene.victim({}),
      ];
      const left = await scene.session(scene.urls[1], owner, 3600);
      const byToken = withToken(scene.urls[0], owner, await makeToken(owner, "admin"));
      const bySession: typeof byToken = (method, path, body) =>
        left.send(method, path, body === undefined ? {} : { body });
      const call = way === "an access token" ? byToken : bySession;
      const facts = async () => [
        await rowsOf(target),
        await roleOf(target),
        await rowsOf(accomplice),
        await roleOf(accomplice),
      ];
      const before = await facts();
      for (const [method, path, body] of [...othersTakenOver(target, accomplice), ...adminsTakenAway(target)]) {
        const { status, body: answer } = await call(method, path, body);
        expect([method, path, status, answer.code]).toEqual([method, path, 403, "step_up_required"]);
      }
      expect(await facts()).toEqual(before);
      const asTarget = await stranger(scene.urls[0]).login(target.username, "evil chose this 1");
      expect(asTarget.body.success).toBe(false);
      const confirmed = await scene.session(scene.urls[0], owner);
      for (const [method, path, body] of [
        ...othersTakenOver(target, accomplice).slice(0, 2),
        ...adminsTakenAway(target).slice(0, 1),
      ])
        expect((await confirmed.send(method, path, body === undefined ? {} : { body })).body.success).toBe(true);
    },
  );

  test("an administrator's access token cannot set a first password, and still does what scripts need", async () => {
    const admin = await scene.victim({ role: ROLE.admin });
    const target = await scene.victim({ password: false });
    const token = withToken(scene.urls[1], admin, await makeToken(admin, "admin"));
    const set = await token("PUT", "/api/user", { id: target.id, password: STOLEN_PASSWORD });
    expect(set.body.code).toBe("step_up_required");
    expect((await rowsOf(target)).user.password_hash).toBeNull();
    expect((await stranger(scene.urls[0]).login(target.username, STOLEN_PASSWORD)).body.success).toBe(false);
    const name = `s${target.username.slice(1)}`;
    const kept = { id: target.id, username: target.username, password: "", group: "default", quota: 7 };
    for (const [method, path, body] of [
      ["PUT", "/api/user", kept],
      ["POST", "/api/user", { username: name, password: "long enough 47" }],
      ["POST", "/api/user/manage", { id: target.id, action: "disable" }],
      ["POST", "/api/user/manage", { id: target.id, action: "enable" }],
      ["DELETE", `/api/user/${target.id}`],
    ] as const)
      expect([path, (await token(method, path, body)).body.message]).toEqual([path, ""]);
    expect(await roleOf(target)).toEqual({ role: ROLE.user, quota: 7 });
    const made = scene.app.foundation.database.kysely.selectFrom("users").select("role").where("username", "=", name);
    expect((await made.executeTakeFirstOrThrow()).role).toBe(ROLE.user);
  });

  test("the owner, signed in just now, sets the first password", async () => {
    const victim = await scene.victim({ password: false });
    const owner = await scene.session(scene.urls[0], victim);
    expect((await owner.put("/api/user/self", { password: STOLEN_PASSWORD })).body.success).toBe(true);
    await scene.signIn(scene.urls[1], victim);
  });

  test("a smaller scope does no more than it says, and no scope more than the role", async () => {
    const admin = await scene.victim({ role: ROLE.admin });
    const common = await scene.victim({});
    const target = await scene.victim({});
    const disable = ["POST", "/api/user/manage", { id: target.id, action: "disable" }] as const;
    const make = ["POST", "/api/token", { name: "t", unlimited_quota: true, expired_time: -1 }] as const;
    const list = ["GET", "/api/user"] as const;
    const codeOf = async (victim: Victim, scope: string, [method, path, body]: readonly [string, string, object?]) =>
      (await withToken(scene.urls[1], victim, await makeToken(victim, scope))(method, path, body)).body.code ?? "ok";
    expect(await codeOf(admin, "read", list)).toBe("ok");
    expect(await codeOf(admin, "read", make)).toBe("access_token_scope");
    expect(await codeOf(admin, "read", disable)).toBe("access_token_scope");
    expect(await codeOf(admin, "manage", make)).toBe("ok");
    expect(await codeOf(admin, "manage", disable)).toBe("access_token_scope");
    expect(await codeOf(common, "admin", list)).toBe("permission_denied");
    expect(await codeOf(common, "admin", disable)).toBe("permission_denied");
    expect(await codeOf(admin, "admin", disable)).toBe("ok");
  });

  test("a token of the scope read shows no key that spends", async () => {
    const victim = await scene.victim({});
    const owner = await scene.session(scene.urls[0], victim);
    const made = await dataOf<{ id: number; key: string }>(
      owner.post("/api/token", { name: "t", unlimited_quota: true, expired_time: -1 }),
    );
    const read = withToken(scene.urls[0], victim, await makeToken(victim, "read"));
    const answers = [
      await read("GET", "/api/token"),
      await read("GET", `/api/token/${made.id}`),
      await read("GET", "/api/token/search?keyword=t"),
    ];
    for (const { body } of answers) {
      expect(body.success).toBe(true);
      expect(JSON.stringify(body.data)).not.toContain(made.key);
    }
  });

  test("a token that may not do what administrators do reads no code of the site, and redeems none", async () => {
    const admin = await scene.victim({ role: ROLE.admin });
    const owner = await scene.session(scene.urls[0], admin);
    const asked = { name: "gift", quota: 500_000, count: 2 };
    const codes = await dataOf<string[]>(owner.post("/api/redemption", asked));
    for (const scope of ["read", "manage"]) {
      const token = withToken(scene.urls[1], admin, await makeToken(admin, scope));
      const listed = await token("GET", "/api/redemption");
      const { items } = listed.body.data as { items: { id: number; key: string }[] };
      const answers = [
        listed,
        await token("GET", "/api/redemption/search?keyword=gift"),
        await token("GET", `/api/redemption/${items[0]?.id}`),
      ];
      for (const { body } of answers) {
        expect(body.success).toBe(true);
        for (const code of codes) expect(JSON.stringify(body.data)).not.toContain(code);
      }
      for (const { key } of items) await token("POST", "/api/user/topup", { key });
    }
    expect(await roleOf(admin)).toMatchObject({ quota: 0 });
    const full = withToken(scene.urls[0], admin, await makeToken(admin, "admin"));
    expect(JSON.stringify((await full("GET", "/api/redemption")).body.data)).toContain(codes[0]);
  });

  test("of many made at once none is beyond the limit, and one is ended singly", async () => {
    const victim = await scene.victim({});
    const owners = await Promise.all(scene.urls.map((url) => scene.session(url, victim)));
    const { kysely } = scene.app.foundation.database;
    const planted = Array.from({ length: ACCESS_TOKEN_LIMIT - 2 }, (_, index) => ({
      user_id: victim.id,
      name: "planted",
      token_hash: `${victim.username}-${index}`,
      scope: "read",
    }));
    await kysely.insertInto("personal_access_tokens").values(planted).execute();
    const asked = { name: "t", scope: "read" };
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, index) => owners[index % 2]?.post("/api/user/self/access_tokens", asked)),
    );
    expect(made.filter((answer) => answer?.body.success)).toHaveLength(2);
    const listed = await dataOf<object[]>((owners[0] as TestClient).get("/api/user/self/access_tokens"));
    expect(listed).toHaveLength(ACCESS_TOKEN_LIMIT);
    const [first] = made.flatMap((answer) =>
      answer?.body.success === true ? [answer.body.data as { id: number; value: string }] : [],
    );
    if (first === undefined) throw new Error("none was made");
    const other = await scene.victim({});
    const thief = await scene.session(scene.urls[1], other);
    expect((await thief.send("DELETE", `/api/user/self/access_tokens/${first.id}`)).body.code).toBe("not_found");
    expect((await withToken(scene.urls[1], victim, first.value)("GET", "/api/user/self")).body.success).toBe(true);
    await dataOf((owners[0] as TestClient).send("DELETE", `/api/user/self/access_tokens/${first.id}`));
    expect((await withToken(scene.urls[1], victim, first.value)("GET", "/api/user/self")).body.success).toBe(false);
  });
});
