/** Signatures of reasoning in Gemini's thoughtSignature, which its SDKs take for base64: another vendor's travels inside that. */
import { isObject, listOf, textOf } from "../json/fields.ts";
import type { JsonObject, Signature } from "../neutral/neutral.ts";
import { packSignature, SIGNATURE_MARK, unpackSignature } from "../neutral/signature.ts";

/** The prefix in base64: nine bytes, so what follows does not change it. */
const PACKED_HEAD = Buffer.from(SIGNATURE_MARK).toString("base64");
const REDACTED = `${SIGNATURE_MARK}redacted:`;

/**
 * What the vendor takes in place of a signature for calls that another model made
 * (ai.google.dev/gemini-api/docs/thought-signatures, frequently asked questions).
 */
export const NO_SIGNATURE = "skip_thought_signature_validator";

interface ReadSignature {
  signature: Signature;
  isRedacted: boolean;
}

/** What a Gemini client is given as thoughtSignature. */
export function writeSignature(signature: Signature, isRedacted = false): string {
  if (signature.dialect === "gemini") return signature.value;
  const packed = packSignature(signature, "gemini");
  return Buffer.from(isRedacted ? REDACTED + packed : packed).toString("base64");
}

/** What a Gemini client or upstream sent as thoughtSignature. */
export function readSignature(text: string): ReadSignature {
  if (!text.startsWith(PACKED_HEAD)) return { signature: { dialect: "gemini", value: text }, isRedacted: false };
  const packed = Buffer.from(text, "base64").toString("utf8");
  const isRedacted = packed.startsWith(REDACTED);
  const signature = unpackSignature(isRedacted ? packed.slice(REDACTED.length) : packed, "gemini");
  // Something of the vendor's own that only begins alike.
  if (signature.dialect === "gemini") return { signature: { dialect: "gemini", value: text }, isRedacted: false };
  return { signature, isRedacted };
}

/** The part without another vendor's proof; calls get the vendor's exemption, and a part that held nothing else goes. */
function ownPart(part: unknown): unknown[] {
  if (!isObject(part)) return [part];
  const { thoughtSignature, thought_signature: snake, ...rest } = part;
  const signed = textOf(thoughtSignature ?? snake);
  if (signed === "" || readSignature(signed).signature.dialect === "gemini") return [part];
  if ((rest["functionCall"] ?? rest["function_call"]) !== undefined)
    return [{ ...rest, thoughtSignature: NO_SIGNATURE }];
  const isEmpty = Object.keys(rest).every((name) => name === "thought" || (name === "text" && rest[name] === ""));
  return isEmpty ? [] : [rest];
}

/** Contents without proofs that another vendor's answer left in the history: Google refuses them as corrupt. */
export function withoutForeignProofs(fields: JsonObject): JsonObject {
  const contents = fields["contents"];
  if (!Array.isArray(contents)) return {};
  const own = contents.map((content: unknown) =>
    isObject(content) ? { ...content, parts: listOf(content["parts"]).flatMap(ownPart) } : content,
  );
  return { contents: own.filter((content) => !isObject(content) || listOf(content["parts"]).length > 0) };
}
