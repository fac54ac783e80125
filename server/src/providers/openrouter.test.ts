/** OpenRouter by its documentation: addresses, names of apps, and failures of the vendors behind it. */
import { expect, test } from "vitest";
import { documentedProvider } from "../../../tests/support/providers/documented.ts";
import { openrouter } from "./openrouter.ts";

const { changed, failed, headers, manifest, models, sent, url } = documentedProvider(openrouter);

test("calls go behind the base URL with the key and the name the client's app goes by", () => {
  expect(url("/v1/chat/completions")).toBe("https://openrouter.ai/api/v1/chat/completions");
  expect(url("/v1/embeddings", { operation: "embeddings", baseUrl: "https://openrouter.ai/api/v1/" })).toBe(
    "https://openrouter.ai/api/v1/embeddings",
  );
  expect(url("/v1/models", { operation: "models" })).toBe("https://openrouter.ai/api/v1/models");
  expect(headers()).toBe("authorization Bearer key-of-the-test");
  // openrouter.ai/docs/app-attribution
  const app = {
    "http-referer": "https://app.example",
    "x-title": "App",
    "x-openrouter-title": "App",
    "x-openrouter-categories": "cli-agent",
  };
  const sentApp = Object.entries(app).map(([name, value]) => `${name} ${value}`);
  expect(headers({ headers: app })).toBe(`authorization Bearer key-of-the-test ${sentApp.join(" ")}`);
  expect(manifest.forwardedHeaders).toEqual(expect.arrayContaining(Object.keys(app)));
});

test("the highest effort has its name there; everything else is passed on unchanged", () => {
  expect(sent({ model: "m", reasoning_effort: "max" })).toEqual({ model: "m", reasoning_effort: "xhigh" });
  expect(changed({ model: "m", reasoning_effort: "minimal", reasoning: { max_tokens: 5 }, seed: 1 })).toEqual([]);
});

test.each([
  ["401-key.json", "auth", true],
  ["402-credits.json", "quota", true],
  ["403-flagged.json", "content", false],
  ["408-slow.json", "timeout", false],
  ["400-field.json", "invalid", false],
  ["429-rate.json", "rate", true],
  ["502-provider.json", "overloaded", true],
  ["503-none.json", "overloaded", true],
] as const)("%s is a failure of kind %s", (name, kind, isRetryable) => {
  expect(failed(name)).toMatchObject({ kind, isRetryable });
});

test("the message is that of the vendor behind it", () => {
  expect(failed("429-rate.json").message).toBe("Chutes: qwen/qwen3 is temporarily rate-limited upstream.");
});

test("its manifest is type 20 and its models are listed once each", () => {
  expect(manifest).toMatchObject({ id: 20, slug: "openrouter", cacheMarks: "any", webSearch: "options" });
  expect(models.length).toBeGreaterThan(0);
  expect(new Set(models).size).toBe(models.length);
});
