/** How proofs of reasoning stand in thinking blocks: Anthropic's own, other vendors', and those that belong to a tool call. */
import type { JsonObject, ReasoningPart, Signature } from "../neutral.ts";
import { SIGNATURE_MARK, packSignature, unpackSignature } from "../neutral-signature.ts";

/** Marks the signature of the tool call behind the block; a tool_use block has no field for one. No vendor's base64 has a colon. */
const CALL = "call:";

/**
 * Stands where thinking came without a proof: the vendor's blocks always have one, and by its mark (neutral-signature.ts) the block is
 * known again when it comes back.
 */
export const UNSIGNED = `${SIGNATURE_MARK}unsigned`;

const packed = (signature: Signature): string => packSignature(signature, "anthropic-messages");

/** The block a client is given for reasoning. */
export function thinkingBlock({ text, signature, isRedacted }: ReasoningPart): JsonObject {
  const value = signature === undefined ? UNSIGNED : packed(signature);
  return isRedacted === true
    ? { type: "redacted_thinking", data: value }
    : { type: "thinking", thinking: text, signature: value };
}

/** `signature` of the empty thinking block in front of a tool call that has a signature. */
export const callSignature = (signature: Signature): string => CALL + packed(signature);

/** What the signature of a thinking block means: part of the reasoning, or the signature of the call behind it. */
export function readThinking(text: string, value: string): { part: ReasoningPart } | { callSignature: Signature } {
  if (value.startsWith(CALL)) return { callSignature: unpackSignature(value.slice(CALL.length), "anthropic-messages") };
  if (value === "" || value === UNSIGNED) return { part: { kind: "reasoning", text } };
  return { part: { kind: "reasoning", text, signature: unpackSignature(value, "anthropic-messages") } };
}

export const readRedacted = (data: string): ReasoningPart => ({
  kind: "reasoning",
  text: "",
  signature: unpackSignature(data, "anthropic-messages"),
  isRedacted: true,
});
