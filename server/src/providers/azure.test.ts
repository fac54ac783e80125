/** Azure by its documentation: both surfaces with every operation, versions, the key's header and failures by their codes. */
import { describe, expect, test } from "vitest";
import { documentedProvider } from "../../../tests/support/providers/documented.ts";
import type { Operation, ProviderCall } from "./provider.ts";
import { azure } from "./azure.ts";

const { changed, dialectsOf, endpoint, failed, manifest, models, sent } = documentedProvider(azure);

const RESOURCE = "https://mine.openai.azure.com";
const channel = { baseUrl: RESOURCE, key: "azure-key", other: "", openaiOrganization: "" };
const call = { dialect: "openai-chat", model: "gpt-4.1 mini", isStream: false, headers: {} } as const;

const urlOf = (other: string, operation: Operation, path: string, more: Partial<ProviderCall & typeof channel> = {}) =>
  endpoint({ ...channel, ...more, other }, { ...call, operation, path, ...more }).url;

const DATED = "2024-10-21";
const AT_DEPLOYMENT = `${RESOURCE}/openai/deployments/gpt-4.1%20mini`;

describe("the v1 surface", () => {
  test.each([
    ["chat", "/v1/chat/completions"],
    ["completions", "/v1/completions"],
    ["embeddings", "/v1/embeddings"],
    ["images", "/v1/images/generations"],
    ["image_edits", "/v1/images/edits"],
    ["speech", "/v1/audio/speech"],
    ["transcriptions", "/v1/audio/transcriptions"],
    ["translations", "/v1/audio/translations"],
    ["videos", "/v1/videos"],
    ["models", "/v1/models"],
  ] as const)("has %s without a version", (operation, path) => {
    expect(urlOf("v1", operation, path)).toBe(`${RESOURCE}/openai${path}`);
    expect(urlOf("", operation, `${path}?api-version=v1`)).toBe(`${RESOURCE}/openai${path}`);
  });

  test("has Responses, sessions and previews", () => {
    const asked = { dialect: "openai-responses" } as const;
    expect(urlOf("v1", "chat", "/v1/responses", asked)).toBe(`${RESOURCE}/openai/v1/responses`);
    expect(urlOf("v1", "realtime", "/v1/realtime?model=rt")).toBe(`${RESOURCE}/openai/v1/realtime?model=rt`);
    expect(urlOf("preview", "chat", "/v1/chat/completions")).toBe(
      `${RESOURCE}/openai/v1/chat/completions?api-version=preview`,
    );
  });
});

describe("a dated version", () => {
  test.each([
    ["chat", "/v1/chat/completions", "/chat/completions"],
    ["completions", "/v1/completions", "/completions"],
    ["embeddings", "/v1/embeddings", "/embeddings"],
    ["images", "/v1/images/generations", "/images/generations"],
    ["image_edits", "/v1/images/edits", "/images/edits"],
    ["speech", "/v1/audio/speech", "/audio/speech"],
    ["transcriptions", "/v1/audio/transcriptions", "/audio/transcriptions"],
    ["translations", "/v1/audio/translations", "/audio/translations"],
  ] as const)("has %s at the deployment", (operation, path, task) => {
    expect(urlOf(DATED, operation, path)).toBe(`${AT_DEPLOYMENT}${task}?api-version=${DATED}`);
  });

  test("has its list, Responses and sessions beside the deployments", () => {
    expect(urlOf(DATED, "models", "/v1/models")).toBe(`${RESOURCE}/openai/models?api-version=${DATED}`);
    expect(urlOf(DATED, "videos", "/v1/videos/v_1")).toBe(`${RESOURCE}/openai/v1/videos/v_1`);
    const asked = { dialect: "openai-responses" } as const;
    expect(urlOf(DATED, "chat", "/v1/responses", asked)).toBe(`${RESOURCE}/openai/responses?api-version=${DATED}`);
    expect(urlOf(DATED, "realtime", "/v1/realtime?model=rt&intent=x", { model: "rt" })).toBe(
      `${RESOURCE}/openai/realtime?intent=x&api-version=${DATED}&deployment=rt`,
    );
  });

  test("of the client stands above the channel's, and nonsense above nothing", () => {
    const preview = "2025-04-01-preview";
    for (const other of [DATED, "v1"])
      expect(urlOf(other, "chat", `/v1/chat/completions?api-version=${preview}`)).toBe(
        `${AT_DEPLOYMENT}/chat/completions?api-version=${preview}`,
      );
    expect(urlOf(DATED, "chat", "/v1/chat/completions?api-version=../x")).toBe(
      `${AT_DEPLOYMENT}/chat/completions?api-version=${DATED}`,
    );
    expect(urlOf("https://evil.example", "chat", "/v1/chat/completions")).toBe(
      `${RESOURCE}/openai/v1/chat/completions`,
    );
  });
});

test("an address may have been copied with its path, and Cloudflare's gateway stands before the deployment", () => {
  for (const path of ["/", "/openai", "/openai/v1/"])
    expect(urlOf("v1", "chat", "/v1/chat/completions", { baseUrl: RESOURCE + path })).toBe(
      `${RESOURCE}/openai/v1/chat/completions`,
    );
  const gateway = "https://gateway.ai.cloudflare.com/v1/account/gateway/azure-openai/mine";
  expect(urlOf(DATED, "chat", "/v1/chat/completions", { baseUrl: gateway, model: "gpt" })).toBe(
    `${gateway}/gpt/chat/completions?api-version=${DATED}`,
  );
});

test("the key goes in a header of its own, and a deployment's name cannot escape its place in the path", () => {
  const request = endpoint(
    { ...channel, other: DATED },
    {
      ...call,
      operation: "chat",
      path: "/v1/chat/completions",
      model: "../../x?y#z",
    },
  );
  expect(request.headers).toEqual(["api-key", "azure-key"]);
  expect(request.url).toBe(`${RESOURCE}/openai/deployments/..%2F..%2Fx%3Fy%23z/chat/completions?api-version=${DATED}`);
});

test("Responses are spoken where the channel has them", () => {
  expect(dialectsOf?.("gpt", { ...channel, other: "v1" })).toEqual(["openai-chat", "openai-responses"]);
  expect(dialectsOf?.("gpt", { ...channel, other: DATED })).toEqual(["openai-chat"]);
  const previews = ["2025-03-01-preview", "2025-04-01-preview"];
  for (const other of previews)
    expect(dialectsOf?.("gpt", { ...channel, other })).toEqual(["openai-chat", "openai-responses"]);
  expect(dialectsOf?.("gpt", { ...channel, other: "2025-02-01-preview" })).toEqual(["openai-chat"]);
});

test("deployments named after reasoning models take what those take", () => {
  expect(sent({ model: "o4-mini", max_tokens: 5 })).toEqual({ model: "o4-mini", max_completion_tokens: 5 });
  expect(changed({ model: "gpt-4.1", max_tokens: 5, temperature: 0.2 })).toEqual([]);
});

test.each([
  ["400-content-filter.json", "content", false],
  ["400-operation.json", "invalid", true],
  ["401-key.json", "auth", true],
  ["401-token.json", "auth", true],
  ["404-deployment.json", "invalid", true],
  ["404-path.json", "invalid", false],
  ["429-rate.json", "rate", true],
  ["429-quota.json", "quota", true],
  ["500-server.json", "overloaded", true],
] as const)("%s is a failure of kind %s", (name, kind, isRetryable) => {
  expect(failed(name)).toMatchObject({ kind, isRetryable });
});

test("a model that chat does not serve may be asked in the format of Responses", () => {
  expect(failed("400-operation.json").missingFormat).toBe("model");
});

test("its manifest is type 3 and its models are listed once each", () => {
  expect(manifest).toMatchObject({ id: 3, slug: "azure" });
  expect(new Set(models).size).toBe(models.length);
});
