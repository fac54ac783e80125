/** Tests of sessions on every engine: their maximum number and lifetime; the least recently used is removed, and an idle one expires. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { engines } from "../../../tests/support/databases/databases.ts";
import { setOptions } from "../../../tests/support/databases/options.ts";
import { type Caller, openTestConsole, type TestConsole } from "../../../tests/support/systems/console.ts";
import { TestClient } from "../../../tests/support/systems/server.ts";
import { ROLE } from "../../../contract/src/roles.ts";
import { housekeepingJobs } from "../jobs/housekeeping.ts";
import { toSeconds } from "../util/clock.ts";
import { beginSession } from "./accounts/sign-in.ts";
import type { RequestFacts } from "./http/handlers.ts";
import { hashPassword } from "./passwords.ts";

const PASSWORD = "battery staple 7";
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const REQUEST: RequestFacts = {
  ip: "127.0.0.1",
  userAgent: "test",
  language: "en",
  requestId: "test",
  origin: "",
  claim: undefined,
  isOwnPage: false,
  isSecure: false,
  sessionCookie: "",
  isUnprefixedCookie: false,
  flowCookie: "",
  host: "",
};

/** A user who may log in. */
interface Browser {
  call(method: string, path: string): Promise<{ status: number }>;
}

describe.each(await engines())("sessions on %s", (engine) => {
  let site: TestConsole;
  let nowMs = 1_800_000_000_000;
  let passwordHash: string;

  beforeAll(async () => {
    passwordHash = await hashPassword(PASSWORD);
    site = await openTestConsole(engine, {}, () => nowMs);
  });
  afterAll(() => site.close());
  beforeEach(() => setOptions(site.foundation, { SessionsPerUser: "50", SessionIdleDays: "7" }));

  const isAlive = async (browser: Browser): Promise<boolean> =>
    (await browser.call("GET", "/api/user/self/factors")).status === 200;

  /** Logs in with the password, as one more browser. */
  const signIn = async ({ username }: Pick<Caller, "username">): Promise<Browser> => {
    const client = new TestClient(site.url);
    expect((await client.login(username, PASSWORD)).body.success).toBe(true);
    return { call: (method, path) => client.send(method, path) };
  };

  /** Sessions of an account that was proved to be theirs, all begun at once, on two processes where the engine has them. */
  const beginMany = async ({ userId, username }: Caller, count: number): Promise<Browser[]> => {
    const other = engine === "sqlite" ? site.foundation : await site.second();
    const account = {
      id: userId,
      username,
      display_name: "",
      role: 1,
      status: 1,
      group_name: "default",
      sign_in_epoch: 0,
    };
    const begin = async (index: number): Promise<Browser> => {
      const { database } = index % 2 === 0 ? site.foundation : other;
      const proved = { account, way: "passkey", hasDefaultPassword: false };
      const { headers } = await beginSession({ ...site.context, database }, proved, REQUEST);
      const client = new TestClient(site.url);
      client.cookie = headers["Set-Cookie"].split(";")[0] ?? "";
      client.userId = userId;
      return { call: (method, path) => client.send(method, path) };
    };
    const begun = await Promise.all(Array.from({ length: count }, (_, index) => begin(index)));
    if (other !== site.foundation) await other.close();
    return begun;
  };

  const rowsOf = ({ userId }: Pick<Caller, "userId">) =>
    site.foundation.database.kysely
      .selectFrom("sessions")
      .select(["id", "seen_time"])
      .where("user_id", "=", userId)
      .execute();

  describe("their number", () => {
    test("at the bound one more sign-in ends the least recently used, however old the others are, and tells its owner", async () => {
      await setOptions(site.foundation, { SessionsPerUser: "3" });
      const first = await site.person(ROLE.user, { passwordHash });
      nowMs += 10 * MINUTE_MS;
      const second = await site.session(first);
      nowMs += 10 * MINUTE_MS;
      const third = await site.session(first);
      nowMs += 10 * MINUTE_MS;
      expect(await isAlive(first)).toBe(true);
      const fourth = await signIn(first);
      expect(await Promise.all([first, second, third, fourth].map(isAlive))).toEqual([true, false, true, true]);
      nowMs += 10 * MINUTE_MS;
      expect(await isAlive(first)).toBe(true);
      const fifth = await signIn(first);
      expect(await Promise.all([first, third, fourth, fifth].map(isAlive))).toEqual([true, false, true, true]);
      await site.securityLog.flush();
      const events = await first.data<{ kind: string; reason: string }[]>("GET", "/api/user/self/security_events");
      expect(events.filter(({ kind }) => kind === "sessions_ended").map(({ reason }) => reason)).toEqual([
        "too_many",
        "too_many",
      ]);
    });

    test("of sign-ins at once at the bound no more are left than it allows, and another's stay", async () => {
      await setOptions(site.foundation, { SessionsPerUser: "2" });
      const [person, other] = [
        await site.person(ROLE.user, { passwordHash }),
        await site.person(ROLE.user, { passwordHash }),
      ];
      const ofOther = [other, await site.session(other)];
      await site.session(person);
      nowMs += 10 * MINUTE_MS;
      const two = await Promise.all([signIn(person), signIn(person)]);
      expect((await rowsOf(person)).length).toBe(2);
      expect(await Promise.all(two.map(isAlive))).toEqual([true, true]);
      nowMs += MINUTE_MS;
      const began = await beginMany(person, 40);
      expect((await rowsOf(person)).length).toBe(2);
      expect((await Promise.all(began.map(isAlive))).filter(Boolean).length).toBe(2);
      expect(await Promise.all(ofOther.map(isAlive))).toEqual([true, true]);
    });

    test("sessions above the limit are removed at the next sign-in, and expired ones do not count", async () => {
      const person = await site.person(ROLE.user, { passwordHash });
      for (let made = 0; made < 70; made += 1) await site.session(person);
      expect((await rowsOf(person)).length).toBe(71);
      const last = await signIn(person);
      expect([(await rowsOf(person)).length, await isAlive(last)]).toEqual([50, true]);
      nowMs += 8 * DAY_MS;
      const next = await signIn(person);
      expect([(await rowsOf(person)).length, await isAlive(next)]).toEqual([1, true]);
    });
  });

  describe("their idle time", () => {
    const endedJob = () =>
      housekeepingJobs(
        site.foundation.database,
        () => nowMs,
        () => site.foundation.snapshot.options.SessionIdleDays,
      ).find(({ name }) => name === "expired_sessions");

    test("one that is used goes on, one that is not has ended on the server, whatever the browser still holds, and is listed no more", async () => {
      const used = await site.person();
      const idle = await site.session(used);
      for (let day = 0; day < 6; day += 1) {
        nowMs += DAY_MS;
        expect(await isAlive(used)).toBe(true);
      }
      nowMs += DAY_MS - MINUTE_MS;
      expect((await used.data<unknown[]>("GET", "/api/user/self/sessions")).length).toBe(2);
      nowMs += MINUTE_MS;
      expect((await used.data<unknown[]>("GET", "/api/user/self/sessions")).length).toBe(1);
      expect([await isAlive(used), await isAlive(idle)]).toEqual([true, false]);
      // Asking did not bring it back.
      expect(await isAlive(idle)).toBe(false);
      expect((await rowsOf(used)).length).toBe(2);
      await endedJob()?.run();
      expect((await rowsOf(used)).length).toBe(1);
      expect(await isAlive(used)).toBe(true);
    });

    test("a use just before the end counts", async () => {
      const person = await site.person();
      nowMs += 7 * DAY_MS - 1_000;
      expect(await isAlive(person)).toBe(true);
      nowMs += 7 * DAY_MS - 1_000;
      expect(await isAlive(person)).toBe(true);
    });

    test("with 0 none ends so, but for the 30 days", async () => {
      await setOptions(site.foundation, { SessionIdleDays: "0" });
      const person = await site.person();
      nowMs += 30 * DAY_MS - 1_000;
      await endedJob()?.run();
      expect(await isAlive(person)).toBe(true);
      nowMs += 1_000;
      expect(await isAlive(person)).toBe(false);
    });

    test("the last use is written at most every five minutes", async () => {
      const person = await site.person();
      const seen = async () => (await rowsOf(person)).map(({ seen_time }) => seen_time);
      const before = await seen();
      for (let minute = 0; minute < 5; minute += 1) {
        nowMs += MINUTE_MS;
        await isAlive(person);
      }
      expect(await seen()).toEqual(before);
      nowMs += MINUTE_MS;
      await isAlive(person);
      expect(await seen()).toEqual([toSeconds(nowMs)]);
    });
  });
});
