/** Tests of testing ways to sign in before they are saved: a site's answer about the client is read rightly, and a stored secret goes nowhere else. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { OptionTestStep } from "../../../../contract/src/options/option-tests.ts";
import { setUp, startTestServer, type TestClient, type TestServer } from "../../../../tests/support/systems/server.ts";

interface Seen {
  url: string;
  authorization: string;
  body: string;
}

let server: TestServer;
let root: TestClient;
let site: Server;
let siteUrl = "";
let seen: Seen[] = [];
let reply: (seen: Seen) => { status: number; body: object | string } = () => ({ status: 200, body: {} });

beforeAll(async () => {
  site = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { url = "", headers } = request;
      const sent = { url, authorization: headers.authorization ?? "", body: Buffer.concat(parts).toString("utf8") };
      seen.push(sent);
      const { status, body } = reply(sent);
      const isText = typeof body === "string";
      response
        .writeHead(status, { "content-type": isText ? "text/plain" : "application/json" })
        .end(isText ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const names = [
    "https://github.com",
    "https://discord.com",
    "https://connect.linux.do",
    "https://open.feishu.cn",
    "https://api.dingtalk.com",
    "https://api.telegram.org",
  ];
  server = await startTestServer({}, { standIns: Object.fromEntries(names.map((name) => [name, siteUrl])) });
  root = await setUp(server);
  await set({ AllowPrivateUpstreamsEnabled: "true", ServerAddress: "https://site.example" });
});
afterAll(async () => {
  await server.stop();
  site.closeAllConnections();
  await new Promise((resolve) => site.close(resolve));
});
beforeEach(() => {
  seen = [];
  reply = () => ({ status: 200, body: {} });
});

const set = async (options: Readonly<Record<string, string>>) => {
  for (const [key, value] of Object.entries(options))
    expect((await root.put("/api/option/", { key, value })).body).toMatchObject({ success: true });
};
const shown = (body: { data?: unknown }) =>
  (body.data as OptionTestStep[]).map(({ step, is_passed, reason }) => `${step} ${is_passed ? "passed" : reason}`);
const ask = (what: string, options: object = {}) =>
  root.post("/api/option/test", { what, options }).then(({ body }) => body);

const GITHUB = { GitHubClientId: "us", GitHubClientSecret: "secret-4711" };
const DISCORD = { "discord.client_id": "4711", "discord.client_secret": "secret-4711" };
const LARK = { LarkClientId: "us", LarkClientSecret: "secret-4711" };
const DINGTALK = { DingTalkClientId: "us", DingTalkClientSecret: "secret-4711" };
const LINUXDO = { LinuxDOClientId: "us", LinuxDOClientSecret: "secret-4711" };

describe.each([
  ["github", GITHUB, "bad_verification_code", "incorrect_client_credentials", 200],
  ["discord", DISCORD, "invalid_grant", "invalid_client", 401],
  ["linuxdo", LINUXDO, "invalid_grant", "invalid_client", 401],
  ["lark", LARK, "invalid_grant", "invalid_client", 400],
  ["dingtalk", DINGTALK, "invalidParameter.authCode.notFound", "invalid_client", 400],
] as const)("the test of %s", (way, typed, codeRefused, clientRefused, status) => {
  test("passes where only the code is refused, and shows the redirect address", async () => {
    reply = () => ({ status: 400, body: { error: codeRefused } });
    const answer = await ask(way, typed);
    expect(shown(answer)).toEqual(["client passed", "redirect passed"]);
    expect(answer.data).toContainEqual(expect.objectContaining({ answer: `https://site.example/oauth/${way}` }));
    expect(JSON.stringify(seen)).toContain("turnpike-settings-test");
  });

  test("fails where the client is refused, in the site's words and without the secret", async () => {
    reply = ({ body }) => ({ status, body: { error: clientRefused, error_description: `not ${body}` } });
    const answer = await ask(way, typed);
    expect(shown(answer)[0]).toBe("client client_refused");
    expect(JSON.stringify(answer)).toContain(clientRefused);
    expect(JSON.stringify(answer)).not.toContain("secret-4711");
    expect(shown(await ask(way))).toEqual(["client missing"]);
  });
});

test("a header that a site repeats is not shown", async () => {
  reply = ({ authorization }) => ({ status: 400, body: `you sent ${authorization}` });
  const answer = JSON.stringify(await ask("linuxdo", LINUXDO));
  expect(answer).toContain("Basic ***");
  expect(answer).not.toContain(Buffer.from("us:secret-4711").toString("base64"));
});

test.each([
  [{ status: 400, body: "error=redirect_uri_mismatch&error_description=other" }, "client redirect_refused"],
  [{ status: 401, body: "" }, "client client_refused"],
  [{ status: 503, body: "<html>" }, "client refused"],
  [{ status: 200, body: { access_token: "t" } }, "client refused"],
])("the answer %j is %s", async (answer, expected) => {
  reply = () => answer;
  expect(shown(await ask("github", GITHUB))[0]).toBe(expected);
});

test("a bot is known by its token, and has to have the name that is typed", async () => {
  const typed = { TelegramBotToken: "123:token-4711", TelegramBotName: "@The_Bot" };
  reply = () => ({ status: 200, body: { ok: true, result: { id: 1, username: "the_bot" } } });
  expect(shown(await ask("telegram", typed))).toEqual(["bot passed", "bot_name passed"]);
  expect(seen[0]?.url).toBe("/bot123:token-4711/getMe");
  expect(shown(await ask("telegram", { ...typed, TelegramBotName: "other" }))).toEqual([
    "bot passed",
    "bot_name other_name",
  ]);
  reply = () => ({ status: 401, body: { ok: false, description: "Unauthorized 123:token-4711" } });
  const refused = await ask("telegram", typed);
  expect(shown(refused)).toEqual(["bot refused"]);
  expect(JSON.stringify(refused)).not.toContain("token-4711");
});

test("a WeChat server has to answer in its format, and is not sent a stored token at another address", async () => {
  const typed = { WeChatServerAddress: siteUrl, WeChatServerToken: "token-4711" };
  reply = () => ({ status: 200, body: { success: false, message: "unknown code" } });
  expect(shown(await ask("wechat", typed))).toEqual(["address passed"]);
  reply = () => ({ status: 200, body: {} });
  expect(shown(await ask("wechat", typed))).toEqual(["address refused"]);
  await set({ WeChatServerToken: "stored-4711" });
  seen = [];
  expect(await ask("wechat", { WeChatServerAddress: `${siteUrl}/other` })).toMatchObject({
    code: "option_secret_needed",
    field: "WeChatServerToken",
  });
  expect(seen).toEqual([]);
});

describe.each(["oidc", "oauth2"] as const)("the test of a named provider of %s", (kind) => {
  const form = (more: object = {}) => ({
    kind,
    slug: `named-${kind}`,
    name: "Named",
    client_id: "us",
    client_secret: "secret-4711",
    authorization_endpoint: `${siteUrl}/authorize`,
    token_endpoint: `${siteUrl}/token`,
    user_info_endpoint: `${siteUrl}/user`,
    ...more,
  });
  const tried = (more: object = {}) => root.post("/api/identity_provider/test", form(more)).then(({ body }) => body);
  const knows = (secret: string) => (sent: Seen) => ({
    status: 400,
    body: { error: JSON.stringify(sent).includes(secret) ? "invalid_grant" : "invalid_client" },
  });

  test("stores nothing, and knows a right secret from a wrong one", async () => {
    reply = knows("secret-4711");
    expect(shown(await tried())).toEqual(["client passed", "redirect passed"]);
    expect(shown(await tried({ client_secret: "secret-4712" }))).toEqual(["client client_refused", "redirect passed"]);
    expect((await root.get("/api/identity_provider")).body.data).toEqual([]);
    expect(await tried({ client_secret: "" })).toMatchObject({ code: "invalid_field", field: "client_secret" });
    expect(await tried({ token_endpoint: "no address" })).toMatchObject({ field: "token_endpoint" });
  });

  test("sends a stored secret to the stored addresses alone", async () => {
    const made = (await root.post("/api/identity_provider", form())).body;
    const { id } = made.data as { id: number };
    try {
      reply = knows("secret-4711");
      expect(shown(await tried({ id, client_secret: "" }))[0]).toBe("client passed");
      seen = [];
      expect(await tried({ id, client_secret: "", token_endpoint: `${siteUrl}/elsewhere` })).toMatchObject({
        code: "option_secret_needed",
        field: "client_secret",
      });
      expect(seen).toEqual([]);
    } finally {
      await root.send("DELETE", `/api/identity_provider/${id}`);
    }
  });
});
