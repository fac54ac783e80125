/** What the settings page asks of other sites, against real ones: a mail server, an OpenID provider, a list of releases; and the worker's key. */
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type MailServer, startMailServer } from "../../../../tests/support/messages/mail-server.ts";
import { type OpenidProvider, startOpenidProvider } from "../../../../tests/support/systems/openid.ts";
import { setUp, startTestServer, type TestClient, type TestServer } from "../../../../tests/support/systems/server.ts";
import type { OptionRow } from "../../../../contract/src/features/options.ts";

let server: TestServer;
let root: TestClient;
let site: Server;
let siteUrl: string;
let answer: (response: ServerResponse) => void;

beforeAll(async () => {
  server = await startTestServer();
  root = await setUp(server);
  site = createServer((_, response) => answer(response));
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await server.stop();
  site.closeAllConnections();
  await new Promise((resolve) => site.close(resolve));
});

const set = async (options: Readonly<Record<string, string>>) => {
  for (const [key, value] of Object.entries(options)) {
    const { body } = await root.put("/api/option/", { key, value });
    expect(body).toMatchObject({ success: true });
  }
};
const json = (value: unknown) => (response: ServerResponse) => void response.end(JSON.stringify(value));
beforeEach(() => set({ AllowPrivateUpstreamsEnabled: "true" }));

test("what the server runs on is told to administrators", async () => {
  const { data } = (await root.get("/api/option/system_info")).body;
  expect(data).toEqual({
    version: expect.stringMatching(/^v\d+\.\d+\.\d+/) as unknown,
    start_time: expect.any(Number) as unknown,
    node_version: process.version,
    database_type: "sqlite",
  });
});

test("of a worker that is taken away the key goes too, and no other change touches it", async () => {
  const isSet = async () =>
    ((await root.get("/api/option")).body.data as OptionRow[]).find(({ key }) => key === "WorkerValidKey")?.is_set;
  await set({ WorkerUrl: "https://worker.example/", WorkerValidKey: "k3y" });
  await set({ WorkerUrl: "https://other.example", WorkerAllowHttpImageRequestEnabled: "true" });
  expect(await isSet()).toBe(true);
  await set({ WorkerUrl: "" });
  expect(await isSet()).toBe(false);
  expect(server.app.foundation.snapshot.options.WorkerValidKey).toBe("");
});

test("the interval of the dashboard is part of the status", async () => {
  await set({ DataExportInterval: "17" });
  expect((await root.get("/api/status")).body.data).toMatchObject({ data_export_interval: 17 });
});

test("the trailing slashes of these addresses are never stored", async () => {
  const names = ["ServerAddress", "WorkerUrl", "PayAddress", "WeChatServerAddress"];
  await set(Object.fromEntries(names.map((name) => [name, "https://a.example/path//"])));
  const rows = (await root.get("/api/option")).body.data as OptionRow[];
  expect(rows.filter(({ key }) => names.includes(key)).map(({ value }) => value)).toEqual(
    names.map(() => "https://a.example/path"),
  );
  await set(Object.fromEntries(names.map((name) => [name, ""])));
});

let mail: MailServer;
const smtp = (changes: Record<string, string> = {}) =>
  set({
    SMTPServer: "127.0.0.1",
    SMTPPort: String(mail.port),
    SMTPAccount: "sender@site.example",
    SMTPFrom: "",
    SMTPToken: "pass-4711",
    SMTPSSLEnabled: "false",
    ...changes,
  });
const sendTo = (to: string, language = "en") =>
  root.post("/api/option/test_mail", { to }, { headers: { "accept-language": language } });

beforeEach(async () => {
  mail = await startMailServer({ login: { user: "sender@site.example", password: "pass-4711" } });
});
afterEach(() => mail.close());

test("a test mail goes out with the stored options, in the administrator's language", async () => {
  await smtp();
  const { body } = await sendTo(" Someone@Else.example ", "zh-CN");
  expect(body.data).toMatchObject({ is_delivered: true, failure: "" });
  expect((body.data as { answer: string }).answer).toContain("queued as 4711");
  const got = await mail.wait();
  expect(got).toMatchObject({ from: "sender@site.example", to: "someone@else.example", user: "sender@site.example" });
  expect(got.subject).toBe("Turnpike：邮件服务器测试");
  await sendTo("a@b.example");
  expect((await mail.wait(({ to }) => to === "a@b.example")).text).toContain("root sent this from the settings page");
});

test("a test mail that is not sent tells why in the server's words, never with the password", async () => {
  await smtp({ SMTPToken: "wrong-4712" });
  const refused = await sendTo("a@b.example");
  expect(refused.body.data).toMatchObject({ is_delivered: false, failure: "smtp_login" });
  expect((refused.body.data as { answer: string }).answer).toMatch(/535/);
  expect(JSON.stringify(refused.body)).not.toContain("wrong-4712");
  await smtp({ SMTPPort: "1" });
  expect((await sendTo("a@b.example")).body.data).toMatchObject({ failure: "smtp_unreachable" });
  await smtp({ SMTPServer: "" });
  expect((await sendTo("a@b.example")).body.data).toMatchObject({ failure: "smtp_not_configured" });
  expect((await sendTo("nobody")).body).toMatchObject({ success: false, code: "email_invalid", field: "to" });
  expect(mail.mails).toEqual([]);
});

const discover = (url: string) => root.post("/api/option/oidc_discovery", { url });
const description = (changes: object = {}) => ({
  issuer: `${siteUrl}/realm`,
  authorization_endpoint: "https://id.example/authorize",
  token_endpoint: "https://id.example/token",
  userinfo_endpoint: "https://id.example/user",
  ...changes,
});
const wellKnown = () => `${siteUrl}/realm/.well-known/openid-configuration`;

test("a certified OpenID provider tells its endpoints", async () => {
  const provider: OpenidProvider = await startOpenidProvider(() => ["https://site.example/oauth/oidc"]);
  try {
    const { body } = await discover(provider.wellKnown);
    expect(body.data).toEqual({
      issuer: provider.issuer,
      authorization_endpoint: `${provider.issuer}/auth`,
      token_endpoint: `${provider.issuer}/token`,
      user_info_endpoint: `${provider.issuer}/me`,
    });
  } finally {
    await provider.close();
  }
});

test.each([
  ["another issuer", { issuer: "https://elsewhere.example" }, { code: "discovery_issuer" }],
  ["no issuer", { issuer: undefined }, { code: "discovery_incomplete", values: { name: "issuer" } }],
  ["no endpoint for users", { userinfo_endpoint: undefined }, { values: { name: "userinfo_endpoint" } }],
  ["an endpoint that is no address", { token_endpoint: "javascript:x" }, { values: { name: "token_endpoint" } }],
])("a description with %s is refused", async (_, changes, refusal) => {
  answer = json(description(changes));
  expect((await discover(wellKnown())).body).toMatchObject({ success: false, field: "url", ...refusal });
});

test("what is no description is told apart from what is no address", async () => {
  answer = json(description());
  expect((await discover(`${wellKnown()}`)).body).toMatchObject({ success: true });
  answer = json(description({ issuer: `${siteUrl}/realm/` }));
  expect((await discover(wellKnown())).body).toMatchObject({ success: true });
  const failed = { success: false, code: "discovery_failed", field: "url" };
  for (const broken of [
    (response: ServerResponse) => void response.writeHead(404).end(),
    (response: ServerResponse) => void response.writeHead(302, { location: siteUrl }).end(),
    (response: ServerResponse) => void response.end("<html>"),
    (response: ServerResponse) => void response.end("[]"),
    (response: ServerResponse) => void response.destroy(),
    (response: ServerResponse) => void response.end("x".repeat(300_000)),
  ]) {
    answer = broken;
    expect((await discover(wellKnown())).body).toMatchObject(failed);
  }
  for (const address of ["", "id.example", "ftp://id.example/", "https://user:word@id.example/"])
    expect((await discover(address)).body).toMatchObject({ code: "web_address_invalid", field: "url" });
  await set({ AllowPrivateUpstreamsEnabled: "false" });
  expect((await discover(wellKnown())).body).toMatchObject({ code: "address_refused", field: "url" });
});

const update = () => root.get("/api/option/update");

test("the look for a newer release is off until an address is set, and follows the address policy", async () => {
  expect((await update()).body).toMatchObject({ code: "update_check_off", field: "UpdateCheckUrl" });
  await set({ UpdateCheckUrl: `${siteUrl}/latest`, AllowPrivateUpstreamsEnabled: "false" });
  expect((await update()).body).toMatchObject({ code: "address_refused", field: "UpdateCheckUrl" });
});

test("a release is compared with this version, and only an https page is linked", async () => {
  await set({ UpdateCheckUrl: `${siteUrl}/latest` });
  const release = { tag_name: "v99.0.0", html_url: "https://a.example/r/99", name: "Ninety-nine", body: "* faster" };
  answer = json(release);
  const { data } = (await update()).body;
  const told = { relation: "newer", latest: "v99.0.0", name: "Ninety-nine", notes: "* faster" };
  expect(data).toMatchObject({ ...told, url: "https://a.example/r/99" });
  answer = json({ tag_name: "v0.0.1", html_url: "javascript:alert(1)", name: null });
  expect((await update()).body.data).toMatchObject({ relation: "older", url: "", name: "", notes: "" });
  for (const broken of [
    json({ name: "x" }),
    json("v2"),
    (response: ServerResponse) => void response.writeHead(403).end(),
  ]) {
    answer = broken;
    expect((await update()).body).toMatchObject({ success: false, code: "update_check_failed" });
  }
});
