/** Qianfan by its documentation: its root, efforts, and failures by their types. */
import { expect, test } from "vitest";
import { documentedProvider } from "../../../tests/support/providers/documented.ts";
import { qianfan } from "./qianfan.ts";

const { changed, failed, headers, manifest, models, sent, url } = documentedProvider(qianfan);

test("calls go to version 2, whether the base URL ends there or not", () => {
  const expected = "https://qianfan.baidubce.com/v2/chat/completions";
  expect(url("/v1/chat/completions")).toBe(expected);
  expect(url("/v1/chat/completions", { baseUrl: "https://qianfan.baidubce.com/v2/" })).toBe(expected);
  expect(url("/v1/models", { operation: "models" })).toBe("https://qianfan.baidubce.com/v2/models");
  expect(headers()).toBe("authorization Bearer key-of-the-test");
});

test("instructions go out under the role it knows", () => {
  const developer = { role: "developer", content: "be brief" };
  const user = { role: "user", content: "hi" };
  expect(sent({ model: "ernie-5.1", messages: [developer, user] })["messages"]).toEqual([
    { role: "system", content: "be brief" },
    user,
  ]);
  expect(changed({ model: "ernie-5.1", messages: [user], temperature: 1, max_completion_tokens: 5 })).toEqual([]);
});

test("efforts are those the vendor knows, and none is a switch", () => {
  expect(sent({ model: "m", reasoning_effort: "none" })).toEqual({ model: "m", enable_thinking: false });
  expect(sent({ model: "m", reasoning_effort: "max" })).toEqual({ model: "m", reasoning_effort: "high" });
  expect(changed({ model: "m", reasoning_effort: "medium" })).toEqual([]);
});

test("vectors are numbers", () => {
  const asked = { operation: "embeddings" } as const;
  const body = { model: "embedding-v1", input: ["x"] };
  expect(sent({ ...body, encoding_format: "base64" }, asked)).toEqual(body);
  expect(changed({ ...body, encoding_format: "float" }, asked)).toEqual([]);
});

test.each([
  ["401-key.json", "auth", true],
  ["401-model.json", "auth", true],
  ["400-json.json", "invalid", false],
  ["400-content.json", "content", false],
  ["429-rate.json", "rate", true],
  ["500-server.json", "overloaded", true],
] as const)("%s is a failure of kind %s", (name, kind, isRetryable) => {
  expect(failed(name)).toMatchObject({ kind, isRetryable });
});

test("its manifest is type 46 and its models are listed once each", () => {
  expect(manifest).toMatchObject({ id: 46, slug: "qianfan" });
  expect(models.length).toBeGreaterThan(0);
  expect(new Set(models).size).toBe(models.length);
});
