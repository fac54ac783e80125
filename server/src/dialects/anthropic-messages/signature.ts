/** Signatures of reasoning in thinking blocks: Anthropic's own, other vendors' (which Anthropic refuses), and those that belong to a tool call. */
import { isObject, listOf, textOf } from "../json/fields.ts";
import type { JsonObject, ReasoningPart, Signature } from "../neutral/neutral.ts";
import { SIGNATURE_MARK, SIGNED_ID_MARK, packSignature, unpackSignature } from "../neutral/signature.ts";

/**
 * Stands where thinking came without a proof: the vendor's blocks always have one, and by its mark (neutral/signature.ts) the block is
 * known again when it comes back.
 */
export const UNSIGNED = `${SIGNATURE_MARK}unsigned`;

/** The block a client is given for reasoning. */
export function thinkingBlock({ text, signature, isRedacted }: ReasoningPart): JsonObject {
  const value = signature === undefined ? UNSIGNED : packSignature(signature, "anthropic-messages");
  return isRedacted === true
    ? { type: "redacted_thinking", data: value }
    : { type: "thinking", thinking: text, signature: value };
}

/**
 * The id a client is given for a call: a tool_use block has no field for a signature, and clients send its id back as it is, in letters,
 * digits, `_` and `-`.
 */
export function signedId(id: string, signature: Signature | undefined): string {
  if (signature === undefined) return id;
  const packedHere = `${SIGNATURE_MARK}${signature.dialect}:${signature.value}`;
  return id + SIGNED_ID_MARK + Buffer.from(packedHere).toString("base64url");
}

/** What a client sent back as the id of a call or of its result. */
export function readSignedId(text: string): { id: string; signature?: Signature } {
  const at = text.lastIndexOf(SIGNED_ID_MARK);
  if (at < 0) return { id: text };
  const value = Buffer.from(text.slice(at + SIGNED_ID_MARK.length), "base64url").toString("utf8");
  if (!value.startsWith(SIGNATURE_MARK)) return { id: text };
  return { id: text.slice(0, at), signature: unpackSignature(value, "anthropic-messages") };
}

/** Thinking that a client sent back. */
export const readThinking = (text: string, value: string): ReasoningPart => ({
  kind: "reasoning",
  text,
  ...(value === "" || value === UNSIGNED ? {} : { signature: unpackSignature(value, "anthropic-messages") }),
});

export const readRedacted = (data: string): ReasoningPart => ({
  kind: "reasoning",
  text: "",
  signature: unpackSignature(data, "anthropic-messages"),
  isRedacted: true,
});

/** The ids of searches that the gateway made begin so: the vendor knows nothing of them, and refuses pages without its own proof. */
export const OWN_SEARCH_ID = "srvtoolu_turnpike_";

/**
 * Thinking whose signature this gateway wrapped, or set as absent, and searches that it made; Anthropic's own begin with none of the
 * prefixes.
 */
function isForeign(block: unknown): boolean {
  if (!isObject(block)) return false;
  if (textOf(block["tool_use_id"] ?? block["id"]).startsWith(OWN_SEARCH_ID)) return true;
  const isThinking = block["type"] === "thinking" || block["type"] === "redacted_thinking";
  const proof = textOf(block["signature"] ?? block["data"]);
  return isThinking && proof.startsWith(SIGNATURE_MARK);
}

/** A call or a result with the id that its call had before it was signed. */
function withPlainId(block: unknown): unknown {
  const field = isObject(block) && block["type"] === "tool_result" ? "tool_use_id" : "id";
  const given = isObject(block) ? textOf(block[field]) : "";
  return isObject(block) && given.includes(SIGNED_ID_MARK) ? { ...block, [field]: readSignedId(given).id } : block;
}

/** The message without either; undefined where nothing else was said. */
function cleaned(message: unknown): unknown {
  if (!isObject(message) || !Array.isArray(message["content"])) return message;
  const given = listOf(message["content"]);
  const content = given.filter((block) => !isForeign(block)).map(withPlainId);
  if (content.length === given.length && content.every((block, index) => block === given[index])) return message;
  return content.length === 0 ? undefined : { ...message, content };
}

/** With a budget of thinking the turn that is open has to begin with its thinking (reasoning.ts). */
function needsThinking({ thinking }: JsonObject, messages: readonly unknown[]): boolean {
  if (!isObject(thinking) || thinking["type"] !== "enabled") return false;
  const turn = messages.findLast((message) => isObject(message) && message["role"] === "assistant");
  const [first] = isObject(turn) ? listOf(turn["content"]) : [];
  const isCall = isObject(first) && (first["type"] === "tool_use" || first["type"] === "text");
  const last = messages.at(-1);
  const results = isObject(last) ? listOf(last["content"]) : [];
  return isCall && results.some((block) => isObject(block) && block["type"] === "tool_result");
}

/** Top-level fields to send instead of the client's own; none where there is nothing of another vendor. */
export function withoutForeignProofs(fields: JsonObject): JsonObject {
  const given = listOf(fields["messages"]);
  const messages = given.map(cleaned).filter((message) => message !== undefined);
  if (messages.every((message, index) => message === given[index]) && messages.length === given.length) return {};
  return needsThinking(fields, messages) ? { messages, thinking: { type: "disabled" } } : { messages };
}
