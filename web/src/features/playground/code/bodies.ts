/**
 * One conversation as the body of each API: chat completions and Responses (developers.openai.com/api/reference), Messages
 * (platform.claude.com/docs/en/api/messages) and generateContent (ai.google.dev/api/generate-content). Pure.
 */
import type { ApiMessage } from "../model/request.ts";
import { argumentsOf, nameOfCall, partsOf, pictureOf, present, type Sample } from "./sample.ts";

type Fields = Record<string, unknown>;

/** Messages has no default for it. */
const MESSAGES_MAX_TOKENS = 4096;

export function chatBody({ model, system, messages, tools, temperature, top_p, max_tokens }: Sample): Fields {
  const first = system === "" ? [] : [{ role: "system", content: system }];
  return present({
    model,
    messages: [...first, ...messages],
    temperature,
    top_p,
    max_tokens,
    tools: tools.length === 0 ? undefined : tools,
  });
}

function responsesItems({ role, content, tool_calls = [], tool_call_id }: ApiMessage): Fields[] {
  if (role === "tool") return [{ type: "function_call_output", call_id: tool_call_id, output: content }];
  const calls = tool_calls.map(({ id, function: called }) => ({ type: "function_call", call_id: id, ...called }));
  if (content === null || content === "") return calls;
  if (typeof content === "string") return [{ role, content }, ...calls];
  const parts = content.map((part) =>
    part.type === "text"
      ? { type: "input_text", text: part.text }
      : { type: "input_image", image_url: part.image_url.url, detail: "auto" },
  );
  return [{ role, content: parts }, ...calls];
}

export function responsesBody({ model, system, messages, tools, temperature, top_p, max_tokens }: Sample): Fields {
  return present({
    model,
    instructions: system === "" ? undefined : system,
    input: messages.flatMap(responsesItems),
    temperature,
    top_p,
    max_output_tokens: max_tokens,
    tools:
      tools.length === 0 ? undefined : tools.map((tool) => ({ type: "function", strict: false, ...tool.function })),
  });
}

function messagesBlocks({ role, content, tool_calls = [], tool_call_id }: ApiMessage): unknown {
  if (role === "tool") return [{ type: "tool_result", tool_use_id: tool_call_id, content }];
  if (typeof content === "string" && tool_calls.length === 0) return content;
  const said = partsOf(content ?? "").flatMap((part): Fields[] => {
    if (part.type === "text") return part.text === "" ? [] : [{ type: "text", text: part.text }];
    const { mediaType, data } = pictureOf(part.image_url.url);
    return [{ type: "image", source: { type: "base64", media_type: mediaType, data } }];
  });
  const calls = tool_calls.map(({ id, function: called }) => ({
    type: "tool_use",
    id,
    name: called.name,
    input: argumentsOf(called.arguments),
  }));
  return [...said, ...calls];
}

/** Results that follow each other are one message: the API wants all of a turn at once. */
function messagesTurns(messages: readonly ApiMessage[]): Fields[] {
  const turns: { role: string; content: unknown; isResult: boolean }[] = [];
  for (const message of messages) {
    const content = messagesBlocks(message);
    const isResult = message.role === "tool";
    const last = turns.at(-1);
    if (isResult && last?.isResult === true) last.content = [...(last.content as unknown[]), ...(content as unknown[])];
    else turns.push({ role: isResult ? "user" : message.role, content, isResult });
  }
  return turns.map(({ role, content }) => ({ role, content }));
}

export function messagesBody({ model, system, messages, tools, temperature, top_p, max_tokens }: Sample): Fields {
  return present({
    model,
    max_tokens: max_tokens ?? MESSAGES_MAX_TOKENS,
    system: system === "" ? undefined : system,
    messages: messagesTurns(messages),
    temperature,
    top_p,
    tools:
      tools.length === 0
        ? undefined
        : tools.map(({ function: { name, description, parameters } }) =>
            present({ name, description, input_schema: parameters ?? { type: "object", properties: {} } }),
          ),
  });
}

function geminiParts(message: ApiMessage, all: readonly ApiMessage[]): Fields[] {
  const { role, content, tool_calls = [], tool_call_id } = message;
  if (role === "tool")
    return [{ functionResponse: { name: nameOfCall(all, tool_call_id), response: { result: content } } }];
  const said = partsOf(content ?? "").flatMap((part): Fields[] => {
    if (part.type === "text") return part.text === "" ? [] : [{ text: part.text }];
    const { mediaType, data } = pictureOf(part.image_url.url);
    return [{ inlineData: { mimeType: mediaType, data } }];
  });
  const calls = tool_calls.map(({ function: called }) => ({
    functionCall: { name: called.name, args: argumentsOf(called.arguments) },
  }));
  return [...said, ...calls];
}

/** The turns of generateContent. */
export function geminiContents(messages: readonly ApiMessage[]): Fields[] {
  const turns: { role: string; parts: Fields[] }[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "model" : "user";
    const parts = geminiParts(message, messages);
    const last = turns.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else turns.push({ role, parts });
  }
  return turns;
}

/** What its libraries call the configuration of a call. */
export function geminiConfig({ system, tools, temperature, top_p, max_tokens }: Sample): Fields {
  const declarations = tools.map(({ function: { name, description, parameters } }) =>
    present({ name, description, parametersJsonSchema: parameters }),
  );
  return present({
    systemInstruction: system === "" ? undefined : system,
    temperature,
    topP: top_p,
    maxOutputTokens: max_tokens,
    tools: declarations.length === 0 ? undefined : [{ functionDeclarations: declarations }],
  });
}

export function geminiBody(sample: Sample): Fields {
  const { systemInstruction, tools, ...generation } = geminiConfig(sample);
  return present({
    contents: geminiContents(sample.messages),
    systemInstruction: systemInstruction === undefined ? undefined : { parts: [{ text: systemInstruction }] },
    generationConfig: Object.keys(generation).length === 0 ? undefined : generation,
    tools,
  });
}
