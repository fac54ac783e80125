/** Anthropic's own library as a client. */
import Anthropic from "@anthropic-ai/sdk";
import {
  ANSWER_SCHEMA,
  type Client,
  type Conversation,
  MAX_TOKENS,
  PIXEL,
  type Reply,
  SYSTEM,
  THINKING_TOKENS,
  type Turn,
  WEATHER,
} from "./matrix.ts";

type Body = Anthropic.MessageCreateParamsNonStreaming;

function bodyOf(turn: Turn, model: string, messages: Anthropic.MessageParam[]): Body {
  const { name, description, schema } = WEATHER;
  return {
    model,
    messages,
    system: SYSTEM,
    max_tokens: MAX_TOKENS,
    ...(turn.offersTools === true ? { tools: [{ name, description, input_schema: schema }] } : {}),
    ...(turn.isStructured === true
      ? { output_config: { format: { type: "json_schema", schema: ANSWER_SCHEMA } } }
      : {}),
    ...(turn.thinks === true ? { thinking: { type: "enabled", budget_tokens: THINKING_TOKENS } } : {}),
  };
}

function userContent(turn: Turn, ids: readonly string[]): Anthropic.ContentBlockParam[] {
  const results = (turn.results ?? []).map((content, index): Anthropic.ContentBlockParam => ({
    type: "tool_result",
    tool_use_id: ids[index] ?? "",
    content,
  }));
  const text: Anthropic.ContentBlockParam[] = turn.text === "" ? [] : [{ type: "text", text: turn.text }];
  const picture: Anthropic.ContentBlockParam = {
    type: "image",
    source: { type: "base64", media_type: "image/png", data: PIXEL },
  };
  return [...results, ...text, ...(turn.hasImage === true ? [picture] : [])];
}

function replyOf({ content, usage }: Anthropic.Message): Reply {
  return {
    text: content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(""),
    calls: content.flatMap((block) => (block.type === "tool_use" ? [{ name: block.name, input: block.input }] : [])),
    thinking: content.flatMap((block) => (block.type === "thinking" ? [block.thinking] : [])).join(""),
    inputTokens: usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0),
    outputTokens: usage.output_tokens,
  };
}

export const anthropic: Client = {
  name: "@anthropic-ai/sdk",
  keepsThinking: true,
  open(url, key, model): Conversation {
    const library = new Anthropic({ apiKey: key, baseURL: url, maxRetries: 0 });
    const messages: Anthropic.MessageParam[] = [];
    let ids: string[] = [];
    return {
      async ask(turn) {
        messages.push({ role: "user", content: userContent(turn, ids) });
        const body = bodyOf(turn, model, [...messages]);
        const message = turn.isStream
          ? await library.messages.stream(body).finalMessage()
          : await library.messages.create(body);
        messages.push({ role: "assistant", content: message.content });
        ids = message.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
        return replyOf(message);
      },
    };
  },
};
