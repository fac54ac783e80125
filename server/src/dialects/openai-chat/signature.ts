/**
 * Thinking in chat messages: `reasoning_content` (DeepSeek's name) or `reasoning` for the text, and `reasoning_details` for what a
 * vendor wants back unchanged (openrouter.ai/docs/guides/best-practices/reasoning-tokens), both ways.
 */
import { isObject, listOf, objectOf, parseObject, textOf } from "../json/fields.ts";
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

/** The thinking text of a message or a delta, under either of its names; empty if there is none. */
export const reasoningText = (fields: JsonObject): string =>
  textOf(fields["reasoning_content"]) || textOf(fields["reasoning"]);

/** A content part that is not text of the answer: Mistral's reasoning models answer with such (docs.mistral.ai/capabilities/reasoning). */
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

/** Prefix of a signature that holds a whole entry, which its vendor wants back unaltered. */
const WHOLE = "detail:";

/** The field of an entry that has its text. */
const textFieldOf = ({ type }: JsonObject): "summary" | "text" => (type === "reasoning.summary" ? "summary" : "text");

const isEncrypted = ({ type }: JsonObject): boolean => type === "reasoning.encrypted";

/** An entry without its text, which an empty field replaces. */
export const wordless = (detail: JsonObject): JsonObject =>
  isEncrypted(detail) ? detail : { ...detail, [textFieldOf(detail)]: "" };

/** The text of an entry: a summary that calls itself a text is read too. */
export const detailText = (detail: JsonObject): string => textOf(detail["text"]) || textOf(detail["summary"]);

/** The proof in an entry; empty where there is none. */
export const detailProof = (detail: JsonObject): string =>
  textOf(isEncrypted(detail) ? detail["data"] : detail["signature"]);

/** The signature of an entry: its own, or all of it but its text if the vendor adds fields (`format`, `id`), with or without a signature. */
export function proofOf(detail: JsonObject): { signature?: Signature } {
  const proof = detailProof(detail);
  const found = signed(proof);
  const isPlain = typeof detail["format"] !== "string" && typeof detail["id"] !== "string";
  if (isPlain || (proof !== "" && found.signature?.dialect !== "openai-chat")) return found;
  const value = WHOLE + Buffer.from(JSON.stringify(wordless(detail))).toString("base64url");
  return { signature: { dialect: "openai-chat", value } };
}

/** The entry that a signature holds; undefined for one that is a proof alone. */
const wholeDetail = (value: string): JsonObject | undefined =>
  value.startsWith(WHOLE)
    ? parseObject(Buffer.from(value.slice(WHOLE.length), "base64url").toString("utf8"))
    : undefined;

/** One entry of reasoning_details; undefined for what holds nothing. */
export function detailPart(detail: unknown): ReasoningPart | undefined {
  if (!isObject(detail)) return undefined;
  const proof = detailProof(detail);
  if (isEncrypted(detail))
    return proof === "" ? undefined : { kind: "reasoning", text: "", ...proofOf(detail), isRedacted: true };
  const text = detailText(detail);
  return text === "" && proof === "" ? undefined : { kind: "reasoning", text, ...proofOf(detail) };
}

/** True if an entry continues the one before it: streams send one in pieces until its signature. */
export function isPieceOf(before: JsonObject, detail: JsonObject): boolean {
  const isSame = (name: string): boolean => (before[name] ?? detail[name]) === (detail[name] ?? before[name]);
  return !isEncrypted(detail) && detailProof(before) === "" && ["type", "index", "id", "format"].every(isSame);
}

/** An entry with the next piece of it. */
export function withPiece(before: JsonObject, detail: JsonObject): JsonObject {
  const said = Object.fromEntries(Object.entries(detail).filter(([, value]) => value !== null));
  return { ...before, ...said, [textFieldOf(before)]: detailText(before) + detailText(detail) };
}

/** Clients that aggregated a stream send its pieces back. */
function joined(details: readonly JsonObject[]): JsonObject[] {
  const found: JsonObject[] = [];
  for (const detail of details) {
    const last = found.at(-1);
    if (last !== undefined && isPieceOf(last, detail)) found.splice(-1, 1, withPiece(last, detail));
    else found.push(detail);
  }
  return found;
}

/** Thinking of a whole message. The details say more than the plain text, which is used if they have none. */
export function reasoningParts(message: JsonObject): ReasoningPart[] {
  const details = listOf(message["reasoning_details"]).filter(isObject);
  const parts = joined(details).flatMap((detail) => detailPart(detail) ?? []);
  const plain = reasoningText(message) || thinkingInParts(message["content"]);
  if (plain === "" || parts.some(({ text }) => text !== "")) return parts;
  const first = parts.findIndex(({ isRedacted }) => isRedacted !== true);
  if (first < 0) return [{ kind: "reasoning", text: plain }, ...parts];
  return parts.map((part, index) => (index === first ? { ...part, text: plain } : part));
}

/** Entries of reasoning_details as the vendor gave them; a summary stands before the proof of what it sums up (OpenAI, xAI). */
export function detailsForVendor(parts: readonly ReasoningPart[]): JsonObject[] {
  return parts.map((part, index) => {
    const written = detailOf(part, index, ({ value }) => value);
    const next = parts[index + 1]?.signature;
    const { format } = next === undefined || isSigned(part) ? {} : (wholeDetail(next.value) ?? {});
    if (typeof format !== "string" || !format.includes("responses")) return written;
    return { type: "reasoning.summary", summary: part.text, format, index };
  });
}

/** The entry of reasoning_details for one part; `write` says how its signature is spelled. */
export function detailOf(part: ReasoningPart, index: number, write: (signature: Signature) => string): JsonObject {
  const signature = part.signature !== undefined && isSigned(part) ? write(part.signature) : undefined;
  const whole = signature === undefined ? undefined : wholeDetail(signature);
  if (whole !== undefined) {
    const textField = part.isRedacted === true ? {} : { [textFieldOf(whole)]: part.text };
    return { ...whole, ...textField, ...(whole["index"] === undefined ? { index } : {}) };
  }
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
