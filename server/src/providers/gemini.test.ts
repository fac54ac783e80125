/** Gemini's addresses and failures, with answers as its public reference prints them. */
import { expect, test } from "vitest";
import { parseOptions } from "../../../contract/src/options/options.ts";
import type { ProviderCall } from "./provider.ts";
import { gemini } from "./gemini.ts";
import { providerFixture } from "../../../tests/support/providers/fixtures.ts";

const { additions, endpoint, failure, manifest, modelName, models, quirks } = gemini;

const channel = {
  baseUrl: "https://generativelanguage.googleapis.com",
  key: "test-key",
  other: "",
  openaiOrganization: "",
};
const call: ProviderCall = {
  operation: "chat",
  dialect: "gemini",
  path: "/v1beta/models/mine:generateContent",
  model: "gemini-2.5-flash",
  isStream: false,
  headers: {},
};
const fixture = (name: string): string => providerFixture("gemini", name);
const pathOf = (change: Partial<ProviderCall>, own: Partial<typeof channel> = {}): string =>
  endpoint({ ...channel, ...own }, { ...call, ...change }).url.replace("https://generativelanguage.googleapis.com", "");

test("each operation has its method, and streams come as events", () => {
  expect(pathOf({})).toBe("/v1beta/models/gemini-2.5-flash:generateContent");
  expect(pathOf({ isStream: true })).toBe("/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse");
  expect(pathOf({ operation: "count_tokens" })).toBe("/v1beta/models/gemini-2.5-flash:countTokens");
  expect(pathOf({ operation: "embeddings", path: "/v1/embeddings" })).toBe(
    "/v1beta/models/gemini-2.5-flash:batchEmbedContents",
  );
  expect(pathOf({ operation: "embeddings", path: "/v1beta/models/x:embedContent" })).toBe(
    "/v1beta/models/gemini-2.5-flash:embedContent",
  );
  expect(pathOf({ operation: "images", model: "imagen-4.0-generate-001" })).toBe(
    "/v1beta/models/imagen-4.0-generate-001:predict",
  );
  expect(pathOf({ operation: "models", path: "/v1/models" })).toBe("/v1beta/models?pageSize=1000");
  expect(pathOf({ model: "a/b?c" })).toBe("/v1beta/models/a%2Fb%3Fc:generateContent");
});

test("the version is the channel's, else the client's; a key in the client's query stays here", () => {
  const path = "/v1alpha/models/mine:streamGenerateContent?key=secret&alt=json";
  expect(pathOf({ path, isStream: true })).toBe("/v1alpha/models/gemini-2.5-flash:streamGenerateContent?alt=sse");
  expect(pathOf({ path }, { other: "v1" })).toBe("/v1/models/gemini-2.5-flash:generateContent");
  expect(pathOf({ path }, { baseUrl: `${channel.baseUrl}/v1beta/` })).toBe(
    "/v1beta/models/gemini-2.5-flash:generateContent",
  );
  expect(pathOf({ path: "/v1/chat/completions" })).toBe("/v1beta/models/gemini-2.5-flash:generateContent");
  expect(endpoint(channel, call).headers).toEqual(["x-goog-api-key", "test-key"]);
});

test("the site's version for a model stands above the client's, the one for all below", () => {
  const settings = { default: "v1alpha", "gemini-2.5-flash": "v1", mapped: "v1beta2", broken: "../x" };
  const site = (requestedModel: string) => ({
    options: { ...parseOptions(new Map()), "gemini.version_settings": settings },
    requestedModel,
    isTranslated: false,
  });
  const path = "/v1beta/models/mine:generateContent";
  expect(pathOf({ path, site: site("any") })).toBe("/v1/models/gemini-2.5-flash:generateContent");
  expect(pathOf({ path, site: site("mapped") })).toBe("/v1beta2/models/gemini-2.5-flash:generateContent");
  expect(pathOf({ path, model: "other", site: site("any") })).toBe("/v1beta/models/other:generateContent");
  expect(pathOf({ path, model: "broken", site: site("any") })).toBe("/v1beta/models/broken:generateContent");
  expect(pathOf({ path, model: "other", site: { ...site("any"), isTranslated: true } })).toBe(
    "/v1alpha/models/other:generateContent",
  );
  expect(pathOf({ path, site: site("any") }, { other: "v1beta" })).toBe(
    "/v1beta/models/gemini-2.5-flash:generateContent",
  );
});

test("its failures are classified: a refused key comes as 400", async () => {
  const key = failure(400, fixture("invalid-key.json"));
  expect(key).toMatchObject({ kind: "auth", status: 401, isRetryable: true, code: "API_KEY_INVALID" });
  const quota = failure(429, fixture("quota.json"));
  expect(quota).toMatchObject({
    kind: "rate",
    isRetryable: true,
    code: "RESOURCE_EXHAUSTED",
    type: "RESOURCE_EXHAUSTED",
  });
  expect(failure(503, fixture("unavailable.json"))).toMatchObject({ kind: "overloaded", isRetryable: true });
  expect(failure(400, fixture("location.json"))).toMatchObject({ kind: "invalid", isRetryable: true });
  const wrong = '{"error":{"code":400,"message":"Invalid value at contents[0]","status":"INVALID_ARGUMENT"}}';
  expect(failure(400, wrong)).toMatchObject({
    kind: "invalid",
    isRetryable: false,
    message: "Invalid value at contents[0]",
  });
  expect(failure(403, '{"error":{"code":403,"status":"PERMISSION_DENIED"}}')).toMatchObject({ kind: "auth" });
  expect(failure(200, '{"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED"}}')).toMatchObject({
    kind: "rate",
    status: 429,
  });
});

test("its manifest is type 24 and its models are listed once each", () => {
  expect(manifest).toMatchObject({ id: 24, slug: "gemini", dialects: ["gemini"] });
  expect(new Set(models).size).toBe(models.length);
});

const options = { ...parseOptions(new Map()), "gemini.thinking_adapter_enabled": true };
const patched = (model: string, body: Record<string, unknown>) =>
  quirks
    .filter((quirk) => quirk.appliesTo(model, "chat", "gemini"))
    .map((quirk) => quirk.patch(body, options, model).set);

test("a suffix of the name sets the budget of thinking", () => {
  expect(modelName?.("gemini-2.5-flash-thinking", options)).toBe("gemini-2.5-flash");
  expect(modelName?.("gemini-2.5-flash-nothinking", options)).toBe("gemini-2.5-flash");
  expect(modelName?.("gemini-2.5-flash-thinking-1024", options)).toBe("gemini-2.5-flash");
  expect(modelName?.("gemini-2.5-flash-thinking", parseOptions(new Map()))).toBe("gemini-2.5-flash-thinking");
  const config = (thinkingConfig: object, rest = {}) => [{ generationConfig: { ...rest, thinkingConfig } }];
  const bound = { maxOutputTokens: 1000 };
  expect(patched("gemini-2.5-flash-thinking", { generationConfig: bound })).toEqual(
    config({ thinkingBudget: 600, includeThoughts: true }, bound),
  );
  expect(patched("gemini-2.5-flash-thinking", {})).toEqual(config({ thinkingBudget: 24_576, includeThoughts: true }));
  expect(patched("gemini-2.5-flash-thinking-77", {})).toEqual(config({ thinkingBudget: 77, includeThoughts: true }));
  const level = { generationConfig: { thinkingConfig: { thinkingLevel: "HIGH" } } };
  expect(patched("gemini-2.5-flash-nothinking", level)).toEqual(config({ thinkingBudget: 0 }));
  expect(patched("gemini-2.5-flash", {})).toEqual([]);
  const snake = { generation_config: { max_output_tokens: 100, thinking_config: { thinking_budget: 1 } } };
  expect(patched("gemini-2.5-flash-thinking", snake)).toEqual(
    config({ thinkingBudget: 60, includeThoughts: true }, { max_output_tokens: 100 }),
  );
});

test("a suffix keeps within what its model takes", () => {
  const thinking = (model: string): unknown =>
    (patched(model, {})[0]?.["generationConfig"] as { thinkingConfig: unknown } | undefined)?.thinkingConfig;
  expect(thinking("gemini-2.5-pro-nothinking")).toEqual({ thinkingBudget: 128 });
  expect(thinking("gemini-2.5-flash-lite-thinking-100")).toEqual({ thinkingBudget: 512, includeThoughts: true });
  expect(thinking("gemini-3-flash-preview-thinking")).toEqual({ thinkingLevel: "HIGH", includeThoughts: true });
  expect(thinking("gemini-3-flash-preview-nothinking")).toEqual({ thinkingLevel: "MINIMAL" });
  expect(thinking("gemini-3-pro-preview-nothinking")).toEqual({ thinkingLevel: "LOW" });
  expect(thinking("gemini-2.0-flash-thinking")).toBeUndefined();
});

test("translated requests get the site's safety thresholds and may be answered in pictures", () => {
  const added = additions?.({ generationConfig: { topK: 3 } }, "gemini-2.0-flash-exp", options) ?? {};
  expect(added["generationConfig"]).toEqual({ topK: 3, responseModalities: ["TEXT", "IMAGE"] });
  expect(added["safetySettings"]).toContainEqual({
    category: "HARM_CATEGORY_CIVIC_INTEGRITY",
    threshold: "BLOCK_NONE",
  });
  expect(added["safetySettings"]).toContainEqual({ category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" });
  expect(additions?.({}, "gemini-2.5-flash", options)).not.toHaveProperty("generationConfig");
});

test("an embedding's own name of the model is the path's", () => {
  const patch = (body: Record<string, unknown>) =>
    quirks
      .filter((quirk) => quirk.appliesTo("gemini-embedding-001", "embeddings", "gemini"))
      .map((quirk) => quirk.patch(body, options, "gemini-embedding-001").set);
  const [mine, theirs] = [{ model: "models/mine" }, { model: "models/gemini-embedding-001" }];
  expect(patch({ ...mine, content: {} })).toEqual([theirs]);
  expect(patch({ requests: [{ ...mine, content: {} }, theirs] })).toEqual([
    { requests: [{ ...theirs, content: {} }, theirs] },
  ]);
  expect(patch({ requests: [theirs, {}] })).toEqual([undefined]);
});
