/** Attack: sign in as another user with a forged answer to the token request. Forged ID tokens are refused. */
import { generateKeyPairSync } from "node:crypto";
import { type JWTPayload, SignJWT, UnsecuredJWT, decodeJwt, decodeProtectedHeader } from "jose";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { OPENID_CLIENT, startOpenidProvider } from "../support/systems/openid.ts";
import type { OpenidProvider } from "../support/systems/openid.ts";
import { ROOT_PASSWORD, setUp, startTestServer } from "../support/systems/server.ts";
import type { TestAnswer, TestClient, TestServer } from "../support/systems/server.ts";
import { dataOf } from "../support/systems/site.ts";

const WAYS = ["oidc", "company"] as const;
const VICTIM = "victim";

let server: TestServer;
let openid: OpenidProvider;
/** The account to which each way leads with a right token. */
const victims = new Map<string, number>();

beforeAll(async () => {
  server = await startTestServer({ ALLOW_PRIVATE_UPSTREAMS: "1", TRUSTED_PROXIES: "127.0.0.1" });
  openid = await startOpenidProvider(() => WAYS.map((way) => `${server.app.url}/oauth/${way}`));
  const root = await setUp(server);
  await dataOf(root.post("/api/user/confirm", { password: ROOT_PASSWORD }));
  const endpoints = {
    well_known: openid.wellKnown,
    authorization_endpoint: `${openid.issuer}/auth`,
    token_endpoint: `${openid.issuer}/token`,
    user_info_endpoint: `${openid.issuer}/me`,
  };
  const client = { client_id: OPENID_CLIENT.id, client_secret: OPENID_CLIENT.secret };
  for (const [name, value] of Object.entries({ ...client, ...endpoints, enabled: "true" }))
    await dataOf(root.put("/api/option", { key: `oidc.${name}`, value }));
  const named = { slug: "company", name: "Company", is_enabled: true, ...client, ...endpoints };
  await dataOf(root.post("/api/identity_provider", named));
  for (const way of WAYS) victims.set(way, (await dataOf<{ id: number }>(answerOf(way))).id);
});
afterAll(async () => {
  await openid?.close();
  await server?.stop();
});
afterEach(() => {
  openid.forge = undefined;
  openid.keysStatus = 200;
});

/** Comes by another address each time: how often one may try is tested elsewhere. */
let visits = 0;

async function signIn(way: string, name: string): Promise<{ client: TestClient; answer: TestAnswer }> {
  const client = server.client();
  visits += 1;
  const headers = { "x-forwarded-for": `198.51.100.${visits}` };
  const state = await client.post("/api/oauth/state", { provider: way }, { headers });
  const back = await openid.agree(String((state.body as unknown as { authorize_url: string }).authorize_url), name);
  return { client, answer: await client.post(`/api/oauth/${way}`, back, { headers }) };
}

const answerOf = async (way: string): Promise<TestAnswer> => (await signIn(way, VICTIM)).answer;

async function expectNobody(way: string, code = "identity_failed"): Promise<void> {
  const { client, answer } = await signIn(way, VICTIM);
  expect(answer.body).toMatchObject({ success: false, code });
  client.userId = victims.get(way) ?? 0;
  expect((await client.get("/api/user/self")).body.success).toBe(false);
}

const strangersKey = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;

/** Another token with the claims of this one, changed, and a head of its own. */
const signed = (idToken: string, change: JWTPayload, head: { alg?: string; kid?: string } = {}) =>
  new SignJWT({ ...decodeJwt(idToken), ...change })
    .setProtectedHeader({ ...decodeProtectedHeader(idToken), alg: "RS256", ...head })
    .sign(strangersKey);

const withSignature = (idToken: string, signature: string): string =>
  [...idToken.split(".").slice(0, 2), signature].join(".");

const FORGERIES: Readonly<Record<string, (idToken: string) => string | Promise<string>>> = {
  "signed by another key": (token) => signed(token, {}),
  "signed by another key, with its name": (token) => signed(token, {}, { kid: "of-a-stranger" }),
  "without a signature": (token) => withSignature(token, ""),
  "with a signature that is cut off": (token) => token.slice(0, -40),
  "with garbage for a signature": (token) => withSignature(token, Buffer.alloc(256, 7).toString("base64url")),
  "with a claim changed under a right signature": (token) => {
    const [head, , signature] = token.split(".");
    const claims = { ...decodeJwt(token), name: "changed" };
    return [head, Buffer.from(JSON.stringify(claims)).toString("base64url"), signature].join(".");
  },
  "of the algorithm none": (token) => new UnsecuredJWT(decodeJwt(token)).encode(),
  "of the algorithm none, with the old signature": (token) => {
    const [, claims, signature] = token.split(".");
    return [Buffer.from('{"alg":"none"}').toString("base64url"), claims, signature].join(".");
  },
  "signed by the client's secret": (token) =>
    new SignJWT(decodeJwt(token))
      .setProtectedHeader({ alg: "HS256" })
      .sign(new TextEncoder().encode(OPENID_CLIENT.secret)),
  "that is no token": () => "garbage",
  "that is absent": () => "",
  "of the right key, given to another client": (token) => openid.sign({ ...decodeJwt(token), azp: "another-client" }),
  "of the right key, for another client too": (token) =>
    openid.sign({ ...decodeJwt(token), aud: [OPENID_CLIENT.id, "another-client"], azp: "another-client" }),
  "of the right key, for two without saying whose": (token) =>
    openid.sign({ ...decodeJwt(token), aud: [OPENID_CLIENT.id, "another-client"] }),
  "of the right key, for another client": (token) => openid.sign({ ...decodeJwt(token), aud: "another-client" }),
};

test.each(WAYS)("by %s a right token signs in, after its keys were asked for", async (way) => {
  const before = openid.keysAsked;
  expect((await answerOf(way)).body).toMatchObject({ success: true, data: { id: victims.get(way) } });
  expect(openid.keysAsked).toBeGreaterThan(before);
});

test.each(WAYS)("by %s a token that names this client as its party signs in", async (way) => {
  openid.forge = (token) => openid.sign({ ...decodeJwt(token), azp: OPENID_CLIENT.id });
  expect((await answerOf(way)).body).toMatchObject({ success: true, data: { id: victims.get(way) } });
});

test.each(Object.entries(FORGERIES))("a token %s does not sign in", async (_name, forge) => {
  openid.forge = forge;
  for (const way of WAYS) await expectNobody(way);
});

test("while the provider's keys cannot be read no sign-in works, and the response says to try later", async () => {
  for (const status of [500, 503]) {
    openid.keysStatus = status;
    for (const way of WAYS) await expectNobody(way, "identity_unreachable");
  }
  openid.keysStatus = 404;
  for (const way of WAYS) await expectNobody(way);
});
