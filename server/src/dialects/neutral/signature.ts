/** Wraps a vendor's signature of reasoning so that it travels through clients of another dialect and comes back to its own. */
import type { DialectName, Signature } from "./neutral.ts";

export const SIGNATURE_MARK = "turnpike:";
/** Stands between the id of a call and its signature in base64, where a format has no other place for one. */
export const SIGNED_ID_MARK = "-turnpike-";
/** Every packed signature begins with one of them; base64 is for clients that take nothing else. Bodies without any hold none. */
export const SIGNATURE_MARKS: readonly string[] = [
  SIGNATURE_MARK,
  Buffer.from(SIGNATURE_MARK).toString("base64"),
  SIGNED_ID_MARK,
];
const PACKED = /^turnpike:(openai-chat|openai-responses|anthropic-messages|gemini):/;

/** The text a client of dialect `carrier` is given: bare for its own vendor, prefixed with its origin for another's. */
export const packSignature = (signature: Signature, carrier: DialectName): string =>
  signature.dialect === carrier ? signature.value : `${SIGNATURE_MARK}${signature.dialect}:${signature.value}`;

/** What a client of dialect `carrier` sent back. */
export function unpackSignature(text: string, carrier: DialectName): Signature {
  const origin = PACKED.exec(text)?.[1];
  if (origin === undefined) return { dialect: carrier, value: text };
  return { dialect: origin as DialectName, value: text.slice(SIGNATURE_MARK.length + origin.length + 1) };
}
