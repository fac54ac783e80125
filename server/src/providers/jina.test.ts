/** Jina by its documentation: fields it does not know, inputs that are objects, and failures in `detail`. */
import { expect, test } from "vitest";
import { documentedProvider } from "../../../tests/support/providers/documented.ts";
import { jina } from "./jina.ts";

const { changed, failed, headers, manifest, models, sent, url } = documentedProvider(jina);
const asked = { operation: "embeddings" } as const;

test("calls go behind the base URL with the key", () => {
  expect(url("/v1/embeddings", asked)).toBe("https://api.jina.ai/v1/embeddings");
  expect(url("/v1/rerank", { operation: "rerank", baseUrl: "https://api.jina.ai/v1" })).toBe(
    "https://api.jina.ai/v1/rerank",
  );
  expect(headers()).toBe("authorization Bearer key-of-the-test");
});

test("inputs and settings are passed on unchanged, unknown fields are not", () => {
  const own = {
    model: "jina-embeddings-v4",
    input: [{ image: "https://a.example/a.png" }, { text: "a" }],
    task: "text-matching",
  };
  expect(sent({ ...own, encoding_format: "base64", user: "u" }, asked)).toEqual(own);
  expect(changed({ ...own, dimensions: 64, late_chunking: true }, asked)).toEqual([]);
});

test.each([
  ["401-key.json", "auth", true],
  ["402-balance.json", "quota", true],
  ["403-balance.json", "quota", true],
  ["422-field.json", "invalid", false],
  ["429-rate.json", "rate", true],
  ["500-server.json", "overloaded", true],
  ["503-loading.json", "overloaded", true],
] as const)("%s is a failure of kind %s", (name, kind, isRetryable) => {
  expect(failed(name)).toMatchObject({ kind, isRetryable });
});

test("the field at fault is named", () => {
  expect(failed("422-field.json").message).toBe("body.input: Field required");
});

test("its manifest is type 38 and its models are listed once each", () => {
  expect(manifest).toMatchObject({ id: 38, slug: "jina", operations: ["embeddings", "rerank"] });
  expect(new Set(models).size).toBe(models.length);
});
