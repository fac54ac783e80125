/** Model Studio by its documentation: its root, thinking by generation, vectors, and failures by their codes. */
import { expect, test } from "vitest";
import { documentedProvider } from "../../../tests/support/providers/documented.ts";
import { alibaba } from "./alibaba.ts";

const { changed, failed, headers, manifest, models, sent, url } = documentedProvider(alibaba);

test("calls go to the compatible mode, whether the base URL ends there or not", () => {
  const expected = "https://dashscope.aliyuncs.com/compatible-mode/v1/chat/completions";
  expect(url("/v1/chat/completions")).toBe(expected);
  for (const root of ["/", "/compatible-mode", "/compatible-mode/v1", "/compatible-mode/v1/"])
    expect(url("/v1/chat/completions", { baseUrl: `https://dashscope.aliyuncs.com${root}` })).toBe(expected);
  expect(url("/v1/models", { operation: "models", baseUrl: "https://dashscope-intl.aliyuncs.com" })).toBe(
    "https://dashscope-intl.aliyuncs.com/compatible-mode/v1/models",
  );
  expect(headers()).toBe("authorization Bearer key-of-the-test");
});

test("instructions go out under the role it knows", () => {
  const developer = { role: "developer", content: "be brief" };
  const user = { role: "user", content: "hi" };
  expect(sent({ model: "qwen3.8-max", messages: [developer, user] })["messages"]).toEqual([
    { role: "system", content: "be brief" },
    user,
  ]);
  expect(changed({ model: "qwen3.8-max", messages: [user], temperature: 1, reasoning_effort: "low" })).toEqual([]);
});

test("the bound of an answer has its older name", () => {
  expect(sent({ model: "m", max_completion_tokens: 5 })).toEqual({ model: "m", max_tokens: 5 });
  expect(sent({ model: "m", max_completion_tokens: 5, max_tokens: 4 })).toEqual({ model: "m", max_tokens: 4 });
  expect(sent({ model: "m", max_completion_tokens: null })).toEqual({ model: "m" });
});

test.each([
  ["qwen3.8-max", "minimal", { reasoning_effort: "low" }],
  ["qwen3.8-max", "max", { reasoning_effort: "xhigh" }],
  ["qwen3.8-max", "none", { enable_thinking: false }],
  ["qwen3.7-plus", "high", { enable_thinking: true }],
  ["qwen-plus", "none", { enable_thinking: false }],
])("%s takes the effort %s as %j", (model, effort, fields) => {
  expect(sent({ model, reasoning_effort: effort })).toEqual({ model, ...fields });
});

test("open models think in streams only; the others get no such field", () => {
  expect(sent({ model: "qwen3-32b" })).toEqual({ model: "qwen3-32b", enable_thinking: false });
  expect(sent({ model: "qwen3-235b-a22b", enable_thinking: true })["enable_thinking"]).toBe(false);
  expect(changed({ model: "qwen3-32b", stream: true })).toEqual([]);
  expect(changed({ model: "qwen3-max" })).toEqual([]);
});

test("vectors are numbers", () => {
  const asked = { operation: "embeddings" } as const;
  const body = { model: "text-embedding-v4", input: "x", dimensions: 64 };
  expect(sent({ ...body, encoding_format: "base64" }, asked)).toEqual(body);
  expect(changed({ ...body, encoding_format: "float" }, asked)).toEqual([]);
});

test.each([
  ["401-key.json", "auth", true],
  ["401-native.json", "auth", true],
  ["200-task.json", "invalid", false],
  ["400-arrears.json", "quota", true],
  ["400-content.json", "content", false],
  ["400-parameter.json", "invalid", false],
  ["403-free.json", "quota", true],
  ["429-tokens.json", "rate", true],
  ["429-requests.json", "rate", true],
  ["500-slow.json", "timeout", true],
  ["503-busy.json", "overloaded", true],
] as const)("%s is a failure of kind %s", (name, kind, isRetryable) => {
  expect(failed(name)).toMatchObject({ kind, isRetryable });
});

test("its manifest is type 17 and its models are listed once each", () => {
  expect(manifest).toMatchObject({ cacheMarks: "short", webSearch: "enable_search", id: 17, slug: "alibaba" });
  expect(models.length).toBeGreaterThan(0);
  expect(new Set(models).size).toBe(models.length);
});
