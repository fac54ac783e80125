/** Attack: an administrator gets upstream keys, by pointing a channel, its copy or its tag to a server or a proxy of his own. */
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ChannelRow } from "../../contract/src/features/channels.ts";
import type { SecurityEventRow } from "../../contract/src/features/personal.ts";
import { createLogger } from "../../server/src/observe/logger.ts";
import { ROLE } from "../../contract/src/roles.ts";
import { type AccessPerson, addPeople, sessionHeaders } from "../access/people.ts";
import { setUp, startTestServer, type TestClient, type TestServer } from "../support/systems/server.ts";
import { messagesTo } from "../support/systems/outbox.ts";

const KEY = "sk-upstream-secret-000000001";
const ROOT_MAIL = "root@gate.example";

let server: TestServer;
let root: TestClient;
let admin: AccessPerson;
let own: Server;
/** Everything that reached the attacker: request lines and headers. */
let heard = "";
let ownUrl: string;
/** The server's log. */
const lines: string[] = [];

beforeAll(async () => {
  own = createServer((request, response) => {
    heard += `${request.method} ${request.url} ${JSON.stringify(request.headers)}\n`;
    response.setHeader("content-type", "application/json").end('{"data":[]}');
  });
  own.on("connect", (request, socket) => {
    heard += `CONNECT ${JSON.stringify(request.headers)}\n`;
    socket.end();
  });
  own.listen(0, "127.0.0.1");
  await once(own, "listening");
  ownUrl = `http://127.0.0.1:${(own.address() as AddressInfo).port}`;
  const logger = createLogger({ level: "info", destination: { write: (line: string) => void lines.push(line) } });
  server = await startTestServer({ ALLOW_PRIVATE_UPSTREAMS: "1" }, { logger });
  root = await setUp(server);
  await server.app.foundation.database.kysely
    .updateTable("users")
    .set({ email: ROOT_MAIL })
    .where("id", "=", root.userId)
    .execute();
  const [made] = await addPeople(server.app.foundation, [{ role: ROLE.admin }]);
  if (made === undefined) throw new Error("no administrator was made");
  admin = made;
});
afterAll(async () => {
  await server.stop();
  own.close();
});

const ways = (): Record<string, string>[] => [
  sessionHeaders(admin),
  { Authorization: `Bearer ${admin.accessToken}`, "New-Api-User": String(admin.id) },
];

async function makeChannel(change: object = {}): Promise<number> {
  const form = {
    type: 1,
    name: "upstream",
    key: KEY,
    base_url: "http://127.0.0.1:9",
    models: "m",
    groups: ["default"],
  };
  const { body } = await root.post("/api/channel", { ...form, ...change });
  return (body.data as number[])[0] ?? 0;
}

const rowOf = async (id: number) => (await root.get(`/api/channel/${id}`)).body.data as ChannelRow;

/** Has the product call the channel in every way in which an administrator can. */
async function callAll(id: number, headers: Record<string, string>): Promise<void> {
  const client = server.client();
  await client.get(`/api/channel/fetch_models/${id}`, { headers });
  await client.post(`/api/channel/test/${id}`, {}, { headers });
  await client.post(`/api/channel/update_balance/${id}`, {}, { headers });
}

const moves = (): Record<string, unknown>[] => [
  { base_url: ownUrl },
  { type: 8, base_url: `${ownUrl}/v1/chat/completions` },
  { type: 4 },
  { setting: JSON.stringify({ proxy: ownUrl }) },
  { setting: JSON.stringify({ proxy: `${ownUrl.replace("http:", "socks5:")}` }) },
  { base_url: ownUrl, key: "" },
  { base_url: ownUrl, key: null },
  { base_url: ownUrl, key: "   " },
  { base_url: ownUrl, status: 2, revision: undefined },
];

test("a stored key goes to no server, provider or proxy that an administrator names afterwards, nor does its copy", async () => {
  for (const headers of ways()) {
    const id = await makeChannel();
    const copied = await server.client().post(`/api/channel/copy/${id}`, {}, { headers });
    const copy = (copied.body.data as ChannelRow).id;
    for (const target of [id, copy])
      for (const change of moves()) {
        const answer = await server.client().put("/api/channel/", { id: target, ...change }, { headers });
        expect([change, answer.body.code, answer.body.field]).toEqual([change, "channel_key_needed", "key"]);
        await callAll(target, headers);
      }
    const tagged = await server.client().post("/api/channel/batch/tag", { ids: [id], tag: "own" }, { headers });
    expect(tagged.body.success).toBe(true);
    await server
      .client()
      .put(
        "/api/channel/tag",
        { tag: "own", base_url: ownUrl, type: 8, models: "m", setting: `{"proxy":"${ownUrl}"}` },
        { headers },
      );
    await callAll(id, headers);
    expect(await rowOf(id)).toMatchObject({ base_url: "http://127.0.0.1:9", type: 1, setting: "" });
  }
  expect(heard).not.toContain(KEY);
  expect(heard).toBe("");
});

test("a channel of several keys stays where it is", async () => {
  const id = await makeChannel({ key: `${KEY}\n${KEY}2`, keys_make: "one_channel" });
  for (const headers of ways()) {
    for (const change of moves()) await server.client().put("/api/channel/", { id, ...change }, { headers });
    await server.client().post(`/api/channel/${id}/keys`, { key: "sk-own" }, { headers });
    await server.client().put("/api/channel/", { id, base_url: ownUrl }, { headers });
    await callAll(id, headers);
  }
  expect(heard).not.toContain(KEY);
});

test("of two concurrent changes, an unchecked pair of provider and address is never stored", async () => {
  const id = await makeChannel();
  const [headers = {}] = ways();
  const change = (body: object) =>
    server.client().put("/api/channel/", { id, key: "sk-own-key-00000000000", ...body }, { headers });
  // A query is taken in the address of a custom channel alone.
  await change({ type: 8, base_url: "http://127.0.0.1:9/chat" });
  for (let round = 0; round < 10; round += 1) {
    await Promise.all([change({ type: 1 }), change({ base_url: "http://127.0.0.1:9/chat?a=1" })]);
    const { type, base_url } = await rowOf(id);
    expect(type === 1 && base_url.includes("?")).toBe(false);
    await change({ type: 8, base_url: "http://127.0.0.1:9/chat" });
  }
});

test("a client that sends back the whole channel unchanged is accepted, with any other change; a stale revision is refused", async () => {
  const id = await makeChannel({ setting: '{"max_concurrency": 3}', base_url: "http://127.0.0.1:9/" });
  const [headers = {}] = ways();
  const row = await rowOf(id);
  const sent = await server.client().put("/api/channel/", { ...row, key: "", priority: 7 }, { headers });
  expect(sent.body).toMatchObject({ success: true, data: { priority: 7 } });
  const { revision: _, ...old } = row;
  expect((await server.client().put("/api/channel/", { ...old, weight: 3 }, { headers })).body.success).toBe(true);
  const stale = await server.client().put("/api/channel/", { ...row, weight: 9 }, { headers });
  expect(stale).toMatchObject({ status: 409, body: { code: "channel_changed" } });
  expect((await rowOf(id)).weight).toBe(3);
});

test("with its key, or by the super administrator who confirmed, a channel moves, with a mail and a log entry", async () => {
  const id = await makeChannel();
  const [headers = {}] = ways();
  const withKey = { id, base_url: ownUrl, key: "sk-own-key-00000000000" };
  expect((await server.client().put("/api/channel/", withKey, { headers })).body.success).toBe(true);
  const { kysely } = server.app.foundation.database;
  await kysely.updateTable("sessions").set({ confirmed_time: 1 }).where("user_id", "=", root.userId).execute();
  const other = await makeChannel();
  expect((await root.put("/api/channel/", { id: other, base_url: ownUrl })).body.code).toBe("step_up_required");
  await kysely
    .updateTable("sessions")
    .set({ confirmed_time: Math.floor(Date.now() / 1000) })
    .where("user_id", "=", root.userId)
    .execute();
  expect((await root.put("/api/channel/", { id: other, base_url: ownUrl })).body.success).toBe(true);
  const told = (await messagesTo(server.app.foundation, ROOT_MAIL)).filter(({ event }) => event === "channel_moved");
  expect(told.slice(-2).map(({ values }) => [values["id"], values["address"]])).toEqual([
    [id, ownUrl],
    [other, ownUrl],
  ]);
  const logs = await kysely.selectFrom("logs").select("other").where("type", "=", 3).orderBy("id").execute();
  expect(logs.at(-1)?.other).toContain('"moved":["base_url"]');
});

const REDIRECTED = "channel_key_redirected";

/** The security log's rows of keys that were led elsewhere, the newest first: whose act it was, which channel and what moved. */
async function redirections(): Promise<string[]> {
  const { data } = (await root.get("/api/user/security_events")).body;
  const rows = (data as SecurityEventRow[]).filter(({ kind }) => kind === REDIRECTED);
  return rows.map(({ username, reason }) => `${username} ${reason}`);
}

test("a stored key that is sent elsewhere is in the security log with who did it; a key in its place, or one given again, is not", async () => {
  const [headers = {}] = ways();
  const id = await makeChannel();
  const several = await makeChannel({ key: `${KEY}\n${KEY}2`, keys_make: "one_channel" });
  await server.client().put("/api/channel/", { id, base_url: ownUrl }, { headers });
  await root.put("/api/channel/", { id, base_url: ownUrl, key: "sk-own-key-00000000000" });
  await root.put("/api/channel/", { id, base_url: ownUrl, priority: 3 });
  expect((await root.put("/api/channel/", { id, type: 4, base_url: `${ownUrl}/a` })).body.success).toBe(true);
  expect((await root.put("/api/channel/", { id: several, base_url: ownUrl })).body.success).toBe(true);
  const ofThese = async () =>
    (await redirections()).filter((row) => [id, several].some((own) => row.includes(` ${own}:`)));
  const expected = [`root channel ${several}: base_url`, `root channel ${id}: type, base_url`];
  await expect.poll(ofThese, { timeout: 10_000 }).toEqual(expected);
  const redirects = lines.filter((line) => line.includes(REDIRECTED)).map((line) => JSON.parse(line) as object);
  expect(redirects.at(-1)).toMatchObject({
    event: REDIRECTED,
    userId: root.userId,
    ip: "127.0.0.1",
    reason: `channel ${several}: base_url`,
    requestId: expect.stringMatching(/^\S+$/) as string,
  });
});
