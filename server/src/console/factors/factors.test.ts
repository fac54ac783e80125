/** Tests of second factors: no session without both steps, no code, ticket or challenge is accepted twice, and another account's objects answer as missing. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SoftPasskey } from "../../../../tests/support/clients/authenticator.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { fewer } from "../../../../tests/support/soak/short-or-long.ts";
import { openTestConsole } from "../../../../tests/support/systems/console.ts";
import type { Caller, ConsoleAnswer, TestConsole } from "../../../../tests/support/systems/console.ts";
import { PASSKEY_LIMIT } from "../../../../contract/src/features/factors.ts";
import { ROLE } from "../../../../contract/src/roles.ts";
import { upsert } from "../../db/portable.ts";
import { bumpVersion } from "../../db/versions.ts";
import { toSeconds } from "../../util/clock.ts";
import { askForSecondStep } from "../accounts/second-step.ts";
import { hashPassword } from "../passwords.ts";
import { stepAt, totpCode } from "./totp.ts";

const SITE = "https://gate.example";
const PASSWORD = "correct horse 1";

describe.each(await engines())("factors on %s", (engine) => {
  let site: TestConsole;
  let passwordHash: string;
  let nowMs = 1_900_000_000_000;
  const seconds = () => toSeconds(nowMs);
  const kysely = () => site.foundation.database.kysely;

  beforeAll(async () => {
    site = await openTestConsole(engine, {}, () => nowMs);
    passwordHash = await hashPassword(PASSWORD);
    const { database, snapshot } = site.foundation;
    await database.kysely.transaction().execute(async (transaction) => {
      const change = { value: SITE };
      await upsert(
        database,
        transaction,
        "options",
        { name: "ServerAddress", ...change, updated_time: 1 },
        ["name"],
        change,
      );
      await bumpVersion(transaction, "options");
    });
    await snapshot.refresh();
    // Each of the tests stands for other people at other addresses: what limits one address is tried elsewhere.
    site.context.limiter.take = () => Promise.resolve({ isAllowed: true, retryAfterSeconds: 0 });
  });
  afterAll(() => site.close());

  const nextStep = () => {
    nowMs += 90_000;
  };

  /** A call without credentials. */
  async function post(path: string, body: unknown): Promise<ConsoleAnswer> {
    const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
    const response = await fetch(site.url + path, init);
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: JSON.parse(text) as ConsoleAnswer["body"],
    };
  }

  const logIn = (username: string) => post("/api/user/login", { username, password: PASSWORD });
  const ticketOf = async (username: string): Promise<string> =>
    ((await logIn(username)).body.data as { ticket: string }).ticket;
  /** Tickets of many logins, without the time that a password takes. */
  const ticketsOf = async ({ userId }: Caller, count: number): Promise<string[]> => {
    const payload = { userId, epoch: 0, way: "password", hasDefaultPassword: false };
    const asks = Array.from({ length: count }, () => askForSecondStep(site.context, payload, ["totp"], seconds()));
    return (await Promise.all(asks)).map(({ data }) => data.ticket ?? "");
  };
  const secondStep = (ticket: string, code: string) => post("/api/user/login/second_step", { ticket, code });
  const cookieOf = (answer: ConsoleAnswer) => answer.headers.get("set-cookie");

  /** A user with an authenticator app. */
  async function withTotp(role: number = ROLE.user) {
    const person = await site.person(role, { passwordHash });
    await kysely()
      .updateTable("users")
      .set({ email: `${person.username}@b.example` })
      .where("id", "=", person.userId)
      .execute();
    const { secret } = await person.data<{ secret: string; address: string }>("POST", "/api/user/self/totp");
    const code = totpCode(secret, stepAt(seconds()));
    const { recovery_codes } = await person.data<{ recovery_codes: string[] }>("POST", "/api/user/self/totp/confirm", {
      code,
    });
    nextStep();
    await freshen(person);
    return { person, secret, recovery: recovery_codes, code: () => totpCode(secret, stepAt(seconds())) };
  }

  /** The clock moved on, the confirmation with it. */
  const freshen = (person: Caller) =>
    kysely().updateTable("sessions").set({ confirmed_time: seconds() }).where("user_id", "=", person.userId).execute();

  const factorsOf = (person: Caller) =>
    person.data<{ totp_time: number; recovery_codes: number; passkeys: { id: string; name: string }[] }>(
      "GET",
      "/api/user/self/factors",
    );

  const messagesOf = async (person: Caller) => {
    const rows = await kysely()
      .selectFrom("outbox")
      .select("event")
      .where("user_id", "=", person.userId)
      .orderBy("id")
      .execute();
    return rows.map(({ event }) => event);
  };

  describe("the second step", () => {
    it("stands between a right password and a session; a ticket and a code lead through once", async () => {
      const { person, code } = await withTotp();
      const first = await logIn(person.username);
      expect(cookieOf(first)).toBeNull();
      expect(first.body.data).toMatchObject({
        id: 0,
        username: "",
        role: 0,
        require_second_factor: true,
        methods: ["totp", "recovery"],
      });
      const { ticket } = first.body.data as { ticket: string };
      const second = await secondStep(ticket, code());
      expect(second.body).toMatchObject({ success: true, data: { id: person.userId, require_second_factor: false } });
      expect(cookieOf(second)).toMatch(/^turnpike_session=[\w-]{43};/);
      expect((await secondStep(ticket, code())).body.code).toBe("second_step_over");
      const sessions = await kysely()
        .selectFrom("sessions")
        .select("way")
        .where("user_id", "=", person.userId)
        .execute();
      expect(sessions).toHaveLength(2);
    });

    it("takes no code twice, not even of twenty at once on twenty tickets", async () => {
      const { person, code } = await withTotp();
      const tickets = await ticketsOf(person, 20);
      const answers = await Promise.all(tickets.map((ticket) => secondStep(ticket, code())));
      expect(answers.filter(cookieOf)).toHaveLength(1);
      const codes = answers.filter((answer) => !answer.body.success).map((answer) => answer.body.code);
      expect(new Set(codes)).toEqual(new Set(["factor_code_used"]));
    });

    it("takes a recovery code once, of twenty at once too, however it is written", async () => {
      const { person, recovery } = await withTotp();
      expect(recovery).toHaveLength(8);
      const [first = "", second = ""] = recovery;
      const tickets = await ticketsOf(person, 20);
      const answers = await Promise.all(tickets.map((ticket) => secondStep(ticket, first)));
      expect(answers.filter(cookieOf)).toHaveLength(1);
      nextStep();
      const typed = `${second.slice(0, 5).toUpperCase()}-${second.slice(5)} `;
      const last = await secondStep(await ticketOf(person.username), typed);
      // The person who needs them reads how many are left.
      expect(last.body).toMatchObject({ success: true, data: { recovery_codes_left: 6 } });
      expect((await factorsOf(person)).recovery_codes).toBe(6);
    });

    it("hears five wrong codes on a ticket, then not even the right one", async () => {
      const { person, code } = await withTotp();
      const ticket = await ticketOf(person.username);
      const wrong = await Promise.all(Array.from({ length: 5 }, (_, guess) => secondStep(ticket, `00000${guess}`)));
      expect(wrong.map(({ body }) => body.code)).toEqual(Array(5).fill("factor_code_wrong"));
      nextStep();
      expect((await secondStep(ticket, code())).body.code).toBe("second_step_over");
      expect((await secondStep("no-ticket", code())).body.code).toBe("second_step_over");
    });

    it("hears hardly any of many guesses, and while the guesser waits not even the right code", async () => {
      const { person, code } = await withTotp();
      const tickets = await ticketsOf(person, fewer(200, 60));
      const right = code();
      const guesses = Array.from({ length: fewer(1000, 300) }, (_, guess) => String(guess * 7).padStart(6, "0"));
      const answers: ConsoleAnswer[] = [];
      for (let first = 0; first < guesses.length; first += 50)
        answers.push(
          ...(await Promise.all(
            guesses
              .slice(first, first + 50)
              .map((guess, index) =>
                secondStep(tickets[(first + index) % tickets.length] ?? "", guess === right ? "111111" : guess),
              ),
          )),
        );
      expect(answers.filter(cookieOf)).toHaveLength(0);
      expect(answers.filter(({ body }) => body.code === "factor_code_wrong").length).toBeLessThan(60);
      expect((await secondStep(await ticketsOf(person, 1).then(([ticket = ""]) => ticket), right)).status).toBe(429);
      nextStep();
      expect(cookieOf(await secondStep(await ticketOf(person.username), code()))).not.toBeNull();
    });

    it("ends ten minutes after the first step", async () => {
      const { person, code } = await withTotp();
      const ticket = await ticketOf(person.username);
      nowMs += 600_000;
      expect((await secondStep(ticket, code())).body.code).toBe("second_step_over");
    });

    it.each([{ status: 2 }, { deleted_at: 5 }])(
      "signs nobody in whose account became %o between the steps",
      async (change) => {
        const { person, code } = await withTotp();
        const ticket = await ticketOf(person.username);
        await kysely().updateTable("users").set(change).where("id", "=", person.userId).execute();
        const answer = await secondStep(ticket, code());
        expect([answer.body.code, cookieOf(answer)]).toEqual(["login_failed", null]);
      },
    );

    it("is not asked for before its first code was typed, nor after it was turned off", async () => {
      const person = await site.person(ROLE.user, { passwordHash });
      await person.data("POST", "/api/user/self/totp");
      expect(cookieOf(await logIn(person.username))).not.toBeNull();
      const wrong = await person.call("POST", "/api/user/self/totp/confirm", { code: "000000" });
      expect(wrong.body).toMatchObject({ code: "factor_code_wrong", field: "code" });
      const { person: other } = await withTotp();
      await other.data("DELETE", "/api/user/self/totp");
      expect(cookieOf(await logIn(other.username))).not.toBeNull();
      expect(await messagesOf(other)).toEqual(["factor_added", "factor_removed"]);
      expect((await factorsOf(other)).recovery_codes).toBe(0);
    });
  });

  describe("an authenticator app", () => {
    it("is kept encrypted, its codes as hashes, and is not replaced while it counts", async () => {
      const { person, secret, recovery } = await withTotp();
      const rows = [
        await kysely().selectFrom("totp_factors").selectAll().execute(),
        await kysely().selectFrom("recovery_codes").selectAll().execute(),
      ];
      for (const stored of [secret, ...recovery]) expect(JSON.stringify(rows)).not.toContain(stored);
      expect((await person.call("POST", "/api/user/self/totp")).body.code).toBe("totp_on");
    });

    it("gives new recovery codes, which end the old ones", async () => {
      const { person, recovery } = await withTotp();
      const path = "/api/user/self/recovery_codes";
      const { recovery_codes } = await person.data<{ recovery_codes: string[] }>("POST", path);
      expect((await secondStep(await ticketOf(person.username), recovery[0] ?? "")).body.code).toBe(
        "factor_code_wrong",
      );
      expect((await secondStep(await ticketOf(person.username), recovery_codes[0] ?? "")).body.success).toBe(true);
    });

    it("changes nothing without a step-up, and confirms one by its code, once", async () => {
      const { person, code } = await withTotp();
      await kysely().updateTable("sessions").set({ confirmed_time: 0 }).where("user_id", "=", person.userId).execute();
      for (const [method, path] of [
        ["POST", "/api/user/self/totp"],
        ["DELETE", "/api/user/self/totp"],
        ["POST", "/api/user/self/recovery_codes"],
        ["POST", "/api/user/self/passkeys/challenge"],
        ["DELETE", "/api/user/self/passkeys/x"],
      ] as const)
        expect((await person.call(method, path)).body.code).toBe("step_up_required");
      const confirm = (sent: string) => person.call("POST", "/api/user/confirm", { code: sent });
      expect((await confirm("000000")).body.code).toBe("factor_code_wrong");
      expect((await confirm(code())).body.success).toBe(true);
      expect((await confirm(code())).body.code).toBe("factor_code_used");
      expect((await person.call("DELETE", "/api/user/self/totp")).body.success).toBe(true);
    });
  });

  interface Asked {
    ticket: string;
    options: { challenge: string; allowCredentials?: { id: string }[] };
  }

  async function addKey(person: Caller, name = "Phone", key = new SoftPasskey(SITE)) {
    const { ticket, options } = await person.data<Asked>("POST", "/api/user/self/passkeys/challenge");
    const body = { ticket, name, credential: key.create(options.challenge) };
    return { key, body, answer: await person.call("POST", "/api/user/self/passkeys", body) };
  }

  const asked = async (): Promise<Asked> => (await post("/api/user/login/passkey/challenge", {})).body.data as Asked;

  describe("a passkey", () => {
    it("signs in by itself, past the second step, and its challenge counts once", async () => {
      const { person } = await withTotp();
      const { key, answer, body } = await addKey(person, " Blue key ");
      expect(answer.body.data).toMatchObject({ name: "Blue key", used_time: 0 });
      expect((await person.call("POST", "/api/user/self/passkeys", body)).body.code).toBe("passkey_refused");
      const { ticket, options } = await asked();
      const proof = { ticket, credential: key.get(options.challenge) };
      const inside = await post("/api/user/login/passkey", proof);
      expect(inside.body).toMatchObject({ success: true, data: { id: person.userId } });
      expect(cookieOf(inside)).not.toBeNull();
      expect((await post("/api/user/login/passkey", proof)).body.code).toBe("passkey_refused");
      expect((await logIn(person.username)).body.data).toMatchObject({ methods: ["totp", "recovery", "passkey"] });
    });

    it.each([
      ["of another site", { origin: "https://gate.example.evil.example" }],
      ["for another host", { rpId: "evil.example" }],
      ["to another challenge", { challenge: "AAAA" }],
      ["without the person", { isVerified: false }],
      ["whose counter went back", { counter: 1 }],
    ])("is refused with a signature %s", async (_, lie) => {
      const person = await site.person(ROLE.user, { passwordHash });
      const { key } = await addKey(person);
      key.counter = 4;
      const first = await asked();
      const credential = key.get(first.options.challenge);
      expect((await post("/api/user/login/passkey", { ticket: first.ticket, credential })).body.success).toBe(true);
      const { ticket, options } = await asked();
      const answer = await post("/api/user/login/passkey", { ticket, credential: key.get(options.challenge, lie) });
      expect([answer.body.code, cookieOf(answer)]).toEqual(["passkey_refused", null]);
    });

    it("confirms its owner alone, and a challenge for one purpose serves no other", async () => {
      const [owner, other] = [await site.person(), await site.person()];
      const { key } = await addKey(owner);
      const challenge = (person: Caller) => person.data<Asked>("POST", "/api/user/confirm/challenge");
      const confirm = (person: Caller, { ticket, options }: Asked) =>
        person.call("POST", "/api/user/confirm", { passkey: { ticket, credential: key.get(options.challenge) } });
      expect((await confirm(other, await challenge(other))).body.code).toBe("passkey_refused");
      expect((await confirm(owner, await challenge(other))).body.code).toBe("passkey_refused");
      expect((await confirm(owner, await asked())).body.code).toBe("passkey_refused");
      await kysely().updateTable("sessions").set({ confirmed_time: 0 }).where("user_id", "=", owner.userId).execute();
      expect((await confirm(owner, await challenge(owner))).body.success).toBe(true);
      expect((await owner.call("POST", "/api/user/self/passkeys/challenge")).body.success).toBe(true);
    });

    it("is renamed and removed by its owner alone; another's answers as one that is not there", async () => {
      const [owner, other] = [await site.person(ROLE.user, { passwordHash }), await site.person()];
      const { key, answer } = await addKey(owner);
      const { id } = answer.body.data as { id: string };
      const at = `/api/user/self/passkeys/${id}`;
      const missing = await other.call("PUT", "/api/user/self/passkeys/nothing", { name: "Mine" });
      expect((await other.call("PUT", at, { name: "Mine" })).body).toEqual(missing.body);
      expect((await other.call("DELETE", at)).body.code).toBe("not_found");
      await owner.data("PUT", at, { name: "Laptop" });
      expect((await factorsOf(owner)).passkeys).toMatchObject([{ id, name: "Laptop" }]);
      await owner.data("DELETE", at);
      const { ticket, options } = await asked();
      const credential = key.get(options.challenge);
      expect((await post("/api/user/login/passkey", { ticket, credential })).body.code).toBe("passkey_refused");
    });

    it(`is refused as number ${PASSKEY_LIMIT + 1}, at once and among many at once`, async () => {
      const person = await site.person();
      for (let count = 0; count < PASSKEY_LIMIT - 1; count += 1) await addKey(person, `Key ${count}`);
      const challenges = await Promise.all(
        Array.from({ length: 5 }, () => person.data<Asked>("POST", "/api/user/self/passkeys/challenge")),
      );
      const answers = await Promise.all(
        challenges.map(({ ticket, options }) => {
          const credential = new SoftPasskey(SITE).create(options.challenge);
          return person.call("POST", "/api/user/self/passkeys", { ticket, name: "One more", credential });
        }),
      );
      expect(answers.filter(({ body }) => body.success)).toHaveLength(1);
      expect((await person.call("POST", "/api/user/self/passkeys/challenge")).body.code).toBe("passkey_limit");
    });
  });

  describe("an administrator", () => {
    it("removes the lost factors of a user of a lower role, with a log row and a notification", async () => {
      const admin = await site.person(ROLE.admin);
      const { person } = await withTotp();
      await addKey(person);
      await freshen(admin);
      const removed = await admin.data("DELETE", `/api/user/${person.userId}/factors`);
      expect(removed).toEqual({ totp: true, passkeys: 1 });
      expect(await factorsOf(person)).toMatchObject({ totp_time: 0, recovery_codes: 0, passkeys: [] });
      expect(cookieOf(await logIn(person.username))).not.toBeNull();
      expect((await messagesOf(person)).slice(-2)).toEqual(Array(2).fill("factor_removed_by_administrator"));
      const log = kysely().selectFrom("logs").select(["type", "other"]).where("user_id", "=", admin.userId);
      const row = await log.executeTakeFirstOrThrow();
      expect(row.other).toContain('"factors_removed"');
    });

    it("is refused for users of the same or a higher role, for oneself, and without a step-up", async () => {
      const { person: admin } = await withTotp(ROLE.admin);
      const [peer, root] = [await withTotp(ROLE.admin), await withTotp(ROLE.root)];
      await freshen(admin);
      for (const { userId } of [peer.person, root.person, admin])
        expect((await admin.call("DELETE", `/api/user/${userId}/factors`)).body.success).toBe(false);
      expect((await factorsOf(peer.person)).totp_time).toBeGreaterThan(0);
      expect((await admin.call("DELETE", "/api/user/999999/factors")).body.code).toBe("not_found");
      await kysely().updateTable("sessions").set({ confirmed_time: 0 }).where("user_id", "=", admin.userId).execute();
      expect((await admin.call("DELETE", `/api/user/${peer.person.userId}/factors`)).body.code).toBe(
        "step_up_required",
      );
    });
  });
});
