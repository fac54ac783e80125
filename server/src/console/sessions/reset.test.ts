/** Tests of password resets over HTTP: the same response for every address, a link that can be used once, and all sessions end. */
import { plantIdentity } from "../../../../tests/support/systems/identity-console.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { messagesTo } from "../../../../tests/support/systems/outbox.ts";
import {
  type Caller,
  type ConsoleAnswer,
  type TestConsole,
  openTestConsole,
} from "../../../../tests/support/systems/console.ts";
import { upsert } from "../../db/portable.ts";
import { bumpVersion } from "../../db/versions.ts";
import { hashPassword } from "../passwords.ts";

const MAIL = { SMTPServer: "mail.example.org", SMTPAccount: "site@example.org" };
const ADDRESS = "https://gate.example.org";

describe.each(await engines())("a reset on %s", (engine) => {
  let site: TestConsole;
  let now = 1_900_000_000_000;
  const kysely = () => site.foundation.database.kysely;

  beforeAll(async () => {
    site = await openTestConsole(engine, {}, () => now);
    const limiter = { take: () => Promise.resolve({ isAllowed: true, retryAfterSeconds: 0 }) };
    Object.assign(site.context, { limiter });
  });
  afterAll(() => site.close());

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
  beforeEach(async () => {
    now += 3_600_000;
    await setOptions({ ...MAIL, ServerAddress: ADDRESS });
  });

  async function send(method: string, path: string, body?: object, headers = {}): Promise<ConsoleAnswer> {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const given = { "Content-Type": "application/json", "New-Api-User": "-1", ...headers };
    const response = await fetch(site.url + path, { method, headers: given, ...sent });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  }
  const ask = (email: string, headers = {}) =>
    send("GET", `/api/reset_password?${new URLSearchParams({ email })}`, undefined, headers);
  const confirm = (email: string, token: string) => send("POST", "/api/user/reset", { email, token });
  const rowOf = (id: number) => kysely().selectFrom("users").selectAll().where("id", "=", id).executeTakeFirstOrThrow();

  async function owner(email: string, change: { status?: number; deleted_at?: number } = {}): Promise<Caller> {
    const person = await site.person(1, { passwordHash: await hashPassword("the old one") });
    await kysely()
      .updateTable("users")
      .set({ email, ...change })
      .where("id", "=", person.userId)
      .execute();
    await kysely()
      .transaction()
      .execute(async (transaction) => {
        const changed_version = await bumpVersion(transaction, "users");
        await transaction.updateTable("users").set({ changed_version }).where("id", "=", person.userId).execute();
      });
    await site.foundation.snapshot.refresh();
    return person;
  }
  async function linkFor(email: string): Promise<URL> {
    expect((await ask(email)).body.success).toBe(true);
    const message = (await messagesTo(site.foundation, email.toLowerCase())).findLast(
      ({ event }) => event === "password_reset",
    );
    return new URL(String(message?.values["address"]));
  }

  test("mails a link to the site's own address, whatever Host asked for it", async () => {
    await owner("a+b@example.org");
    const headers = { "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https" };
    expect((await ask("A+B@example.org ", headers)).body).toEqual({ success: true, message: "" });
    const [message] = await messagesTo(site.foundation, "a+b@example.org");
    expect(message?.values["address"]).toMatch(
      /^https:\/\/gate\.example\.org\/user\/reset\?email=a%2Bb%40example\.org&token=[0-9a-f]{32}$/,
    );
    expect(message?.values["minutes"]).toBe(10);
  });

  test("exchanges the link once for a password; sessions and access token end, other factors stay, and the user is notified", async () => {
    const person = await owner("once@example.org");
    const accessToken = await person.data<string>("GET", "/api/user/token");
    await plantIdentity(kysely(), person.userId, "github", "77");
    const { searchParams } = await linkFor("once@example.org");
    const [email, token] = [searchParams.get("email") ?? "", searchParams.get("token") ?? ""];
    // Mail scanners open links: the page is a page, and asking for it uses nothing up.
    expect((await person.call("GET", "/api/user/self")).status).toBe(200);
    const answer = await confirm(email, token);
    expect(answer.body).toMatchObject({ success: true, data: expect.stringMatching(/^[\w]{16}$/) });
    expect((await person.call("GET", "/api/user/self")).status).toBe(401);
    const headers = { Authorization: accessToken, "New-Api-User": String(person.userId) };
    expect((await send("GET", "/api/user/self", undefined, headers)).status).toBe(401);
    const login = (password: string) => send("POST", "/api/user/login", { username: person.username, password });
    expect((await login("the old one")).body.code).toBe("login_failed");
    expect((await login(String(answer.body.data))).body.success).toBe(true);
    expect((await confirm(email, token)).body).toMatchObject({ success: false, code: "reset_link_invalid" });
    expect((await rowOf(person.userId)).github_id).toBe("77");
    const told = await messagesTo(site.foundation, email);
    expect(told.map(({ event }) => event)).toEqual(["access_token_made", "password_reset", "password_changed"]);
    expect(JSON.stringify(await kysely().selectFrom("outbox").selectAll().execute())).not.toContain(token);
  });

  test("of fifty that use one link at once one gets a password", async () => {
    const person = await owner("race@example.org");
    const { searchParams } = await linkFor("race@example.org");
    const race = Array.from({ length: 50 }, () => confirm("race@example.org", searchParams.get("token") ?? ""));
    const won = (await Promise.all(race)).filter(({ body }) => body.success);
    expect(won).toHaveLength(1);
    const login = { username: person.username, password: won[0]?.body.data };
    expect((await send("POST", "/api/user/login", login)).body.success).toBe(true);
  });

  test("addresses with an account, without one, disabled and deregistered get the same answers", async () => {
    await owner("known@example.org");
    await owner("disabled@example.org", { status: 2 });
    await owner("gone@example.org", { deleted_at: 5 });
    const outcomes = [];
    for (const who of ["known", "unknown", "disabled", "gone"]) {
      const begun = performance.now();
      const [first, second] = [await ask(`${who}@example.org`), await ask(`${who}@example.org`)];
      expect(performance.now() - begun).toBeGreaterThanOrEqual(290);
      outcomes.push([first.status, first.text, second.status, second.text, second.headers.get("retry-after")]);
    }
    expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
    expect(outcomes[0]).toMatchObject([200, expect.anything(), 429, expect.anything(), "30"]);
    expect(await messagesTo(site.foundation, "known@example.org")).toHaveLength(1);
    for (const who of ["unknown", "disabled", "gone"])
      expect(await messagesTo(site.foundation, `${who}@example.org`)).toEqual([]);
  });

  test("the link ends after ten minutes, when another is sent, and when the account is disabled meanwhile", async () => {
    const person = await owner("late@example.org");
    const first = (await linkFor("late@example.org")).searchParams.get("token") ?? "";
    now += 30_000;
    const second = (await linkFor("late@example.org")).searchParams.get("token") ?? "";
    expect((await confirm("late@example.org", first)).body.code).toBe("reset_link_invalid");
    now += 600_000;
    expect((await confirm("late@example.org", second)).body.code).toBe("reset_link_invalid");
    const third = (await linkFor("late@example.org")).searchParams.get("token") ?? "";
    const before = await rowOf(person.userId);
    await kysely().updateTable("users").set({ status: 2 }).where("id", "=", person.userId).execute();
    expect((await confirm("late@example.org", third)).body.code).toBe("reset_link_invalid");
    expect((await rowOf(person.userId)).password_hash).toBe(before.password_hash);
  });

  test("a thousand guesses at a token change nothing", async () => {
    const person = await owner("target@example.org");
    const before = await rowOf(person.userId);
    const token = (await linkFor("target@example.org")).searchParams.get("token") ?? "";
    const wrong = Array.from({ length: 1_000 }, (_, index) => index.toString(16).padStart(32, "0"));
    const answers = [];
    for (let index = 0; index < wrong.length; index += 50)
      answers.push(
        ...(await Promise.all(wrong.slice(index, index + 50).map((guess) => confirm("target@example.org", guess)))),
      );
    expect(answers.filter(({ body }) => body.success)).toEqual([]);
    expect(answers).toHaveLength(1_000);
    // Another account's link is none for this one.
    await owner("thief@example.org");
    const own = (await linkFor("thief@example.org")).searchParams.get("token") ?? "";
    expect((await confirm("target@example.org", own)).body.code).toBe("reset_link_invalid");
    // Guessed at five times, the right one has ended too.
    expect((await confirm("target@example.org", token)).body.code).toBe("reset_link_invalid");
    expect((await rowOf(person.userId)).password_hash).toBe(before.password_hash);
  });

  test("what the site lacks is named", async () => {
    await setOptions({ ServerAddress: ADDRESS });
    expect((await ask("a@example.org")).body.code).toBe("mail_not_configured");
    await setOptions(MAIL);
    expect((await ask("a@example.org")).body).toMatchObject({
      code: "server_address_missing",
      message: expect.stringContaining("ServerAddress"),
    });
    expect((await send("GET", "/api/status")).body.data).toMatchObject({ password_reset: false });
    await setOptions({ ...MAIL, ServerAddress: ADDRESS });
    expect((await send("GET", "/api/status")).body.data).toMatchObject({ password_reset: true });
    expect((await ask("no address")).body).toMatchObject({ code: "email_invalid", field: "email" });
  });
});
