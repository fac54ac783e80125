/**
 * Requests of programs that people use with servers of this API family, and what each reads of the answers. On a whole
 * server with SQLite. Each names the program; requests of all-api-hub and metapi are as in their public sources.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PERMISSION_CATALOGUE } from "../../../contract/src/family/permission-catalogue.ts";
import { PERMISSIONS } from "../../../contract/src/permissions.ts";
import {
  setUp,
  startTestServer,
  type TestAnswer,
  type TestClient,
  type TestServer,
} from "../../../tests/support/systems/server.ts";

let server: TestServer;
let root: TestClient;
let accessToken: string;
let key: string;

beforeAll(async () => {
  server = await startTestServer({ ALLOW_PRIVATE_UPSTREAMS: "1" });
  root = await setUp(server);
  accessToken = String((await root.post("/api/user/token")).body.data);
  const channels = [
    { type: 14, name: "claude", models: "claude-sonnet-4-5" },
    { type: 24, name: "gemini", models: "gemini-2.5-pro" },
    { type: 1, name: "openai", models: "gpt-4o,gpt-image-1,my-model" },
  ];
  for (const channel of channels)
    await root.post("/api/channel/", { ...channel, key: "sk-abcdefghijklmnop", group: "default" });
  await root.post("/api/token/", { name: "laptop", unlimited_quota: true, expired_time: -1 });
  const { items } = (await root.get("/api/token/?p=1&size=100")).body.data as { items: { key: string }[] };
  key = items[0]?.key ?? expect.fail("no token was made");
});
afterAll(() => server?.stop());

/** A call with the access token, without a cookie and without the user header unless it is given. */
const byToken = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  server.client().send(method, path, {
    ...(body === undefined ? {} : { body }),
    headers: { authorization: `Bearer ${accessToken}`, ...headers },
  });
const byKey = (path: string, headers: Record<string, string> = {}): Promise<TestAnswer> =>
  server.client().get(path, { headers: { authorization: `Bearer sk-${key}`, ...headers } });
const extra = ({ body }: TestAnswer) => body as unknown as Record<string, unknown>;

describe("all-api-hub (qixing-jk/all-api-hub), a browser extension", () => {
  const extension = { origin: "chrome-extension://pnpkiepmpdbjhhnpbgdiplfmedahcdkj", "sec-fetch-site": "none" };
  const call = (method: string, path: string, body?: object) =>
    byToken(method, path, body, { ...extension, "new-api-user": String(root.userId) });

  test("lists tokens, makes one, reads its key alone, and deletes it", async () => {
    const listed = await call("GET", "/api/token/?p=1&size=100");
    expect(listed.body.data).toMatchObject({ total: 1, page: 1, items: [{ name: "laptop" }] });
    const asked = { name: "made", remain_quota: 500_000, expired_time: -1, unlimited_quota: false };
    const made = await call("POST", "/api/token/", {
      ...asked,
      model_limits_enabled: false,
      model_limits: "",
      allow_ips: "",
    });
    const { id, key: whole } = made.body.data as { id: number; key: string };
    expect((await call("POST", `/api/token/${id}/key`)).body.data).toEqual({ key: whole });
    expect((await call("POST", "/api/token/batch", { ids: [id] })).body.data).toBe(1);
  });

  test("reads prices: no message, and ratios that other programs read", async () => {
    const answer = extra(await call("GET", "/api/pricing"));
    expect(Object.keys(answer)).not.toContain("message");
    expect(answer).toMatchObject({
      success: true,
      group_ratio: { default: 1 },
      vendors: [
        { id: 1, name: "OpenAI", icon: "OpenAI" },
        { id: 2, name: "Anthropic", icon: "Claude.Color" },
        { id: 3, name: "Google", icon: "Gemini.Color" },
      ],
      pricing_version: "turnpike-1",
    });
    expect(answer["supported_endpoint"]).toMatchObject({ anthropic: { path: "/v1/messages", method: "POST" } });
    const rows = answer["data"] as Record<string, unknown>[];
    const claude = rows.find((row) => row["model_name"] === "claude-sonnet-4-5");
    expect(claude).toMatchObject({
      vendor_id: 2,
      create_cache_ratio: 1.25,
      supported_endpoint_types: ["anthropic", "openai"],
    });
    expect(Object.keys(claude ?? {})).not.toContain("audio_ratio");
  });

  test("makes a channel in the newer form and disables it by its own address", async () => {
    const channel = {
      type: 1,
      name: "hub",
      key: "sk-hub0123456789",
      models: "hub-model",
      group: "default",
      settings: "{}",
    };
    const made = await call("POST", "/api/channel/", { mode: "single", channel });
    const [id = 0] = made.body.data as number[];
    expect((await call("POST", `/api/channel/${id}/status`, { status: 2 })).body).toMatchObject({
      data: { status: 2 },
    });
    const found = await call("GET", "/api/channel/search?keyword=hub&p=1&page_size=10");
    expect(found.body.data).toMatchObject({ total: 1, items: [{ id, status: 2 }] });
    const refused = await call("POST", "/api/channel/", {
      mode: "single",
      channel: { ...channel, key_mode: "append" },
    });
    expect(refused).toMatchObject({ status: 400, body: { code: "field_unsupported", field: "key_mode" } });
    const changed = await call("PUT", "/api/channel/", { id, name: "hub 2", x_unknown: 1, channel_info: {} });
    expect(changed.body).toMatchObject({ success: true, ignored: ["x_unknown", "channel_info"] });
  });
});

describe("new-api's own console (QuantumNous/new-api web/src, router/api-router.go)", () => {
  test("reads keys of tokens in one call, own ones alone", async () => {
    const { items } = (await byToken("GET", "/api/token/?p=1")).body.data as { items: { id: number; key: string }[] };
    const [{ id, key: whole } = { id: 0, key: "" }] = items;
    const answer = await byToken("POST", "/api/token/batch/keys", { ids: [id, 4711] });
    expect(answer.body.data).toEqual({ keys: { [id]: whole } });
    const other = server.client();
    await root.post("/api/user/", { username: "other", password: "a long password 1" });
    await other.login("other", "a long password 1");
    expect((await other.post("/api/token/batch/keys", { ids: [id] })).body.data).toEqual({ keys: {} });
  });

  test("manages the keys of a channel by their places", async () => {
    const channel = {
      type: 1,
      name: "several",
      models: "m",
      group: "default",
      key: "sk-several-aaaa\nsk-several-bbbb",
    };
    const made = await root.post("/api/channel/", { mode: "multi_to_single", channel });
    const [channel_id = 0] = made.body.data as number[];
    const act = (action: string, more: object = {}) =>
      byToken("POST", "/api/channel/multi_key/manage", { channel_id, action, ...more });
    expect((await act("disable_key", { key_index: 1 })).body.success).toBe(true);
    expect((await act("get_key_status", { page: 9, page_size: 1 })).body.data).toMatchObject({
      keys: [
        {
          index: 1,
          status: 2,
        },
      ],
      total: 2,
      page: 2,
      total_pages: 2,
      enabled_count: 1,
      manual_disabled_count: 1,
      auto_disabled_count: 0,
    });
    expect((await act("get_key_status", { status: 2 })).body.data).toMatchObject({ keys: [{ index: 1 }], total: 1 });
    expect(JSON.stringify((await act("get_key_status")).body)).not.toContain("sk-several-aaaa");
    expect((await act("enable_all_keys")).body.success).toBe(true);
    expect((await act("delete_key", { key_index: 0 })).body.success).toBe(true);
    expect((await act("delete_key", { key_index: 7 })).body).toMatchObject({ success: false, field: "key_index" });
    expect((await act("disable_key")).body).toMatchObject({ success: false, field: "key_index" });
  });

  test("reads and changes the channels of a tag", async () => {
    for (const models of ["t-1", "t-1,t-2"])
      await root.post("/api/channel/", {
        type: 1,
        name: "tagged",
        models,
        group: "default",
        key: "sk-tagged",
        tag: "t",
      });
    expect((await byToken("GET", "/api/channel/tag/models?tag=t")).body.data).toBe("t-1,t-2");
    expect((await byToken("GET", "/api/channel/tag/models")).body).toMatchObject({ success: false, field: "tag" });
    expect((await byToken("POST", "/api/channel/tag/disabled", { tag: "t" })).body.data).toBe(2);
    expect((await byToken("POST", "/api/channel/tag/enabled", { tag: "t" })).body.data).toBe(2);
    const change = { tag: "t", new_tag: "u", models: "t-3", param_override: '{"temperature":0}' };
    expect((await byToken("PUT", "/api/channel/tag", change)).body.data).toBe(2);
    const { items } = (await byToken("GET", "/api/channel/search?keyword=tagged")).body.data as { items: object[] };
    expect(items).toMatchObject([1, 2].map(() => ({ tag: "u", models: "t-3", param_override: change.param_override })));
  });
});

describe("metapi (cita-777/metapi)", () => {
  test("needs no id beside the access token, and takes page 0 for the first", async () => {
    expect((await byToken("GET", "/api/user/self")).body.data).toMatchObject({ id: root.userId });
    const { items } = (await byToken("GET", "/api/token/?p=0&size=100")).body.data as { items: object[] };
    expect(items).toHaveLength(1);
    expect((await byToken("GET", "/api/user/self", undefined, { "new-api-user": "4711" })).status).toBe(401);
    // What it knows the family by.
    const without = await server.client().get("/api/user/self", { headers: { cookie: root.cookie } });
    expect([without.status, without.body.message]).toEqual([401, expect.stringContaining("New-Api-User")]);
  });
});

describe("new-api-key-tool (Calcium-Ion/new-api-key-tool), a page of another site", () => {
  const page = { origin: "https://keys.example", "sec-fetch-site": "cross-site" };

  test("asks a key about itself, after a preflight", async () => {
    const preflight = await fetch(`${server.app.url}/api/usage/token/`, {
      method: "OPTIONS",
      headers: { ...page, "access-control-request-method": "GET", "access-control-request-headers": "authorization" },
    });
    expect([preflight.ok, preflight.headers.get("access-control-allow-origin")]).toEqual([true, "*"]);
    const usage = await byKey("/api/usage/token/", page);
    expect(usage.headers.get("access-control-allow-origin")).toBe("*");
    expect(extra(usage)).toMatchObject({
      code: true,
      data: {
        object: "token_usage",
        name: "laptop",
        unlimited_quota: true,
        model_limits_enabled: false,
        expires_at: 0,
      },
    });
  });

  test("reads the log of the key by the header or by the address, and nothing without one", async () => {
    expect((await byKey("/api/log/token")).body).toEqual({ success: true, message: "", data: [] });
    expect((await server.client().get(`/api/log/token?key=sk-${key}`)).body).toMatchObject({ success: true, data: [] });
    for (const path of ["/api/usage/token/", "/api/log/token"])
      expect((await server.client().get(path)).status).toBe(401);
  });
});

test("Cherry Studio (CherryHQ/cherry-studio) chooses the format of a model by its endpoint types", async () => {
  const answer = await byKey("/v1/models");
  const rows = (
    answer.body as unknown as { data: { id: string; supported_endpoint_types: string[]; owned_by: string }[] }
  ).data;
  const typesOf = Object.fromEntries(rows.map(({ id, supported_endpoint_types }) => [id, supported_endpoint_types]));
  expect(typesOf).toMatchObject({
    "claude-sonnet-4-5": ["anthropic", "openai"],
    "gemini-2.5-pro": ["gemini", "openai"],
    "gpt-4o": ["openai"],
    "gpt-image-1": ["image-generation", "openai"],
    "my-model": ["openai"],
  });
  expect(rows.find(({ id }) => id === "my-model")?.owned_by).toBe("openai");
});

test("scripts that sell credit add, take away and set a balance, and make administrators only where they may", async () => {
  const { id } = (await root.post("/api/user/", { username: "buyer", password: "a long password 1" })).body.data as {
    id: number;
  };
  const move = (mode: string, value: number) =>
    byToken("POST", "/api/user/manage", { id, action: "add_quota", mode, value });
  const balance = async () => ((await root.get(`/api/user/${id}`)).body.data as { quota: number }).quota;
  for (const [mode, value, after] of [
    ["override", 1000, 1000],
    ["add", 250, 1250],
    ["subtract", 50, 1200],
  ] as const) {
    expect((await move(mode, value)).body).toMatchObject({ success: true, data: { role: 1, status: 1 } });
    expect(await balance()).toBe(after);
  }
  expect((await move("add", -5)).body).toMatchObject({ success: false, field: "value" });
  const chief = { username: "chief", password: "a long password 1", role: 10 };
  expect((await byToken("POST", "/api/user/", chief)).body.code).toBe("step_up_required");
  expect((await root.post("/api/user/", { ...chief, role: 100 })).body).toMatchObject({ code: "user_role_not_lower" });
  expect((await root.post("/api/user/", { ...chief, quota: 5 })).body).toMatchObject({
    code: "field_unsupported",
    field: "quota",
  });
});

test("the catalogue of permissions names every act once", async () => {
  const { body } = await root.get("/api/authz/catalog");
  const { resources, roles } = body.data as typeof PERMISSION_CATALOGUE;
  const acts = resources.flatMap(({ resource, actions }) => actions.map(({ action }) => `${resource}.${action}`));
  expect(acts.toSorted()).toEqual(
    ["read", "operate", "write", "sensitive_write"]
      .map((act) => `channel.${act}`)
      .concat(["user.write", "money.write", "option.write", "log.read"])
      .toSorted(),
  );
  expect(acts).toHaveLength(PERMISSIONS.length);
  for (const { grants } of roles)
    expect(
      Object.entries(grants)
        .flatMap(([name, of]) => Object.keys(of).map((act) => `${name}.${act}`))
        .toSorted(),
    ).toEqual(acts.toSorted());
  expect(roles.map(({ key, superuser }) => [key, superuser])).toEqual([
    ["root", true],
    ["admin", false],
  ]);
});
