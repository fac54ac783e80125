/** The body of a call: the system prompt first, then the messages of the context, and only the parameters that were set. Pure. */
import { type AttachmentPart, partOf } from "./attachments.ts";
import type { Conversation, Lane, Message } from "./conversation.ts";
import { context } from "./edits.ts";
import { chosen, type Parameters } from "./parameters.ts";
import { type FunctionTool, toolsOf } from "./tools.ts";

export type ContentPart = AttachmentPart | { type: "image_url"; image_url: { url: string } };

export interface ApiToolCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
  extra_content?: unknown;
}

export interface ApiMessage {
  role: "system" | "user" | "assistant" | "tool";
  content: string | ContentPart[] | null;
  tool_calls?: ApiToolCall[];
  tool_call_id?: string;
  reasoning_content?: string;
  reasoning_details?: readonly unknown[];
}

export interface Body extends Record<string, unknown> {
  model: string;
  group: string;
  stream: true;
  messages: ApiMessage[];
  tools?: FunctionTool[];
}

const contentOf = ({ content, images = [], attachments = [] }: Message): string | ContentPart[] => {
  const pictures = images.map((url): ContentPart => ({ type: "image_url", image_url: { url } }));
  const parts = [...pictures, ...attachments.map(partOf)];
  if (parts.length === 0) return content;
  return content === "" ? parts : [{ type: "text", text: content }, ...parts];
};

const callOf = ({ id, name, arguments: text, extra }: NonNullable<Message["toolCalls"]>[number]): ApiToolCall => ({
  id,
  type: "function",
  // No vendor takes what is not JSON.
  function: { name, arguments: isJson(text) ? text : "{}" },
  ...(extra === undefined ? {} : { extra_content: extra }),
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A reply with its calls where all have results, and its words alone where not: vendors refuse a call without its result. */
function replyOf(message: Message, results: ReadonlySet<string | undefined>): ApiMessage[] {
  const calls = message.toolCalls ?? [];
  const hasCalls = calls.length > 0 && calls.every(({ id }) => results.has(id));
  if (!hasCalls) return message.content === "" ? [] : [{ role: "assistant", content: message.content }];
  const { reasoning, reasoningDetails } = message;
  return [
    {
      role: "assistant",
      content: message.content === "" ? null : message.content,
      tool_calls: calls.map(callOf),
      // Thinking goes back with its calls: some vendors refuse the results otherwise.
      ...(reasoning ? { reasoning_content: reasoning } : {}),
      ...(reasoningDetails ? { reasoning_details: reasoningDetails } : {}),
    },
  ];
}

function messagesOf(thread: readonly Message[]): ApiMessage[] {
  const all = context(thread);
  const results = new Set(all.filter(({ role }) => role === "tool").map(({ toolCallId }) => toolCallId));
  const sent = new Set<string>();
  return all.flatMap((message): ApiMessage[] => {
    if (message.role === "assistant") {
      const reply = replyOf(message, results);
      for (const { id } of reply[0]?.tool_calls ?? []) sent.add(id);
      return reply;
    }
    if (message.role !== "tool") return [{ role: "user", content: contentOf(message) }];
    const { toolCallId = "", content } = message;
    return sent.has(toolCallId) ? [{ role: "tool", tool_call_id: toolCallId, content }] : [];
  });
}

/** The messages of a call, with the system prompt where it is not blank. */
export function apiMessages(system: string, thread: readonly Message[]): ApiMessage[] {
  const first: ApiMessage[] = system.trim() === "" ? [] : [{ role: "system", content: system }];
  return [...first, ...messagesOf(thread)];
}

/**
 * The body of a call for a reply to `thread`. Usage is asked for, so that tokens are known where calls are not logged. Tools that
 * cannot be read are not sent; the panel says what is wrong with them.
 */
export function bodyOf(
  { system, tools: text }: Conversation,
  { model, group }: Lane,
  thread: readonly Message[],
  all: Parameters,
): Body {
  const tools = toolsOf(text);
  return {
    model,
    group,
    stream: true,
    stream_options: { include_usage: true },
    ...chosen(all),
    messages: apiMessages(system, thread),
    ...(typeof tools === "string" || tools.length === 0 ? {} : { tools }),
  };
}
