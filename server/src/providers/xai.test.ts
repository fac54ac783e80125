/** xAI by its documentation: two formats, efforts and pictures, and failures that only their message distinguishes. */
import { expect, test } from "vitest";
import { documentedProvider } from "../../../tests/support/providers/documented.ts";
import { xai } from "./xai.ts";

const { changed, failed, headers, manifest, models, sent, url } = documentedProvider(xai);

test("chat, responses and pictures go behind the base URL with the key", () => {
  expect(url("/v1/chat/completions")).toBe("https://api.x.ai/v1/chat/completions");
  expect(url("/v1/responses", { dialect: "openai-responses" })).toBe("https://api.x.ai/v1/responses");
  expect(url("/v1/images/generations", { operation: "images" })).toBe("https://api.x.ai/v1/images/generations");
  expect(headers()).toBe("authorization Bearer key-of-the-test");
});

test.each([
  ["grok-4.7", "none", "low"],
  ["grok-4.7", "xhigh", "xhigh"],
  ["grok-4.7", "max", "xhigh"],
  ["grok-4.6", "max", "high"],
  ["grok-4.3", "none", "none"],
  ["grok-4.3", "minimal", "low"],
  ["grok-4.20-multi-agent-0309", "medium", "medium"],
  ["grok-4.20-0309-reasoning", "high", undefined],
  ["grok-build-0.1", "high", undefined],
])("%s takes the effort %s as %s, in both formats", (model, effort, word) => {
  expect(sent({ model, reasoning_effort: effort })["reasoning_effort"]).toBe(word);
  const reasoning = { effort, summary: "auto" };
  expect(sent({ model, reasoning }, { dialect: "openai-responses" })["reasoning"]).toEqual(
    word === undefined ? { summary: "auto" } : { ...reasoning, effort: word },
  );
});

test("models that reason get no penalties, others do; what ends an answer is never left out", () => {
  const body = { presence_penalty: 0, frequency_penalty: 1, stop: ["x"] };
  expect(sent({ model: "grok-4.6", ...body })).toEqual({ model: "grok-4.6", stop: ["x"] });
  expect(changed({ model: "grok-4.20-0309-non-reasoning", ...body })).toEqual([]);
});

test("pictures are requested without fields that the vendor does not support", () => {
  const known = { model: "grok-imagine-image-2.0", prompt: "a lake", n: 2, response_format: "b64_json" };
  const asked = { operation: "images" } as const;
  expect(sent({ ...known, size: "1024x1024", quality: "hd", style: "vivid" }, asked)).toEqual(known);
  expect(changed({ ...known, aspect_ratio: "1:1" }, asked)).toEqual([]);
});

test.each([
  ["400-key.json", "auth", true],
  ["401-key.json", "auth", true],
  ["400-argument.json", "invalid", false],
  ["403-credits.json", "quota", true],
  ["403-content.json", "content", false],
  ["429-rate.json", "rate", true],
  ["429-spent.json", "quota", true],
  ["503-busy.json", "overloaded", true],
] as const)("%s is a failure of kind %s", (name, kind, isRetryable) => {
  expect(failed(name)).toMatchObject({ kind, isRetryable });
});

test("its message and its code are reported, its keys are not", () => {
  expect(failed("400-argument.json")).toMatchObject({
    message: "Argument not supported on this model: stop",
    code: "Client specified an invalid argument",
  });
});

test("its manifest is type 48 and its models are listed once each", () => {
  expect(manifest).toMatchObject({ id: 48, slug: "xai", dialects: ["openai-chat", "openai-responses"] });
  expect(models.length).toBeGreaterThan(0);
  expect(new Set(models).size).toBe(models.length);
});
