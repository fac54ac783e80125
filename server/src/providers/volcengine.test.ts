/** Ark by its documentation: its root, apps, efforts, and failures by their codes. */
import { expect, test } from "vitest";
import { documentedProvider } from "../../../tests/support/providers/documented.ts";
import { volcengine } from "./volcengine.ts";

const { changed, failed, headers, manifest, models, sent, url } = documentedProvider(volcengine);

test("models and apps have addresses of their own, whether the base URL ends in the root or not", () => {
  const base = "https://ark.cn-beijing.volces.com/api/v3";
  for (const baseUrl of ["https://ark.cn-beijing.volces.com", `${base}/`]) {
    expect(url("/v1/chat/completions", { baseUrl, model: "ep-2026" })).toBe(`${base}/chat/completions`);
    expect(url("/v1/chat/completions", { baseUrl, model: "bot-2026" })).toBe(`${base}/bots/chat/completions`);
    expect(url("/v1/embeddings", { baseUrl, operation: "embeddings" })).toBe(`${base}/embeddings`);
    expect(url("/v1/models", { baseUrl, operation: "models" })).toBe(`${base}/models`);
  }
  expect(headers()).toBe("authorization Bearer key-of-the-test");
});

test("instructions go out under the role it knows", () => {
  const developer = { role: "developer", content: "be brief" };
  const user = { role: "user", content: "hi" };
  expect(sent({ model: "doubao-seed-2-1-pro-260628", messages: [developer, user] })["messages"]).toEqual([
    { role: "system", content: "be brief" },
    user,
  ]);
  expect(
    changed({ model: "doubao-seed-2-1-pro-260628", messages: [user], temperature: 1, max_completion_tokens: 5 }),
  ).toEqual([]);
});

test("efforts are those the vendor knows", () => {
  const effort = (word: string) => sent({ model: "m", reasoning_effort: word })["reasoning_effort"];
  expect(["none", "minimal", "medium", "xhigh", "max"].map(effort)).toEqual([
    "minimal",
    "minimal",
    "medium",
    "high",
    "high",
  ]);
});

test.each([
  ["401-key.json", "auth", true],
  ["403-overdue.json", "quota", true],
  ["404-model.json", "invalid", false],
  ["400-parameter.json", "invalid", false],
  ["400-content.json", "content", false],
  ["400-output.json", "content", false],
  ["429-rate.json", "rate", true],
  ["429-limit.json", "quota", true],
  ["429-busy.json", "overloaded", true],
  ["500-server.json", "overloaded", true],
] as const)("%s is a failure of kind %s", (name, kind, isRetryable) => {
  expect(failed(name)).toMatchObject({ kind, isRetryable });
});

test("its manifest is type 45 and its models are listed once each", () => {
  expect(manifest).toMatchObject({ id: 45, slug: "volcengine" });
  expect(models.length).toBeGreaterThan(0);
  expect(new Set(models).size).toBe(models.length);
});
