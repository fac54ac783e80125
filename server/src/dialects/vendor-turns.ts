/** Conversations for vendors that take one instruction and alternating turns, and warnings of fields that such vendors lack. */
import {
  type NeutralMessage,
  type NeutralPart,
  type NeutralRequest,
  type TextPart,
  TranslationFault,
  type Warn,
} from "./neutral/neutral.ts";

export interface Turn {
  role: "user" | "assistant";
  parts: readonly NeutralPart[];
}

export interface Conversation {
  /** All instructions in their order; empty where there are none. */
  system: string;
  /** No two behind each other have the same role. */
  turns: readonly Turn[];
}

const BREAK: TextPart = { kind: "text", text: "\n\n" };

/** The text among the parts, unchanged. */
export const joinedText = (parts: readonly NeutralPart[]): string =>
  parts.map((part) => (part.kind === "text" || part.kind === "refusal" ? part.text : "")).join("");

const isSaid = ({ kind }: NeutralPart): boolean => kind === "text" || kind === "refusal";

/** Joins two turns into one, their texts separated by a blank line. */
function joined(first: readonly NeutralPart[], second: readonly NeutralPart[]): NeutralPart[] {
  const last = first.at(-1);
  const next = second[0];
  const touches = last !== undefined && next !== undefined && isSaid(last) && isSaid(next);
  return touches ? [...first, BREAK, ...second] : [...first, ...second];
}

/**
 * The conversation as such a vendor takes it. Instructions in the middle of it move to its head, with a warning; messages of one role
 * behind each other become one turn.
 */
export function conversationOf({ system, messages }: NeutralRequest, warn: Warn): Conversation {
  const instructions = system.map(({ text }) => text);
  const turns: { role: Turn["role"]; parts: NeutralPart[] }[] = [];
  const add = (role: Turn["role"], { parts }: NeutralMessage): void => {
    const last = turns.at(-1);
    if (last?.role === role) last.parts = joined(last.parts, parts);
    else turns.push({ role, parts: [...parts] });
  };
  for (const message of messages) {
    if (message.role !== "system") add(message.role, message);
    else {
      warn("messages", "this model has its instructions at the head of the conversation, so all of them go there");
      instructions.push(joinedText(message.parts));
    }
  }
  return { system: instructions.filter((text) => text !== "").join("\n\n"), turns };
}

/** Fields that a vendor may have nothing for and that do not change the request, by the names clients know. */
const OPTIONAL_FIELDS = {
  maxTokens: "max_tokens",
  temperature: "temperature",
  topP: "top_p",
  topK: "top_k",
  presencePenalty: "presence_penalty",
  frequencyPenalty: "frequency_penalty",
  seed: "seed",
  stop: "stop",
  logitBias: "logit_bias",
  reasoning: "reasoning",
  hasParallelToolCalls: "parallel_tool_calls",
  user: "user",
  metadata: "metadata",
  serviceTier: "service_tier",
  verbosity: "verbosity",
} as const satisfies Partial<Record<keyof NeutralRequest, string>>;

type OptionalField = keyof typeof OPTIONAL_FIELDS;

/** Warns of each field that the client set and the vendor does not support; `taken` are those it does. */
export function warnOfUnsupported(request: NeutralRequest, taken: readonly OptionalField[], warn: Warn): void {
  for (const field of Object.keys(OPTIONAL_FIELDS) as OptionalField[]) {
    const value = request[field];
    if (taken.includes(field) || value === undefined || value === 0) continue;
    warn(OPTIONAL_FIELDS[field], "this model has no such parameter");
  }
}

/** The nearest number that the vendor accepts, with a warning if it differs. */
export function within(
  value: number | undefined,
  [least, most]: readonly [number, number],
  field: string,
  warn: Warn,
): number | undefined {
  if (value === undefined) return undefined;
  const taken = Math.min(Math.max(value, least), most);
  if (taken !== value) warn(field, `this model takes ${least} to ${most}`);
  return taken;
}

/** What else a vendor may lack, though an answer without it would be another. */
export interface Ability {
  takesTools: boolean;
  takesFormats: boolean;
}

/**
 * For vendors without a search: among functions it is one the answer can do without. Throws TranslationFault where it is all there is,
 * or where the answer has to call one of them all.
 */
export function refuseSearch({ tools, toolChoice }: NeutralRequest, warn: Warn): void {
  if (!tools.some(({ kind }) => kind === "web_search")) return;
  if (toolChoice?.kind === "required" || !tools.some(({ kind }) => kind === "function"))
    throw new TranslationFault("tools", "this model has no search that a request can ask for");
  warn("tools", "this model has no search that a request can ask for");
}

/** Throws TranslationFault for what the vendor, or any vendor with such a format, cannot do. */
export function refuseImpossible(request: NeutralRequest, { takesTools, takesFormats }: Ability, warn: Warn): void {
  const { choices, hasLogprobs, tools, responseFormat } = request;
  if (choices !== undefined && choices > 1) throw new TranslationFault("n", "this model gives one answer to a request");
  if (hasLogprobs === true) throw new TranslationFault("logprobs", "this model gives no log probabilities");
  if (!takesTools && tools.length > 0) throw new TranslationFault("tools", "this model calls no tools");
  refuseSearch(request, warn);
  if (!takesFormats && responseFormat !== undefined)
    throw new TranslationFault("response_format", "this model answers in words of its own form only");
}

/** The text of a tool's result. Throws TranslationFault if it holds more than text. */
export function resultText(parts: readonly NeutralPart[]): string {
  if (parts.some(({ kind }) => kind !== "text"))
    throw new TranslationFault("messages", "this model takes the results of tools as text only");
  return joinedText(parts);
}
