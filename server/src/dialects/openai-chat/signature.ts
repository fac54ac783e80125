/**
 * Thinking in chat messages: `reasoning_content` (DeepSeek's name) or `reasoning` for the text, and `reasoning_details` for what a
 * vendor wants back unchanged (openrouter.ai/docs/guides/best-practices/reasoning-tokens), both ways.
 */
import { isObject, listOf, objectOf, textOf } from "../json/fields.ts";
import type {
  DialectName,
  JsonObject,
  NeutralPart,
  ReasoningPart,
  Signature,
  ToolCallPart,
} from "../neutral/neutral.ts";
import { packSignature, unpackSignature } from "../neutral/signature.ts";

/**
 * Most vendors of this format sign nothing, and clients of other formats drop thinking that has no proof; so it is given this one on
 * its way to them, and on its way back it stands for none.
 */
export const UNSIGNED: Signature = { dialect: "openai-chat", value: "unsigned" };

/** A part of an upstream's answer, with a proof where it is thinking. */
export const proven = (part: NeutralPart): NeutralPart =>
  part.kind === "reasoning" && part.signature === undefined ? { ...part, signature: UNSIGNED } : part;

/** True where the signature is the vendor's own and no stand-in. */
export const isSigned = ({ signature }: ReasoningPart): boolean =>
  signature !== undefined && !(signature.dialect === UNSIGNED.dialect && signature.value === UNSIGNED.value);

/** Fields of a message or a delta that hold thinking and nothing else. */
export const REASONING_FIELDS: ReadonlySet<string> = new Set(["reasoning_content", "reasoning", "reasoning_details"]);

/** The words of thinking a message or a delta carries, under either of its names; empty where there are none. */
export const reasoningText = (fields: JsonObject): string =>
  textOf(fields["reasoning_content"]) || textOf(fields["reasoning"]);

/** A part of content that is no word of the answer: Mistral's reasoning models answer with such (docs.mistral.ai/capabilities/reasoning). */
export const isThinking = (part: unknown): boolean => objectOf(part)["type"] === "thinking";

/** Thoughts among the parts of content. */
export function thinkingInParts(content: unknown): string {
  const thoughts = listOf(content)
    .filter(isThinking)
    .flatMap((part) => listOf(objectOf(part)["thinking"]));
  return thoughts.map((thought) => textOf(objectOf(thought)["text"])).join("");
}

const signed = (text: string): { signature?: Signature } =>
  text === "" ? {} : { signature: unpackSignature(text, "openai-chat") };

/** One entry of reasoning_details; undefined for what holds nothing. */
export function detailPart(detail: unknown): ReasoningPart | undefined {
  if (!isObject(detail)) return undefined;
  if (detail["type"] === "reasoning.encrypted") {
    const data = textOf(detail["data"]);
    return data === "" ? undefined : { kind: "reasoning", text: "", ...signed(data), isRedacted: true };
  }
  const text = textOf(detail["text"]) || textOf(detail["summary"]);
  const signature = textOf(detail["signature"]);
  return text === "" && signature === "" ? undefined : { kind: "reasoning", text, ...signed(signature) };
}

/** Entries that clients aggregated from a stream come in pieces: text that goes on until its signature is one part. */
function joined(parts: readonly ReasoningPart[]): ReasoningPart[] {
  const found: ReasoningPart[] = [];
  for (const part of parts) {
    const last = found.at(-1);
    const goesOn = last !== undefined && last.signature === undefined && part.isRedacted !== true;
    if (goesOn) found.splice(-1, 1, { ...part, text: last.text + part.text });
    else found.push(part);
  }
  return found;
}

/** Thinking of a whole message. The details say more than the plain text, which stands in where they have no words. */
export function reasoningParts(message: JsonObject): ReasoningPart[] {
  const details = Array.isArray(message["reasoning_details"]) ? message["reasoning_details"] : [];
  const parts = joined(details.map(detailPart).filter((part) => part !== undefined));
  const plain = reasoningText(message) || thinkingInParts(message["content"]);
  if (plain === "" || parts.some(({ text }) => text !== "")) return parts;
  const first = parts.findIndex(({ isRedacted }) => isRedacted !== true);
  if (first < 0) return [{ kind: "reasoning", text: plain }, ...parts];
  return parts.map((part, index) => (index === first ? { ...part, text: plain } : part));
}

/** The entry of reasoning_details for one part; `write` says how its signature is spelled. */
export function detailOf(part: ReasoningPart, index: number, write: (signature: Signature) => string): JsonObject {
  const signature = part.signature !== undefined && isSigned(part) ? write(part.signature) : undefined;
  if (part.isRedacted === true) return { type: "reasoning.encrypted", data: signature ?? "", index };
  return { type: "reasoning.text", text: part.text, ...(signature === undefined ? {} : { signature }), index };
}

/** Fields of a message for a client: every signature travels, packed where it is another vendor's. */
export function reasoningFields(parts: readonly NeutralPart[]): JsonObject {
  const thoughts = parts.filter((part) => part.kind === "reasoning");
  const text = thoughts.map((part) => part.text).join("");
  const pack = (signature: Signature): string => packSignature(signature, "openai-chat");
  return {
    ...(text === "" ? {} : { reasoning_content: text }),
    ...(thoughts.some(isSigned)
      ? { reasoning_details: thoughts.map((part, index) => detailOf(part, index, pack)) }
      : {}),
  };
}

/**
 * Google's place for the signature of a tool call (ai.google.dev/gemini-api/docs/openai, thought signatures); other vendors' travel
 * there packed.
 */
export function callSignature(call: JsonObject): { signature?: Signature } {
  const extra = isObject(call["extra_content"]) ? call["extra_content"]["google"] : undefined;
  return signed(isObject(extra) ? textOf(extra["thought_signature"]) : "");
}

export const callExtra = (signature: string | undefined): JsonObject =>
  signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };

/** Vendors that sign their thinking and never a call: such a signature on a call was carried there for the thinking before it. */
const SIGNS_THINKING: ReadonlySet<DialectName> = new Set<DialectName>(["anthropic-messages", "openai-responses"]);

/**
 * Many clients keep the signature of a call and drop reasoning_details, so the one signature of the thinking before a call travels on
 * the call as well. Undefined where there is none, or more than a call can carry.
 */
export function carriedSignature(parts: readonly NeutralPart[]): Signature | undefined {
  const [first, ...more] = parts.filter((part) => part.kind === "reasoning" && part.signature !== undefined);
  if (first?.kind !== "reasoning" || more.length > 0 || first.isRedacted === true) return undefined;
  return isCarried(first.signature) ? first.signature : undefined;
}

export const isCarried = (signature: Signature | undefined): boolean =>
  signature !== undefined && SIGNS_THINKING.has(signature.dialect);

const withoutSignature = ({ signature: _signature, ...call }: ToolCallPart): ToolCallPart => call;

/** Gives the thinking back the signature that a call carried for it, where the thinking came without. */
export function withCarried(thoughts: readonly ReasoningPart[], calls: readonly ToolCallPart[]): NeutralPart[] {
  const signature = calls.map((call) => call.signature).find(isCarried);
  const plain = calls.map((call) => (isCarried(call.signature) ? withoutSignature(call) : call));
  if (signature === undefined || thoughts.some((part) => part.signature !== undefined)) return [...thoughts, ...plain];
  const text = thoughts.map((part) => part.text).join("");
  return [{ kind: "reasoning", text, signature }, ...plain];
}
