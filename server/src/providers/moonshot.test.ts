/** Moonshot by its documentation: what Kimi models refuse, and failures as its pages print them. */
import { expect, test } from "vitest";
import { documentedProvider } from "../../../tests/support/providers/documented.ts";
import { moonshot } from "./moonshot.ts";

const { changed, failed, headers, manifest, models, sent, url } = documentedProvider(moonshot);

test("calls go behind the base URL with the key", () => {
  expect(url("/v1/chat/completions")).toBe("https://api.moonshot.cn/v1/chat/completions");
  expect(url("/v1/models", { operation: "models", baseUrl: "https://api.moonshot.ai/v1" })).toBe(
    "https://api.moonshot.ai/v1/models",
  );
  expect(headers()).toBe("authorization Bearer key-of-the-test");
});

test("instructions go out under the role it knows", () => {
  const developer = { role: "developer", content: "be brief" };
  const user = { role: "user", content: "hi" };
  expect(sent({ model: "moonshot-v1-8k", messages: [developer, user] })["messages"]).toEqual([
    { role: "system", content: "be brief" },
    user,
  ]);
  expect(changed({ model: "moonshot-v1-8k", messages: [user], temperature: 1 })).toEqual([]);
});

test("Kimi models get no sampling, older models do", () => {
  const sampling = { temperature: 0.2, top_p: 0.5, presence_penalty: 0, frequency_penalty: 0 };
  expect(sent({ model: "kimi-k3", n: 1, ...sampling })).toEqual({ model: "kimi-k3", n: 1 });
  expect(changed({ model: "moonshot-v1-8k", ...sampling })).toEqual([]);
});

test.each([
  ["kimi-k3", "minimal", { reasoning_effort: "low" }],
  ["kimi-k3.1-pro", "none", { reasoning_effort: "low" }],
  ["kimi-k3", "medium", { reasoning_effort: "high" }],
  ["kimi-k3", "xhigh", { reasoning_effort: "max" }],
  ["kimi-k3", "max", { reasoning_effort: "max" }],
  ["kimi-k2.6", "none", { thinking: { type: "disabled" } }],
  ["kimi-k2.6", "high", {}],
  ["kimi-k2.7-code", "none", {}],
])("%s takes the effort %s as %j", (model, effort, fields) => {
  expect(sent({ model, reasoning_effort: effort })).toEqual({ model, ...fields });
});

test("earlier calls whose thinking a client lost get a blank in its place", () => {
  const calls = [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }];
  const lost = { role: "assistant", content: "", tool_calls: calls };
  const kept = { ...lost, reasoning_content: "hm" };
  expect(sent({ model: "kimi-k3", messages: [lost, kept] })["messages"]).toEqual([
    { ...lost, reasoning_content: " " },
    kept,
  ]);
  expect(changed({ model: "moonshot-v1-8k", messages: [lost] })).toEqual([]);
});

test.each([
  ["401-key.json", "auth", true],
  ["400-content.json", "content", false],
  ["400-length.json", "invalid", false],
  ["429-quota.json", "quota", true],
  ["429-rate.json", "rate", true],
  ["429-busy.json", "overloaded", true],
  ["500-server.json", "overloaded", true],
] as const)("%s is a failure of kind %s", (name, kind, isRetryable) => {
  expect(failed(name)).toMatchObject({ kind, isRetryable });
});

test("its manifest is type 25 and its models are listed once each", () => {
  expect(manifest).toMatchObject({ id: 25, slug: "moonshot" });
  expect(models.length).toBeGreaterThan(0);
  expect(new Set(models).size).toBe(models.length);
});
