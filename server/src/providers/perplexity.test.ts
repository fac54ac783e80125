/** Perplexity by its documentation: paths without a version, and failures as its pages print them. */
import { expect, test } from "vitest";
import { documentedProvider } from "../../../tests/support/providers/documented.ts";
import { perplexity } from "./perplexity.ts";

const { changed, failed, headers, manifest, models, sent, url } = documentedProvider(perplexity);

test("its paths have no version", () => {
  expect(url("/v1/chat/completions")).toBe("https://api.perplexity.ai/chat/completions");
  expect(url("/v1/chat/completions", { baseUrl: "https://api.perplexity.ai/" })).toBe(
    "https://api.perplexity.ai/chat/completions",
  );
  expect(headers()).toBe("authorization Bearer key-of-the-test");
});

test("instructions go out under the role it knows", () => {
  const developer = { role: "developer", content: "be brief" };
  const user = { role: "user", content: "hi" };
  expect(sent({ model: "sonar", messages: [developer, user] })["messages"]).toEqual([
    { role: "system", content: "be brief" },
    user,
  ]);
  expect(changed({ model: "sonar", messages: [user], temperature: 1 })).toEqual([]);
});

test("the bound of an answer has its older name", () => {
  expect(sent({ model: "m", max_completion_tokens: 5 })).toEqual({ model: "m", max_tokens: 5 });
  expect(sent({ model: "m", max_completion_tokens: 5, max_tokens: 4 })).toEqual({ model: "m", max_tokens: 4 });
  expect(sent({ model: "m", max_completion_tokens: null })).toEqual({ model: "m" });
});

test("efforts are those the vendor knows", () => {
  expect(sent({ model: "m", reasoning_effort: "none" })).toEqual({ model: "m", reasoning_effort: "minimal" });
  expect(sent({ model: "m", reasoning_effort: "xhigh" })).toEqual({ model: "m", reasoning_effort: "high" });
});

test.each([
  ["401-key.json", "auth", true],
  ["401-quota.json", "quota", true],
  ["400-roles.json", "invalid", false],
  ["429-rate.json", "rate", true],
  ["503-busy.json", "overloaded", true],
] as const)("%s is a failure of kind %s", (name, kind, isRetryable) => {
  expect(failed(name)).toMatchObject({ kind, isRetryable });
});

test("its manifest is type 27 and its models are listed once each", () => {
  expect(manifest).toMatchObject({ id: 27, slug: "perplexity" });
  expect(models.length).toBeGreaterThan(0);
  expect(new Set(models).size).toBe(models.length);
});
