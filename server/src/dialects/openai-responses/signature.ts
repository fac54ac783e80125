/** Signatures of reasoning in `encrypted_content` of reasoning items: OpenAI's own, other vendors', and those of tool calls. */
import { listOf, objectOf, textOf } from "../json/fields.ts";
import type { JsonObject, ReasoningPart, Signature } from "../neutral/neutral.ts";
import { packSignature, unpackSignature } from "../neutral/signature.ts";

/** Prefix of reasoning whose text its vendor withheld: it must come back as such. */
const REDACTED = "redacted:";
/** Prefix of the signature of the tool call in the next item; a function_call item has no field for one. */
const CALL = "call:";
/** Stands where other vendors' reasoning came without a proof: OpenAI would look the item up by its id, and must not be sent it. */
export const UNSIGNED = "turnpike:unsigned";
const FOREIGN = /^(?:redacted:|call:)?turnpike:/;
const OWN_ID = /^(rs_[A-Za-z0-9_-]{1,120}):/;

/** OpenAI compares the content with the id of the item it came in, so both travel as one value. */
export const ownSignature = (id: string, encrypted: string): Signature => ({
  dialect: "openai-responses",
  value: OWN_ID.test(`${id}:`) ? `${id}:${encrypted}` : encrypted,
});

/** Id and content of a signature this dialect made. */
export function splitOwn(value: string): { id?: string; encrypted: string } {
  const id = OWN_ID.exec(value)?.[1];
  return id === undefined ? { encrypted: value } : { id, encrypted: value.slice(id.length + 1) };
}

/** `encrypted_content` for a client. */
export function reasoningContent(signature: Signature, isRedacted: boolean): string {
  const packed = packSignature(signature, "openai-responses");
  return isRedacted ? REDACTED + packed : packed;
}

/** `encrypted_content` of the item in front of a tool call that has a signature. */
export const callContent = (signature: Signature): string => CALL + packSignature(signature, "openai-responses");

/** What an `encrypted_content` of a client means: a part of the turn, or the signature of the call behind it. */
export function readContent(
  content: string,
  id: string,
  text: string,
): { part: ReasoningPart } | { callSignature: Signature } {
  if (content === UNSIGNED) return { part: { kind: "reasoning", text } };
  if (content.startsWith(CALL))
    return { callSignature: unpackSignature(content.slice(CALL.length), "openai-responses") };
  const isMarked = content.startsWith(REDACTED);
  const unpacked = unpackSignature(isMarked ? content.slice(REDACTED.length) : content, "openai-responses");
  const isOwn = unpacked.dialect === "openai-responses";
  const signature = isOwn && !isMarked ? ownSignature(id, unpacked.value) : unpacked;
  const isRedacted = isMarked || (isOwn && text === "");
  return { part: { kind: "reasoning", text, signature, ...(isRedacted ? { isRedacted } : {}) } };
}

/** A reasoning item that another vendor's answer left in a client's history: OpenAI refuses it. */
const isForeign = (item: unknown): boolean => FOREIGN.test(textOf(objectOf(item)["encrypted_content"]));

/** The input without such items, for the client's own bytes on their way to OpenAI; nothing where it has none. */
export function withoutForeignProofs(fields: JsonObject): JsonObject {
  const input = listOf(fields["input"]);
  return input.some(isForeign) ? { input: input.filter((item) => !isForeign(item)) } : {};
}
