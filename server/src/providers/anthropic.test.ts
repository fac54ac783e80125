/** Anthropic by its documentation: addresses, versions, keys, the thinking suffix and errors as its pages print them. */
import { expect, test } from "vitest";
import { type OptionValues, parseOptions } from "../../../contract/src/options/options.ts";
import { anthropic } from "./anthropic.ts";
import { providerFixture } from "../../../tests/support/providers/fixtures.ts";

const { endpoint, failure, manifest, modelName, models, quirks } = anthropic;

const channel = { baseUrl: manifest.defaultBaseUrl, key: "sk-ant-test", other: "", openaiOrganization: "" };
const fixture = (name: string): string => providerFixture("anthropic", name);

const called = (headers: Record<string, string>, path = "/v1/messages", baseUrl = channel.baseUrl) =>
  endpoint(
    { ...channel, baseUrl },
    { operation: "chat", dialect: "anthropic-messages", path, model: "m", isStream: false, headers },
  );

test("the client's path and query go behind the base URL, with one /v1", () => {
  expect(called({}).url).toBe("https://api.anthropic.com/v1/messages");
  expect(called({}, "/v1/messages?beta=true").url).toBe("https://api.anthropic.com/v1/messages?beta=true");
  expect(called({}, "/v1/messages", "https://host/v1/").url).toBe("https://host/v1/messages");
  const listed = endpoint(channel, {
    operation: "models",
    dialect: "anthropic-messages",
    path: "/v1/models",
    model: "",
    isStream: false,
    headers: {},
  });
  expect(listed.url).toBe("https://api.anthropic.com/v1/models?limit=1000");
});

test("the version decides how the key is sent; betas are passed on", () => {
  expect(called({}).headers).toEqual(["x-api-key", "sk-ant-test", "anthropic-version", "2023-06-01"]);
  const older = called({ "anthropic-version": "2023-06-01", "anthropic-beta": "a,b" });
  expect(older.headers.join(" ")).toBe("x-api-key sk-ant-test anthropic-version 2023-06-01 anthropic-beta a,b");
  const newer = called({ "anthropic-version": "2026-10-21" });
  expect(newer.headers.join(" ")).toBe("authorization Bearer sk-ant-test anthropic-version 2026-10-21");
  expect(called({ "anthropic-version": "strange" }).headers).toContain("x-api-key");
});

const options: OptionValues = parseOptions(new Map());

test("the site's headers for a model replace the client's, and decide how the key travels", () => {
  const settings = {
    "claude-x": {
      "Anthropic-Beta": ["a-1", "b-2"],
      "x-team": ["one"],
      Host: ["evil.example"],
      "anthropic-version": [],
    },
    "claude-y": { "anthropic-version": ["2026-10-21"] },
  };
  const site = { ...options, "claude.model_headers_settings": settings } as OptionValues;
  const headersFor = (requestedModel: string): string => {
    const call = { operation: "chat", dialect: "anthropic-messages", path: "/v1/messages", model: "m" } as const;
    const headers = { "anthropic-beta": "client", "anthropic-version": "2023-06-01" };
    return endpoint(channel, {
      ...call,
      isStream: false,
      headers,
      site: { options: site, requestedModel: requestedModel, isTranslated: false },
    }).headers.join(" ");
  };
  expect(headersFor("claude-x")).toBe(
    "x-api-key sk-ant-test anthropic-version 2023-06-01 anthropic-beta a-1,b-2 x-team one",
  );
  expect(headersFor("claude-y")).toBe(
    "authorization Bearer sk-ant-test anthropic-version 2026-10-21 anthropic-beta client",
  );
  expect(headersFor("claude-z")).toBe("x-api-key sk-ant-test anthropic-version 2023-06-01 anthropic-beta client");
});
const patched = (body: Record<string, unknown>, values = options) =>
  quirks
    .filter((quirk) => quirk.appliesTo(String(body["model"]), "chat", "anthropic-messages"))
    .map((quirk) => quirk.patch(body, values, String(body["model"])));

test("the suffix -thinking switches thinking on in the fields of the model's generation", () => {
  expect(patched({ model: "claude-3-7-sonnet-20250219" })).toEqual([]);
  expect(patched({ model: "claude-3-7-sonnet-20250219-thinking", max_tokens: 10_000, temperature: 0.2 })).toEqual([
    {
      remove: ["temperature"],
      set: {
        model: "claude-3-7-sonnet-20250219",
        max_tokens: 10_000,
        thinking: { type: "enabled", budget_tokens: 8000 },
      },
    },
  ]);
  expect(patched({ model: "claude-sonnet-4-thinking", max_tokens: 10 })[0]?.set).toMatchObject({
    max_tokens: 1280,
    thinking: { budget_tokens: 1024 },
  });
  expect(patched({ model: "claude-opus-5-5-thinking", max_tokens: 8192 })[0]?.set).toEqual({
    model: "claude-opus-5-5",
    max_tokens: 8192,
    thinking: { type: "adaptive", display: "summarized" },
  });
});

test.each([
  ["a count of tokens", { model: "claude-sonnet-4-thinking" }],
  [
    "a call it is forced to make",
    { model: "claude-sonnet-4-thinking", max_tokens: 9000, tool_choice: { type: "any" } },
  ],
  ["a model that does not think", { model: "claude-3-5-haiku-20241022-thinking", max_tokens: 9000 }],
])("for %s the suffix is only taken off", (_name, body) => {
  expect(patched(body)).toEqual([{ set: { model: body.model.slice(0, -"-thinking".length) } }]);
});

test("a client's own thinking stays, and the operator may switch the suffix off", () => {
  const model = "claude-sonnet-4-thinking";
  expect(patched({ model, thinking: { type: "disabled" } })).toEqual([{ set: { model: "claude-sonnet-4" } }]);
  const off = { ...options, "claude.thinking_adapter_enabled": false };
  expect(patched({ model }, off)).toEqual([{}]);
  expect([modelName?.(model, options), modelName?.(model, off)]).toEqual(["claude-sonnet-4", model]);
});

test("its failures are classified", () => {
  expect(failure(401, fixture("invalid-key.json"))).toMatchObject({
    kind: "auth",
    isRetryable: true,
    type: "authentication_error",
  });
  expect(failure(529, fixture("overloaded.json"))).toMatchObject({ kind: "overloaded", isRetryable: true });
  expect(failure(429, fixture("rate-limit.json"))).toMatchObject({ kind: "rate", isRetryable: true });
  expect(failure(404, fixture("not-found.json"))).toMatchObject({ kind: "invalid", isRetryable: false });
  expect(failure(400, fixture("no-credit.json"))).toMatchObject({ kind: "quota", status: 400, isRetryable: true });
  expect(failure(200, fixture("overloaded.json"))).toMatchObject({ status: 529, kind: "overloaded" });
});

test("its manifest is type 14 and its models are listed once each", () => {
  expect(manifest).toMatchObject({ id: 14, slug: "anthropic", dialects: ["anthropic-messages"] });
  expect(new Set(models).size).toBe(models.length);
});
