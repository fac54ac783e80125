/** Custom channels: the address is used unchanged, and failures are read in any of the known envelopes. */
import { expect, test } from "vitest";
import type { Operation, ProviderCall } from "./provider.ts";
import { providerFixture } from "../../../tests/support/providers/fixtures.ts";
import { custom } from "./custom.ts";

const { endpoint, failure, manifest, models, quirks } = custom;

const asked = (operation: Operation, path: string, model: string): ProviderCall => ({
  operation,
  dialect: "openai-chat",
  path,
  model,
  isStream: false,
  headers: {},
});

const channel = { baseUrl: "https://host/api/v1/chat/completions", key: "k", other: "", openaiOrganization: "" };

test("the base URL is the whole URL, for any path of the client; {model} is filled in", () => {
  expect(endpoint(channel, asked("chat", "/v1/chat/completions?x=1", "m"))).toEqual({
    url: channel.baseUrl,
    headers: ["authorization", "Bearer k"],
  });
  const templated = { ...channel, baseUrl: "https://host/{model}/run" };
  expect(endpoint(templated, asked("chat", "/v1/x", "org/name")).url).toBe("https://host/org%2Fname/run");
});

test("models are listed beside the operation's address", () => {
  expect(endpoint(channel, asked("models", "/v1/models", "")).url).toBe("https://host/api/v1/models");
  const withQuery = { ...channel, baseUrl: "https://host/v1/chat/completions?api-version=1" };
  expect(endpoint(withQuery, asked("models", "/v1/models", "")).url).toBe("https://host/v1/models?api-version=1");
  expect(endpoint({ ...channel, baseUrl: "https://host/run" }, asked("models", "/v1/models", "")).url).toBe(
    "https://host/run",
  );
});

test("a failure without an error object is read too", async () => {
  const body = providerFixture("custom", "not-found.json");
  expect(failure(404, body)).toMatchObject({ kind: "invalid", status: 404, message: "The model `x` does not exist." });
});

test("it is type 8, needs an address, and changes nothing", () => {
  expect(manifest).toMatchObject({ id: 8, slug: "custom", defaultBaseUrl: "" });
  expect(manifest.fields.find(({ name }) => name === "base_url")?.isRequired).toBe(true);
  expect(quirks).toEqual([]);
  expect(models.length).toBeGreaterThan(0);
});
