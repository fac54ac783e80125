/** Fault: no secret is in any table, in the log at its most verbose level, or in a file beside the key file, in any encoding. */
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CallOptions, callChat } from "../support/clients/calls.ts";
import { engines } from "../support/databases/databases.ts";
import {
  type ServerProcess,
  type UpstreamProcess,
  startServer,
  startUpstream,
  until,
} from "../support/systems/processes.ts";
import { ROOT_PASSWORD, TestClient } from "../support/systems/server.ts";
import {
  MODELS,
  PERSON_PASSWORD,
  type Site,
  dataOf,
  loggedIn,
  makeSite,
  openTestLedger,
} from "../support/systems/site.ts";
import { type Secret, encodingsOf, tracesIn } from "../support/checks/traces.ts";
import { wholeDatabase } from "../support/checks/whole-database.ts";

/** Of a shape that no pattern knows, with characters that each encoding writes in its own way. */
const planted = (name: string): string => `Zq "${name}" +/&?ü€ 7c1f09e4b2d86a53 end`;

const OPTION_SECRETS = ["SMTPToken", "oidc.client_secret", "EpayKey", "GitHubClientSecret"] as const;
/** Goes into a header, so it is plain ASCII; neither length nor a vendor's prefix betrays it to a pattern. */
const CHANNEL_KEY = "vendorZq7c1f09plantedChanKey";
const DEAD_CHANNEL_KEY = "vendorXw20a9d1plantedDeadKey";
const PROXY_PASSWORD = "proxyYr83b5c6plantedPassword";

let upstream: UpstreamProcess;

beforeAll(async () => {
  upstream = await startUpstream();
});

afterAll(() => upstream.end());

/** Every way in which an upstream's error may carry the key back. */
const FAILURES: readonly Partial<CallOptions>[] = [
  { plan: { echoesKey: true } },
  { plan: { echoesKey: true }, isStream: true },
  { plan: { rawBody: `{"error":{"message":"bad key ${CHANNEL_KEY}"}}` } },
  { plan: { status: 429, error: { message: `key ${CHANNEL_KEY} is over its limit`, code: CHANNEL_KEY } } },
  { plan: { status: 500, error: { message: `<p>Authorization: Bearer ${CHANNEL_KEY}</p>`, type: CHANNEL_KEY } } },
  { plan: { status: 502, rawBody: `Bearer ${CHANNEL_KEY}` } },
  {
    isStream: true,
    plan: {
      contentType: "text/event-stream",
      rawBody: `data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\ndata: {"error":{"message":"${CHANNEL_KEY}","code":"${CHANNEL_KEY}"}}\n\n`,
    },
  },
  {
    plan: { headers: { "openai-version": CHANNEL_KEY, "x-key": CHANNEL_KEY, "retry-after": CHANNEL_KEY } },
  },
];

/** Calls that the upstream answers with its key in them, and what the client saw of it. */
async function failingCalls(url: string, key: string): Promise<Buffer> {
  const bodies: Buffer[] = [];
  for (const failure of FAILURES) {
    const { body } = await callChat(url, key, { model: MODELS.counted, isStream: false, ...failure });
    bodies.push(body);
  }
  return Buffer.concat(bodies);
}

async function plantInConsole(server: ServerProcess, username: string): Promise<Secret[]> {
  const root = await loggedIn(server.url, "root", ROOT_PASSWORD);
  const secrets: Secret[] = [];
  for (const key of OPTION_SECRETS) {
    const value = planted(key);
    await dataOf(root.put("/api/option", { key, value }));
    secrets.push({ name: key, value });
  }
  const person = await loggedIn(server.url, username);
  const webhook = planted("webhook");
  const setting = { notify_type: "webhook", webhook_url: "https://example.org/hook", webhook_secret: webhook };
  await dataOf(person.put("/api/user/setting", setting));
  const password = planted("password");
  await dataOf(person.put("/api/user/self", { password, original_password: PERSON_PASSWORD }));
  const again = await loggedIn(server.url, username, password);
  const accessToken = await dataOf<string>(again.post("/api/user/token"));
  secrets.push(
    { name: "webhook secret", value: webhook },
    { name: "password", value: password },
    { name: "access token", value: accessToken },
    { name: "session cookie", value: decodeURIComponent(again.cookie.split("=")[1] ?? "") },
  );
  await misuse(server, again, accessToken, password);
  return secrets;
}

/** Secrets where they do not belong: a log of refused calls must not keep them either. */
async function misuse(server: ServerProcess, client: TestClient, accessToken: string, password: string): Promise<void> {
  const stranger = new TestClient(server.url);
  await stranger.login("nobody", password);
  await stranger.login(password.slice(0, 60), password);
  await stranger.get("/api/user/self", { headers: { authorization: `Bearer ${accessToken}`, "new-api-user": "999" } });
  await stranger.get(`/api/user/self?access_token=${encodeURIComponent(accessToken)}`);
  await fetch(`${server.url}/v1/models?key=${encodeURIComponent(accessToken)}`);
  await fetch(`${server.url}/api/option`, {
    method: "PUT",
    headers: { cookie: client.cookie },
    body: `{"value":"${password}`,
  });
}

async function useDeadChannel(server: ServerProcess): Promise<void> {
  const root = await loggedIn(server.url, "root", ROOT_PASSWORD);
  const form = { type: 1, name: "dead", key: DEAD_CHANNEL_KEY, base_url: "http://127.0.0.1:9", groups: ["default"] };
  const setting = JSON.stringify({ proxy: `http://proxy-user:${PROXY_PASSWORD}@127.0.0.1:9` });
  const [id = 0] = await dataOf<number[]>(root.post("/api/channel", { ...form, setting, models: "dead-model" }));
  // Refused texts are not quoted either.
  for (const broken of [setting.slice(1), `${setting}}`, setting.replace("http", "ftp")])
    await root.put("/api/channel", { id, setting: broken });
  await root.post(`/api/channel/test/${id}?model=dead-model`);
  await root.get(`/api/channel/fetch_models/${id}`);
  await root.post("/api/channel/fetch_models", { ...form });
}

function filesIn(folder: string): Buffer {
  const names = readdirSync(folder, { recursive: true }).map(String);
  const files = names.map((name) => join(folder, name)).filter((path) => statSync(path).isFile());
  return Buffer.concat(files.filter((path) => !path.endsWith("secret.key")).map((path) => readFileSync(path)));
}

const everything = (site: Site, channelSecrets: readonly Secret[]): Secret[] => [
  { name: "token key", value: (site.people[0]?.key ?? "").slice(3) },
  { name: "SECRET_KEY", value: site.env["SECRET_KEY"] ?? "" },
  ...channelSecrets,
];

test("the search finds each encoding, also inside a longer text", () => {
  const value = planted("search");
  for (const [encoding, text] of encodingsOf(value)) expect([encoding, text.length > 10]).toEqual([encoding, true]);
  for (const before of ["", "a", "ab", "abc"]) {
    const inside = Buffer.from(`${before}${value}!`);
    for (const text of [inside.toString("base64"), inside.toString("base64url"), inside.toString("hex")])
      expect(tracesIn(Buffer.from(text), [{ name: "it", value }])).not.toEqual([]);
    expect(tracesIn(Buffer.from(JSON.stringify({ before, value })), [{ name: "it", value }])).not.toEqual([]);
    expect(tracesIn(Buffer.from(encodeURIComponent(inside.toString())), [{ name: "it", value }])).not.toEqual([]);
  }
  expect(tracesIn(Buffer.from(planted("other")), [{ name: "it", value }])).toEqual([]);
});

test.each(await engines())("secrets planted and used on %s are found nowhere", async (engine) => {
  const site = await makeSite(engine, { upstreamUrl: upstream.url, quotas: [10 ** 9], channelKey: CHANNEL_KEY });
  const server = await startServer({ ...site.env, LOG_LEVEL: "trace" });
  const books = await openTestLedger(site);
  const [person] = site.people;
  const { key = "", username = "" } = person ?? {};
  const good = await callChat(server.url, key, { model: MODELS.counted, isStream: true });
  expect(good.isComplete).toBe(true);
  const shown = await failingCalls(server.url, key);
  await callChat(server.url, `${key}x`, { model: MODELS.counted, isStream: false });
  await useDeadChannel(server);
  const secrets = everything(site, [
    { name: "channel key", value: CHANNEL_KEY },
    { name: "key of the dead channel", value: DEAD_CHANNEL_KEY },
    { name: "password of its proxy", value: PROXY_PASSWORD },
    ...(await plantInConsole(server, username)),
  ]);
  expect(secrets.length).toBeGreaterThanOrEqual(10);
  expect(new Set(secrets.map(({ value }) => value.length > 24))).toEqual(new Set([true]));
  // Rows of failed calls are written behind their answers.
  const failed = async (): Promise<number> =>
    Number((await books.rows("SELECT COUNT(*) AS total FROM logs WHERE type = 5"))[0]?.["total"]);
  await until(async () => (await failed()) >= FAILURES.length - 3, "rows of failed calls");
  await server.end();
  const { tables, bytes } = await wholeDatabase(engine, books.rows);
  await books.close();
  expect(tables).toBeGreaterThan(10);
  expect(bytes.length).toBeGreaterThan(5_000);
  expect({
    tables: tracesIn(bytes, secrets),
    log: tracesIn(Buffer.from(server.output()), secrets),
    files: tracesIn(filesIn(site.place.config.dataDir), secrets),
    client: tracesIn(shown, secrets),
  }).toEqual({ tables: [], log: [], files: [], client: [] });
  await site.remove();
});
