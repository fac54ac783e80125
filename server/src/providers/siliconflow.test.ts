/** SiliconFlow by its documentation: addresses, and failures without an envelope. */
import { expect, test } from "vitest";
import { documentedProvider } from "../../../tests/support/providers/documented.ts";
import { siliconflow } from "./siliconflow.ts";

const { changed, failed, headers, manifest, models, sent, url } = documentedProvider(siliconflow);

test("calls go behind the base URL with the key", () => {
  expect(url("/v1/chat/completions")).toBe("https://api.siliconflow.cn/v1/chat/completions");
  expect(url("/v1/rerank", { operation: "rerank", baseUrl: "https://api.siliconflow.com/v1" })).toBe(
    "https://api.siliconflow.com/v1/rerank",
  );
  expect(headers()).toBe("authorization Bearer key-of-the-test");
});

test("instructions go out under the role it knows", () => {
  const developer = { role: "developer", content: "be brief" };
  const user = { role: "user", content: "hi" };
  expect(sent({ model: "BAAI/x", messages: [developer, user] })["messages"]).toEqual([
    { role: "system", content: "be brief" },
    user,
  ]);
  expect(changed({ model: "BAAI/x", messages: [user], temperature: 1 })).toEqual([]);
});

test("the bound of an answer has its older name", () => {
  expect(sent({ model: "m", max_completion_tokens: 5 })).toEqual({ model: "m", max_tokens: 5 });
  expect(sent({ model: "m", max_completion_tokens: 5, max_tokens: 4 })).toEqual({ model: "m", max_tokens: 4 });
  expect(sent({ model: "m", max_completion_tokens: null })).toEqual({ model: "m" });
});

test.each([
  ["400-model.json", "invalid", false],
  ["401-key.json", "auth", true],
  ["403-balance.json", "quota", true],
  ["403-name.json", "auth", true],
  ["429-rate.json", "rate", true],
  ["503-busy.json", "overloaded", true],
  ["504-slow.json", "timeout", true],
] as const)("%s is a failure of kind %s", (name, kind, isRetryable) => {
  expect(failed(name)).toMatchObject({ kind, isRetryable });
});

test("its message and its code are reported", () => {
  expect(failed("400-model.json")).toMatchObject({
    message: "Model does not exist. Please check it carefully.",
    code: "20012",
  });
});

test("its manifest is type 40 and its models are listed once each", () => {
  expect(manifest).toMatchObject({ id: 40, slug: "siliconflow" });
  expect(models.length).toBeGreaterThan(0);
  expect(new Set(models).size).toBe(models.length);
});
