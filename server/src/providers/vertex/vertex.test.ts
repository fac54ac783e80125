/** Vertex AI by its documentation: regions, families of models and their names, keys, envelopes, vectors and failures. */
import { describe, expect, test } from "vitest";
import { parseOptions } from "../../../../contract/src/options/options.ts";
import type { ProviderCall } from "../provider.ts";
import { ProviderFault } from "../provider-fault.ts";
import { claudeId } from "./models.ts";
import { providerFixture } from "../../../../tests/support/providers/fixtures.ts";
import { vertex } from "./vertex.ts";

const { additions, beforeSend, dialectsOf, endpoint, failure, manifest, modelName, modelNames, models } = vertex;
const { ownOperations, prepare, quirks } = vertex;

const ACCOUNT = JSON.stringify({ project_id: "p-1", client_email: "a@p-1.example", private_key: "PEM" }, undefined, 2);
const channel = { baseUrl: "", key: ACCOUNT, other: "us-central1", openaiOrganization: "" };
const call: ProviderCall = {
  operation: "chat",
  dialect: "gemini",
  path: "",
  model: "gemini-2.5-flash",
  isStream: false,
  headers: {},
};
const options = parseOptions(new Map());
const urlOf = (change: Partial<ProviderCall>, own: Partial<typeof channel> = {}): string =>
  endpoint({ ...channel, ...own }, { ...call, ...change }).url;

const AT = "https://us-central1-aiplatform.googleapis.com/v1/projects/p-1/locations/us-central1/publishers/";

describe("addresses", () => {
  test.each([
    [{}, "google/models/gemini-2.5-flash:generateContent"],
    [{ isStream: true }, "google/models/gemini-2.5-flash:streamGenerateContent?alt=sse"],
    [{ operation: "count_tokens" }, "google/models/gemini-2.5-flash:countTokens"],
    [{ operation: "embeddings", model: "text-embedding-005" }, "google/models/text-embedding-005:predict"],
    [{ operation: "images", model: "imagen-4.0-generate-001" }, "google/models/imagen-4.0-generate-001:predict"],
    [{ model: "../x?y" }, null],
    [{ model: "a?b#c" }, "google/models/a%3Fb%23c:generateContent"],
    [{ model: "claude-opus-4-6" }, "anthropic/models/claude-opus-4-6:rawPredict"],
    [{ model: "claude-sonnet-4-5", isStream: true }, "anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict"],
    [{ model: "claude-opus-4-6", operation: "count_tokens" }, "anthropic/models/count-tokens:rawPredict"],
  ] as const)("%j", (change, expected) => {
    if (expected !== null) expect(urlOf(change)).toBe(AT + expected);
    // A name with a slash is one of the open models, whose names are in the body.
    else expect(urlOf(change)).not.toContain("..");
  });

  test("of open models and of the list", () => {
    expect(urlOf({ model: "meta/llama-3.3-70b-instruct-maas" })).toBe(
      "https://us-central1-aiplatform.googleapis.com/v1beta1/projects/p-1/locations/us-central1/endpoints/openapi/chat/completions",
    );
    const list = endpoint(channel, { ...call, operation: "models", model: "" });
    expect(list).toEqual({
      url: "https://us-central1-aiplatform.googleapis.com/v1beta1/publishers/google/models?pageSize=1000",
      headers: ["x-goog-user-project", "p-1"],
    });
  });

  test.each([
    ["global", "https://aiplatform.googleapis.com/v1/projects/p-1/locations/global/"],
    ["eu", "https://aiplatform.eu.rep.googleapis.com/v1/projects/p-1/locations/eu/"],
    ["europe-west4", "https://europe-west4-aiplatform.googleapis.com/v1/projects/p-1/locations/europe-west4/"],
    ['{"default": "global", "gemini-2.5-flash": "us-east5"}', "https://us-east5-aiplatform.googleapis.com/"],
    ['{"default": "asia-east1", "other": "us-east5"}', "https://asia-east1-aiplatform.googleapis.com/"],
  ])("the region %s is at %s", (other, expected) => {
    expect(urlOf({}, { other }).startsWith(expected)).toBe(true);
    expect(urlOf({}, { other, baseUrl: "https://proxy.example/" })).toMatch(
      /^https:\/\/proxy\.example\/v1\/projects\//,
    );
  });

  test("a map knows the name that the client asked for", () => {
    const site = { options, requestedModel: "mine", isTranslated: false };
    expect(urlOf({ site }, { other: '{"default":"global","mine":"us-east1"}' })).toContain("/locations/us-east1/");
  });

  test("an API key has neither project nor region", () => {
    expect(urlOf({}, { key: "AQ.key", other: "us-east1" })).toBe(
      "https://aiplatform.googleapis.com/v1/publishers/google/models/gemini-2.5-flash:generateContent",
    );
  });
});

test.each([
  ["claude-3-5-sonnet-20241022", "claude-3-5-sonnet-v2@20241022"],
  ["claude-3-5-sonnet-20240620", "claude-3-5-sonnet@20240620"],
  ["claude-opus-4-20250514", "claude-opus-4@20250514"],
  ["claude-opus-4-8", "claude-opus-4-8"],
  ["claude-sonnet-4@20250514", "claude-sonnet-4@20250514"],
])("%s is %s there", (name, expected) => expect(claudeId(name)).toBe(expected));

test("each family has its format", () => {
  const names = ["gemini-3-pro-preview", "claude-opus-4-6", "meta/llama-4", "llama3-405b", "google/gemma"];
  const formats = ["gemini", "anthropic-messages", "openai-chat", "openai-chat", "openai-chat"];
  expect(names.flatMap((name) => dialectsOf?.(name, channel) ?? [])).toEqual(formats);
});

describe("the last step", () => {
  const tools = {
    nowMs: 0,
    ask: () => Promise.reject(new Error("asked")),
    accessToken: () => Promise.resolve("ya29.token"),
  };
  const sent = async (body: object, change: Partial<ProviderCall>, own: Partial<typeof channel> = {}) => {
    if (beforeSend === undefined) throw new Error("Vertex has no last step");
    const asked = { ...call, ...change };
    const request = { method: "POST", url: "", headers: [], body: Buffer.from(JSON.stringify(body)) } as const;
    return beforeSend({ ...request, headers: [] }, { ...channel, ...own }, asked, tools);
  };

  test("puts Claude's version into the body and takes the model out, and names both for a count", async () => {
    const model = "claude-sonnet-4-20250514";
    const made = await sent({ model, stream: true, messages: [] }, { model, isStream: true });
    expect(made.body.toString()).toBe('{"stream":true,"messages":[],"anthropic_version":"vertex-2023-10-16"}');
    expect(made.headers).toEqual(["authorization", "Bearer ya29.token"]);
    const counted = await sent({ model, messages: [] }, { model, operation: "count_tokens" });
    expect(JSON.parse(counted.body.toString())).toMatchObject({ model: "claude-sonnet-4@20250514" });
  });

  test("hands on the betas that cloud platforms have", async () => {
    const headers = { "anthropic-beta": "context-1m-2025-08-07,oauth-2025-04-20" };
    const made = await sent({ messages: [] }, { model: "claude-opus-4-6", headers });
    expect(made.headers.join(" ")).toContain("anthropic-beta context-1m-2025-08-07 authorization");
    expect(made.warnings).toEqual(["anthropic-beta: Vertex AI has no oauth-2025-04-20"]);
  });

  test("takes an API key for Google's own models alone", async () => {
    const key = " AQ.key\n";
    expect((await sent({}, {}, { key })).headers).toEqual(["x-goog-api-key", "AQ.key"]);
    await expect(sent({}, { model: "claude-opus-4-6" }, { key })).rejects.toBeInstanceOf(ProviderFault);
  });

  test.each([
    ["us-central1.evil.example/x", ACCOUNT],
    ['{"gemini-1": "us-east1"}', ACCOUNT],
    ["us-central1", "{}"],
    ["us-central1", "{"],
  ])("sends nothing to %s with the key %s", async (other, key) => {
    await expect(sent({}, {}, { other, key })).rejects.toBeInstanceOf(ProviderFault);
    expect(new URL(urlOf({}, { other, key })).hostname).toMatch(/^(?:us-central1-)?aiplatform\.googleapis\.com$/);
  });
});

test("ids of calls go to Gemini 3, and stay here for its older generations, in requests that have some", () => {
  const quirksOf = (model: string) => quirks.filter((quirk) => quirk.appliesTo(model, "chat", "gemini"));
  for (const model of ["gemini-3.5-flash", "gemini-flash-latest", "claude-opus-4-6", "meta/llama-4"])
    expect(quirksOf(model)).toEqual([]);
  const ids = quirksOf("gemini-2.5-flash");
  const patch = (contents: unknown) => ids.map((quirk) => quirk.patch({ contents }, options, "gemini-2.5-flash"));
  const call = { name: "f", args: {} };
  const given = [
    { role: "model", parts: [{ functionCall: { id: "c", ...call }, thoughtSignature: "s" }] },
    { role: "user", parts: [{ functionResponse: { id: "c", name: "f", response: {} } }, { text: "id" }] },
  ];
  const kept = [
    { role: "model", parts: [{ functionCall: call, thoughtSignature: "s" }] },
    { role: "user", parts: [{ functionResponse: { name: "f", response: {} } }, { text: "id" }] },
  ];
  expect(patch(given)).toEqual([{ set: { contents: kept } }]);
  expect(patch(kept)).toEqual([{}]);
});

test("the site's settings are those of the family", () => {
  const site = { ...options, "gemini.thinking_adapter_enabled": true };
  expect(modelName?.("gemini-2.5-flash-thinking", site)).toBe("gemini-2.5-flash");
  expect(modelName?.("claude-sonnet-4-20250514-thinking", site)).toBe("claude-sonnet-4-20250514");
  expect(modelName?.("meta/llama-thinking", site)).toBe("meta/llama-thinking");
  expect(additions?.({}, "gemini-2.5-flash", site)).toHaveProperty("safetySettings");
  expect(additions?.({}, "claude-opus-4-6", site)).toEqual({});
  const request = { model: "claude-opus-4-6", isStream: false, system: [], messages: [], tools: [], unknownFields: [] };
  const info = { options: site, requestedModel: request.model, isTranslated: true };
  expect(prepare?.(request, info)).toHaveProperty("defaultMaxTokens");
  expect(prepare?.({ ...request, model: "gemini-2.5-flash" }, info)).not.toHaveProperty("defaultMaxTokens");
});

test("vectors are asked for as instances and counted by their statistics", () => {
  const { embeddings } = ownOperations ?? {};
  const fields = { model: "text-embedding-005", input: ["a", "b"], dimensions: 2, user: "u" };
  const warned: string[] = [];
  expect(embeddings?.encodeRequest({ fields, files: {} }, (field) => void warned.push(field))).toEqual({
    instances: [{ content: "a" }, { content: "b" }],
    parameters: { outputDimensionality: 2 },
  });
  expect(warned).toEqual(["user"]);
  const predictions = [1, 2].map((value) => ({
    embeddings: { values: [value, 0], statistics: { token_count: 3, truncated: false } },
  }));
  expect(embeddings?.decodeAnswer({ predictions }, { fields, files: {} })).toMatchObject({
    data: [
      { index: 0, embedding: [1, 0] },
      { index: 1, embedding: [2, 0] },
    ],
    usage: { prompt_tokens: 6 },
  });
  expect(embeddings?.decodeAnswer({ error: {} }, { fields, files: {} })).toBeUndefined();
});

test("its list is of publishers' models", () => {
  expect(modelNames?.({ publisherModels: [{ name: "publishers/google/models/gemini-2.5-pro" }, {}] })).toEqual([
    "gemini-2.5-pro",
  ]);
});

test.each([
  ["400-invalid", "invalid", false],
  ["400-claude", "invalid", false],
  ["401-token", "auth", true],
  ["403-permission", "auth", true],
  ["404-model", "invalid", true],
  ["429-exhausted", "rate", true],
  ["500-internal", "overloaded", true],
  ["503-unavailable", "overloaded", true],
  ["529-claude", "overloaded", true],
] as const)("%s is a failure of kind %s", (name, kind, isRetryable) => {
  const body = providerFixture("vertex", `${name}.json`);
  expect(failure(Number.parseInt(name, 10), body)).toMatchObject({ kind, isRetryable });
});

test("its manifest is type 41 and its models are listed once each", () => {
  expect(manifest).toMatchObject({ id: 41, slug: "vertex", isKeyDocument: true, keyForms: [["API key"]] });
  expect(new Set(models).size).toBe(models.length);
  const pattern = new RegExp(manifest.fields.find(({ name }) => name === "other")?.pattern ?? "");
  const regions = ["global", "us-central1", '{"default": "eu"}', "", "x.example/", '{"a": "eu"}'];
  expect(regions.map((region) => pattern.test(region))).toEqual([true, true, true, false, false, false]);
});
