/** A gateway of this API family as upstream: every format at its own path with one key, and what the key may still use. */
import { expect, test } from "vitest";
import { documentedProvider } from "../../../tests/support/providers/documented.ts";
import { providerFixture } from "../../../tests/support/providers/fixtures.ts";
import type { FormatName } from "../dialects/dialect.ts";
import type { JsonObject } from "../dialects/neutral/neutral.ts";
import { type AskBalance, BalanceFault } from "./balance.ts";
import { newApi } from "./new-api.ts";

const { balance, failed, headers, manifest, url } = documentedProvider(newApi);
const GATEWAY = "https://gateway.example";

test.each([GATEWAY, `${GATEWAY}/`, `${GATEWAY}/v1`, `${GATEWAY}/v1/`, `${GATEWAY}/v1beta`])(
  "every format is at its own path behind %s",
  (baseUrl) => {
    const at = (dialect: FormatName, path: string) => url(path, { baseUrl, dialect });
    expect(at("openai-chat", "/v1/chat/completions")).toBe(`${GATEWAY}/v1/chat/completions`);
    expect(at("openai-responses", "/v1/responses")).toBe(`${GATEWAY}/v1/responses`);
    expect(at("anthropic-messages", "/v1/messages?beta=true")).toBe(`${GATEWAY}/v1/messages?beta=true`);
    const gemini = "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse";
    expect(at("gemini", gemini)).toBe(GATEWAY + gemini);
    expect(url("/v1beta/models", { baseUrl, operation: "models", dialect: "gemini" })).toBe(`${GATEWAY}/v1/models`);
  },
);

test("the key is a bearer token everywhere, and Messages have a version", () => {
  expect(headers({ baseUrl: GATEWAY })).toBe("authorization Bearer key-of-the-test");
  const asked = { baseUrl: GATEWAY, dialect: "anthropic-messages" } as const;
  expect(headers(asked)).toBe("authorization Bearer key-of-the-test anthropic-version 2023-06-01");
  const sent = { "anthropic-version": "2099-01-01", "anthropic-beta": "b" };
  expect(headers({ ...asked, headers: sent })).toBe(
    "authorization Bearer key-of-the-test anthropic-version 2099-01-01 anthropic-beta b",
  );
});

test.each([
  ["401-key.json", "auth", true],
  ["403-quota.json", "quota", true],
  ["503-model.json", "overloaded", true],
] as const)("%s is a failure of kind %s", (name, kind, isRetryable) => {
  expect(failed(name)).toMatchObject({ kind, isRetryable });
});

/** Answers by path; another path is refused as the family refuses it. */
const answering =
  (byPath: Readonly<Record<string, string>>): AskBalance =>
  (request) => {
    const name = byPath[new URL(request.url).pathname];
    const refusal = { code: "upstream_status", values: { status: 404, message: "Invalid URL" } } as const;
    return name === undefined
      ? Promise.reject(new BalanceFault("refused", refusal, { status: 404 }))
      : Promise.resolve(JSON.parse(providerFixture("new-api", name)) as JsonObject);
  };
const asked = (byPath: Readonly<Record<string, string>>) =>
  balance(answering(byPath), { baseUrl: `${GATEWAY}/v1`, key: "k" }, Date.UTC(2026, 0, 15));

test("what a key may still use is its quota at the gateway's own rate", async () => {
  expect(await asked({ "/api/usage/token/": "usage.json", "/api/status": "status.json" })).toEqual({
    amount: "3.000000",
    currency: "USD",
  });
});

test("older gateways are asked by their billing pages", async () => {
  const older = { "/v1/dashboard/billing/usage": "billing-usage.json" };
  expect(await asked({ ...older, "/v1/dashboard/billing/subscription": "subscription.json" })).toEqual({
    amount: "12.5",
    currency: "USD",
  });
});

test.each([
  ["usage", { "/api/usage/token/": "usage-unlimited.json" }],
  [
    "billing",
    {
      "/v1/dashboard/billing/subscription": "subscription-unlimited.json",
      "/v1/dashboard/billing/usage": "billing-usage.json",
    },
  ],
])("a key without a limit tells no balance by its %s", async (_, byPath) => {
  await expect(asked(byPath)).rejects.toBeInstanceOf(BalanceFault);
});

test("its manifest is type 60 with all native formats, and its address has to be given", () => {
  expect(manifest).toMatchObject({
    id: 60,
    slug: "new-api",
    defaultBaseUrl: "",
    fields: [
      {
        name: "base_url",
        isRequired: true,
      },
    ],
    dialects: ["openai-chat", "openai-responses", "anthropic-messages", "gemini"],
  });
});
