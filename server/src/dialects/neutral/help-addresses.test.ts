/** Tests of addresses in an upstream's error: administrators see vendors' help pages, clients none, and no key, host or credential is shown to anybody. */
import { expect, test } from "vitest";
import { readFailure, redact, redactForOperator, wordsForOperator } from "./failure.ts";
import { helpAddress } from "./help-addresses.ts";

// platform.openai.com/docs/guides/error-codes: 401, invalid authentication.
const OPENAI =
  "Incorrect API key provided: sk-wrong********************9876. You can find your API key at https://platform.openai.com/account/api-keys.";

test("the help of a vendor stays for administrators, the key in the same sentence does not", () => {
  const failure = readFailure(401, JSON.stringify({ error: { message: OPENAI } }));
  expect(failure.message).toBe("Incorrect API key provided: [key] You can find your API key at [address]");
  expect(wordsForOperator(failure)).toBe(
    "Incorrect API key provided: [key] You can find your API key at https://platform.openai.com/account/api-keys.",
  );
  expect(readFailure(400, '{"error":{"message":"no address"}}')).not.toHaveProperty("operatorMessage");
});

test.each([
  ["https://console.groq.com/docs/errors", "https://console.groq.com/docs/errors"],
  ["https://openrouter.ai/settings/credits?from=mail#top", "https://openrouter.ai/settings/credits"],
  ["https://help.aliyun.com/zh/model-studio/error-code", "https://help.aliyun.com/zh/model-studio/error-code"],
])("%s is %s", (address, shown) => expect(helpAddress(address)).toBe(shown));

test.each([
  // Other hosts, and those that only look alike.
  "https://api.openai.com/v1/models",
  "https://upstream.example/account/api-keys",
  "https://platform.openai.com.evil.example/account",
  "https://evil.example/platform.openai.com/account",
  "https://openrouter.ai/api/v1/chat",
  "https://platform.openai.com/accounts-of-others",
  // What may hold a credential, or leads elsewhere.
  "https://user:secret@platform.openai.com/account/api-keys",
  "https://token@console.groq.com/docs",
  "https://console.groq.com:8443/docs",
  "http://console.groq.com/docs",
  "https://platform.openai.com/account/sk-abcdefgh12345678",
  "https://platform.openai.com/account/sk-abcdefghijkl",
  "https://console.cloud.google.com/billing/012345678901",
  "https://docs.x.ai/%73k-abcdefgh12345678",
  `https://docs.x.ai/${"abcdefghij".repeat(5)}`,
  `https://docs.x.ai/${"a/".repeat(150)}`,
  "https://docs.x.ai/../../constructor/1",
  "https://constructor/docs",
])("%s stays for no one", (address) => {
  for (const text of [redact(`see ${address} now`), redactForOperator(`see ${address} now`)])
    expect(text).toBe("see [address] now");
});

test("what is secret is taken out for administrators as for others", () => {
  const text = "Bearer abc.def at 10.1.2.3:80, key-abcdefghijk, aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA, ws://host/x";
  expect(redactForOperator(text)).toBe(redact(text));
  // The query of a page that stays is where a key or a project would stand.
  expect(redactForOperator("https://ai.google.dev/docs?key=AIzaSecretSecretSecretSecret")).toBe(
    "https://ai.google.dev/docs",
  );
});

test("a text of a hundred thousand stops or addresses is read to its end", () => {
  const addresses = "https://docs.x.ai/a ".repeat(20_000);
  expect(redactForOperator(`https://docs.x.ai/${".".repeat(100_000)}a`)).toBe("[address]");
  expect(redactForOperator(addresses)).toBe(addresses);
});
