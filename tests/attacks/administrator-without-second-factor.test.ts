/**
 * Attack: use an administrator's single factor (password, session, access tokens, open tab) where the site demands a second one that is not set up
 * yet. Nothing can be read or changed until the factor is set up.
 */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { ACCESS_ROLE, REQUIRED_ACTION_ERRORS, ROLE } from "../../contract/src/roles.ts";
import { ACCESS_TOKEN_SCOPES } from "../../contract/src/features/personal.ts";
import { stepAt, totpCode } from "../../server/src/console/factors/totp.ts";
import { callOf } from "../access/calls.ts";
import { ask, ENDPOINTS } from "../access/matrix.ts";
import { engines } from "../support/databases/databases.ts";
import { openScene, type Scene, stranger, type Victim } from "../support/systems/break-in.ts";
import { addFactor, type TestClient } from "../support/systems/server.ts";
import { dataOf } from "../support/systems/site.ts";

type Headers = Record<string, string>;

/** What the attacker sends to say who it is, and where. */
interface Loot {
  name: string;
  url: string;
  headers: Headers;
}

const CLASSES = ["user", "admin", "root"] as const;
/** Everything that needs an account and is not part of setting a factor up. */
const CLOSED = ENDPOINTS.filter(
  ([, { access, openBefore }]) => access in ACCESS_ROLE && openBefore?.includes("second_factor") !== true,
);
const WATCHED = [
  "users",
  "options",
  "channels",
  "tokens",
  "redemptions",
  "identities",
  "identity_providers",
  "totp_factors",
  "passkeys",
  "top_ups",
  "ledger",
  "logs",
] as const;

describe.each(await engines())("an administrator without a second factor on %s", (engine) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(engine);
    await addFactor(scene, scene.root.userId);
  });
  afterEach(() => demand("nobody"));
  afterAll(() => scene.close());

  const kysely = () => scene.app.foundation.database.kysely;
  const demand = (value: string) => dataOf(scene.root.put("/api/option", { key: "SecondFactorDemand", value }));

  const sessionHeaders = ({ cookie, userId }: TestClient): Headers => ({ cookie, "new-api-user": String(userId) });

  /** Each of an account of its own: what an account may try to confirm is counted, and a refusal by that count would prove nothing here. */
  async function makeTokens(): Promise<{ victims: Victim[]; tokens: Loot[] }> {
    const [url] = scene.urls;
    const victims: Victim[] = [];
    const tokens: Loot[] = [];
    for (const scope of ACCESS_TOKEN_SCOPES) {
      const victim = await scene.victim({ role: ROLE.admin });
      const session = await scene.signIn(url, victim);
      const path = "/api/user/self/access_tokens";
      const { value } = await dataOf<{ value: string }>(session.post(path, { name: scope, scope }));
      const headers = { authorization: `Bearer ${value}`, "new-api-user": String(victim.id) };
      victims.push(victim);
      tokens.push({ name: `access token ${scope}`, url, headers });
    }
    return { victims, tokens };
  }

  /** Until the other process knows the option as well. */
  async function untilHeld(tab: TestClient): Promise<void> {
    const endMs = Date.now() + 5_000;
    for (;;) {
      const { required_action } = await dataOf<{ required_action: string }>(tab.get("/api/user/self"));
      if (required_action === "second_factor") return;
      if (Date.now() > endMs) throw new Error("the demand is not in force");
      await pause(20);
    }
  }

  /** What was there before the demand, and what the password opens after it. */
  async function prepare(): Promise<{ victims: Victim[]; loot: Loot[]; tab: TestClient; key: string }> {
    const victim = await scene.victim({ role: ROLE.admin });
    const earlier = await scene.signIn(scene.urls[0], victim);
    const tab = await scene.session(scene.urls[1], victim, 3_600);
    const { victims, tokens } = await makeTokens();
    const { key } = await dataOf<{ key: string }>(earlier.post("/api/token", { name: "relay", expired_time: -1 }));
    await demand("administrators");
    await untilHeld(tab);
    const later = await scene.signIn(scene.urls[1], victim);
    const loot = [
      { name: "session from before", url: scene.urls[0], headers: sessionHeaders(earlier) },
      { name: "new session", url: scene.urls[1], headers: sessionHeaders(later) },
      { name: "stale tab", url: scene.urls[1], headers: sessionHeaders(tab) },
      ...tokens,
    ];
    return { victims: [victim, ...victims], loot, tab, key };
  }

  const stored = async (): Promise<string> =>
    JSON.stringify(await Promise.all(WATCHED.map((table) => kysely().selectFrom(table).selectAll().execute())));

  /** Every closed call by every way; the names of those that were answered with anything but a refusal of access. */
  async function tryAll(loot: readonly Loot[]): Promise<{ tried: number; worked: string[]; codes: Set<string> }> {
    const worked: string[] = [];
    const codes = new Set<string>();
    const tryWay = async ({ name: way, url, headers }: Loot): Promise<void> => {
      for (const [name, endpoint] of CLOSED) {
        const { body } = await ask(url, { endpoint, call: callOf(name), headers, id: 1 });
        const { success, code = "" } = JSON.parse(body) as { success: boolean; code?: string };
        codes.add(code);
        if (success || !REFUSED.has(code)) worked.push(`${name} by ${way}: ${body.slice(0, 80)}`);
      }
    };
    await Promise.all(loot.map(tryWay));
    return { tried: CLOSED.length * loot.length, worked, codes };
  }
  const REFUSED: ReadonlySet<string> = new Set([
    REQUIRED_ACTION_ERRORS.second_factor,
    "permission_denied",
    "session_required",
    "access_token_scope",
  ]);

  test("no attempt works or changes stored data, by any way, on endpoints of every access class", async () => {
    const { loot } = await prepare();
    for (const rule of CLASSES) expect(CLOSED.filter(([, { access }]) => access === rule).length).toBeGreaterThan(5);
    const before = await stored();
    const { tried, worked, codes } = await tryAll(loot);
    expect(tried).toBeGreaterThan(600);
    expect(worked).toEqual([]);
    expect(codes).toContain("second_factor_needed");
    expect(await stored()).toBe(before);
  });

  test("who has a stale session or a token cannot set the factor up for the administrator, nor spend by the playground", async () => {
    const { loot } = await prepare();
    const weak = loot.filter(({ name }) => name === "stale tab" || name.startsWith("access token"));
    for (const { url, headers } of weak) {
      const client = stranger(url);
      for (const path of ["/api/user/self/totp", "/api/user/self/passkeys/challenge"])
        expect((await client.post(path, {}, { headers })).body.success).toBe(false);
      const totp = await client.post("/api/user/self/totp/confirm", { code: "000000" }, { headers });
      expect(totp.body.success).toBe(false);
      const other = stranger(url);
      const state = await other.post("/api/oauth/state", { provider: "telegram", bind: true }, { headers });
      expect(state.body.success).toBe(false);
    }
    for (const { url, headers } of loot) {
      const sent = { ...headers, "content-type": "application/json", "sec-fetch-site": "same-origin" };
      const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "x" }] });
      const answer = await fetch(`${url}/pg/chat/completions`, { method: "POST", headers: sent, body });
      expect(answer.status).toBe(403);
      expect(await answer.text()).toContain("second_factor_needed");
    }
    expect(await kysely().selectFrom("totp_factors").selectAll().execute()).toEqual([]);
  });

  test("keys of the relay keep working, and once the administrator has a factor everything else does", async () => {
    const { victims, loot, tab, key } = await prepare();
    const models = await fetch(`${scene.urls[1]}/v1/models`, { headers: { authorization: `Bearer sk-${key}` } });
    expect(models.status).toBe(200);
    for (const victim of victims) {
      const owner = await scene.session(scene.urls[0], victim);
      const { secret } = await dataOf<{ secret: string }>(owner.post("/api/user/self/totp"));
      const code = totpCode(secret, stepAt(Date.now() / 1000));
      await dataOf(owner.post("/api/user/self/totp/confirm", { code }));
    }
    expect((await tab.get("/api/channel")).body.success).toBe(true);
    for (const { url, headers } of loot)
      expect((await stranger(url).get("/api/token", { headers })).body.success).toBe(true);
    expect((await tab.send("DELETE", "/api/user/self/totp")).body.success).toBe(false);
  });
});
