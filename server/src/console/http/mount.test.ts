/** Tests of every endpoint of the contract, generated from its table, against a running server. */
import { SHARED_FACTOR } from "./rate-limit.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { API, FEATURE_NAMES } from "../../../../contract/src/api.ts";
import type { Endpoint } from "../../../../contract/src/endpoint.ts";
import { ACCESS_ROLE } from "../../../../contract/src/roles.ts";
import type { TestClient, TestServer } from "../../../../tests/support/systems/server.ts";
import { setUp, startTestServer } from "../../../../tests/support/systems/server.ts";
import { bumpVersion } from "../../db/versions.ts";
import { defineHandlers } from "./handlers.ts";
import type { HandlersOf } from "./handlers.ts";
import { byFixedParts } from "./mount.ts";
import type * as status from "../../../../contract/src/features/status.ts";

const ENDPOINTS = FEATURE_NAMES.flatMap((feature) =>
  Object.entries(API[feature]).map(([name, endpoint]) => ({ label: `${feature}.${name}`, endpoint })),
);

const urlOf = (endpoint: Endpoint): string => endpoint.path.replaceAll(/\{\w+\}/g, "1");
const isProtected = ({ endpoint }: { endpoint: Endpoint }): boolean => endpoint.access in ACCESS_ROLE;
/** What a payment provider reports: there once one is set up, from another site by its nature, and on a demo site too. */
const isSigned = ({ endpoint }: { endpoint: Endpoint }): boolean => endpoint.access === "signed";
const changes = ({ endpoint }: { endpoint: Endpoint }): boolean =>
  endpoint.method !== "GET" || endpoint.changesState === true;

let server: TestServer;
let root: TestClient;

beforeAll(async () => {
  server = await startTestServer({ TRUSTED_PROXIES: "127.0.0.1,::1" });
  root = await setUp(server);
});
afterAll(() => server.stop());

let calls = 0;

/** A call from an address of its own: what is limited by address is not what these tests ask for. */
function send(
  client: TestClient,
  { method, path }: { method: string; path: string },
  request: { headers?: Record<string, string>; body?: string } = {},
) {
  calls += 1;
  const address = `198.18.${calls >> 8}.${calls & 255}`;
  return client.send(method, path, { ...request, headers: { ...request.headers, "x-forwarded-for": address } });
}

async function setRootRole(role: number): Promise<void> {
  const { database, snapshot } = server.app.foundation;
  await database.kysely.transaction().execute(async (transaction) => {
    const changed_version = await bumpVersion(transaction, "users");
    await transaction.updateTable("users").set({ role, changed_version }).where("id", "=", root.userId).execute();
  });
  await snapshot.refresh();
}

test("fixed parts of a path win over parameters, in any position and any order of listing", () => {
  const paths = ["/a/{x}", "/a/b", "/a/{x}/{y}", "/a/{x}/c", "/a/b/{y}", "/a/b/c"];
  const wanted = ["/a/b", "/a/{x}", "/a/b/c", "/a/b/{y}", "/a/{x}/c", "/a/{x}/{y}"];
  const ofLength = (parts: number) => (path: string) => path.split("/").length === parts;
  for (const listed of [paths, paths.toReversed()])
    for (const parts of [3, 4])
      expect(listed.filter(ofLength(parts)).toSorted(byFixedParts)).toEqual(wanted.filter(ofLength(parts)));
});

describe("every endpoint", () => {
  test.each(ENDPOINTS.filter((each) => !isSigned(each)))(
    "$label is mounted in both slash forms, without a redirect",
    async ({ endpoint, label }) => {
      for (const path of [urlOf(endpoint), `${urlOf(endpoint)}/`]) {
        const answer = await send(server.client(), { method: endpoint.method, path });
        // The public status page is off at first, and so are links to chats; both say so.
        const isOff = ["status_page_off", "chat_share_gone"].includes(String(answer.body["code"]));
        expect([label, answer.status === 404 && !isOff]).toEqual([label, false]);
        expect(Math.floor(answer.status / 100)).not.toBe(3);
        expect(answer.body).toHaveProperty("success");
      }
    },
  );

  test.each(ENDPOINTS.filter(isSigned))("$label is nowhere until its provider is set up", async ({ endpoint }) => {
    for (const path of [urlOf(endpoint), `${urlOf(endpoint)}/`])
      expect(await send(server.client(), { method: endpoint.method, path })).toMatchObject({ status: 404 });
  });

  test("no two have the same method and path", () => {
    const keys = ENDPOINTS.map(({ endpoint }) => `${endpoint.method} ${endpoint.path}`);
    expect(keys.length).toBe(new Set(keys).size);
  });
});

describe("every protected endpoint", () => {
  const list = ENDPOINTS.filter(isProtected);

  test.each(list)("$label answers a guest 401 with the envelope", async ({ endpoint }) => {
    const headers = { "new-api-user": "1" };
    const answer = await send(server.client(), { method: endpoint.method, path: urlOf(endpoint) }, { headers });
    expect(answer).toMatchObject({ status: 401, body: { success: false, code: "not_logged_in" } });
  });

  test("answers 403 to a role below its own", async () => {
    const below = list.filter(({ endpoint }) => endpoint.access !== "user");
    expect(below.length).toBeGreaterThan(0);
    await setRootRole(1);
    const statuses = await Promise.all(
      below.map(async ({ label, endpoint }) => {
        const { status, body } = await send(root, { method: endpoint.method, path: urlOf(endpoint) });
        return { label, status, code: body.code };
      }),
    );
    await setRootRole(100);
    expect(statuses).toEqual(below.map(({ label }) => ({ label, status: 403, code: "permission_denied" })));
  });
});

describe("every endpoint that changes state", () => {
  const list = ENDPOINTS.filter((each) => changes(each) && !isSigned(each));
  // What another site leads to is proven by a state that this browser was given (identities/attacks.test.ts).
  const proven = list.filter(({ endpoint }) => endpoint.isProvenByState !== true);

  test.each(proven)("$label refuses what another site sends", async ({ endpoint }) => {
    const signs = [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { origin: "https://evil.test" },
    ];
    for (const headers of [...signs, { origin: "null" }]) {
      const answer = await send(root, { method: endpoint.method, path: urlOf(endpoint) }, { headers });
      expect(answer).toMatchObject({ status: 403, body: { code: "cross_site" } });
    }
  });

  test.each(proven.filter(({ endpoint }) => endpoint.method === "GET"))(
    "$label demands the user header or a same-origin fetch, although it is a GET",
    async ({ endpoint }) => {
      const bare = await send(server.client(), { method: "GET", path: urlOf(endpoint) });
      expect(bare).toMatchObject({ status: 403, body: { code: "user_header_wanted" } });
      expect(bare.body.message).toContain("New-Api-User");
      const typed = await send(
        server.client(),
        { method: "GET", path: urlOf(endpoint) },
        { headers: { "sec-fetch-site": "none" } },
      );
      expect(typed.status).toBe(403);
      const own = await send(
        server.client(),
        { method: "GET", path: urlOf(endpoint) },
        { headers: { "sec-fetch-site": "same-origin" } },
      );
      expect(["cross_site", "user_header_wanted"]).not.toContain(own.body.code);
    },
  );

  test("is 405 with the words for it on a demo site, except where it is open", async () => {
    await root.put("/api/option/", { key: "DemoSiteEnabled", value: "true" });
    await setRootRole(10);
    const closed = list.filter(({ endpoint }) => endpoint.openInDemo !== true);
    const answers = await Promise.all(
      closed.map(({ endpoint }) => send(root, { method: endpoint.method, path: urlOf(endpoint) })),
    );
    const guest = await server.client().post("/api/token/", { name: "x" });
    await setRootRole(100);
    await root.put("/api/option/", { key: "DemoSiteEnabled", value: "false" });
    const message = "This site is demo only, no backend";
    expect(guest).toMatchObject({ status: 405, body: { success: false, message } });
    for (const answer of answers) expect(answer).toMatchObject({ status: 405, body: { success: false, message } });
  });
});

describe("what is sent", () => {
  test("broken JSON is 400", async () => {
    const answer = await root.send("PUT", "/api/option/", { body: "{" });
    expect(answer).toMatchObject({ status: 400, body: { success: false, code: "malformed" } });
  });

  test("nesting beyond 64 is 400 without being parsed", async () => {
    const body = `{"key":${"[".repeat(70)}${"]".repeat(70)}}`;
    expect(await root.send("PUT", "/api/option/", { body })).toMatchObject({
      status: 400,
      body: { code: "malformed" },
    });
  });

  test("more than 4 MiB is 413", async () => {
    const body = JSON.stringify({ key: "Notice", value: "x".repeat(4 * 1024 * 1024) });
    const answer = await root.send("PUT", "/api/option/", { body });
    expect(answer).toMatchObject({ status: 413, body: { success: false, code: "payload_too_large" } });
  });

  test.each([
    ["GET", "/api/log/?username=a%00", "", "username"],
    ["GET", "/api/user/search?keyword=%00", "", "keyword"],
    ["POST", "/api/user/login", JSON.stringify({ username: "a\0", password: "x" }), "username"],
    ["PUT", "/api/option/", JSON.stringify({ key: "Notice", value: "\0" }), "value"],
  ])("%s %s with a zero character is 400 and names the field", async (method, path, body, field) => {
    const answer = await send(root, { method, path }, body === "" ? {} : { body });
    expect(answer).toMatchObject({ status: 400, body: { code: "invalid_field", field } });
  });

  test.each(["user", "token", "channel"])("a page of %s beyond all numbers is an empty one", async (list) => {
    const answer = await root.get(`/api/${list}/?p=9007199254740991&page_size=100`);
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    expect(JSON.stringify(answer.body)).toMatch(/"(items|data)":\[\]/);
  });

  test.each(["p=abc&page_size=xyz", "p=&page_size=", "p=NaN&page_size=undefined&group=null", "page_size=-5", "p=-1"])(
    "the query %s is forgiven",
    async (query) => {
      const answer = await root.get(`/api/log/?${query}`);
      expect(answer).toMatchObject({ status: 200, body: { success: true } });
    },
  );
});

describe("what comes back", () => {
  test("unknown API paths are 404 with the family's error shape", async () => {
    const answer = await root.get("/api/nope");
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({
      error: { message: "Invalid URL (GET /api/nope)", type: "invalid_request_error" },
    });
  });

  test("answers are never stored and nothing in them runs", async () => {
    const { headers } = await root.get("/api/status");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("x-oneapi-request-id")).toMatch(/^\d{17}[\w-]{14}$/);
    expect(headers.get("access-control-allow-origin")).toBeNull();
  });
});

describe("handlers", () => {
  const none = { getStatus: () => ({}) } as unknown as HandlersOf<typeof status>;
  test("a missing one stops the start and is named", () => {
    expect(() => defineHandlers("status", none)).toThrow("Feature status has no handler for testStatus, getNotice");
  });
});

test("forwarding headers of a peer that is no trusted proxy divide what it may, and do not escape the limits", async () => {
  const limited = await startTestServer({ GLOBAL_API_RATE_LIMIT_ENABLE: "true", GLOBAL_API_RATE_LIMIT: "3" });
  const ask = async (claim: string) =>
    (await limited.client().get("/api/status", { headers: { "x-forwarded-for": claim } })).status;
  const statuses = [];
  for (const host of [0, 0, 0, 0]) statuses.push(await ask(`198.51.100.${host}`));
  for (let host = 1; host <= 40; host += 1) statuses.push(await ask(`198.51.100.${host}`));
  await limited.stop();
  expect(statuses.slice(0, 4)).toEqual([200, 200, 200, 429]);
  expect(statuses.filter((status) => status === 200)).toHaveLength(3 * SHARED_FACTOR);
});
