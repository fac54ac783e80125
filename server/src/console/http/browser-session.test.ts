/** Tests of playground calls through the whole server: a session cookie charges its own user's balance, and no other credential is accepted. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectBalancedLedger } from "../../../../tests/support/checks/balance-sheet.ts";
import { type FakeUpstream, startFakeUpstream } from "../../../../tests/fake-upstream/fake-upstream.ts";
import {
  ROOT_PASSWORD,
  type TestClient,
  type TestRequest,
  type TestServer,
  startTestServer,
} from "../../../../tests/support/systems/server.ts";
import { MODELS, type Site, countedPrice, dataOf, loggedIn, makeSite } from "../../../../tests/support/systems/site.ts";
import { bumpVersion } from "../../db/versions.ts";

const USAGE = { prompt_tokens: 101, completion_tokens: 7, total_tokens: 108 };
const CHARGE = countedPrice(USAGE.prompt_tokens, USAGE.completion_tokens);
const ASKED = { model: MODELS.counted, group: "default", messages: [{ role: "user", content: "hi" }], max_tokens: 0 };

let upstream: FakeUpstream;
let site: Site;
let server: TestServer;

beforeAll(async () => {
  upstream = await startFakeUpstream({ plan: { usage: USAGE, text: "one two" } });
  site = await makeSite("sqlite", { upstreamUrl: upstream.url, quotas: [1_000_000, 1_000_000] });
  server = await startTestServer(site.env);
});
afterAll(async () => {
  await server.stop();
  await site.remove();
  await upstream.close();
});

const person = (index: number): Promise<TestClient> =>
  loggedIn(server.app.url, site.people[index]?.username ?? "nobody");
const root = (): Promise<TestClient> => loggedIn(server.app.url, "root", ROOT_PASSWORD);
const ask = (client: TestClient, request: TestRequest = {}) => client.post("/pg/chat/completions", ASKED, request);

/** A client with the same cookie and another user header. */
function disguised(client: TestClient, userId: number): TestClient {
  const other = server.client();
  other.cookie = client.cookie;
  other.userId = userId;
  return other;
}

describe("a session", () => {
  test("is answered, pays from its person's balance, and sees the row in the usage log", async () => {
    const client = await person(0);
    const { status, body, headers } = await ask(client);
    expect(status).toBe(200);
    expect(body).toMatchObject({ choices: [{ message: { content: "one two" } }] });
    const self = await dataOf<{ quota: number; used_quota: number }>(client.get("/api/user/self"));
    expect(self).toMatchObject({ quota: 1_000_000 - CHARGE, used_quota: CHARGE });
    const { items } = await dataOf<{ items: object[] }>(
      client.get("/api/log/self/?type=2&token_name=playground-default"),
    );
    expect(items).toMatchObject([{ token_name: "playground-default", model_name: MODELS.counted, quota: CHARGE }]);
    const answered = { promptTokens: USAGE.prompt_tokens, completionTokens: USAGE.completion_tokens };
    expect(await expectBalancedLedger(site, [{ requestId: String(headers.get("x-request-id")), ...answered }], 0)).toBe(
      1,
    );
  });

  test("is streamed to, as the page reads it", async () => {
    const client = await person(0);
    const response = await fetch(`${server.app.url}/pg/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie: client.cookie, "new-api-user": String(client.userId) },
      body: JSON.stringify({ ...ASKED, stream: true }),
    });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const text = await response.text();
    expect(text).toContain('"content":"');
    expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
  });

  test("plays on a demo site too, where its other acts are refused", async () => {
    const administrator = await root();
    await dataOf(administrator.put("/api/option", { key: "DemoSiteEnabled", value: "true" }));
    const client = await person(1);
    expect((await client.post("/api/token", { name: "x", unlimited_quota: true, expired_time: -1 })).status).toBe(405);
    expect((await ask(client)).status).toBe(200);
    await dataOf(administrator.put("/api/option", { key: "DemoSiteEnabled", value: "false" }));
  });
});

describe("refused is", () => {
  test("who has no session, in the form that sends the page to the login", async () => {
    const { status, body } = await ask(server.client());
    expect(status).toBe(401);
    expect(body).toMatchObject({ success: false, code: "not_logged_in", error: { code: "not_logged_in" } });
  });

  test("a session under another person's id, or none", async () => {
    const client = await person(0);
    for (const userId of [0, client.userId + 1])
      expect(await ask(disguised(client, userId))).toMatchObject({
        status: 401,
        body: { code: "user_header_missing" },
      });
  });

  test("what another site made the browser send", async () => {
    const client = await person(0);
    for (const headers of [{ "sec-fetch-site": "cross-site" }, { origin: "https://evil.example" }] as Record<
      string,
      string
    >[])
      expect(await ask(client, { headers })).toMatchObject({ status: 403, body: { code: "cross_site" } });
  });

  test("an access token, and a token's key", async () => {
    const client = await person(0);
    const token = await dataOf<string>(client.post("/api/user/token"));
    const stranger = server.client();
    stranger.userId = client.userId;
    const refused = await ask(stranger, { headers: { authorization: `Bearer ${token}` } });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: "access_token_not_supported" } } });
    const key = await ask(stranger, { headers: { authorization: `Bearer ${site.people[0]?.key}` } });
    expect(key.status).toBe(401);
  });

  test("who logged out, and who was banned", async () => {
    const left = await person(0);
    const kept = disguised(left, left.userId);
    await dataOf(left.post("/api/user/logout"));
    expect((await ask(kept)).status).toBe(401);
    const banned = await person(1);
    const { database, snapshot } = server.app.foundation;
    await database.kysely.transaction().execute(async (transaction) => {
      const changed_version = await bumpVersion(transaction, "users");
      await transaction
        .updateTable("users")
        .set({ status: 2, changed_version })
        .where("id", "=", banned.userId)
        .execute();
    });
    await snapshot.refresh();
    expect(await ask(banned)).toMatchObject({ status: 403, body: { success: false, code: "user_banned" } });
  });
});
