/** Tests of upstream balances against the vendors' documentation: each type's amount and currency, and the error for types without one. */
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  ACCOUNT_KEY,
  type AccountServer,
  fixtureOf,
  startAccounts,
} from "../../../tests/support/providers/accounts.ts";
import { newChannel } from "../../../tests/support/relay/harness.ts";
import { startHttpProxy } from "../../../tests/support/systems/proxies.ts";
import { providerRegistry, type ProviderRegistry } from "../providers/registry.ts";
import { createUpstreamClient, type UpstreamClient } from "../upstream/client.ts";
import { askBalance } from "./channel-balance.ts";

const NOW_MS = Date.UTC(2026, 10, 22, 12);

let accounts: AccountServer;
let upstream: UpstreamClient;
let providers: ProviderRegistry;

beforeAll(async () => {
  accounts = await startAccounts();
  upstream = createUpstreamClient({ allowsPrivate: () => true, connectTimeoutMs: 5_000 });
  providers = providerRegistry();
});
afterAll(async () => {
  await upstream.close();
  await accounts.close();
});
const overridden = new Set<string>();
const answer: AccountServer["answer"] = (path, given) => {
  overridden.add(path);
  accounts.answer(path, given);
};
afterEach(() => {
  for (const path of overridden) accounts.answer(path, undefined);
  accounts.asked.splice(0);
});

const ask = (type: number, changes: Parameters<typeof newChannel>[0] = {}, signal?: AbortSignal) =>
  askBalance({
    upstream,
    provider: providers.byType(type),
    channel: newChannel({ type, baseUrl: accounts.url, key: ACCOUNT_KEY, ...changes }),
    nowMs: NOW_MS,
    signal,
  });

test.each([
  [1, "OpenAI's form", "", "108.154322", "USD"],
  [8, "OpenAI's form at the root of a whole URL", "/v1/chat/completions", "108.154322", "USD"],
  [8, "OpenAI's form beside a model in the path", "/{model}/v1/chat", "108.154322", "USD"],
  [20, "OpenRouter", "", "74.75", "USD"],
  [21, "AI Proxy", "/", "1234.5", "points"],
  [25, "Moonshot", "/v1", "49.58894", "CNY"],
  [40, "SiliconFlow", "", "88.88", "CNY"],
  [43, "DeepSeek", "/beta", "110.35", "CNY"],
])("type %i tells its balance: %s", async (type, _, path, amount, currency) => {
  expect(await ask(type, { baseUrl: accounts.url + path })).toEqual({ balance: { amount, currency } });
});

test("the usage of an account is asked for since its month began, or since 100 days without a payment method", async () => {
  await ask(1);
  expect(accounts.asked[1]).toBe("/v1/dashboard/billing/usage?start_date=2026-11-01&end_date=2026-11-22");
  answer("/v1/dashboard/billing/subscription", { status: 200, body: '{"hard_limit_usd":5}' });
  expect(await ask(1)).toEqual({ balance: { amount: "-7.345678", currency: "USD" } });
  expect(accounts.asked[3]).toBe("/v1/dashboard/billing/usage?start_date=2026-08-14&end_date=2026-11-22");
});

test("a key that may not read OpenRouter's credits tells what is left of its own limit, and without one why not", async () => {
  answer("/v1/credits", { status: 403, body: fixtureOf("openrouter", "403-management.json") });
  expect(await ask(20)).toEqual({ balance: { amount: "74.5", currency: "USD" } });
  answer("/v1/key", { status: 200, body: '{"data":{"limit":null,"limit_remaining":null}}' });
  expect(await ask(20)).toMatchObject({
    failure: { code: "upstream_status", values: { status: 403, message: "Only management keys can read credits" } },
  });
});

test("of several currencies the one with a balance is returned, and a debt as a negative amount", async () => {
  const told = (...infos: readonly object[]) =>
    answer("/user/balance", { status: 200, body: JSON.stringify({ is_available: true, balance_infos: infos }) });
  told({ currency: "USD", total_balance: "3.50" });
  expect(await ask(43)).toEqual({ balance: { amount: "3.5", currency: "USD" } });
  told({ currency: "CNY", total_balance: "-1.25" }, { currency: "USD", total_balance: "0.00" });
  expect(await ask(43)).toEqual({ balance: { amount: "-1.25", currency: "CNY" } });
  told();
  expect(await ask(43)).toMatchObject({ failure: { code: "unreadable_answer" } });
});

test.each([
  [1, "/v1/dashboard/billing/subscription", 403, fixtureOf("openai", "403-session.json"), "session key"],
  [40, "/v1/user/info", 401, fixtureOf("siliconflow", "401-key.json"), ""],
  [40, "/v1/user/info", 200, fixtureOf("siliconflow", "200-user.json"), "user is not there"],
  [43, "/user/balance", 401, fixtureOf("deepseek", "401-key.json"), ""],
  [25, "/v1/users/me/balance", 500, fixtureOf("moonshot", "500-server.json"), ""],
])("type %i says how its upstream refused at %s with %i", async (type, path, status, body, words) => {
  answer(path, { status, body });
  const told = await ask(type);
  expect(told).toMatchObject({ failure: { code: "upstream_status", values: { status } } });
  expect(JSON.stringify(told)).toContain(words);
});

test("a key that the upstream repeats is redacted", async () => {
  const told = JSON.stringify(await ask(25, { key: "sk-another-key-123456" }));
  expect(told).toContain("401");
  expect(told).not.toContain("sk-another-key-123456");
});

test.each([
  ["no JSON", "<html>not here</html>"],
  ["a list", "[1,2]"],
  ["nothing", ""],
  ["no such field", '{"data":{}}'],
  ["an amount that is none", '{"data":{"available_balance":"a lot"}}'],
  ["an amount that is true", '{"data":{"available_balance":true}}'],
  ["more than anybody reads", `{"data":"${"x".repeat(9 * 1024 * 1024)}"}`],
  ["depths", "[".repeat(100_000)],
])("an answer of %s is reported as unreadable", async (_, body) => {
  answer("/v1/users/me/balance", { status: 200, body });
  expect(await ask(25)).toMatchObject({ failure: { code: "unreadable_answer", values: {} } });
});

test("an unreachable upstream, a forbidden address and a timeout have different errors", async () => {
  expect(await ask(25, { baseUrl: "http://127.0.0.1:9" })).toMatchObject({ failure: { code: "connect" } });
  const closed = createUpstreamClient({ allowsPrivate: () => false, connectTimeoutMs: 5_000 });
  const provider = providers.byType(25);
  const channel = newChannel({ type: 25, baseUrl: accounts.url, key: ACCOUNT_KEY });
  expect(await askBalance({ upstream: closed, provider, channel, nowMs: NOW_MS, signal: undefined })).toMatchObject({
    failure: { code: "address_refused" },
  });
  await closed.close();
  answer("/v1/users/me/balance", "never");
  const giveUp = new AbortController();
  const asked = ask(25, {}, giveUp.signal);
  while (accounts.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  giveUp.abort();
  expect(await asked).toHaveProperty("failure");
});

test("it goes through the channel's proxy", async () => {
  const proxy = await startHttpProxy();
  expect(await ask(25, { setting: { proxy: `http://127.0.0.1:${proxy.port}` } })).toHaveProperty("balance");
  expect(proxy.asked).toEqual([`GET ${accounts.url}/v1/users/me/balance`]);
  proxy.close();
});

test("a provider without a balance is reported as unsupported", async () => {
  await expect(ask(14)).rejects.toMatchObject({ code: "channel_balance_unsupported" });
});
