/** Attack: a service on another port of the same host asks a user's browser for a passkey assertion. It opens nothing here. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SoftPasskey } from "../support/clients/authenticator.ts";
import { engines } from "../support/databases/databases.ts";
import { openTestConsole } from "../support/systems/console.ts";
import type { Caller, ConsoleAnswer, TestConsole } from "../support/systems/console.ts";

interface Asked {
  ticket: string;
  options: { challenge: string };
}

describe.each(await engines())("passkeys without a ServerAddress on %s", (engine) => {
  let site: TestConsole;
  let origin: string;
  let evil: string;
  let victim: Caller;
  const key = { own: new SoftPasskey("http://localhost"), theirs: new SoftPasskey("http://localhost") };

  beforeAll(async () => {
    site = await openTestConsole(engine);
    site.context.limiter.take = () => Promise.resolve({ isAllowed: true, retryAfterSeconds: 0 });
    const { port } = new URL(site.url);
    origin = `http://localhost:${port}`;
    evil = `http://localhost:${Number(port) === 9999 ? 9998 : 9999}`;
    victim = await site.person();
    const added = await addKey(origin, victim, key.own);
    if (!added.success) throw new Error(added.message);
  });
  afterAll(() => site.close());

  const sessionsOf = async ({ userId }: Caller) =>
    (
      await site.foundation.database.kysely
        .selectFrom("sessions")
        .select("id")
        .where("user_id", "=", userId)
        .where("way", "=", "passkey")
        .execute()
    ).length;

  /** A call as a page at `from` makes it, or a client that claims to be one. `fetch` cannot set Host. */
  async function call(from: string, path: string, body: unknown, caller?: Caller): Promise<ConsoleAnswer["body"]> {
    const { request } = await import("node:http");
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const session =
      caller === undefined ? {} : { cookie: `turnpike_session=${caller.cookie}`, "new-api-user": caller.userId };
    const headers = { host: new URL(from).host, origin: from, "content-type": "application/json", ...session };
    const sent = request(site.url + path, { method: "POST", headers }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part)).on("end", () => resolve(Buffer.concat(parts).toString()));
    });
    sent.on("error", reject).end(JSON.stringify(body));
    return JSON.parse(await promise) as ConsoleAnswer["body"];
  }

  async function addKey(from: string, caller: Caller, passkey: SoftPasskey): Promise<ConsoleAnswer["body"]> {
    const { ticket, options } = (await call(from, "/api/user/self/passkeys/challenge", {}, caller)).data as Asked;
    const credential = passkey.create(options.challenge, { origin: from });
    return call(from, "/api/user/self/passkeys", { ticket, name: "Key", credential }, caller);
  }

  async function logIn(from: string, passkey: SoftPasskey, signedAt = from): Promise<ConsoleAnswer["body"]> {
    const { ticket, options } = (await call(from, "/api/user/login/passkey/challenge", {})).data as Asked;
    const credential = passkey.get(options.challenge, { origin: signedAt });
    return call(from, "/api/user/login/passkey", { ticket, credential });
  }

  test("the key signs in at the origin it was made at", async () => {
    const before = await sessionsOf(victim);
    expect((await logIn(origin, key.own)).success).toBe(true);
    expect(await sessionsOf(victim)).toBe(before + 1);
  });

  test("assertions that a page on another port got open nothing, for any claimed host and origin", async () => {
    const before = await sessionsOf(victim);
    for (const [from, signedAt] of [
      [evil, evil],
      [origin, evil],
      [`http://localhost`, `http://localhost`],
      [origin.replace("http:", "https:"), origin.replace("http:", "https:")],
    ] as const)
      expect(await logIn(from, key.own, signedAt)).toMatchObject({ success: false });
    expect(await sessionsOf(victim)).toBe(before);
  });

  test("another user's first key at a claimed origin changes nothing for the victim", async () => {
    const before = await sessionsOf(victim);
    const attacker = await site.person();
    expect((await addKey(evil, attacker, key.theirs)).success).toBe(true);
    expect(await logIn(evil, key.own)).toMatchObject({ success: false, code: "passkey_refused" });
    expect(await sessionsOf(victim)).toBe(before);
  });

  test("a key from before origins were stored belongs to the one of its next use", async () => {
    const { kysely } = site.foundation.database;
    const old = await site.person();
    const passkey = new SoftPasskey("http://localhost");
    expect((await addKey(origin, old, passkey)).success).toBe(true);
    await kysely.updateTable("passkeys").set({ origin: "" }).where("user_id", "=", old.userId).execute();
    expect((await logIn(origin, passkey)).success).toBe(true);
    expect((await logIn(evil, passkey)).success).toBe(false);
    const rows = await kysely.selectFrom("passkeys").select("origin").where("user_id", "=", old.userId).execute();
    expect(rows).toEqual([{ origin }]);
  });
});
