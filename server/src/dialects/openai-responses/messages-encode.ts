/** Neutral turns -> input items of a Responses request; items carry no ids, since none is stored at the vendor. */
import { withCarriedImages } from "../neutral/pictures.ts";
import {
  type AudioPart,
  type FilePart,
  type ImagePart,
  type JsonObject,
  type NeutralMessage,
  type NeutralPart,
  type ReasoningPart,
  type TextPart,
  type ToolResultPart,
  TranslationFault,
  uriOf,
  type Warn,
} from "../neutral/neutral.ts";
import { splitOwn } from "./signature.ts";

type UserPart = TextPart | ImagePart | FilePart;

/** A file as data needs a name with its extension. */
function encodeFile({ source, name }: FilePart): JsonObject {
  if (source.kind === "url") return { type: "input_file", file_url: source.url };
  return { type: "input_file", filename: name ?? "document.pdf", file_data: uriOf(source) };
}

function encodePart(part: UserPart): JsonObject {
  if (part.kind === "text") return { type: "input_text", text: part.text };
  if (part.kind === "file") return encodeFile(part);
  return { type: "input_image", image_url: uriOf(part.source), detail: part.detail ?? "auto" };
}

const isUserPart = (part: NeutralPart): part is UserPart =>
  part.kind === "text" || part.kind === "image" || part.kind === "file";

function refusePart(part: AudioPart | NeutralPart): never {
  throw new TranslationFault("messages", `${part.kind} in this place cannot be translated: the Responses API has none`);
}

/** A result's parts as one text where they are, else as a list. */
function encodeOutput(parts: ToolResultPart["parts"]): string | JsonObject[] {
  const [first, ...rest] = parts;
  if (first === undefined) return "";
  return first.kind === "text" && rest.length === 0 ? first.text : parts.map(encodePart);
}

function encodeResult({ id, parts, isError }: ToolResultPart, warn: Warn): JsonObject {
  if (isError === true) warn("is_error", "the Responses API has no mark for a failed tool: its output says so");
  return { type: "function_call_output", call_id: id, output: encodeOutput(parts) };
}

function encodeUser(parts: readonly NeutralPart[], warn: Warn): JsonObject[] {
  const results = parts.filter((part) => part.kind === "tool_result");
  const said = parts.filter((part) => part.kind !== "tool_result");
  const items = results.map((part) => encodeResult(part, warn));
  if (said.length === 0) return items;
  const content = said.map((part) => (isUserPart(part) ? encodePart(part) : refusePart(part)));
  return [...items, { type: "message", role: "user", content }];
}

/** Reasoning is taken back with its own proof only; another vendor's is of no use to this one. */
function encodeReasoningItem(part: ReasoningPart, warn: Warn): JsonObject[] {
  if (part.signature?.dialect !== "openai-responses") {
    warn("reasoning", "reasoning of earlier turns without OpenAI's own proof is left out");
    return [];
  }
  const { id, encrypted } = splitOwn(part.signature.value);
  const summary = part.text === "" ? [] : [{ type: "summary_text", text: part.text }];
  return [{ type: "reasoning", ...(id === undefined ? {} : { id }), summary, encrypted_content: encrypted }];
}

function encodeAssistant(parts: readonly NeutralPart[], warn: Warn): JsonObject[] {
  const items: JsonObject[] = [];
  let content: JsonObject[] = [];
  const say = (part: JsonObject): void => {
    if (content.length === 0) items.push({ type: "message", role: "assistant", content });
    content.push(part);
  };
  for (const part of parts) {
    if (part.kind === "text") say({ type: "output_text", text: part.text, annotations: [] });
    else if (part.kind === "refusal") say({ type: "refusal", refusal: part.text });
    else {
      content = [];
      if (part.kind === "reasoning") items.push(...encodeReasoningItem(part, warn));
      else if (part.kind === "tool_call")
        items.push({ type: "function_call", call_id: part.id, name: part.name, arguments: part.arguments });
      else refusePart(part);
    }
  }
  return items;
}

function encodeSystem(parts: readonly NeutralPart[]): JsonObject[] {
  const content = parts.map((part) => (part.kind === "text" ? encodePart(part) : refusePart(part)));
  return content.length === 0 ? [] : [{ type: "message", role: "developer", content }];
}

/** Encodes the turns in their order. Throws TranslationFault for audio, and for files in the model's own turns. */
export function encodeInput(messages: readonly NeutralMessage[], warn: Warn): JsonObject[] {
  if (messages.some(({ name }) => name !== undefined)) warn("name", "the Responses API has no names of participants");
  return withCarriedImages(messages).flatMap(({ role, parts }) => {
    if (role === "user") return encodeUser(parts, warn);
    return role === "assistant" ? encodeAssistant(parts, warn) : encodeSystem(parts);
  });
}
