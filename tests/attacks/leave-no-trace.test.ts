/** Attack: guess, probe and take over without a trace in the security log, and read the events of others. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SecurityEventRow } from "../../contract/src/features/personal.ts";
import { createLogger } from "../../server/src/observe/logger.ts";
import { ROOT_PASSWORD, setUp, startTestServer, type TestClient, type TestServer } from "../support/systems/server.ts";

const PASSWORD = "long enough 47";
const lines: string[] = [];
let server: TestServer;
let root: TestClient;

beforeAll(async () => {
  const logger = createLogger({ level: "info", destination: { write: (line: string) => void lines.push(line) } });
  server = await startTestServer({ ALLOW_PRIVATE_UPSTREAMS: "1" }, { logger });
  root = await setUp(server);
  await root.post("/api/user/", { username: "victim", password: PASSWORD, display_name: "", role: 1 });
});
afterAll(() => server.stop());

const eventsOf = async (client: TestClient, path: string): Promise<SecurityEventRow[]> =>
  (await client.get(path)).body.data as SecurityEventRow[];
const own = (client: TestClient) => eventsOf(client, "/api/user/self/security_events");

test("wrong and right sign-ins, refused roles, foreign requests and new access tokens are in the log and in the account's own list", async () => {
  for (let guess = 0; guess < 3; guess += 1)
    await server.client().post("/api/user/login", { username: "victim", password: `wrong-secret-${guess}` });
  const victim = server.client();
  await victim.login("victim", PASSWORD);
  await victim.get("/api/user/");
  await victim.post("/api/user/logout", undefined, { headers: { origin: "https://evil.example" } });
  const kinds = async () => new Map((await own(victim)).map(({ kind, count }) => [kind, count]));
  await expect.poll(kinds, { timeout: 10_000 }).toEqual(
    new Map([
      ["account_made", 1],
      ["sign_in_failed", 3],
      ["signed_in", 1],
      ["role_refused", 1],
    ]),
  );
  const seen = lines.filter((line) => line.includes("security event"));
  for (const event of ["sign_in_failed", "signed_in", "role_refused", "foreign_request_refused"])
    expect(seen.some((line) => line.includes(`"event":"${event}"`))).toBe(true);
  expect(lines.join("")).not.toMatch(/wrong-secret|long enough 47/);
  expect(JSON.stringify(await own(victim))).not.toMatch(/wrong-secret/);
});

test("access tokens and protected options are rows of the user who changed them", async () => {
  const made = await root.post("/api/user/self/access_tokens", { name: "backdoor", scope: "admin" });
  const { id } = made.body.data as { id: number };
  await root.send("DELETE", `/api/user/self/access_tokens/${id}`);
  await root.put("/api/option/", { key: "SMTPServer", value: "mail.evil.example" });
  await root.put("/api/option/", { key: "Footer", value: "hello" });
  const kinds = async () => (await own(root)).map(({ kind, reason }) => (reason === "" ? kind : `${kind} ${reason}`));
  await expect
    .poll(kinds, { timeout: 10_000 })
    .toEqual(expect.arrayContaining(["access_token_made", "access_token_ended", "option_changed SMTPServer"]));
  expect(JSON.stringify(await own(root))).not.toMatch(/evil.example|backdoor/);
});

test("only the super administrator reads what belongs to others", async () => {
  await root.post("/api/user/", { username: "curious", password: PASSWORD, display_name: "", role: 1 });
  const curious = server.client();
  await curious.login("curious", PASSWORD);
  // A row without a user: who sent it is not looked up.
  await curious.post("/api/user/logout", undefined, { headers: { origin: "https://evil.example" } });
  expect((await curious.get("/api/user/security_events")).status).toBe(403);
  expect((await own(curious)).every(({ username }) => username === "curious")).toBe(true);
  const all = () => eventsOf(root, "/api/user/security_events");
  await expect
    .poll(async () => (await all()).map(({ username }) => username), { timeout: 10_000 })
    .toEqual(expect.arrayContaining(["root", "curious", ""]));
});

test("what administrators and access tokens are refused, and the accounts, providers and keys that are made, are rows", async () => {
  const made = async (username: string): Promise<{ id: number }> =>
    (await root.post("/api/user/", { username, password: PASSWORD, display_name: "" })).body.data as { id: number };
  const [boss, peer] = [await made("boss"), await made("peer")];
  for (const { id } of [boss, peer]) await root.post("/api/user/manage", { id, action: "promote" });
  const admin = server.client();
  await admin.login("boss", PASSWORD);
  const token = (
    (await admin.post("/api/user/self/access_tokens", { name: "t", scope: "manage" })).body.data as { value: string }
  ).value;
  const headers = { authorization: `Bearer ${token}`, "new-api-user": String(boss.id) };
  await admin.put("/api/user/", { id: root.userId, password: "evil chose this 4" });
  await admin.post("/api/user/manage", { id: peer.id, action: "disable" });
  await admin.put("/api/option/", { key: "SMTPServer", value: "smtp.evil.example" });
  await server.client().post("/api/user/manage", { id: peer.id, action: "disable" }, { headers });
  await server.client().put("/api/user/self/passkeys/x", { name: "evil" }, { headers });
  await admin.post("/api/token", { name: "t", unlimited_quota: true, expired_time: -1 });
  const channel = {
    type: 1,
    name: "c",
    key: "sk-evil-key",
    base_url: "http://127.0.0.1:9",
    models: "m",
    groups: ["default"],
  };
  const [channelId] = (await root.post("/api/channel", channel)).body.data as number[];
  await admin.put("/api/channel", { id: channelId, base_url: "http://127.0.0.1:8" });
  await admin.post(`/api/channel/copy/${channelId}`, {});
  const provider = { slug: "evil", name: "Evil", client_id: "c", client_secret: "s", is_enabled: false };
  const places = { authorization_endpoint: "https://id.example/a", token_endpoint: "https://id.example/t" };
  await root.post("/api/identity_provider", { ...provider, ...places, user_info_endpoint: "https://id.example/u" });
  const all = async () => {
    const pages = [await eventsOf(root, "/api/user/security_events")];
    for (let last = pages[0]?.at(-1); last !== undefined && pages.length < 4; last = pages.at(-1)?.at(-1))
      pages.push(await eventsOf(root, `/api/user/security_events?before=${last.id}`));
    return pages.flat().map(({ kind, user_id, actor_id, reason }) => [kind, user_id, actor_id, reason].join(" "));
  };
  await expect
    .poll(all, { timeout: 10_000 })
    .toEqual(
      expect.arrayContaining([
        `account_made ${boss.id} ${root.userId} `,
        `account_refused ${root.userId} ${boss.id} update`,
        `account_refused ${peer.id} ${boss.id} disable`,
        `option_refused ${boss.id} 0 SMTPServer`,
        `access_token_refused ${boss.id} 0 users.manageUser`,
        `access_token_refused ${boss.id} 0 factors.renamePasskey`,
        `token_made ${boss.id} 0 `,
        `channel_key_changed ${root.userId} 0 made ${channelId}`,
        `channel_key_refused ${boss.id} 0 channels.updateChannel`,
        expect.stringMatching(`^channel_key_copied ${boss.id} 0 ${channelId} to `),
        expect.stringMatching(`^provider_changed ${root.userId} 0 made `),
      ]),
    );
  expect((await all()).join("\n")).not.toMatch(/evil/i);
});

test("a flood of guesses is one row an hour, and pages can be read on", async () => {
  for (let guess = 0; guess < 60; guess += 1)
    await server.client().post("/api/user/login", { username: "root", password: `wrong-secret-${guess}` });
  await server.client().login("root", ROOT_PASSWORD);
  const count = async () => {
    const rows = (await own(root)).filter(({ kind }) => kind === "sign_in_failed" || kind === "locked_out");
    return [rows.length <= 4, rows.reduce((sum, row) => sum + row.count, 0) >= 60];
  };
  await expect.poll(count, { timeout: 10_000 }).toEqual([true, true]);
  const [first] = await own(root);
  const older = await eventsOf(root, `/api/user/self/security_events?before=${first?.id ?? 0}`);
  expect(older.every(({ id }) => id < (first?.id ?? 0))).toBe(true);
});
