/** Tests of the parameters that models take: those that the tables refuse are not among them, and of unknown models nothing is said. */
import { expect, test } from "vitest";
import { supportedParameters } from "./supported-parameters.ts";

const sorted = (model: string): string[] | undefined => supportedParameters(model)?.toSorted();
const REASONING = ["include_reasoning", "reasoning"];
const TOOLS = ["tool_choice", "tools"];

test("a model of OpenAI's that always reasons takes no sampling, one that does not has no reasoning", () => {
  const always = ["max_tokens", "response_format", "seed", "structured_outputs", ...REASONING, ...TOOLS].toSorted();
  for (const model of ["o3", "o4-mini", "gpt-5", "openai/gpt-5-mini", "gpt-5.1-codex"]) {
    expect({ model, takes: sorted(model) }).toEqual({ model, takes: always });
  }
  const sampling = ["temperature", "top_p", "presence_penalty", "frequency_penalty"];
  const words = ["logprobs", "top_logprobs", "logit_bias", "stop"];
  const others = ["max_tokens", "response_format", "seed", "structured_outputs"];
  expect(sorted("gpt-4o")).toEqual([...sampling, ...words, ...others, ...TOOLS].toSorted());
  expect(supportedParameters("chatgpt-4o-latest")).not.toContain("tools");
  expect(supportedParameters("gpt-3.5-turbo")).not.toContain("structured_outputs");
});

test("Claude's models lose their sampling and gain schemas by generation", () => {
  const [older, newer] = [supportedParameters("claude-3-5-haiku-20241022"), supportedParameters("claude-opus-5")];
  expect(older).toEqual(["max_tokens", "stop", "temperature", "top_p", "top_k", "tools", "tool_choice"]);
  expect(newer).not.toContain("temperature");
  expect(newer).toEqual(expect.arrayContaining(["structured_outputs", "reasoning", "include_reasoning"]));
});

test("the table of refused fields is kept", () => {
  for (const name of ["presence_penalty", "frequency_penalty"])
    expect(supportedParameters("grok-4")?.includes(name)).toBe(false);
  expect(supportedParameters("grok-4-1-fast-non-reasoning")).toContain("presence_penalty");
  expect(supportedParameters("kimi-k3")).not.toContain("temperature");
  expect(supportedParameters("moonshot-v1-8k")).toContain("temperature");
  expect(supportedParameters("deepseek-reasoner")).not.toContain("temperature");
  expect(supportedParameters("gemini-2.0-flash")).not.toContain("reasoning");
  expect(supportedParameters("google/gemini-2.5-pro")).toEqual(expect.arrayContaining(["reasoning", "seed", "stop"]));
});

test.each([
  "my-own-model",
  "claude-2.1",
  "gpt-4o-search-preview",
  "gpt-oss-120b",
  "dall-e-3",
  "text-embedding-3-small",
])("of %s nothing is known", (model) => expect(supportedParameters(model)).toBeUndefined());
