/** Sub2API as upstream: every format at its own path with one key, and what the key, its subscription or its wallet has left. */
import { expect, test } from "vitest";
import { documentedProvider } from "../../../tests/support/providers/documented.ts";
import { providerFixture } from "../../../tests/support/providers/fixtures.ts";
import type { FormatName } from "../dialects/dialect.ts";
import type { JsonObject } from "../dialects/neutral/neutral.ts";
import { BalanceFault } from "./balance.ts";
import { sub2api } from "./sub2api.ts";

const { balance, failed, headers, manifest, url } = documentedProvider(sub2api);
const GATEWAY = "https://sub2api.example";

test.each([GATEWAY, `${GATEWAY}/v1`, `${GATEWAY}/v1beta/`])("every format is at its own path behind %s", (baseUrl) => {
  const at = (dialect: FormatName, path: string) => url(path, { baseUrl, dialect });
  const gemini = "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse";
  expect(at("openai-chat", "/v1/chat/completions")).toBe(`${GATEWAY}/v1/chat/completions`);
  expect(at("openai-responses", "/v1/responses")).toBe(`${GATEWAY}/v1/responses`);
  expect(at("anthropic-messages", "/v1/messages")).toBe(`${GATEWAY}/v1/messages`);
  expect(at("gemini", gemini)).toBe(GATEWAY + gemini);
  expect(headers({ baseUrl, dialect: "gemini" })).toBe("authorization Bearer key-of-the-test");
});

test.each([
  ["401-key.json", "auth"],
  ["429-limit.json", "rate"],
  ["503-overloaded.json", "overloaded"],
] as const)("%s is a failure of kind %s, and the next channel is asked", (name, kind) => {
  expect(failed(name)).toMatchObject({ kind, isRetryable: true });
});

/** Asks for the balance where `/v1/usage` answers so. */
const leftBy = (usage: JsonObject) =>
  balance(
    ({ url: asked }) => {
      expect(asked).toBe(`${GATEWAY}/v1/usage`);
      return Promise.resolve(usage);
    },
    { baseUrl: `${GATEWAY}/v1`, key: "k" },
    0,
  );
const stored = (name: string) => JSON.parse(providerFixture("sub2api", name)) as JsonObject;

test("what is left is the wallet's or the key's own, in dollars", async () => {
  expect(await leftBy(stored("usage-wallet.json"))).toEqual({ amount: "12.5", currency: "USD" });
  expect(await leftBy(stored("usage-limited.json"))).toEqual({ amount: "3", currency: "USD" });
});

test.each([
  ["a subscription without a limit", stored("usage-unlimited.json")],
  ["a key with limits by hour alone", { mode: "quota_limited", isValid: true, status: "active" }],
  ["a key that is disabled", { mode: "quota_limited", isValid: false, status: "disabled", remaining: 3, unit: "USD" }],
  ["another unit", { isValid: true, remaining: 3, unit: "points" }],
])("%s tells no balance", async (_, usage) => {
  await expect(leftBy(usage)).rejects.toBeInstanceOf(BalanceFault);
});

test("its manifest is type 59 with all native formats, and its address has to be given", () => {
  expect(manifest).toMatchObject({
    id: 59,
    slug: "sub2api",
    defaultBaseUrl: "",
    fields: [{ name: "base_url", isRequired: true }],
    dialects: ["openai-chat", "openai-responses", "anthropic-messages", "gemini"],
  });
});
