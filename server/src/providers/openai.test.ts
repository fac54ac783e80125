/** OpenAI's addresses, fields and failures, with answers as its public reference prints them. */
import { expect, test } from "vitest";
import { parseOptions } from "../../../contract/src/options/options.ts";
import type { Operation, ProviderCall } from "./provider.ts";
import { providerFixture } from "../../../tests/support/providers/fixtures.ts";
import { openai } from "./openai.ts";

const { endpoint, failure, manifest, models, quirks } = openai;

const asked = (operation: Operation, path: string, model: string): ProviderCall => ({
  operation,
  dialect: "openai-chat",
  path,
  model,
  isStream: false,
  headers: {},
});

const channel = { baseUrl: "https://api.openai.com", key: "sk-test", other: "", openaiOrganization: "" };
const fixture = (name: string): string => providerFixture("openai", name);

test("the client's path goes behind the base URL, with one /v1", () => {
  const url = (baseUrl: string, path = "/v1/chat/completions?x=1"): string =>
    endpoint({ ...channel, baseUrl }, asked("chat", path, "gpt-4o")).url;
  expect(url("https://api.openai.com")).toBe("https://api.openai.com/v1/chat/completions?x=1");
  expect(url("https://host/base/")).toBe("https://host/base/v1/chat/completions?x=1");
  expect(url("https://host/v1")).toBe("https://host/v1/chat/completions?x=1");
  expect(url("https://gateway.ai.cloudflare.com/v1/acc/gw/openai")).toBe(
    "https://gateway.ai.cloudflare.com/v1/acc/gw/openai/chat/completions?x=1",
  );
  expect(endpoint(channel, asked("models", "/anything", "")).url).toBe("https://api.openai.com/v1/models");
});

test("the key travels as a bearer token, the organization only where there is one", () => {
  expect(endpoint(channel, asked("chat", "/v1/x", "m")).headers).toEqual(["authorization", "Bearer sk-test"]);
  expect(endpoint({ ...channel, openaiOrganization: "org-1" }, asked("chat", "/v1/x", "m")).headers).toContain("org-1");
});

const patched = (body: Record<string, unknown>, dialect: "openai-chat" | "openai-responses" = "openai-chat") =>
  quirks
    .filter((quirk) => quirk.appliesTo(String(body["model"]), "chat", dialect))
    .map((quirk) => quirk.patch(body, parseOptions(new Map()), String(body["model"])))
    .filter(({ remove, set }) => remove !== undefined || set !== undefined);

test("reasoning models take max_completion_tokens and no sampling; others are left alone", () => {
  expect(patched({ model: "gpt-4o", max_tokens: 5, temperature: 0 })).toEqual([]);
  expect(patched({ model: "o1", max_tokens: 5, temperature: 0 })).toEqual([
    { remove: ["max_tokens"], set: { max_completion_tokens: 5 } },
    { remove: ["temperature"] },
  ]);
  expect(patched({ model: "gpt-5", max_tokens: 5 })).toEqual([
    { remove: ["max_tokens"], set: { max_completion_tokens: 5 } },
  ]);
  expect(patched({ model: "o1", max_tokens: 5, max_completion_tokens: 7 })).toEqual([{ remove: ["max_tokens"] }]);
  expect(patched({ model: "o1", temperature: 1 })).toEqual([]);
});

test("an effort suffix becomes reasoning_effort, or reasoning.effort", () => {
  expect(patched({ model: "o3-mini-high" })).toEqual([
    { set: { model: "o3-mini", reasoning_effort: "high" }, effort: "high" },
  ]);
  expect(patched({ model: "o3-mini-low", reasoning_effort: "medium" })).toEqual([
    { set: { model: "o3-mini", reasoning_effort: "medium" }, effort: "medium" },
  ]);
  expect(patched({ model: "gpt-5-mini-minimal" })).toMatchObject([{ set: { model: "gpt-5-mini" }, effort: "minimal" }]);
  expect(patched({ model: "gpt-4o-high" })).toEqual([]);
  expect(patched({ model: "o4-mini-xhigh", reasoning: { summary: "auto" } }, "openai-responses")).toEqual([
    { set: { model: "o4-mini", reasoning: { summary: "auto", effort: "xhigh" } }, effort: "xhigh" },
  ]);
  expect(patched({ model: "o3-low", reasoning: { effort: "high" } }, "openai-responses")).toMatchObject([
    { set: { model: "o3", reasoning: { effort: "high" } } },
  ]);
});

test("its failures are classified", async () => {
  expect(failure(401, fixture("invalid-key.json"))).toMatchObject({
    kind: "auth",
    code: "invalid_api_key",
    isRetryable: true,
  });
  expect(failure(401, fixture("invalid-key.json")).message).not.toContain("sk-abc");
  expect(failure(429, fixture("quota.json"))).toMatchObject({ kind: "quota", type: "insufficient_quota" });
  expect(failure(429, fixture("rate-limit.json"))).toMatchObject({ kind: "rate" });
  expect(failure(400, fixture("unsupported-parameter.json"))).toMatchObject({
    kind: "invalid",
    isRetryable: false,
  });
});

test("its manifest is type 1 and its models are listed once each", () => {
  expect(manifest).toMatchObject({ id: 1, slug: "openai", defaultBaseUrl: "https://api.openai.com" });
  expect(new Set(models).size).toBe(models.length);
});
