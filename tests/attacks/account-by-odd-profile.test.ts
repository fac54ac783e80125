/** Attack: odd profiles at another site must neither take over an account or address nor crash the server. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { engines } from "../support/databases/databases.ts";
import { openIdentityConsole } from "../support/systems/identity-console.ts";
import type { IdentityConsole } from "../support/systems/identity-console.ts";

const VICTIM = { id: 1, login: "victim", claims: { email: "vic@x.test", email_verified: true } };

/** The address another site reports, and what is stored of it. */
const ADDRESSES: readonly [address: string, stored: string | null][] = [
  ["vic@x.test", null],
  ["vic@x.test ", null],
  ["\tVIC@X.test\n", null],
  ["vic@x.test\0", null],
  ["vi\0c@x.test", null],
  ["vic\u200b@x.test", null],
  ["ｖic@x.test", null],
  ["vic＠x.test", null],
  ["vic@x.test\ud800", null],
  ["vic@x.test,evil@x.test", null],
  ["vic@x.test>\r\nBcc: evil@x.test", null],
  ["x".repeat(300) + "@x.test", null],
  ["no address", null],
  [" Fresh@X.test ", "fresh@x.test"],
];

const SUBJECTS = ["sub-1 ", " sub-1", "sub-1\0", "sub-1\u200b", "sub-1\n", "\ud800", " ", "s".repeat(256)];
const LOGINS = ["vic\0tim", "victim\ud800", "\0", "l".repeat(10_000), "victim "];

describe.each(await engines())("odd profiles on %s", (engine) => {
  let place: IdentityConsole;
  let victimId: number;
  let nextId = 10;
  const newcomer = () => (nextId += 1);
  const idOf = ({ body }: { body: { data: unknown } }) => (body.data as { id: number }).id;
  const rowOf = (id: number) =>
    place.site.foundation.database.kysely
      .selectFrom("users")
      .select(["username", "email", "oidc_id"])
      .where("id", "=", id)
      .executeTakeFirstOrThrow();

  beforeAll(async () => {
    place = await openIdentityConsole(engine);
    victimId = idOf(await place.signIn(place.visitor(), "oidc", VICTIM));
  });
  afterAll(() => place.close());

  test("an address is stored as every account's is, or not at all, and never is another's", async () => {
    const stored: (string | null)[] = [];
    for (const [email] of ADDRESSES) {
      const id = newcomer();
      const claims = { email, email_verified: true };
      const emails = [{ email, primary: true, verified: true }];
      const byOpenid = await place.signIn(place.visitor(), "oidc", { id, login: "", claims });
      expect(byOpenid.status).toBe(200);
      expect(idOf(byOpenid)).not.toBe(victimId);
      stored.push((await rowOf(idOf(byOpenid))).email);
      const byGithub = await place.signIn(place.visitor(), "github", { id, login: `hub${id}`, emails });
      expect(byGithub.status).toBe(200);
      expect((await rowOf(idOf(byGithub))).email).toBeNull(); // taken already where it is one at all
    }
    expect(stored).toEqual(ADDRESSES.map(([, address]) => address));
    expect((await rowOf(victimId)).email).toBe("vic@x.test");
  });

  test.each(SUBJECTS)("the subject %j matches no account", async (sub) => {
    const visitor = place.visitor();
    const answer = await place.signIn(visitor, "oidc", { id: newcomer(), login: "", claims: { sub } });
    expect(answer.body).toMatchObject({ success: false, code: "identity_failed" });
    expect(answer.status).toBe(200);
    expect(visitor.cookies.has("turnpike_session")).toBe(false);
  });

  test.each(LOGINS)("the login %j.. makes an account of its own, whose name is not the victim's", async (login) => {
    const answer = await place.signIn(place.visitor(), "github", { id: newcomer(), login, name: `${login}\0` });
    expect(answer.status).toBe(200);
    const { username } = await rowOf(idOf(answer));
    expect(username).not.toBe((await rowOf(victimId)).username);
    expect(username).toMatch(/^[a-z]+_?\d*$/);
  });
});
