/** Zhipu by its documentation: its roots, thinking by generation, and failures by their codes. */
import { expect, test } from "vitest";
import { documentedProvider } from "../../../tests/support/providers/documented.ts";
import { zhipuV4 } from "./zhipu-v4.ts";

const { changed, failed, headers, manifest, models, sent, url } = documentedProvider(zhipuV4);

test.each([
  ["https://open.bigmodel.cn", "https://open.bigmodel.cn/api/paas/v4/chat/completions"],
  ["https://open.bigmodel.cn/api/paas/v4/", "https://open.bigmodel.cn/api/paas/v4/chat/completions"],
  ["https://open.bigmodel.cn/api/coding/paas/v4", "https://open.bigmodel.cn/api/coding/paas/v4/chat/completions"],
  ["https://api.z.ai", "https://api.z.ai/api/paas/v4/chat/completions"],
])("behind %s it is called at %s", (baseUrl, expected) => {
  expect(url("/v1/chat/completions", { baseUrl })).toBe(expected);
});

test("vectors and models stand beside, the key goes as it is", () => {
  expect(url("/v1/embeddings", { operation: "embeddings" })).toBe("https://open.bigmodel.cn/api/paas/v4/embeddings");
  expect(url("/v1/models", { operation: "models" })).toBe("https://open.bigmodel.cn/api/paas/v4/models");
  expect(headers()).toBe("authorization Bearer key-of-the-test");
});

test("instructions go out under the role it knows", () => {
  const developer = { role: "developer", content: "be brief" };
  const user = { role: "user", content: "hi" };
  expect(sent({ model: "glm-5.3", messages: [developer, user] })["messages"]).toEqual([
    { role: "system", content: "be brief" },
    user,
  ]);
  expect(changed({ model: "glm-5.3", messages: [user], temperature: 1, reasoning_effort: "none" })).toEqual([]);
});

test("the bound of an answer has its older name", () => {
  expect(sent({ model: "m", max_completion_tokens: 5 })).toEqual({ model: "m", max_tokens: 5 });
  expect(sent({ model: "m", max_completion_tokens: 5, max_tokens: 4 })).toEqual({ model: "m", max_tokens: 4 });
  expect(sent({ model: "m", max_completion_tokens: null })).toEqual({ model: "m" });
});

test("older models are switched, newer ones know efforts", () => {
  const switched = (effort: string) => sent({ model: "glm-4.7", reasoning_effort: effort });
  expect(switched("minimal")).toEqual({ model: "glm-4.7", thinking: { type: "disabled" } });
  expect(switched("high")).toEqual({ model: "glm-4.7", thinking: { type: "enabled" } });
  const thinking = { type: "enabled" };
  expect(sent({ model: "glm-5", reasoning_effort: "none", thinking })).toEqual({ model: "glm-5", thinking });
  expect(changed({ model: "glm-5.2", reasoning_effort: "xhigh" })).toEqual([]);
});

test.each([
  ["401-key.json", "auth", true],
  ["429-balance.json", "quota", true],
  ["429-rate.json", "rate", true],
  ["429-busy.json", "overloaded", true],
  ["429-locked.json", "auth", true],
  ["400-content.json", "content", false],
  ["400-model.json", "invalid", false],
  ["500-server.json", "overloaded", true],
] as const)("%s is a failure of kind %s", (name, kind, isRetryable) => {
  expect(failed(name)).toMatchObject({ kind, isRetryable });
});

test("its manifest is type 26 and its models are listed once each", () => {
  expect(manifest).toMatchObject({ id: 26, slug: "zhipu-v4" });
  expect(models.length).toBeGreaterThan(0);
  expect(new Set(models).size).toBe(models.length);
});
