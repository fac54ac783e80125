/** Attacks on sign-in with accounts of other sites, each counted: none of them signs anyone in or links an identity. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { BOT_TOKEN, openIdentityConsole } from "../../../../tests/support/systems/identity-console.ts";
import type { IdentityConsole } from "../../../../tests/support/systems/identity-console.ts";
import type { VisitorAnswer } from "../../../../tests/support/systems/visitor.ts";
import { telegramHash } from "./providers/telegram.ts";

/** Addresses that a name or a number leads to: loopback, private, link-local and metadata, in every spelling that URLs know. */
const HOSTS = `
  127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001 127.000.000.001 localhost LOCALHOST
  localhost. 127.0.0.1. %31%32%37.0.0.1 １２７.０.０.１ 127。0。0。1 ⓛocalhost 0 0.0.0.0 0x0 00 [::] [::1] [0:0:0:0:0:0:0:1]
  [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] 10.0.0.1 10.1 0xa.0.0.1 012.0.0.1 167772161 172.16.0.1 172.31.255.254
  0xac100001 192.168.0.1 192.168.1 3232235777 0xc0a80101 100.64.0.1 198.18.0.1 169.254.169.254 2852039166 0xa9fea9fe
  169.254.43518 0251.0376.0251.0376 [::ffff:169.254.169.254] [::ffff:a9fe:a9fe] [fe80::1] [fd00:ec2::254] [fc00::1]
  [fd12:3456:789a::1] [64:ff9b::7f00:1] [64:ff9b::a9fe:a9fe] [2002:7f00:1::] [2002:a9fe:a9fe::] 100.100.100.200
  168.63.129.16 192.0.0.192 224.0.0.1 255.255.255.255
`
  .trim()
  .split(/\s+/);

describe.each(await engines())("attacks on identities on %s", (engine) => {
  let place: IdentityConsole;
  beforeAll(async () => {
    place = await openIdentityConsole(engine);
  });
  afterAll(() => place.close());
  afterEach(() => {
    place.policy.allowsPrivate = true;
    place.clock.aheadMs = 0;
  });

  let nextId = 100;
  const newcomer = () => ({ id: (nextId += 1), login: `p${nextId}` });
  const people = async (): Promise<number> => {
    const { kysely } = place.site.foundation.database;
    return (await kysely.selectFrom("users").select("id").execute()).length;
  };
  const refused = (answers: readonly VisitorAnswer[], code: string) => {
    const outcomes = answers.map(({ status, body, setCookies }) => [
      status,
      body.success,
      body.code,
      setCookies.length,
    ]);
    expect(outcomes).toEqual(answers.map(({ status }) => [status, false, code, 0]));
  };
  const nowSeconds = () => Math.floor((Date.now() + place.clock.aheadMs) / 1000);

  test("100 replays of states that were used, and of 20 uses at once one counts", async () => {
    const replays: VisitorAnswer[] = [];
    for (let round = 0; round < 5; round += 1) {
      const visitor = place.visitor();
      const person = newcomer();
      const back = await place.goThrough(visitor, "github", person);
      const uses = Array.from({ length: 20 }, () => visitor.post("/api/oauth/github", back));
      const answers = await Promise.all(uses);
      expect(answers.filter(({ body }) => body.success)).toHaveLength(1);
      for (let replay = 0; replay < 20; replay += 1) {
        const code = place.sites.codeFor(person);
        replays.push(await visitor.post("/api/oauth/github", { code, state: back["state"] }));
      }
    }
    expect(replays.map(({ status, body }) => [status, body.message])).toEqual(
      Array.from({ length: 100 }, () => [403, "state is empty or not same"]),
    );
  });

  test("60 states of other browsers, invented ones and expired ones", async () => {
    const before = await people();
    const answers: VisitorAnswer[] = [];
    for (let round = 0; round < 15; round += 1) {
      const attacker = place.visitor();
      const victim = place.visitor();
      const back = await place.goThrough(attacker, "github", newcomer());
      await victim.post("/api/oauth/state", { provider: "github" });
      answers.push(await victim.post("/api/oauth/github", back), await place.visitor().post("/api/oauth/github", back));
      const code = place.sites.codeFor(newcomer());
      answers.push(await victim.post("/api/oauth/github", { code, state: "x".repeat(43) }));
      const late = place.visitor();
      const slow = await place.goThrough(late, "github", newcomer());
      place.clock.aheadMs = 601_000;
      answers.push(await late.post("/api/oauth/github", slow));
      place.clock.aheadMs = 0;
    }
    expect(answers).toHaveLength(60);
    refused(answers, "oauth_state_invalid");
    expect(await people()).toBe(before);
  });

  test("40 states of another provider, and of another purpose", async () => {
    const before = await people();
    const answers: VisitorAnswer[] = [];
    for (let round = 0; round < 10; round += 1) {
      for (const [asked, used] of [
        ["github", "linuxdo"],
        ["linuxdo", "oidc"],
        ["oidc", "github"],
      ] as const) {
        const visitor = place.visitor();
        const back = await place.goThrough(visitor, asked, newcomer());
        answers.push(await visitor.post(`/api/oauth/${used}`, back));
      }
      const person = place.visitor(await place.site.person());
      const { data } = (await person.post("/api/oauth/state", { provider: "telegram" })).body;
      answers.push(await person.post("/api/oauth/github", { code: place.sites.codeFor(newcomer()), state: data }));
    }
    expect(answers).toHaveLength(40);
    refused(answers, "oauth_state_invalid");
    expect(await people()).toBe(before + 10); // The ten who stood by.
  });

  test("30 states made to bind, used by a guest, another account or after the session ended", async () => {
    const answers: VisitorAnswer[] = [];
    for (let round = 0; round < 10; round += 1) {
      const owner = await place.site.person();
      const other = await place.site.person();
      for (const change of ["guest", "other", "ended"]) {
        const visitor = place.visitor(owner);
        const back = await place.goThrough(visitor, "github", newcomer(), { bind: true });
        if (change === "guest") visitor.cookies.delete("turnpike_session");
        if (change === "other") visitor.as(other);
        if (change === "ended") visitor.cookies.set("turnpike_session", "x".repeat(43));
        answers.push(await visitor.post("/api/oauth/github", back));
      }
    }
    refused(answers, "oauth_state_invalid");
    const guest = await place.visitor().post("/api/oauth/state", { provider: "github", bind: true });
    expect(guest.status).toBe(401);
  });

  test("20 sessions planted in a browser do not become the session of who signs in there, and end", async () => {
    for (let round = 0; round < 20; round += 1) {
      const planted = await place.site.person();
      const victim = place.visitor(planted);
      const answer = await place.signIn(victim, "github", newcomer());
      expect(answer.body.success).toBe(true);
      expect(victim.cookies.get("turnpike_session")).not.toBe(planted.cookie);
      expect((await planted.call("GET", "/api/user/self")).status).toBe(401);
    }
  });

  test("120 messages of Telegram: used, changed, of another bot, old, of tomorrow", async () => {
    const bound = await place.site.person();
    const say = (change: Record<string, string> = {}) => ({
      id: String(5000 + bound.userId),
      first_name: "T",
      auth_date: String(nowSeconds()),
      ...change,
    });
    const signed = (fields: Record<string, string>, token = BOT_TOKEN) => ({
      ...fields,
      hash: telegramHash(token, fields),
    });
    const stateOf = async (visitor: ReturnType<IdentityConsole["visitor"]>) =>
      (await visitor.post("/api/oauth/state", { provider: "telegram", bind: true })).body.data;
    const owner = place.visitor(bound);
    const bind = { ...signed(say()), state: await stateOf(owner) };
    expect((await owner.post("/api/oauth/telegram/bind", bind)).body).toMatchObject({ success: true, message: "bind" });
    const answers: VisitorAnswer[] = [];
    for (let round = 0; round < 20; round += 1) {
      const fresh = signed(say({ first_name: `T${round}` }));
      const logIn = (fields: object) => place.visitor().post("/api/oauth/telegram/login", fields);
      expect((await logIn(fresh)).body.success).toBe(true);
      answers.push(await logIn(fresh));
      answers.push(await logIn({ ...fresh, id: "1", hash: fresh.hash }));
      answers.push(await logIn(signed(say(), "another bot")));
      answers.push(await logIn(signed(say({ auth_date: String(nowSeconds() - 301 - round) }))));
      answers.push(await logIn(signed(say({ auth_date: String(nowSeconds() + 65 + round) }))));
      answers.push(await logIn({ ...say({ last_name: String(round) }), hash: "" }));
    }
    expect(answers).toHaveLength(120);
    refused(answers, "identity_failed");
    await place.set({ TelegramBotToken: "" });
    const empty = await place.visitor().post("/api/oauth/telegram/login", signed(say(), ""));
    expect(empty.body.code).toBe("identity_failed");
    await place.set({ TelegramBotToken: BOT_TOKEN });
  });

  // What is asked of whom has nothing to do with the database.
  test.each(engine === "sqlite" ? [HOSTS.length] : [])(
    "%i spellings of addresses that are not public, for each endpoint: nothing is asked",
    async () => {
      expect(new Set(HOSTS).size).toBeGreaterThanOrEqual(60);
      const visitor = place.visitor();
      const back = (state: unknown) => ({ code: "x", state });
      place.policy.allowsPrivate = false;
      place.sites.asked.length = 0;
      const { port } = new URL(place.sites.url);
      const kept = place.site.context.snapshot.options["oidc.token_endpoint"];
      for (const host of HOSTS) {
        const address = `http://${host}:${port}/token`;
        await place.set({ "oidc.token_endpoint": address });
        const { data } = (await visitor.post("/api/oauth/state", { provider: "oidc" })).body;
        const token = await visitor.post("/api/oauth/oidc", back(data));
        await place.set({ "oidc.well_known": `http://${host}:${port}/.well-known/openid-configuration` });
        const discovery = await visitor.post("/api/oauth/state", { provider: "oidc" });
        await place.set({ "oidc.well_known": "", "oidc.token_endpoint": kept });
        expect([host, token.body.success, discovery.body.success]).toEqual([host, false, false]);
        expect(token.body.message + discovery.body.message).not.toContain("Private");
      }
      expect(place.sites.asked).toEqual([]);
    },
  );

  test("an answer that redirects is not followed", async () => {
    await place.set({ "oidc.user_info_endpoint": `${place.sites.url}/redirect` });
    place.sites.asked.length = 0;
    const answer = await place.signIn(place.visitor(), "oidc", newcomer());
    expect(answer.body.code).toBe("identity_failed");
    expect(place.sites.asked.at(-1)).toBe("GET /redirect");
    await place.set({ "oidc.user_info_endpoint": `${place.sites.url}/userinfo` });
  });

  test("60 calls that another site makes the browser send: nothing begins, ends or is bound", async () => {
    const person = await place.site.person();
    const attacker = place.visitor();
    const answers: VisitorAnswer[] = [];
    const FOREIGN = [
      { "Sec-Fetch-Site": "cross-site", "New-Api-User": "" },
      { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" },
      { "Sec-Fetch-Site": "same-site", Origin: "https://sub.evil.example" },
      { "Sec-Fetch-Site": "", Origin: "null" },
    ];
    for (const headers of FOREIGN) {
      for (let round = 0; round < 3; round += 1) {
        const victim = place.visitor(person);
        const back = await place.goThrough(victim, "github", newcomer(), { bind: true });
        place.sites.wechat.set("1", "openid");
        const hash = { id: "9", auth_date: String(nowSeconds()) };
        const begun = await attacker.post("/api/oauth/state", { provider: "telegram" });
        const telegram = { ...hash, hash: telegramHash(BOT_TOKEN, hash), state: String(begun.body.data) };
        for (const path of [
          "/api/oauth/state?provider=github&bind=true",
          `/api/oauth/github?${new URLSearchParams(back).toString()}`,
          "/api/oauth/wechat/bind?code=1",
          `/api/oauth/telegram/bind?${new URLSearchParams(telegram).toString()}`,
          "/api/oauth/wechat?code=1",
        ])
          answers.push(await victim.get(path, headers));
      }
    }
    expect(answers).toHaveLength(60);
    expect(answers.filter(({ body, location }) => body.success || location !== null)).toEqual([]);
    const row = await place.site.foundation.database.kysely
      .selectFrom("users")
      .select(["github_id", "wechat_id", "telegram_id"])
      .where("id", "=", person.userId)
      .executeTakeFirst();
    expect(row).toEqual({ github_id: null, wechat_id: null, telegram_id: null });
  });
});
