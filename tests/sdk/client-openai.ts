/** OpenAI's own library as a client: chat completions and Responses. */
import OpenAI from "openai";
import type {
  Response,
  ResponseCreateParamsNonStreaming,
  ResponseInputItem,
} from "openai/resources/responses/responses";
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

const libraryOf = (url: string, key: string): OpenAI =>
  new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
const PICTURE = `data:image/png;base64,${PIXEL}`;

type ChatBody = OpenAI.ChatCompletionCreateParamsNonStreaming;

function chatBody(turn: Turn, model: string, messages: OpenAI.ChatCompletionMessageParam[]): ChatBody {
  const { name, description, schema } = WEATHER;
  return {
    model,
    messages,
    max_tokens: MAX_TOKENS,
    ...(turn.offersTools === true
      ? { tools: [{ type: "function", function: { name, description, parameters: schema, strict: true } }] }
      : {}),
    ...(turn.isStructured === true
      ? {
          response_format: {
            type: "json_schema",
            json_schema: { name: ANSWER_NAME, schema: ANSWER_SCHEMA, strict: true },
          },
        }
      : {}),
    ...(turn.thinks === true ? { reasoning_effort: "low" } : {}),
  };
}

const userContent = ({ text, hasImage }: Turn): OpenAI.ChatCompletionUserMessageParam["content"] =>
  hasImage === true
    ? [
        { type: "text", text },
        { type: "image_url", image_url: { url: PICTURE } },
      ]
    : text;

/** What DeepSeek and OpenRouter add to messages; the library hands it over and back untyped. */
interface Thinking {
  reasoning_content?: string;
  reasoning_details?: unknown[];
}
type ChatMessage = OpenAI.ChatCompletionMessage & Thinking;

/** The message of a stream, put together as applications do that keep thinking. */
async function streamedMessage(library: OpenAI, body: ChatBody): Promise<OpenAI.ChatCompletion> {
  const { stream: _stream, ...rest } = body;
  const stream = library.chat.completions.stream({ ...rest, stream_options: { include_usage: true } });
  const thinking = { reasoning_content: "", reasoning_details: [] as unknown[] };
  stream.on("chunk", (chunk) => {
    const delta = (chunk.choices[0]?.delta ?? {}) as Thinking;
    thinking.reasoning_content += delta.reasoning_content ?? "";
    thinking.reasoning_details.push(...(delta.reasoning_details ?? []));
  });
  const completion = await stream.finalChatCompletion();
  const [choice] = completion.choices;
  if (choice !== undefined && thinking.reasoning_content !== "") Object.assign(choice.message, thinking);
  return completion;
}

function chatReply({ choices, usage }: OpenAI.ChatCompletion): Reply & { message: ChatMessage } {
  const [choice] = choices;
  if (choice === undefined) throw new Error("the answer has no choice");
  const message = choice.message as ChatMessage;
  const calls = (message.tool_calls ?? []).filter((call) => call.type === "function");
  return {
    message,
    text: message.content ?? "",
    calls: calls.map((call) => ({ name: call.function.name, input: JSON.parse(call.function.arguments) as unknown })),
    thinking: message.reasoning_content ?? "",
    inputTokens: usage?.prompt_tokens ?? -1,
    outputTokens: usage?.completion_tokens ?? -1,
  };
}

export const openAiChat: Client = {
  name: "openai, chat completions",
  keepsThinking: true,
  open(url, key, model): Conversation {
    const library = libraryOf(url, key);
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "system", content: SYSTEM }];
    let ids: string[] = [];
    return {
      async ask(turn) {
        for (const [index, content] of (turn.results ?? []).entries())
          messages.push({ role: "tool", tool_call_id: ids[index] ?? "", content });
        if (turn.text !== "") messages.push({ role: "user", content: userContent(turn) });
        const body = chatBody(turn, model, [...messages]);
        const completion = turn.isStream
          ? await streamedMessage(library, body)
          : await library.chat.completions.create(body);
        const reply = chatReply(completion);
        messages.push(reply.message);
        ids = (reply.message.tool_calls ?? []).map(({ id }) => id);
        return reply;
      },
    };
  },
};

function responsesBody(turn: Turn, model: string, input: ResponseInputItem[]): ResponseCreateParamsNonStreaming {
  const { name, description, schema } = WEATHER;
  return {
    model,
    input,
    instructions: SYSTEM,
    store: false,
    max_output_tokens: MAX_TOKENS,
    ...(turn.offersTools === true
      ? { tools: [{ type: "function", name, description, parameters: schema, strict: true }] }
      : {}),
    ...(turn.isStructured === true
      ? { text: { format: { type: "json_schema", name: ANSWER_NAME, schema: ANSWER_SCHEMA, strict: true } } }
      : {}),
    ...(turn.thinks === true
      ? { reasoning: { effort: "low", summary: "auto" }, include: ["reasoning.encrypted_content"] }
      : {}),
  };
}

function responsesReply(response: Response): Reply {
  const thoughts = response.output.filter((item) => item.type === "reasoning");
  const calls = response.output.filter((item) => item.type === "function_call");
  return {
    text: response.output_text,
    calls: calls.map((call) => ({ name: call.name, input: JSON.parse(call.arguments) as unknown })),
    thinking: thoughts.flatMap(({ summary }) => summary.map(({ text }) => text)).join(""),
    inputTokens: response.usage?.input_tokens ?? -1,
    outputTokens: response.usage?.output_tokens ?? -1,
  };
}

function userItem({ text, hasImage }: Turn): ResponseInputItem {
  const picture = { type: "input_image" as const, image_url: PICTURE, detail: "auto" as const };
  return { role: "user", content: [{ type: "input_text", text }, ...(hasImage === true ? [picture] : [])] };
}

export const openAiResponses: Client = {
  name: "openai, Responses",
  keepsThinking: true,
  open(url, key, model): Conversation {
    const library = libraryOf(url, key);
    const input: ResponseInputItem[] = [];
    let ids: string[] = [];
    return {
      async ask(turn) {
        for (const [index, output] of (turn.results ?? []).entries())
          input.push({ type: "function_call_output", call_id: ids[index] ?? "", output });
        if (turn.text !== "") input.push(userItem(turn));
        const body = responsesBody(turn, model, [...input]);
        const response = turn.isStream
          ? await library.responses.stream({ ...body, stream: true }).finalResponse()
          : await library.responses.create(body);
        input.push(...(response.output as ResponseInputItem[]));
        ids = response.output.flatMap((item) => (item.type === "function_call" ? [item.call_id] : []));
        return responsesReply(response);
      },
    };
  },
};
