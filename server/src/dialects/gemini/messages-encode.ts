/** Neutral messages -> Gemini's contents: roles, parts, and signatures on the parts they belong to. */
import { isThirdGeneration } from "./models.ts";
import { NO_SIGNATURE, writeSignature } from "./signature.ts";
import { parseExactObject } from "../json/exact.ts";
import { addAll } from "../json/fields.ts";
import {
  type JsonObject,
  type MediaSource,
  type NeutralMessage,
  type NeutralPart,
  type NeutralRequest,
  type ReasoningPart,
  type ToolCallPart,
  type ToolResultPart,
  TranslationFault,
  toolNames,
  type Warn,
} from "../neutral/neutral.ts";

/** Gives each warning once. */
export function onceWarned(warn: Warn): Warn {
  const given = new Set<string>();
  return (field, reason) => {
    if (given.has(field)) return;
    given.add(field);
    warn(field, reason);
  };
}

interface Encoding {
  path: string;
  warn: Warn;
  names: ReadonlyMap<string, string>;
  needsSignatures: boolean;
}

/** `fallbackType` is of an address that came without a type. */
export function mediaPart(source: MediaSource, fallbackType: string): JsonObject {
  if (source.kind === "base64") return { inlineData: { mimeType: source.mimeType, data: source.data } };
  return { fileData: { mimeType: source.mimeType ?? fallbackType, fileUri: source.url } };
}

function warnExtras(part: NeutralPart, { path, warn }: Encoding): void {
  if (part.kind === "image" && part.detail !== undefined && part.detail !== "auto")
    warn(`${path}.detail`, "Gemini has no detail of pictures");
  if (part.kind === "file" && part.name !== undefined) warn(`${path}.filename`, "Gemini takes no name of a file");
}

/** A signature only its own vendor understands; another's is left out. */
const ownSignature = (part: ReasoningPart | ToolCallPart): string | undefined =>
  part.signature?.dialect === "gemini" ? writeSignature(part.signature) : undefined;

function reasoningParts(part: ReasoningPart, next: NeutralPart | undefined, warn: Warn): JsonObject[] {
  const own = ownSignature(part);
  if (own === undefined && part.isRedacted === true)
    warn("reasoning", "withheld thinking of another model is left out of the conversation");
  // Dialects whose calls cannot be signed put the signature before them.
  const isOfCall = next?.kind === "tool_call" && next.signature === undefined;
  const signature = own === undefined || isOfCall ? {} : { thoughtSignature: own };
  if (part.text !== "") return [{ text: part.text, thought: true, ...signature }];
  return "thoughtSignature" in signature ? [{ text: "", ...signature }] : [];
}

/** The signature that stands before a call whose dialect cannot sign it. */
const signatureBefore = (part: NeutralPart | undefined): string | undefined =>
  part?.kind === "reasoning" ? ownSignature(part) : undefined;

function callPart(
  part: ToolCallPart,
  before: NeutralPart | undefined,
  isFirst: boolean,
  encoding: Encoding,
): JsonObject {
  const args = parseExactObject(part.arguments === "" ? "{}" : part.arguments);
  if (args === undefined)
    throw new TranslationFault(encoding.path, `The arguments of the call ${part.id} are no JSON object.`);
  const own = part.signature === undefined ? signatureBefore(before) : ownSignature(part);
  const signature = own ?? (isFirst && encoding.needsSignatures ? NO_SIGNATURE : undefined);
  const functionCall = { ...(part.id === "" ? {} : { id: part.id }), name: part.name, args };
  return signature === undefined ? { functionCall } : { functionCall, thoughtSignature: signature };
}

function resultParts(part: ToolResultPart, encoding: Encoding): JsonObject[] {
  const name = part.name ?? encoding.names.get(part.id);
  if (name === undefined) throw new TranslationFault(encoding.path, `The result ${part.id} answers no call of a tool.`);
  const text = part.parts.flatMap((one) => (one.kind === "text" ? [one.text] : [])).join("\n");
  for (const one of part.parts) warnExtras(one, encoding);
  const media = part.parts.flatMap((one) =>
    one.kind === "text" ? [] : [mediaPart(one.source, one.kind === "image" ? "image/jpeg" : "application/pdf")],
  );
  const response = part.isError === true ? { error: text } : text === "" && media.length > 0 ? {} : { output: text };
  const functionResponse = { id: part.id, name, response };
  // Only the third generation looks at pictures inside a result; the others are shown them beside it.
  if (media.length === 0) return [{ functionResponse }];
  return encoding.needsSignatures
    ? [{ functionResponse: { ...functionResponse, parts: media } }]
    : [{ functionResponse }, ...media];
}

function encodePart(
  part: Exclude<NeutralPart, ToolResultPart>,
  around: { before: NeutralPart | undefined; next: NeutralPart | undefined; isFirstCall: boolean },
  at: Encoding,
): JsonObject[] {
  switch (part.kind) {
    case "text":
    case "refusal":
      return part.text === "" ? [] : [{ text: part.text }];
    case "image":
      return [mediaPart(part.source, "image/jpeg")];
    // Of answers alone: no request has one.
    case "search":
      return [];
    case "audio":
      return [mediaPart(part.source, "audio/wav")];
    case "file":
      return [mediaPart(part.source, "application/pdf")];
    case "reasoning":
      return reasoningParts(part, around.next, at.warn);
    case "tool_call":
      return [callPart(part, around.before, around.isFirstCall, at)];
  }
}

function encodeParts(message: NeutralMessage, encoding: Encoding): Pick<OpenContent, "results" | "parts"> {
  const encoded: Pick<OpenContent, "results" | "parts"> = { results: [], parts: [] };
  let isFirstCall = true;
  for (const [index, part] of message.parts.entries()) {
    const at = { ...encoding, path: `${encoding.path}.content[${index}]` };
    warnExtras(part, at);
    if (part.kind === "tool_result") {
      encoded.results.push({ id: part.id, parts: resultParts(part, at) });
      continue;
    }
    const around = { before: message.parts[index - 1], next: message.parts[index + 1], isFirstCall };
    addAll(encoded.parts, encodePart(part, around, at));
    if (part.kind === "tool_call") isFirstCall = false;
  }
  return encoded;
}

function warnMessage({ role, name }: NeutralMessage, path: string, warn: Warn): void {
  if (role === "system")
    warn(`${path}.role`, "Gemini has instructions only at the head; this one is given as the user's words");
  if (name !== undefined) warn(`${path}.name`, "Gemini has no names of participants");
}

interface OpenContent {
  role: "user" | "model";
  /** Results of calls; they stand first. */
  results: { id: string; parts: JsonObject[] }[];
  parts: JsonObject[];
}

/** Ids of the calls of a turn in order: the vendor also matches a turn's results to its calls by position. */
function callOrder(messages: readonly NeutralMessage[]): ReadonlyMap<string, number> {
  const calls = messages.flatMap(({ parts }) => parts).filter((part) => part.kind === "tool_call");
  return new Map(calls.map(({ id }, index) => [id, index]));
}

/** The content as it is sent, its results in the order of their calls. */
function closed({ role, results, parts }: OpenContent, order: ReadonlyMap<string, number>): JsonObject {
  const place = ({ id }: { id: string }): number => order.get(id) ?? Number.MAX_SAFE_INTEGER;
  const sorted = results.toSorted((one, other) => place(one) - place(other));
  return { role, parts: [...sorted.flatMap((result) => result.parts), ...parts] };
}

/** Contents of a request. Throws TranslationFault for arguments that are no JSON and results without a call. */
export function encodeContents(request: NeutralRequest, warn: Warn): JsonObject[] {
  const shared = { warn, names: toolNames(request.messages), needsSignatures: isThirdGeneration(request.model) };
  const contents: OpenContent[] = [];
  for (const [index, message] of request.messages.entries()) {
    const path = `messages[${index}]`;
    warnMessage(message, path, warn);
    const role = message.role === "assistant" ? "model" : "user";
    const { results, parts } = encodeParts(message, { ...shared, path });
    const last = contents.at(-1);
    if (last?.role === role) {
      addAll(last.results, results);
      addAll(last.parts, parts);
    } else if (parts.length + results.length > 0) contents.push({ role, results, parts });
  }
  const order = callOrder(request.messages);
  return contents.map((content) => closed(content, order));
}
