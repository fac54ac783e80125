/** 360 as far as it is known: addresses, deviations, and failures in OpenAI's form. */
import { expect, test } from "vitest";
import { documentedProvider } from "../../../tests/support/providers/documented.ts";
import { qihoo360 } from "./qihoo-360.ts";

const { changed, failed, headers, manifest, models, sent, url } = documentedProvider(qihoo360);

test("calls go behind the base URL with the key", () => {
  expect(url("/v1/chat/completions")).toBe("https://api.360.cn/v1/chat/completions");
  expect(url("/v1/embeddings", { operation: "embeddings" })).toBe("https://api.360.cn/v1/embeddings");
  expect(url("/v1/models", { operation: "models", baseUrl: "https://api.360.cn/v1/" })).toBe(
    "https://api.360.cn/v1/models",
  );
  expect(headers()).toBe("authorization Bearer key-of-the-test");
});

test("instructions and bounds have the names it knows, and no effort goes there", () => {
  const messages = [{ role: "developer", content: "be brief" }];
  expect(sent({ model: "360gpt2-pro", messages, max_completion_tokens: 5, reasoning_effort: "high" })).toEqual({
    model: "360gpt2-pro",
    messages: [{ role: "system", content: "be brief" }],
    max_tokens: 5,
  });
  expect(changed({ model: "360gpt2-pro", temperature: 1, max_tokens: 5 })).toEqual([]);
});

test.each([
  ["400-model.json", "invalid", false],
  ["401-key.json", "auth", true],
  ["429-rate.json", "rate", true],
  ["500-server.json", "overloaded", true],
] as const)("%s is a failure of kind %s", (name, kind, isRetryable) => {
  expect(failed(name)).toMatchObject({ kind, isRetryable });
});

test("its manifest is type 19 and its models are listed once each", () => {
  expect(manifest).toMatchObject({ id: 19, slug: "qihoo-360" });
  expect(models.length).toBeGreaterThan(0);
  expect(new Set(models).size).toBe(models.length);
});
