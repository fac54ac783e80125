/** The AI SDK as a client, by its provider for OpenAI-compatible gateways and by the one for Anthropic. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import {
  type LanguageModel,
  type ModelMessage,
  Output,
  type ToolSet,
  generateText,
  jsonSchema,
  streamText,
  tool,
} from "ai";
import {
  ANSWER_NAME,
  ANSWER_SCHEMA,
  type Client,
  type Conversation,
  MAX_TOKENS,
  PIXEL,
  SYSTEM,
  THINKING_TOKENS,
  type Turn,
  WEATHER,
} from "./matrix.ts";

const TOOLS: ToolSet = {
  [WEATHER.name]: tool({ description: WEATHER.description, inputSchema: jsonSchema<{ city: string }>(WEATHER.schema) }),
};

type Options = NonNullable<Parameters<typeof generateText>[0]["providerOptions"]>;

function settingsOf(turn: Turn, model: LanguageModel, messages: ModelMessage[], thinking: Options) {
  return {
    model,
    messages,
    system: SYSTEM,
    maxOutputTokens: MAX_TOKENS,
    maxRetries: 0,
    ...(turn.offersTools === true ? { tools: TOOLS } : {}),
    ...(turn.isStructured === true
      ? { output: Output.object({ name: ANSWER_NAME, schema: jsonSchema(ANSWER_SCHEMA) }) }
      : {}),
    ...(turn.thinks === true ? { providerOptions: thinking } : {}),
  };
}

function userMessages(turn: Turn, calls: readonly { id: string; name: string }[]): ModelMessage[] {
  const results = (turn.results ?? []).map((value, index) => ({
    type: "tool-result" as const,
    toolCallId: calls[index]?.id ?? "",
    toolName: calls[index]?.name ?? "",
    output: { type: "text" as const, value },
  }));
  const picture = { type: "image" as const, image: PIXEL, mediaType: "image/png" };
  const text = { type: "text" as const, text: turn.text };
  return [
    ...(results.length === 0 ? [] : [{ role: "tool" as const, content: results }]),
    ...(turn.text === ""
      ? []
      : [{ role: "user" as const, content: [text, ...(turn.hasImage === true ? [picture] : [])] }]),
  ];
}

/** A conversation by one of the SDK's providers. `thinking` are the options that ask for it. */
function converse(model: LanguageModel, thinking: Options): Conversation {
  const messages: ModelMessage[] = [];
  let calls: { id: string; name: string }[] = [];
  return {
    async ask(turn) {
      messages.push(...userMessages(turn, calls));
      const settings = settingsOf(turn, model, [...messages], thinking);
      const result = turn.isStream
        ? streamText({ ...settings, onError: () => undefined })
        : await generateText(settings);
      // Of a stream these are promises, of a whole answer values.
      const [text, toolCalls, reasoning, usage, response] = await Promise.all([
        result.text,
        result.toolCalls,
        result.reasoningText,
        result.usage,
        result.response,
      ]);
      messages.push(...response.messages);
      calls = toolCalls.map((call) => ({ id: call.toolCallId, name: call.toolName }));
      return {
        text,
        calls: toolCalls.map((call) => ({ name: call.toolName, input: call.input as unknown })),
        thinking: reasoning ?? "",
        inputTokens: usage.inputTokens ?? -1,
        outputTokens: usage.outputTokens ?? -1,
      };
    },
  };
}

export const aiCompatible: Client = {
  name: "ai with @ai-sdk/openai-compatible",
  keepsThinking: true,
  open(url, apiKey, model) {
    const provider = createOpenAICompatible({
      name: "turnpike",
      apiKey,
      baseURL: `${url}/v1`,
      includeUsage: true,
      supportsStructuredOutputs: true,
    });
    return converse(provider(model), { turnpike: { reasoningEffort: "low" } });
  },
};

export const aiAnthropic: Client = {
  name: "ai with @ai-sdk/anthropic",
  keepsThinking: true,
  open(url, apiKey, model) {
    const provider = createAnthropic({ apiKey, baseURL: `${url}/v1` });
    return converse(provider(model), { anthropic: { thinking: { type: "enabled", budgetTokens: THINKING_TOKENS } } });
  },
};
