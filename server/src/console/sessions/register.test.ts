/** Tests of registration over HTTP: who may register, refusals by field, codes that can be used once, fields that the body may not set, and attacks. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { messagesTo } from "../../../../tests/support/systems/outbox.ts";
import { type ConsoleAnswer, type TestConsole, openTestConsole } from "../../../../tests/support/systems/console.ts";
import { auditDatabase } from "../../billing/audit.ts";
import { upsert } from "../../db/portable.ts";
import { bumpVersion } from "../../db/versions.ts";
import { createRateLimiter } from "../http/rate-limit.ts";
import { takeEmailCode } from "../accounts/email-codes.ts";

const MAIL = { SMTPServer: "mail.example.org", SMTPAccount: "site@example.org" };
const FORM = { username: "newcomer", password: "long enough" };

describe.each(await engines())("registering on %s", (engine) => {
  let site: TestConsole;
  let now = 1_900_000_000_000;
  const kysely = () => site.foundation.database.kysely;

  beforeAll(async () => {
    site = await openTestConsole(engine, {}, () => now);
    // What is promised here holds without the limit by address, which is measured at the end.
    const limiter = { take: () => Promise.resolve({ isAllowed: true, retryAfterSeconds: 0 }) };
    Object.assign(site.context, { limiter });
  });
  afterAll(() => site.close());
  beforeEach(() => void (now += 3_600_000));
  afterEach(() => kysely().deleteFrom("options").execute());

  async function setOptions(options: Record<string, string>): Promise<void> {
    const { database, snapshot } = site.foundation;
    await database.kysely.transaction().execute(async (transaction) => {
      await transaction.deleteFrom("options").execute();
      for (const [name, value] of Object.entries(options))
        await upsert(database, transaction, "options", { name, value, updated_time: 1 }, ["name"], { value });
      await bumpVersion(transaction, "options");
    });
    await snapshot.refresh();
  }
  beforeEach(() => setOptions(MAIL));

  async function send(method: string, path: string, body?: object, headers = {}): Promise<ConsoleAnswer> {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const given = { "Content-Type": "application/json", "New-Api-User": "-1", ...headers };
    const response = await fetch(site.url + path, { method, headers: given, ...sent });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  }
  const register = (change: object = {}) => send("POST", "/api/user/register", { ...FORM, ...change });
  const askCode = (email: string, headers = {}) =>
    send("GET", `/api/verification?${new URLSearchParams({ email })}`, undefined, headers);
  /** Asks with the session of an answer. */
  const self = ({ headers, body }: ConsoleAnswer, path = "/api/user/self") =>
    send("GET", path, undefined, {
      Cookie: headers.get("set-cookie")?.split(";")[0] ?? "",
      "New-Api-User": String((body.data as { id: number }).id),
    });
  const accountOf = (username: string) =>
    kysely().selectFrom("users").selectAll().where("username", "=", username).executeTakeFirst();
  async function codeFor(email: string): Promise<string> {
    expect((await askCode(email)).body).toMatchObject({ success: true });
    const messages = await messagesTo(site.foundation, email.toLowerCase());
    return String(messages.at(-1)?.values["code"]);
  }

  test("creates an account, remembers the language, and logs it in as a login does", async () => {
    const answer = await send(
      "POST",
      "/api/user/register",
      { ...FORM, password2: FORM.password },
      { "Accept-Language": "zh-CN" },
    );
    const user = { username: "newcomer", role: 1, required_action: "", require_second_factor: false };
    expect(answer.body).toMatchObject({ success: true, data: user });
    expect((await self(answer)).body).toMatchObject({ success: true, data: { username: "newcomer" } });
    expect(await accountOf("newcomer")).toMatchObject({ role: 1, email: null, setting: '{"language":"zh"}' });
    const login = await send("POST", "/api/user/login", FORM);
    expect(login.body).toMatchObject({ success: true, data: { username: "newcomer", role: 1 } });
  });

  test("begins no session where passwords do not log in, and one that is held to the second factor where the site demands one", async () => {
    await setOptions({ PasswordLoginEnabled: "false" });
    const off = await register({ username: "no-session" });
    expect(off.body).toMatchObject({ success: true, data: null });
    expect(off.headers.get("set-cookie")).toBeNull();
    await setOptions({ SecondFactorDemand: "everybody" });
    const held = await register({ username: "held-back" });
    expect(held.body).toMatchObject({ success: true, data: { required_action: "second_factor" } });
    expect((await self(held, "/api/token/")).body).toMatchObject({ success: false, code: "second_factor_needed" });
  });

  test("stands where no session could be begun", async () => {
    const record = site.context.recordSecurityEvent;
    const failing: typeof record = (event) => {
      if (event.kind === "signed_in") throw new Error("the disk is full");
      record(event);
    };
    Object.assign(site.context, { recordSecurityEvent: failing });
    try {
      expect((await register({ username: "stands" })).body).toMatchObject({ success: true, data: null });
    } finally {
      Object.assign(site.context, { recordSecurityEvent: record });
    }
    expect((await send("POST", "/api/user/login", { ...FORM, username: "stands" })).body.success).toBe(true);
  });

  test("takes a name of 32 characters, in any script, and logs it in", async () => {
    for (const username of ["maria.fernandez-of-the-long-name", "字".repeat(32)]) {
      expect((await register({ username })).body).toMatchObject({ success: true });
      const login = await send("POST", "/api/user/login", { ...FORM, username });
      expect(login.body).toMatchObject({ success: true, data: { username } });
    }
  });

  test.each([
    [{ username: "" }, "username_invalid", "username"],
    [{ username: "a b" }, "username_invalid", "username"],
    [{ username: "a@b" }, "username_invalid", "username"],
    [{ username: "x".repeat(33) }, "username_invalid", "username"],
    [{ username: "a\u200bb" }, "name_characters", "username"],
    [{ password: "seven77" }, "password_short", "password"],
    [{ password: "xyz".repeat(43) }, "password_long", "password"],
    [{ password: "Password1" }, "password_common", "password"],
    [{ password: "Newcomer2026" }, "password_is_name", "password"],
    [{ password2: "something else" }, "passwords_differ", "password2"],
  ])("refuses %j as %s", async (change, code, field) => {
    expect((await register(change)).body).toMatchObject({ success: false, code, field });
  });

  test.each([
    [{ RegisterEnabled: "false" }, "registration_closed"],
    [{ SelfUseModeEnabled: "true" }, "registration_closed"],
    [{ PasswordRegisterEnabled: "false" }, "password_registration_closed"],
  ])("is refused with %j", async (options, code) => {
    await setOptions(options);
    expect((await register({ username: "nobody" })).body).toMatchObject({ success: false, code });
    expect(await accountOf("nobody")).toBeUndefined();
  });

  test("wants the human check where it is on, for codes and links too", async () => {
    await setOptions({ ...MAIL, TurnstileCheckEnabled: "true", TurnstileSiteKey: "k", TurnstileSecretKey: "s" });
    const calls = [register(), askCode("a@example.org"), send("POST", "/api/reset_password?email=a@example.org")];
    for (const { body } of await Promise.all(calls)) expect(body.code).toBe("human_check_missing");
  });

  test("sets nothing but what a form has, whatever else the body holds", async () => {
    const sent = {
      role: 100,
      quota: 1e9,
      group: "vip",
      group_name: "vip",
      id: 1,
      status: 2,
      aff_quota: 5,
      inviter_id: 1,
    };
    expect((await register({ ...sent, username: "greedy", email: "x@example.org" })).body.success).toBe(true);
    const row = await accountOf("greedy");
    expect(row).toMatchObject({
      role: 1,
      quota: 0,
      group_name: "default",
      status: 1,
      aff_quota: 0,
      inviter_id: 0,
      email: null,
    });
    expect(row?.id).not.toBe(1);
  });

  test("gives an initial token where the operator wants it", async () => {
    Object.assign(site.context.site, { givesFirstToken: true });
    expect((await register({ username: "twelve-chars" })).body.success).toBe(true);
    Object.assign(site.context.site, { givesFirstToken: false });
    const { id } = (await accountOf("twelve-chars")) ?? expect.fail();
    const tokens = await kysely().selectFrom("tokens").selectAll().where("user_id", "=", id).execute();
    const expected = {
      name: "twelve-chars's initial token",
      unlimited_quota: 1,
      remain_quota: 500_000,
      expired_time: -1,
    };
    expect(tokens).toMatchObject([expected]);
    expect((await auditDatabase(site.foundation.database)).faults).toEqual([]);
  });

  test("twenty invited at once are counted for who invited them, and the books balance", async () => {
    await setOptions({ QuotaForNewUser: "700", QuotaForInvitee: "50", QuotaForInviter: "30" });
    const inviter = await site.person();
    const { aff_code } = (await accountOf(inviter.username)) ?? expect.fail();
    const guests = Array.from({ length: 20 }, (_, index) => register({ username: `guest${index}`, aff_code }));
    for (const { body } of await Promise.all(guests)) expect(body.success).toBe(true);
    expect(await accountOf(inviter.username)).toMatchObject({ aff_count: 20, aff_quota: 600, aff_history_quota: 600 });
    expect(await accountOf("guest7")).toMatchObject({ quota: 750, inviter_id: inviter.userId });
    expect((await auditDatabase(site.foundation.database)).faults).toEqual([]);
  });

  describe("with verified addresses", () => {
    beforeEach(() => setOptions({ ...MAIL, EmailVerificationEnabled: "true" }));

    test("wants address and code, takes the right one once, and stores the address in small letters", async () => {
      expect((await register({ username: "first" })).body).toMatchObject({
        code: "email_code_missing",
        field: "email",
      });
      const email = "First@Example.org";
      expect((await register({ username: "first", email })).body).toMatchObject({ field: "verification_code" });
      const verification_code = await codeFor(email);
      const wrong = await register({ username: "first", email, verification_code: "no" });
      expect(wrong.body).toMatchObject({ code: "code_invalid", field: "verification_code" });
      // Another address's code is none, and a name that is taken does not use it up.
      const other = await register({ username: "first", email: "other@example.org", verification_code });
      expect(other.body).toMatchObject({ code: "code_invalid" });
      expect((await register({ username: "NEWCOMER", email, verification_code })).body.code).toBe("username_taken");
      expect((await register({ username: "first", email, verification_code })).body.success).toBe(true);
      expect((await accountOf("first"))?.email).toBe("first@example.org");
      const again = await register({ username: "second", email, verification_code });
      expect(again.body).toMatchObject({ success: false, code: "code_invalid" });
    });

    test("a code ends after ten minutes, and another is sent after thirty seconds", async () => {
      const email = "late@example.org";
      const verification_code = await codeFor(email);
      const early = await askCode(email);
      expect([early.status, early.headers.get("retry-after")]).toEqual([429, "30"]);
      now += 30_000;
      const next = await codeFor(email);
      expect((await messagesTo(site.foundation, email)).length).toBe(2);
      const old = await register({ username: "late", email, verification_code });
      if (old.body.success) expect(next).toBe(verification_code);
      now += 600_000;
      const late = await register({ username: "late2", email, verification_code: next });
      expect(late.body).toMatchObject({ code: "code_invalid" });
    });

    test("of many requests for one address at once one is mailed, in the language that was asked for", async () => {
      const email = "many@example.org";
      const answers = await Promise.all(Array.from({ length: 20 }, () => askCode(email, { "Accept-Language": "zh" })));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(await messagesTo(site.foundation, email)).toMatchObject([
        { event: "email_code", language: "zh", userId: 0, values: { minutes: 10 } },
      ]);
    });

    test("an address with an account gets the same answers and no mail", async () => {
      await site.person();
      await kysely()
        .updateTable("users")
        .set({ email: "has@example.org" })
        .where("username", "=", "newcomer")
        .execute();
      const outcomes = [];
      for (const email of ["has@example.org", "hasnot@example.org"]) {
        const begun = performance.now();
        const [first, second] = [await askCode(email), await askCode(email)];
        outcomes.push([first.status, first.text, second.status, second.text, second.headers.get("retry-after")]);
        expect(performance.now() - begun).toBeGreaterThanOrEqual(290);
      }
      expect(outcomes[0]).toEqual(outcomes[1]);
      expect(await messagesTo(site.foundation, "has@example.org")).toEqual([]);
      expect(await messagesTo(site.foundation, "hasnot@example.org")).toHaveLength(1);
    });

    test("addresses outside the list, aliases and what is no address are refused", async () => {
      const restricted = { EmailDomainRestrictionEnabled: "true", EmailAliasRestrictionEnabled: "true" };
      await setOptions({ ...MAIL, ...restricted, EmailDomainWhitelist: "good.example" });
      expect((await askCode("a@Good.Example")).body.success).toBe(true);
      for (const [email, code] of [
        ["a@evil.example", "email_domain_refused"],
        ["a@good.example.evil.example", "email_domain_refused"],
        ["a+b@good.example", "email_alias_refused"],
        ["a.b@good.example", "email_alias_refused"],
        ["a@b@good.example", "email_invalid"],
        ["a@good.example\r\nBcc: x@y.example", "email_invalid"],
        ["", "email_invalid"],
      ] as const)
        expect({ email, ...(await askCode(email)).body }).toMatchObject({ email, code, field: "email" });
      await setOptions({});
      expect((await askCode("a@b.example")).body.code).toBe("mail_not_configured");
    });

    test("a thousand guesses at a code, from one network and from a thousand, never succeed", async () => {
      const email = "guessed@example.org";
      const secret = await codeFor(email);
      const wrong = Array.from({ length: 1_000 }, (_, index) => String(index).padStart(6, "0")).filter(
        (code) => code !== secret,
      );
      const answers = [];
      for (const verification_code of wrong.slice(0, 100))
        answers.push((await register({ username: "guesser", email, verification_code })).body);
      // The right one comes too late.
      answers.push((await register({ username: "guesser", email, verification_code: secret })).body);
      expect(answers.filter(({ success }) => success)).toEqual([]);
      now += 3_600_000;
      const next = await codeFor(email);
      const guesses = await Promise.allSettled(
        [...wrong, next].map((code, index) =>
          takeEmailCode(site.context, { email, code, ip: `10.${index >> 8}.${index & 255}.1`, claim: undefined }),
        ),
      );
      expect(guesses.filter(({ status }) => status === "fulfilled")).toEqual([]);
      expect(await accountOf("guesser")).toBeUndefined();
    });

    test("of fifty that use one code at once one gets an account", async () => {
      const email = "race@example.org";
      const verification_code = await codeFor(email);
      const race = Array.from({ length: 50 }, (_, index) =>
        register({ username: `race${index}`, email, verification_code }),
      );
      const answers = await Promise.all(race);
      expect(answers.filter(({ body }) => body.success)).toHaveLength(1);
      const owners = kysely().selectFrom("users").select("id").where("email", "=", email);
      expect(await owners.execute()).toHaveLength(1);
    });
  });

  test("another site's page cannot have codes or links sent, and the limit by address holds", async () => {
    const path = "/api/verification?email=cross@example.org";
    expect((await send("GET", path, undefined, { "Sec-Fetch-Site": "cross-site" })).body.code).toBe("cross_site");
    const bare = await fetch(site.url + path);
    expect(bare.status).toBe(403);
    Object.assign(site.context, { limiter: createRateLimiter(site.foundation.cache) });
    const statuses = await Promise.all(
      Array.from({ length: 25 }, (_, index) => askCode(`u${index}@example.org`).then(({ status }) => status)),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
  });
});
