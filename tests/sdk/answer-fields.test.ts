/** Fields that the official libraries' types promise are in every translated answer: a forgotten field does not compile. */
import type Anthropic from "@anthropic-ai/sdk";
import type OpenAI from "openai";
import { expect, test } from "vitest";
import { NO_USAGE } from "../../contract/src/pricing/usage.ts";
import type { AnswerInfo } from "../../server/src/dialects/neutral/info.ts";
import { listOf, objectOf } from "../../server/src/dialects/json/fields.ts";
import type { DialectName, JsonObject, NeutralAnswer } from "../../server/src/dialects/neutral/neutral.ts";
import { DIALECTS } from "../../server/src/dialects/registry.ts";
import { modelEntry } from "../../server/src/relay/listings.ts";

/** Fields that a type does not let go missing. */
type Always<Type> = { [Name in keyof Type]-?: object extends Pick<Type, Name> ? never : Name }[keyof Type];
type Names<Type> = Readonly<Record<Extract<Always<Type>, string>, true>>;

const FACTS: AnswerInfo = { model: "m", requestId: "r", createdAt: 7, asksUsage: true, isArray: false };
const ANSWER: NeutralAnswer = {
  id: "a",
  choices: [
    {
      parts: [
        { kind: "text", text: "hello" },
        { kind: "tool_call", id: "c", name: "f", arguments: "{}" },
      ],
      finish: "tool_calls",
    },
  ],
  rawUsage: undefined,
};
const encoded = (format: DialectName): JsonObject => DIALECTS[format].encodeAnswer(ANSWER, NO_USAGE, FACTS);

function expectAll(value: unknown, names: Readonly<Record<string, true>>): void {
  const missing = Object.keys(names).filter((name) => objectOf(value)[name] === undefined);
  expect(missing).toEqual([]);
}

test("a message of Anthropic", () => {
  const message: Names<Anthropic.Message> = {
    id: true,
    container: true,
    content: true,
    diagnostics: true,
    model: true,
    role: true,
    stop_details: true,
    stop_reason: true,
    stop_sequence: true,
    type: true,
    usage: true,
  };
  const usage: Names<Anthropic.Usage> = {
    cache_creation: true,
    cache_creation_input_tokens: true,
    cache_read_input_tokens: true,
    inference_geo: true,
    input_tokens: true,
    output_tokens: true,
    output_tokens_details: true,
    server_tool_use: true,
    service_tier: true,
    speed: true,
  };
  const call: Names<Anthropic.ToolUseBlock> = { id: true, caller: true, input: true, name: true, type: true };
  const answer = encoded("anthropic-messages");
  expectAll(answer, message);
  expectAll(answer["usage"], usage);
  expectAll(listOf(answer["content"])[1], call);
});

test("a chat completion of OpenAI", () => {
  const completion: Names<OpenAI.ChatCompletion> = {
    id: true,
    choices: true,
    created: true,
    model: true,
    object: true,
  };
  const choice: Names<OpenAI.ChatCompletion.Choice> = {
    finish_reason: true,
    index: true,
    logprobs: true,
    message: true,
  };
  const message: Names<OpenAI.ChatCompletionMessage> = { content: true, refusal: true, role: true };
  const usage: Names<OpenAI.CompletionUsage> = { completion_tokens: true, prompt_tokens: true, total_tokens: true };
  const answer = encoded("openai-chat");
  const [first] = listOf(answer["choices"]);
  expectAll(answer, completion);
  expectAll(first, choice);
  expectAll(objectOf(first)["message"], message);
  expectAll(answer["usage"], usage);
});

test("a response of OpenAI", () => {
  const response: Names<Omit<OpenAI.Responses.Response, "output_text">> = {
    id: true,
    access_programs: true,
    created_at: true,
    error: true,
    incomplete_details: true,
    instructions: true,
    metadata: true,
    model: true,
    object: true,
    output: true,
    parallel_tool_calls: true,
    temperature: true,
    tool_choice: true,
    tools: true,
    top_p: true,
  };
  const message: Names<OpenAI.Responses.ResponseOutputMessage> = {
    id: true,
    content: true,
    role: true,
    status: true,
    type: true,
  };
  const call: Names<OpenAI.Responses.ResponseFunctionToolCall> = {
    arguments: true,
    call_id: true,
    name: true,
    type: true,
  };
  const usage: Names<OpenAI.Responses.ResponseUsage> = {
    input_tokens: true,
    input_tokens_details: true,
    output_tokens: true,
    output_tokens_details: true,
    total_tokens: true,
  };
  const answer = encoded("openai-responses");
  const [words, called] = listOf(answer["output"]);
  expectAll(answer, response);
  expectAll(words, message);
  expectAll(called, call);
  expectAll(answer["usage"], usage);
});

test("a listed model", () => {
  const anthropic: Names<Anthropic.ModelInfo> = {
    id: true,
    capabilities: true,
    created_at: true,
    deprecated_at: true,
    display_name: true,
    lifecycle: true,
    line: true,
    max_input_tokens: true,
    max_tokens: true,
    retires_at: true,
    type: true,
  };
  const openAi: Names<OpenAI.Model> = { id: true, created: true, object: true, owned_by: true };
  const model = { id: "m", owner: "custom", endpointTypes: [], facts: {}, cost: undefined, retirement: undefined };
  expectAll(modelEntry("anthropic-messages", model), anthropic);
  expectAll(modelEntry("openai-chat", model), openAi);
});
