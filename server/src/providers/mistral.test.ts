/** Mistral by its documentation: fields its schema lacks, ids of calls, and failures as its pages print them. */
import { expect, test } from "vitest";
import { documentedProvider } from "../../../tests/support/providers/documented.ts";
import { mistral } from "./mistral.ts";

const { changed, failed, headers, manifest, models, sent, url } = documentedProvider(mistral);

test("calls go behind the base URL with the key", () => {
  expect(url("/v1/chat/completions")).toBe("https://api.mistral.ai/v1/chat/completions");
  expect(url("/v1/embeddings", { operation: "embeddings", baseUrl: "https://api.mistral.ai/v1" })).toBe(
    "https://api.mistral.ai/v1/embeddings",
  );
  expect(headers()).toBe("authorization Bearer key-of-the-test");
});

test("instructions go out under the role it knows", () => {
  const developer = { role: "developer", content: "be brief" };
  const user = { role: "user", content: "hi" };
  expect(sent({ model: "mistral-small-latest", messages: [developer, user] })["messages"]).toEqual([
    { role: "system", content: "be brief" },
    user,
  ]);
  expect(changed({ model: "mistral-small-latest", messages: [user], temperature: 1 })).toEqual([]);
});

test("the bound of an answer has its older name", () => {
  expect(sent({ model: "m", max_completion_tokens: 5 })).toEqual({ model: "m", max_tokens: 5 });
  expect(sent({ model: "m", max_completion_tokens: 5, max_tokens: 4 })).toEqual({ model: "m", max_tokens: 4 });
  expect(sent({ model: "m", max_completion_tokens: null })).toEqual({ model: "m" });
});

test("fields that its schema lacks are left out, and others have the names they have there", () => {
  const known = { model: "m", temperature: 0.5, tools: [], prediction: {}, safe_prompt: true };
  const unknown = {
    user: "u",
    store: false,
    logprobs: true,
    stream_options: { include_usage: true },
    verbosity: "low",
  };
  expect(sent({ ...known, ...unknown, seed: 7 })).toEqual({ ...known, random_seed: 7 });
  expect(sent({ model: "m", seed: null })).toEqual({ model: "m" });
  expect(sent({ model: "e", input: "x", dimensions: 3, user: "u" }, { operation: "embeddings" })).toEqual({
    model: "e",
    input: "x",
    output_dimension: 3,
  });
});

test.each([
  ["mistral-medium-latest", "low", { reasoning_effort: "high" }],
  ["mistral-small-latest", "minimal", { reasoning_effort: "none" }],
  ["mistral-small-latest", "high", { reasoning_effort: "high" }],
  ["mistral-large-latest", "high", {}],
  ["magistral-medium-latest", "none", {}],
])("%s takes the effort %s as %j", (model, effort, fields) => {
  expect(sent({ model, reasoning_effort: effort })).toEqual({ model, ...fields });
});

test("messages hold what their role may hold, and ids of calls nine characters, the same in each turn", () => {
  const called = { name: "f", arguments: "{}" };
  const call = (id: string) => ({ id, type: "function", function: called });
  const messages = [
    { role: "user", content: "hi", name: "ada" },
    {
      role: "assistant",
      content: null,
      refusal: null,
      annotations: [],
      tool_calls: [call("toolu_01"), call("Ab3dE6gH9")],
    },
    { role: "tool", tool_call_id: "toolu_01", name: "f", content: "1" },
    { role: "tool", tool_call_id: "Ab3dE6gH9", content: "2" },
    { role: "assistant", content: "done", reasoning_content: "hm", tool_calls: null },
  ];
  expect(sent({ model: "m", messages })["messages"]).toEqual([
    { role: "user", content: "hi" },
    { role: "assistant", content: null, tool_calls: [call("call00000"), call("Ab3dE6gH9")] },
    { role: "tool", tool_call_id: "call00000", name: "f", content: "1" },
    { role: "tool", tool_call_id: "Ab3dE6gH9", content: "2" },
    { role: "assistant", content: "done" },
  ]);
  const plain = { model: "m", messages: sent({ model: "m", messages })["messages"] };
  expect(changed(plain)).toEqual([]);
});

test.each([
  ["401-key.json", "auth", true],
  ["402-plan.json", "quota", true],
  ["422-field.json", "invalid", false],
  ["400-model.json", "invalid", false],
  ["429-rate.json", "rate", true],
  ["503-busy.json", "overloaded", true],
  ["504-slow.json", "timeout", true],
] as const)("%s is a failure of kind %s", (name, kind, isRetryable) => {
  expect(failed(name)).toMatchObject({ kind, isRetryable });
});

test("a refused field is named, also where the message is a list of faults", () => {
  expect(failed("422-field.json")).toMatchObject({
    message: "body.max_completion_tokens: Extra inputs are not permitted",
    type: "invalid_request_error",
  });
  expect(failed("400-model.json")).toMatchObject({ type: "invalid_model", code: "1500" });
});

test("its manifest is type 42 and its models are listed once each", () => {
  expect(manifest).toMatchObject({ id: 42, slug: "mistral" });
  expect(models.length).toBeGreaterThan(0);
  expect(new Set(models).size).toBe(models.length);
});
