/** DeepSeek by its documentation: addresses, thinking, and failures as its pages print them. */
import { expect, test } from "vitest";
import { documentedProvider } from "../../../tests/support/providers/documented.ts";
import { deepseek } from "./deepseek.ts";

const { changed, failed, headers, manifest, models, sent, url } = documentedProvider(deepseek);

test("calls go behind the base URL, completions to where the middle is filled in", () => {
  expect(url("/v1/chat/completions?x=1")).toBe("https://api.deepseek.com/v1/chat/completions?x=1");
  expect(url("/v1/chat/completions", { baseUrl: "https://api.deepseek.com/v1/" })).toBe(
    "https://api.deepseek.com/v1/chat/completions",
  );
  for (const baseUrl of ["https://api.deepseek.com", "https://api.deepseek.com/beta"])
    expect(url("/v1/completions", { baseUrl, operation: "completions" })).toBe(
      "https://api.deepseek.com/beta/completions",
    );
  expect(url("/v1/models", { operation: "models" })).toBe("https://api.deepseek.com/v1/models");
  expect(headers()).toBe("authorization Bearer key-of-the-test");
});

test("instructions go out under the role it knows", () => {
  const developer = { role: "developer", content: "be brief" };
  const user = { role: "user", content: "hi" };
  expect(sent({ model: "deepseek-flash", messages: [developer, user] })["messages"]).toEqual([
    { role: "system", content: "be brief" },
    user,
  ]);
  expect(changed({ model: "deepseek-flash", messages: [user], temperature: 1 })).toEqual([]);
});

test("the bound of an answer has its older name", () => {
  expect(sent({ model: "m", max_completion_tokens: 5 })).toEqual({ model: "m", max_tokens: 5 });
  expect(sent({ model: "m", max_completion_tokens: 5, max_tokens: 4 })).toEqual({ model: "m", max_tokens: 4 });
  expect(sent({ model: "m", max_completion_tokens: null })).toEqual({ model: "m" });
});

test("an effort of none switches thinking off; other efforts are the vendor's own", () => {
  expect(sent({ model: "m", reasoning_effort: "none" })).toEqual({ model: "m", thinking: { type: "disabled" } });
  expect(changed({ model: "m", reasoning_effort: "medium" })).toEqual([]);
});

test("if a client lost the thinking before a call, thinking is switched off", () => {
  const calls = [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }];
  const lost = { model: "m", messages: [{ role: "assistant", content: null, tool_calls: calls }] };
  expect(sent(lost)["thinking"]).toEqual({ type: "disabled" });
  expect(sent({ ...lost, thinking: { type: "enabled" } })["thinking"]).toEqual({ type: "disabled" });
  expect(changed({ ...lost, thinking: { type: "disabled" } })).toEqual([]);
  const kept = [{ role: "assistant", content: null, reasoning_content: "hm", tool_calls: calls }];
  expect(changed({ model: "m", messages: kept })).toEqual([]);
  // The vendor's own empty thinking came back as it was (recorded: pydantic-ai, test_deepseek_deferred_capability_with_thinking).
  const empty = [{ role: "assistant", content: null, reasoning_content: "", tool_calls: calls }];
  expect(changed({ model: "m", messages: empty })).toEqual([]);
});

test.each([
  ["401-key.json", "auth", true],
  ["402-balance.json", "quota", true],
  ["422-parameter.json", "invalid", false],
  ["429-rate.json", "rate", true],
  ["503-busy.json", "overloaded", true],
  ["400-content.json", "content", false],
] as const)("%s is a failure of kind %s", (name, kind, isRetryable) => {
  expect(failed(name)).toMatchObject({ kind, isRetryable });
});

test("its manifest is type 43 and its models are listed once each", () => {
  expect(manifest).toMatchObject({ id: 43, slug: "deepseek" });
  expect(models.length).toBeGreaterThan(0);
  expect(new Set(models).size).toBe(models.length);
});
