/** Tests of testing typed settings: they use what is typed, store nothing, and send no stored secret to a typed address. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { OptionTestStep } from "../../../../contract/src/options/option-tests.ts";
import { type MailServer, startMailServer } from "../../../../tests/support/messages/mail-server.ts";
import { startAlipay } from "../../../../tests/support/payments/alipay.ts";
import { directOptions } from "../../../../tests/support/payments/direct-site.ts";
import { startStripe } from "../../../../tests/support/payments/stripe.ts";
import { startWechat } from "../../../../tests/support/payments/wechat.ts";
import { setUp, startTestServer, type TestClient, type TestServer } from "../../../../tests/support/systems/server.ts";

const STRIPE_KEY = "sk_test_4711";
let server: TestServer;
let root: TestClient;
let stripe: Awaited<ReturnType<typeof startStripe>>;
let alipay: Awaited<ReturnType<typeof startAlipay>>;
let wechat: Awaited<ReturnType<typeof startWechat>>;
let site: Server;
let siteUrl = "";
/** What another site was sent. */
let seen: { url: string; body: string }[] = [];
let reply: (url: string, body: string) => { status: number; body: object } = () => ({ status: 200, body: {} });

beforeAll(async () => {
  [stripe, alipay, wechat] = await Promise.all([startStripe(STRIPE_KEY), startAlipay(), startWechat(Date.now)]);
  server = await startTestServer(
    {},
    {
      standIns: { "https://api.stripe.com": stripe.url, "https://api.mch.weixin.qq.com": wechat.url },
    },
  );
  root = await setUp(server);
  site = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const [url, body] = [request.url ?? "", Buffer.concat(parts).toString("utf8")];
      seen.push({ url: `${url} ${String(request.headers.authorization ?? "")}`, body });
      const made = reply(url, body);
      response.writeHead(made.status, { "content-type": "application/json" }).end(JSON.stringify(made.body));
    });
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  await set({ AllowPrivateUpstreamsEnabled: "true" });
});
afterAll(async () => {
  await server.stop();
  site.closeAllConnections();
  await new Promise((resolve) => site.close(resolve));
  await Promise.all([stripe.close(), alipay.close(), wechat.close()]);
});
beforeEach(() => {
  seen = [];
  reply = () => ({ status: 200, body: {} });
});

const set = async (options: Readonly<Record<string, string>>) => {
  for (const [key, value] of Object.entries(options))
    expect((await root.put("/api/option/", { key, value })).body).toMatchObject({ success: true });
};
const ask = (what: string, options: object = {}, more: object = {}) =>
  root.post("/api/option/test", { what, options, ...more }).then(({ body }) => body);
const steps = async (what: string, options: object = {}, more: object = {}) => {
  const { data } = await ask(what, options, more);
  return (data as OptionTestStep[]).map(({ step, is_passed, reason }) => `${step} ${is_passed ? "passed" : reason}`);
};
const stored = () => server.app.foundation.snapshot.options;

describe("a test mail", () => {
  let mail: MailServer;
  beforeEach(async () => {
    mail = await startMailServer({ login: { user: "sender@site.example", password: "pass-4711" } });
  });
  afterEach(() => mail.close());
  const typed = (more: object = {}) => ({
    SMTPServer: "127.0.0.1",
    SMTPPort: String(mail.port),
    SMTPAccount: "sender@site.example",
    SMTPToken: "pass-4711",
    ...more,
  });

  test("goes out with what is typed, and nothing is stored", async () => {
    expect(await steps("smtp", typed(), { to: "a@b.example" })).toEqual(["mail passed"]);
    expect(await mail.wait()).toMatchObject({ to: "a@b.example", user: "sender@site.example" });
    expect(stored()).toMatchObject({ SMTPServer: "", SMTPToken: "" });
    const refused = await ask("smtp", typed({ SMTPToken: "wrong-4712" }), { to: "a@b.example" });
    expect(refused.data).toMatchObject([{ step: "mail", is_passed: false, reason: "smtp_login" }]);
    expect(JSON.stringify(refused)).not.toContain("wrong-4712");
    expect(await ask("smtp", typed(), { to: "nobody" })).toMatchObject({ code: "email_invalid", field: "to" });
  });

  test("with a stored password goes to the stored server alone, by the stored protection", async () => {
    await set({ SMTPServer: "127.0.0.1", SMTPPort: String(mail.port), SMTPAccount: "sender@site.example" });
    await set({ SMTPToken: "pass-4711" });
    try {
      expect(await steps("smtp", { SMTPFrom: "other@site.example" }, { to: "a@b.example" })).toEqual(["mail passed"]);
      const other = await startMailServer({ login: { user: "sender@site.example", password: "pass-4711" } });
      for (const change of [
        { SMTPPort: String(other.port) },
        { SMTPServer: "localhost" },
        { SMTPStartTLSEnabled: "false" },
        { SMTPInsecureSkipVerify: "true" },
        { SMTPSSLEnabled: "true" },
      ])
        expect(await ask("smtp", change, { to: "a@b.example" })).toMatchObject({
          success: false,
          code: "option_secret_needed",
          field: "SMTPToken",
        });
      expect(other.mails).toEqual([]);
      const again = { SMTPPort: String(other.port), SMTPToken: "pass-4711" };
      expect(await steps("smtp", again, { to: "a@b.example" })).toEqual(["mail passed"]);
      await other.close();
    } finally {
      await set({ SMTPToken: "", SMTPAccount: "", SMTPServer: "" });
    }
  });
});

describe("a gateway of payments", () => {
  test("of epay signs for itself, and is reached without a word of ours", async () => {
    const typed = { PayAddress: siteUrl, EpayId: "1000", EpayKey: "key-4711" };
    expect(await steps("epay", typed)).toEqual(["signature passed", "address passed"]);
    expect(JSON.stringify(seen)).not.toMatch(/key-4711|1000/);
    expect(await steps("epay", { ...typed, EpayKey: "" })).toEqual(["signature missing", "address passed"]);
    reply = () => ({ status: 404, body: {} });
    expect(await steps("epay", typed)).toEqual(["signature passed", "address refused"]);
    expect(await steps("epay", { ...typed, PayAddress: "http://127.0.0.1:1" })).toEqual([
      "signature passed",
      "address unreachable",
    ]);
    await set({ AllowPrivateUpstreamsEnabled: "false" });
    expect(await steps("epay", typed)).toEqual(["signature passed", "address address_refused"]);
    await set({ AllowPrivateUpstreamsEnabled: "true" });
    expect(stored()).toMatchObject({ PayAddress: "", EpayKey: "" });
  });

  test("of Stripe reads with the key that is typed", async () => {
    const typed = { StripeSecretKey: STRIPE_KEY, StripeWebhookSecret: "whsec_4711" };
    expect(await steps("stripe", typed)).toEqual(["key passed", "webhook_secret passed"]);
    const wrong = await ask("stripe", { StripeSecretKey: "sk_test_other", StripeWebhookSecret: "4711" });
    expect((wrong.data as OptionTestStep[]).map(({ step, reason }) => `${step} ${reason}`)).toEqual([
      "key refused",
      "webhook_secret format",
    ]);
    expect(JSON.stringify(wrong)).not.toContain("sk_test_other");
    expect(await steps("stripe")).toEqual(["key missing", "webhook_secret missing"]);
  });

  test("of Alipay and WeChat Pay answers a signed query for an order that is none", async () => {
    const pick = (begin: string) =>
      Object.fromEntries(
        Object.entries(directOptions(alipay)).filter(([name]) => name.startsWith(begin) && !/Enabled|ApiV3/.test(name)),
      );
    expect(await steps("alipay", pick("Alipay"))).toEqual(["key passed", "query passed"]);
    expect(await steps("wechat_pay", pick("Wechat"))).toEqual(["key passed", "query passed"]);
    for (const [what, key] of [
      ["alipay", "AlipayPrivateKey"],
      ["wechat_pay", "WechatPayPrivateKey"],
    ] as const) {
      const all = pick(what === "alipay" ? "Alipay" : "Wechat");
      expect(await steps(what, { ...all, [key]: "no key" })).toEqual(["key key_unreadable"]);
      expect(await steps(what)).toEqual(["key missing"]);
    }
    alipay.trouble.kind = "other key";
    expect(await steps("alipay", pick("Alipay"))).toEqual(["key passed", "query refused"]);
    alipay.trouble.kind = "none";
  });
});

describe("a provider of OpenID", () => {
  const description = () => ({
    issuer: siteUrl,
    authorization_endpoint: `${siteUrl}/authorize`,
    token_endpoint: `${siteUrl}/token`,
    userinfo_endpoint: `${siteUrl}/user`,
    jwks_uri: `${siteUrl}/keys`,
  });
  const typed = (more: object = {}) => ({
    "oidc.client_id": "us",
    "oidc.client_secret": "secret-4711",
    "oidc.well_known": `${siteUrl}/.well-known/openid-configuration`,
    ...more,
  });
  const provider = (known: string) => (url: string, body: string) => {
    if (url.startsWith("/.well-known")) return { status: 200, body: description() };
    const isKnown = new URLSearchParams(body).get("client_secret") === known;
    return isKnown
      ? { status: 400, body: { error: "invalid_grant", error_description: "no such code" } }
      : { status: 400, body: { error: "invalid_client", error_description: `not ${body}` } };
  };

  test("is read, and knows the client where it refuses only the code", async () => {
    reply = provider("secret-4711");
    expect(await steps("oidc", typed())).toEqual(["discovery passed", "client passed", "redirect passed"]);
    const wrong = await ask("oidc", typed({ "oidc.client_secret": "secret-4712" }));
    expect(wrong.data).toMatchObject([
      { step: "discovery" },
      { step: "client", is_passed: false, reason: "client_refused" },
      {},
    ]);
    expect(JSON.stringify(wrong)).toContain("invalid_client");
    expect(JSON.stringify(wrong)).not.toContain("secret-4712");
    reply = () => ({ status: 404, body: {} });
    expect(await steps("oidc", typed())).toEqual(["discovery refused", "redirect passed"]);
    const endpoints = { "oidc.well_known": "", "oidc.token_endpoint": `${siteUrl}/token` };
    const three = {
      ...endpoints,
      "oidc.authorization_endpoint": `${siteUrl}/authorize`,
      "oidc.user_info_endpoint": `${siteUrl}/user`,
    };
    reply = provider("secret-4711");
    expect(await steps("oidc", typed(three))).toEqual(["client passed", "redirect passed"]);
    expect(await steps("oidc")).toEqual(["client missing"]);
    const noSecret = typed({ "oidc.client_id": "", "oidc.client_secret": "" });
    expect(await steps("oidc", noSecret)).toEqual(["discovery passed", "client missing", "redirect passed"]);
    expect(stored()["oidc.client_secret"]).toBe("");
  });

  test("elsewhere is not sent the stored secret", async () => {
    await set({ "oidc.client_secret": "secret-4711", "oidc.client_id": "us" });
    for (const [name, address] of [
      ["oidc.well_known", `${siteUrl}/.well-known/openid-configuration`],
      ["oidc.token_endpoint", `${siteUrl}/token`],
    ] as const)
      expect(await ask("oidc", { [name]: address })).toMatchObject({
        code: "option_secret_needed",
        field: "oidc.client_secret",
      });
    expect(seen).toEqual([]);
    await set({ "oidc.client_secret": "", "oidc.client_id": "" });
  });
});

describe("a search of the web", () => {
  const typed = (more: object = {}) => ({
    WebSearchProvider: "tavily",
    WebSearchAddress: siteUrl,
    WebSearchKey: "search-4711",
    ...more,
  });

  test("is made once with what is typed, and shows how many pages came", async () => {
    reply = () => ({ status: 200, body: { results: [{ url: "https://a.example/", title: "t", content: "c" }] } });
    expect((await ask("web_search", typed())).data).toMatchObject([{ step: "search", is_passed: true, answer: "1" }]);
    expect(seen.map(({ url }) => url)).toEqual(["/search Bearer search-4711"]);
    reply = () => ({ status: 401, body: { detail: "search-4711" } });
    expect(await steps("web_search", typed())).toEqual(["search no_pages"]);
    reply = () => ({ status: 429, body: {} });
    expect(await steps("web_search", typed())).toEqual(["search too_many_requests"]);
    expect(await steps("web_search", typed({ WebSearchKey: "" }))).toEqual(["search missing"]);
  });

  test("elsewhere is not sent the stored key, which does not outlive its address", async () => {
    await set({ WebSearchProvider: "tavily", WebSearchKey: "search-4711" });
    expect(await ask("web_search", { WebSearchAddress: siteUrl })).toMatchObject({
      code: "option_secret_needed",
      field: "WebSearchKey",
    });
    expect([seen, stored().WebSearchKey]).toEqual([[], "search-4711"]);
    await set({ WebSearchProvider: "tavily" });
    expect(stored().WebSearchKey).toBe("search-4711");
    await set({ WebSearchAddress: siteUrl });
    expect(stored().WebSearchKey).toBe("");
    await set({ WebSearchKey: "search-4711", WebSearchProvider: "exa" });
    expect(stored().WebSearchKey).toBe("");
    await set({ WebSearchProvider: "none", WebSearchAddress: "" });
  });
});

test("only options of the test are taken, in their form, and typed ones only after a confirmation", async () => {
  expect(await ask("stripe", { SMTPServer: "x" })).toMatchObject({ code: "option_unknown", field: "SMTPServer" });
  expect(await ask("smtp", { SMTPPort: "x" }, { to: "a@b.example" })).toMatchObject({
    code: "option_invalid",
    field: "SMTPPort",
  });
  const { kysely } = server.app.foundation.database;
  const sessions = kysely.updateTable("sessions");
  await sessions.set({ confirmed_time: 0 }).execute();
  expect(await ask("epay", { PayAddress: siteUrl })).toMatchObject({ code: "step_up_required" });
  expect(seen).toEqual([]);
  expect(await steps("epay")).toEqual(["signature missing", "address missing"]);
  await sessions.set({ confirmed_time: Math.floor(Date.now() / 1000) }).execute();
});
