/** Xinference by its documentation: an address of the operator's own, and failures in FastAPI's form. */
import { expect, test } from "vitest";
import { documentedProvider } from "../../../tests/support/providers/documented.ts";
import { xinference } from "./xinference.ts";

const { failed, headers, manifest, models, sent, url } = documentedProvider(xinference);

test("its address has to be given, and calls go behind it", () => {
  expect(manifest).toMatchObject({ defaultBaseUrl: "", fields: [{ name: "base_url", isRequired: true }] });
  const baseUrl = "http://127.0.0.1:9997";
  expect(url("/v1/chat/completions", { baseUrl })).toBe(`${baseUrl}/v1/chat/completions`);
  expect(url("/v1/rerank", { baseUrl: `${baseUrl}/v1/`, operation: "rerank" })).toBe(`${baseUrl}/v1/rerank`);
  expect(headers({ baseUrl })).toBe("authorization Bearer key-of-the-test");
});

test("the bound of an answer has its older name", () => {
  expect(sent({ model: "m", max_completion_tokens: 5 })).toEqual({ model: "m", max_tokens: 5 });
  expect(sent({ model: "m", max_completion_tokens: 5, max_tokens: 4 })).toEqual({ model: "m", max_tokens: 4 });
  expect(sent({ model: "m", max_completion_tokens: null })).toEqual({ model: "m" });
});

test.each([
  ["401-key.json", "auth", true],
  ["400-model.json", "invalid", false],
  ["422-body.json", "invalid", false],
  ["429-busy.json", "rate", true],
  ["500-server.json", "overloaded", true],
  ["503-busy.json", "overloaded", true],
] as const)("%s is a failure of kind %s", (name, kind, isRetryable) => {
  expect(failed(name)).toMatchObject({ kind, isRetryable });
});

test("the field at fault is named", () => {
  expect(failed("422-body.json").message).toBe("body.messages: Field required");
});

test("its manifest is type 47 and its models are listed once each", () => {
  expect(manifest).toMatchObject({ id: 47, slug: "xinference" });
  expect(models.length).toBeGreaterThan(0);
  expect(new Set(models).size).toBe(models.length);
});
