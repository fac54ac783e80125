/** LangChain's chat model for OpenAI as a client. */
import {
  type AIMessage,
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import {
  ANSWER_NAME,
  ANSWER_SCHEMA,
  type Client,
  type Conversation,
  MAX_TOKENS,
  PIXEL,
  type Reply,
  SYSTEM,
  type Turn,
  WEATHER,
} from "./matrix.ts";

function optionsOf(turn: Turn) {
  const { name, description, schema } = WEATHER;
  return {
    ...(turn.offersTools === true
      ? { tools: [{ type: "function" as const, function: { name, description, parameters: schema } }] }
      : {}),
    ...(turn.isStructured === true
      ? {
          response_format: {
            type: "json_schema" as const,
            json_schema: { name: ANSWER_NAME, schema: ANSWER_SCHEMA, strict: true },
          },
        }
      : {}),
    stream_options: { include_usage: true },
  };
}

function userMessages(turn: Turn, ids: readonly string[]): BaseMessage[] {
  const results = (turn.results ?? []).map(
    (content, index) => new ToolMessage({ tool_call_id: ids[index] ?? "", content }),
  );
  if (turn.text === "") return results;
  const picture = { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } };
  const content = [{ type: "text", text: turn.text }, ...(turn.hasImage === true ? [picture] : [])];
  return [...results, new HumanMessage({ content })];
}

async function streamed(stream: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  let whole: AIMessageChunk | undefined;
  for await (const chunk of stream) whole = whole === undefined ? chunk : whole.concat(chunk);
  if (whole === undefined) throw new Error("the stream was empty");
  return whole;
}

function replyOf(message: AIMessage): Reply {
  const usage = message.usage_metadata as { input_tokens: number; output_tokens: number } | undefined;
  const thinking = message.additional_kwargs["reasoning_content"];
  return {
    text: typeof message.content === "string" ? message.content : message.text,
    calls: (message.tool_calls ?? []).map(({ name, args }) => ({ name, input: args })),
    thinking: typeof thinking === "string" ? thinking : "",
    inputTokens: usage?.input_tokens ?? -1,
    outputTokens: usage?.output_tokens ?? -1,
  };
}

export const langChain: Client = {
  name: "@langchain/openai",
  keepsThinking: false,
  open(url, apiKey, model): Conversation {
    const messages: BaseMessage[] = [new SystemMessage(SYSTEM)];
    let ids: string[] = [];
    return {
      async ask(turn) {
        messages.push(...userMessages(turn, ids));
        const chat = new ChatOpenAI({
          model,
          apiKey,
          maxRetries: 0,
          maxTokens: MAX_TOKENS,
          useResponsesApi: false,
          configuration: { baseURL: `${url}/v1` },
          ...(turn.thinks === true ? { modelKwargs: { reasoning_effort: "low" } } : {}),
        });
        const { stream_options, ...options } = optionsOf(turn);
        const message = turn.isStream
          ? await streamed(await chat.stream([...messages], { ...options, stream_options }))
          : await chat.invoke([...messages], options);
        messages.push(message);
        ids = (message.tool_calls ?? []).map(({ id }) => id ?? "");
        return replyOf(message);
      },
    };
  },
};
