/**
 * A channel's own instructions in a conversation: inserted into the client's bytes by their format, or into the neutral form where the
 * upstream has another; part of step 5. The tokens they add are counted, for an upstream that counts nothing.
 */
import type { ChannelPrompt } from "../../snapshot/channel-setting.ts";
import { isObject } from "../../util/json-read.ts";
import type { DialectName, JsonObject, NeutralRequest, TextPart } from "../../dialects/neutral/neutral.ts";
import { estimateText } from "../../dialects/neutral/token-estimate.ts";
import { promptTokens } from "../metering/channel-prompts.ts";

/** A field of the request and its new value. */
interface PromptEdit {
  name: string;
  value: unknown;
  /** Tokens that the input has more, or less where the client's own instructions were longer. */
  tokens: number;
}

/** Between the operator's instructions and the client's, where both are one text. */
const GAP = "\n";

const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);

const tokensOf = (value: unknown): number =>
  isBlank(value) ? 0 : estimateText(typeof value === "string" ? value : JSON.stringify(value)).tokens;

/** What stands for the client's instructions; undefined where they stay as they are. `joined` puts the text before them. */
function placed(
  prompt: ChannelPrompt,
  own: unknown,
  { alone, joined }: { alone: unknown; joined: (own: unknown) => unknown },
): Omit<PromptEdit, "name"> | undefined {
  const tokens = promptTokens(prompt);
  if (isBlank(own)) return { value: alone, tokens };
  if (prompt.place === "where_missing") return undefined;
  if (prompt.place === "before") return { value: joined(own), tokens };
  return { value: alone, tokens: tokens - tokensOf(own) };
}

const isOperators = (message: unknown): message is JsonObject =>
  isObject(message) && ["system", "developer"].includes(String((message as JsonObject)["role"]));

/** Text before a content that is a text or a list of parts. */
const withText = (text: string, content: unknown, type: string): unknown =>
  Array.isArray(content) ? [{ type, text }, ...content] : `${text}${GAP}${String(content ?? "")}`;

/** The leading messages are the client's instructions; one message is made of text and the first of them, which not every server takes twice. */
function ofChat(prompt: ChannelPrompt, fields: JsonObject): PromptEdit | undefined {
  const messages = Array.isArray(fields["messages"]) ? (fields["messages"] as unknown[]) : [];
  const end = messages.findIndex((message) => !isOperators(message));
  const leading = messages.slice(0, end < 0 ? messages.length : end) as JsonObject[];
  // Instructions in the middle are instructions too, but not in the place that the operator's have.
  if (prompt.place === "where_missing" && messages.some(isOperators)) return undefined;
  const [first, ...others] = leading;
  const role = first?.["role"] ?? "system";
  const { text } = prompt;
  const made = placed(prompt, leading, {
    alone: [{ role, content: text }],
    joined: () => [{ ...first, content: withText(text, first?.["content"], "text") }, ...others],
  });
  if (made === undefined) return undefined;
  return { ...made, name: "messages", value: [...(made.value as unknown[]), ...messages.slice(leading.length)] };
}

function ofMessages(prompt: ChannelPrompt, fields: JsonObject): PromptEdit | undefined {
  const { text } = prompt;
  const made = placed(prompt, fields["system"], { alone: text, joined: (own) => withText(text, own, "text") });
  return made && { ...made, name: "system" };
}

function ofResponses(prompt: ChannelPrompt, fields: JsonObject): PromptEdit | undefined {
  const input = Array.isArray(fields["input"]) ? (fields["input"] as unknown[]) : [];
  if (prompt.place === "where_missing" && input.some(isOperators)) return undefined;
  const { text } = prompt;
  const made = placed(prompt, fields["instructions"], {
    alone: text,
    joined: (own) => withText(text, own, "input_text"),
  });
  return made && { ...made, name: "instructions" };
}

function ofGemini(prompt: ChannelPrompt, fields: JsonObject): PromptEdit | undefined {
  const name = fields["system_instruction"] === undefined ? "systemInstruction" : "system_instruction";
  const part = { text: prompt.text };
  const made = placed(prompt, fields[name], {
    alone: { parts: [part] },
    joined(own) {
      if (!isObject(own)) return { parts: [part, { text: String(own) }] };
      const parts = (own as JsonObject)["parts"];
      return { ...own, parts: [part, ...(Array.isArray(parts) ? parts : isBlank(parts) ? [] : [parts])] };
    },
  });
  return made && { ...made, name };
}

const BY_FORMAT: Readonly<Record<DialectName, typeof ofChat>> = {
  "openai-chat": ofChat,
  "anthropic-messages": ofMessages,
  "openai-responses": ofResponses,
  gemini: ofGemini,
};

/** The field of a conversation that changes, in the format of the request; undefined where none does. Pure. */
export const promptEdit = (prompt: ChannelPrompt, format: DialectName, fields: JsonObject): PromptEdit | undefined =>
  BY_FORMAT[format](prompt, fields);

/** The same for a request on its way into another format. */
export function withPrompt(
  request: NeutralRequest,
  prompt: ChannelPrompt,
): { request: NeutralRequest; tokens: number } {
  const part: TextPart = { kind: "text", text: prompt.text };
  const { system } = request;
  const made = placed(prompt, system, { alone: [part], joined: () => [part, ...system] });
  if (made === undefined) return { request, tokens: 0 };
  return { request: { ...request, system: made.value as readonly TextPart[] }, tokens: made.tokens };
}
