/** Input items of a Responses request -> neutral turns (platform.openai.com/docs/api-reference/responses/create#responses_create-input). */
import { writtenArguments } from "../neutral/waiting-calls.ts";
import { answeredTool, calledTool, type ClientTool } from "./client-tools.ts";
import { CONTENT_TYPES, decodeContent } from "./parts-decode.ts";
import { needObject, needText, placeOf, readList, readText } from "./fields.ts";
import { flatName } from "./tool-names.ts";
import { readContent } from "./signature.ts";
import { addAll, isObject, objectOf, ownOf, textOf, unknownNames } from "../json/fields.ts";
import {
  type JsonObject,
  type NeutralMessage,
  type NeutralPart,
  type Signature,
  type TextPart,
  type ToolResultPart,
  TranslationFault,
} from "../neutral/neutral.ts";

/** A turn while its items are collected. */
interface Turn {
  role: NeutralMessage["role"];
  parts: NeutralPart[];
}

const isResult = (part: NeutralPart): boolean => part.kind === "tool_result";

/** Turns of a conversation; items of one turn are joined as the other dialects have them. */
class Conversation {
  readonly system: TextPart[] = [];
  readonly turns: Turn[] = [];
  /** Items left out without harm. */
  readonly dropped: string[] = [];
  /** Turn of each tool call. */
  readonly #calls = new Map<string, Turn>();
  /** Items of calls may be answered by their own id instead of the call's. */
  readonly #callIds = new Map<string, string>();
  #callSignature: Signature | undefined;

  instruct(parts: readonly NeutralPart[]): void {
    if (this.turns.length === 0) addAll(this.system, parts as TextPart[]);
    else this.turns.push({ role: "system", parts: [...parts] });
  }

  /** A user's message; it joins tool results that stand alone before it. */
  ask(parts: readonly NeutralPart[]): void {
    if (parts.length === 0) return;
    const last = this.turns.at(-1);
    if (last?.role === "user" && last.parts.every(isResult)) addAll(last.parts, parts);
    else this.turns.push({ role: "user", parts: [...parts] });
  }

  /** Output of the model; its adjacent items are one turn. */
  answer(parts: readonly NeutralPart[]): Turn {
    const last = this.turns.at(-1);
    const turn: Turn = last?.role === "assistant" ? last : { role: "assistant", parts: [] };
    if (turn !== last && parts.length > 0) this.turns.push(turn);
    addAll(turn.parts, parts);
    return turn;
  }

  alias(itemId: string, callId: string): void {
    if (itemId !== "") this.#callIds.set(itemId, callId);
  }

  callIdOf(id: string): string {
    return this.#calls.has(id) ? id : (this.#callIds.get(id) ?? id);
  }

  call(id: string, name: string, text: string): void {
    const signature = this.#callSignature;
    this.#callSignature = undefined;
    const part = { kind: "tool_call" as const, id, name, arguments: text };
    this.#calls.set(id, this.answer([signature === undefined ? part : { ...part, signature }]));
  }

  sign(signature: Signature): void {
    this.#callSignature = signature;
  }

  /** Results go directly after the turn of their calls, before the user's own text, as every vendor requires. */
  result(part: ToolResultPart, at: string): void {
    const caller = this.#calls.get(part.id);
    if (caller === undefined)
      throw new TranslationFault(`${at}.call_id`, `${at}.call_id "${part.id}" answers no call that stands before it`);
    const index = this.turns.lastIndexOf(caller) + 1;
    const next = this.turns[index];
    if (next?.role === "user") next.parts.splice(next.parts.findLastIndex(isResult) + 1, 0, part);
    else this.turns.splice(index, 0, { role: "user", parts: [part] });
  }
}

/** Fields read of translated items, and fields without a meaning for a model. */
const READ_MESSAGE: ReadonlySet<string> = new Set(["type", "id", "status", "role", "content"]);
const CALLED = ["type", "id", "status", "call_id", "namespace", "name"] as const;
const READ_CALL: ReadonlySet<string> = new Set([...CALLED, "arguments"]);
const READ_OUTPUT: ReadonlySet<string> = new Set([...CALLED, "output"]);

function leaveUnread(talk: Conversation, item: JsonObject, read: ReadonlySet<string>): void {
  // A call that the model made itself is what every vendor has.
  const isDirect = objectOf(item["caller"])["type"] === "direct";
  for (const name of unknownNames(item, read)) if (name !== "caller" || !isDirect) talk.dropped.push(`input[].${name}`);
}

function takeMessage(talk: Conversation, item: JsonObject, at: string): void {
  const role = needText(item, "role", at);
  leaveUnread(talk, item, READ_MESSAGE);
  const read = (kind: keyof typeof CONTENT_TYPES): NeutralPart[] =>
    decodeContent(item["content"], placeOf(at, "content"), CONTENT_TYPES[kind]);
  if (role === "user") talk.ask(read("user"));
  else if (role === "assistant") talk.answer(read("assistant"));
  else if (role === "system" || role === "developer") talk.instruct(read("system"));
  else throw new TranslationFault(`${at}.role`, `${at}.role must be user, assistant, system or developer`);
}

/** Text of the summary and, where an open model gave it, of the reasoning itself. */
export function reasoningText(item: JsonObject): string {
  const parts = [item["summary"], item["content"]].flatMap((list) => (Array.isArray(list) ? list : []));
  const texts = parts.map((part: unknown) => (isObject(part) ? textOf(part["text"]) : ""));
  return texts.filter((text) => text !== "").join("\n\n");
}

function takeReasoning(talk: Conversation, item: JsonObject, at: string): void {
  readList(item, "summary", at);
  const text = reasoningText(item);
  const encrypted = readText(item, "encrypted_content", at) ?? "";
  if (encrypted === "") {
    if (text !== "") talk.answer([{ kind: "reasoning", text }]);
    return;
  }
  const found = readContent(encrypted, textOf(item["id"]), text);
  if ("part" in found) talk.answer([found.part]);
  else talk.sign(found.callSignature);
}

const calledName = (item: JsonObject, at: string): string =>
  flatName(readText(item, "namespace", at), needText(item, "name", at));

function takeCall(talk: Conversation, item: JsonObject, at: string): void {
  leaveUnread(talk, item, READ_CALL);
  const text = readText(item, "arguments", at) ?? "";
  talk.call(needText(item, "call_id", at), calledName(item, at), writtenArguments(text));
}

/** A freeform call is a function with one argument everywhere else. */
function takeCustomCall(talk: Conversation, item: JsonObject, at: string): void {
  const input = readText(item, "input", at) ?? "";
  talk.call(needText(item, "call_id", at), calledName(item, at), JSON.stringify({ input }));
}

function takeOutput(talk: Conversation, item: JsonObject, at: string): void {
  leaveUnread(talk, item, READ_OUTPUT);
  const parts = decodeContent(item["output"], placeOf(at, "output"), CONTENT_TYPES.output);
  talk.result({ kind: "tool_result", id: needText(item, "call_id", at), parts: parts as ToolResultPart["parts"] }, at);
}

/** A call of a tool that the client runs and the vendor knows. */
function takeClientCall(talk: Conversation, tool: ClientTool, item: JsonObject, at: string): void {
  const callId = readText(item, "call_id", at) ?? needText(item, "id", at);
  talk.alias(textOf(item["id"]), callId);
  talk.call(callId, tool.type, JSON.stringify(tool.toArguments(item)));
}

function takeClientOutput(talk: Conversation, tool: ClientTool, item: JsonObject, at: string): void {
  const id = readText(item, "call_id", at) ?? needText(item, "id", at);
  const parts = decodeContent(tool.result(item), placeOf(at, "output"), CONTENT_TYPES.output);
  talk.result({ kind: "tool_result", id: talk.callIdOf(id), parts: parts as ToolResultPart["parts"] }, at);
}

/** A picture the model made in an earlier turn. */
function takePicture(talk: Conversation, item: JsonObject, at: string): void {
  const data = readText(item, "result", at) ?? "";
  const mimeType = `image/${readText(item, "output_format", at) ?? "png"}`;
  if (data === "") talk.dropped.push(at);
  else talk.answer([{ kind: "image", source: { kind: "base64", mimeType, data } }]);
}

/** Tools that come with the input: decodeTools reads them. */
const takeTools = (): void => undefined;

/** A search the vendor made itself: its results are in the answer after it. */
const takeSearch = (talk: Conversation, _item: JsonObject, at: string): void => void talk.dropped.push(at);

const TAKERS: Readonly<Record<string, (talk: Conversation, item: JsonObject, at: string) => void>> = {
  message: takeMessage,
  reasoning: takeReasoning,
  function_call: takeCall,
  function_call_output: takeOutput,
  custom_tool_call: takeCustomCall,
  custom_tool_call_output: takeOutput,
  web_search_call: takeSearch,
  image_generation_call: takePicture,
  additional_tools: takeTools,
};

/** Type of an item; messages may omit it, references too. */
function typeOf(item: JsonObject, at: string): string {
  const type = readText(item, "type", at);
  if (type !== undefined) return type;
  return item["role"] === undefined && item["id"] !== undefined ? "item_reference" : "message";
}

function takeItem(talk: Conversation, value: unknown, at: string): void {
  const item = needObject(value, at);
  const type = typeOf(item, at);
  const [called, answered] = [calledTool(type), answeredTool(type)];
  // Results of searches that the vendor made itself have no call that could be answered.
  const isOwnSearch = item["execution"] === "server";
  if (called !== undefined) return isOwnSearch ? void talk.dropped.push(at) : takeClientCall(talk, called, item, at);
  if (answered !== undefined)
    return isOwnSearch ? void talk.dropped.push(at) : takeClientOutput(talk, answered, item, at);
  const take = ownOf(TAKERS, type);
  if (take === undefined)
    throw new TranslationFault(
      `${at}.type`,
      `${at}.type "${type}" works only on channels that speak the Responses API`,
    );
  take(talk, item, at);
}

/** The input as turns. */
export interface DecodedInput {
  system: readonly TextPart[];
  messages: readonly NeutralMessage[];
  /** Places of items that were left out without harm. */
  dropped: readonly string[];
}

/** Reads `input`: a text, or a list of items. Throws TranslationFault naming the item that is malformed or has no neutral form. */
export function decodeInput(input: unknown): DecodedInput {
  const talk = new Conversation();
  if (typeof input === "string") talk.ask([{ kind: "text", text: input }]);
  else if (Array.isArray(input)) for (const [index, item] of input.entries()) takeItem(talk, item, `input[${index}]`);
  else throw new TranslationFault("input", "input must be a string or a list of items");
  return { system: talk.system, messages: talk.turns, dropped: talk.dropped };
}
