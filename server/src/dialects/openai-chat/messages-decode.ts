/** Messages of a chat request -> neutral messages: roles, tool calls paired with their results, thinking of earlier turns. */
import type {
  JsonObject,
  NeutralMessage,
  NeutralPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "../neutral/neutral.ts";
import {
  ASSISTANT_PARTS,
  cacheOf,
  type ContentPart,
  contentParts,
  dataUriSource,
  TEXT_ONLY,
  TOOL_PARTS,
  USER_PARTS,
} from "./parts-decode.ts";
import { callSignature, reasoningParts, withCarried } from "./signature.ts";
import { addAll, ownOf } from "../json/fields.ts";
import { type WaitingCall, WaitingCalls, writtenArguments } from "../neutral/waiting-calls.ts";
import { isAbsent, listAt, needName, needObject, needText, objectAt, refuse, textAt } from "./fields.ts";

/** System texts at the head of the conversation, and the rest of it. */
export interface Conversation {
  system: TextPart[];
  messages: NeutralMessage[];
}

interface Reading extends Conversation {
  /** Calls of the last assistant message that wait for their results. */
  open: WaitingCalls;
  /** Parts of the user turn that collects their results. */
  results: NeutralPart[];
}

type ResultContent = ToolResultPart["parts"][number];
const isText = (part: ContentPart): part is TextPart => part.kind === "text";
const isResultContent = (part: ContentPart): part is ResultContent => TOOL_PARTS.has(part.kind);

/** A breakpoint on the message itself, as some clients send it, applies to its last part. */
function withCache<Part extends ContentPart>(parts: readonly Part[], message: JsonObject): Part[] {
  const mark = cacheOf(message);
  return parts.map((part, index) => (index === parts.length - 1 ? { ...part, ...mark } : part));
}

const nameOf = (message: JsonObject, path: string): { name?: string } => {
  const name = textAt(message, "name", `${path}.name`);
  return name === undefined || name === "" ? {} : { name };
};

function readSystem(message: JsonObject, path: string, reading: Reading): void {
  const content = contentParts(message["content"], TEXT_ONLY, `${path}.content`).filter(isText);
  const parts = withCache(content, message);
  if (reading.messages.length === 0) addAll(reading.system, parts);
  else reading.messages.push({ role: "system", parts, ...nameOf(message, path) });
}

function readUser(message: JsonObject, path: string, reading: Reading): void {
  const parts = withCache(contentParts(message["content"], USER_PARTS, `${path}.content`), message);
  const name = nameOf(message, path);
  const last = reading.messages.at(-1);
  // Tool results and the user text after them are one turn.
  const joinsResults = last?.role === "user" && last.parts.every(({ kind }) => kind === "tool_result");
  if (joinsResults && name.name === undefined)
    reading.messages.splice(-1, 1, { role: "user", parts: [...last.parts, ...parts] });
  else reading.messages.push({ role: "user", parts, ...name });
}

/** Between the results of one message's calls nothing else is said. */
function pushResult(call: WaitingCall, result: Omit<ToolResultPart, "kind" | "id" | "name">, reading: Reading): void {
  reading.open.answered(call);
  if (reading.messages.at(-1)?.role !== "user") {
    reading.results = [];
    reading.messages.push({ role: "user", parts: reading.results });
  }
  reading.results.push({ kind: "tool_result", ...call, ...result });
}

function readTool(message: JsonObject, path: string, reading: Reading): void {
  const id = needName(message["tool_call_id"], `${path}.tool_call_id`);
  const call = reading.open.withId(id);
  if (call === undefined)
    refuse(`${path}.tool_call_id`, "must be the id of a tool call in the assistant message before it, answered once");
  const parts = contentParts(message["content"], TOOL_PARTS, `${path}.content`).filter(isResultContent);
  pushResult(call, { parts, ...cacheOf(message) }, reading);
}

/** The retired form of a tool's answer, which names the function and has no id. */
function readFunction(message: JsonObject, path: string, reading: Reading): void {
  const name = needName(message["name"], `${path}.name`);
  const call = reading.open.named(name);
  if (call === undefined) refuse(`${path}.name`, "must be the function that the assistant message before it calls");
  const parts: TextPart[] = isAbsent(message["content"])
    ? []
    : contentParts(message["content"], TEXT_ONLY, `${path}.content`).filter(isText);
  pushResult(call, { parts }, reading);
}

function readCall(value: unknown, path: string): ToolCallPart {
  const call = needObject(value, path);
  if (!isAbsent(call["type"]) && call["type"] !== "function")
    refuse(`${path}.type`, "must be 'function': this model has no other tool calls");
  const called = needObject(call["function"], `${path}.function`);
  return {
    kind: "tool_call",
    id: needName(call["id"], `${path}.id`),
    name: needName(called["name"], `${path}.function.name`),
    arguments: argumentsOf(called, `${path}.function.arguments`),
    ...callSignature(call),
    ...cacheOf(call),
  };
}

const argumentsOf = (called: JsonObject, path: string): string =>
  isAbsent(called["arguments"]) ? "{}" : writtenArguments(needText(called["arguments"], path));

/** Calls of an assistant message; the retired function_call gets an id of its place. */
function readCalls(message: JsonObject, path: string): ToolCallPart[] {
  const calls = listAt(message, "tool_calls", `${path}.tool_calls`).map((call, index) =>
    readCall(call, `${path}.tool_calls[${index}]`),
  );
  const legacy = objectAt(message, "function_call", `${path}.function_call`);
  if (legacy === undefined || calls.length > 0) return calls;
  const name = needName(legacy["name"], `${path}.function_call.name`);
  const id = `call_${path.replace(/\D/g, "")}_${name}`.slice(0, 40);
  return [{ kind: "tool_call", id, name, arguments: argumentsOf(legacy, `${path}.function_call.arguments`) }];
}

const INLINE_IMAGE = "![image](data:image/";

/**
 * Pictures that an answer carried in its text (encodeAnswer writes them so, for chat answers have no other place that every client
 * shows) come back as pictures, not as a million characters of text.
 */
function withInlineImages(part: ContentPart): NeutralPart[] {
  if (part.kind !== "text" || !part.text.includes(INLINE_IMAGE)) return [part];
  const parts: NeutralPart[] = [];
  const { text } = part;
  let from = 0;
  let end = 0;
  for (let at = text.indexOf(INLINE_IMAGE); at >= 0; at = text.indexOf(INLINE_IMAGE, at + 1)) {
    // Looked for again only behind the last one found: of many beginnings each would read the whole text.
    if (end < at) end = text.indexOf(")", at);
    if (end < 0) break;
    const source = dataUriSource(text.slice(at + "![image](".length, end));
    if (source === undefined) continue;
    if (at > from) parts.push({ kind: "text", text: text.slice(from, at) });
    parts.push({ kind: "image", source });
    from = end + 1;
  }
  if (from < text.length) parts.push({ ...part, text: text.slice(from) });
  return parts;
}

function readAssistant(message: JsonObject, path: string, reading: Reading): void {
  if (!isAbsent(message["audio"]))
    refuse(`${path}.audio`, "names an answer stored at OpenAI, which this model cannot hear");
  const content = isAbsent(message["content"])
    ? []
    : contentParts(message["content"], ASSISTANT_PARTS, `${path}.content`);
  const refusal = textAt(message, "refusal", `${path}.refusal`) ?? "";
  const calls = readCalls(message, path);
  const said = withCache(content, message).filter((part) => part.kind !== "text" || part.text !== "");
  const proven = withCarried(reasoningParts(message), calls);
  const parts: NeutralPart[] = [
    ...proven.filter(({ kind }) => kind === "reasoning"),
    ...said.flatMap(withInlineImages),
    ...(refusal === "" ? [] : [{ kind: "refusal", text: refusal } as const]),
    ...proven.filter(({ kind }) => kind === "tool_call"),
  ];
  for (const [index, { id, name }] of calls.entries()) {
    if (reading.open.withId(id) !== undefined)
      refuse(`${path}.tool_calls[${index}].id`, "must differ from those of the other calls");
    reading.open.add({ id, name });
  }
  if (parts.length > 0) reading.messages.push({ role: "assistant", parts, ...nameOf(message, path) });
}

const READERS: Readonly<Record<string, (message: JsonObject, path: string, reading: Reading) => void>> = {
  system: readSystem,
  developer: readSystem,
  user: readUser,
  assistant: readAssistant,
  tool: readTool,
  function: readFunction,
};
const RESULT_ROLES: ReadonlySet<string> = new Set(["tool", "function"]);

function refuseOpen(reading: Reading, path: string): void {
  const call = reading.open.first();
  if (call !== undefined)
    refuse(path, `leaves the tool call '${call.id}' without a result: a message with role 'tool' must answer it`);
}

/** Reads `messages`. Throws TranslationFault for roles, parts and tool pairs that no vendor would take. */
export function readMessages(value: unknown): Conversation {
  if (!Array.isArray(value) || value.length === 0) refuse("messages", "must be an array with at least one message");
  const reading: Reading = { system: [], messages: [], open: new WaitingCalls(), results: [] };
  for (const [index, each] of value.entries()) {
    const path = `messages[${index}]`;
    const message = needObject(each, path);
    const role = needText(message["role"], `${path}.role`);
    const read = ownOf(READERS, role);
    if (read === undefined) refuse(`${path}.role`, `must be one of ${Object.keys(READERS).join(", ")}`);
    if (!RESULT_ROLES.has(role)) refuseOpen(reading, path);
    read(message, path, reading);
  }
  refuseOpen(reading, "messages");
  return { system: reading.system, messages: reading.messages };
}
