/** Gemini's contents -> neutral messages: parts, calls with their ids, results with the call they answer. */
import { neededTextAt, objectAt, objectsAt, pick, plainBase64, spellings, textAt } from "./fields.ts";
import { readSignature } from "./signature.ts";
import { unknownNames } from "../json/fields.ts";
import type {
  JsonObject,
  MediaSource,
  NeutralMessage,
  NeutralPart,
  TextPart,
  ToolResultPart,
} from "../neutral/neutral.ts";
import { TranslationFault } from "../neutral/neutral.ts";
import { WaitingCalls } from "../neutral/waiting-calls.ts";

const ROLES: ReadonlyMap<string, NeutralMessage["role"]> = new Map([
  ["user", "user"],
  ["function", "user"],
  ["tool", "user"],
  ["system", "system"],
  ["model", "assistant"],
]);

const READ_PARTS = spellings([
  "text",
  "thought",
  "thoughtSignature",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
]);

const READ_CALL = spellings(["id", "name", "args"]);
const READ_RESULT = spellings(["id", "name", "response", "parts"]);

interface OpenMessage {
  role: NeutralMessage["role"];
  parts: NeutralPart[];
}

/** A medium of a known kind by its type; everything that is neither picture nor sound is a file. */
function mediaPart(source: MediaSource, name?: string): NeutralPart {
  const mimeType = source.mimeType ?? "";
  if (mimeType.startsWith("image/")) return { kind: "image", source };
  if (mimeType.startsWith("audio/")) return { kind: "audio", source };
  return { kind: "file", source, ...(name === undefined ? {} : { name }) };
}

function inlinePart(blob: JsonObject, path: string): NeutralPart {
  const mimeType = neededTextAt(pick(blob, "mimeType"), `${path}.mimeType`);
  const data = plainBase64(neededTextAt(pick(blob, "data"), `${path}.data`));
  return mediaPart({ kind: "base64", mimeType, data }, textAt(pick(blob, "displayName"), `${path}.displayName`));
}

function filePart(file: JsonObject, path: string): NeutralPart {
  const url = neededTextAt(pick(file, "fileUri"), `${path}.fileUri`);
  const mimeType = textAt(pick(file, "mimeType"), `${path}.mimeType`);
  const source: MediaSource = mimeType === undefined ? { kind: "url", url } : { kind: "url", url, mimeType };
  return mediaPart(source, textAt(pick(file, "displayName"), `${path}.displayName`));
}

/** The text of a result: `output` and `error` as they are, anything else as JSON. */
function resultText(response: JsonObject): { text: string; isError: boolean } {
  const names = Object.keys(response);
  const [output, error] = [response["output"], response["error"]];
  if (names.length === 1 && typeof output === "string") return { text: output, isError: false };
  if (names.length === 1 && typeof error === "string") return { text: error, isError: true };
  if (names.length === 0) return { text: "", isError: false };
  return { text: JSON.stringify(response), isError: false };
}

/** Reads contents in order and remembers which calls wait for their result. */
export class ContentsReader {
  readonly messages: OpenMessage[] = [];
  /** Paths of parts that have no neutral form and do not change the request. */
  readonly unknownFields: string[] = [];
  readonly #open = new WaitingCalls();
  /** Results by the id that each names. */
  readonly #results = new Map<string, JsonObject>();

  /** Throws TranslationFault. */
  read(contents: unknown): void {
    for (const [index, content] of objectsAt(contents, "contents").entries())
      this.#content(content, `contents[${index}]`, index);
  }

  #content(content: JsonObject, path: string, index: number): void {
    const role = ROLES.get(textAt(pick(content, "role"), `${path}.role`) ?? "user");
    if (role === undefined) throw new TranslationFault(`${path}.role`, `${path}.role must be "user" or "model".`);
    const parts = objectsAt(pick(content, "parts"), `${path}.parts`);
    for (const [place, part] of parts.entries()) {
      for (const read of this.#part(part, `${path}.parts[${place}]`, `call_${index}_${place}`)) this.#add(role, read);
    }
  }

  /** Contents of one role that follow each other are one message: clients send each piece of a stream as a content of its own. */
  #add(role: NeutralMessage["role"], part: NeutralPart): void {
    let message = this.messages.at(-1);
    if (message?.role !== role) this.messages.push((message = { role, parts: [] }));
    const last = message.parts.at(-1);
    if (role === "assistant" && last !== undefined && joins(last, part))
      message.parts[message.parts.length - 1] = joined(last, part);
    else if (part.kind === "tool_result") message.parts.splice(message.parts.findLastIndex(isResult) + 1, 0, part);
    else message.parts.push(part);
  }

  *#part(part: JsonObject, path: string, fallbackId: string): Generator<NeutralPart> {
    this.#drop(part, READ_PARTS, path);
    const text = textAt(pick(part, "text"), `${path}.text`);
    const call = objectAt(pick(part, "functionCall"), `${path}.functionCall`);
    const result = objectAt(pick(part, "functionResponse"), `${path}.functionResponse`);
    const blob = objectAt(pick(part, "inlineData"), `${path}.inlineData`);
    const file = objectAt(pick(part, "fileData"), `${path}.fileData`);
    const signed = textAt(pick(part, "thoughtSignature"), `${path}.thoughtSignature`);
    if (call !== undefined) return yield this.#call(call, `${path}.functionCall`, fallbackId, signed);
    if (result !== undefined) {
      if (this.#isRepeated(result)) return void this.unknownFields.push(`${path}.functionResponse`);
      return yield this.#result(result, `${path}.functionResponse`);
    }
    if (blob !== undefined) yield inlinePart(blob, `${path}.inlineData`);
    if (file !== undefined) yield filePart(file, `${path}.fileData`);
    yield* textParts(text, pick(part, "thought") === true, signed);
  }

  #drop(fields: JsonObject, read: ReadonlySet<string>, path: string): void {
    for (const name of unknownNames(fields, read)) this.unknownFields.push(`${path}.${name}`);
  }

  #call(call: JsonObject, path: string, fallbackId: string, signed: string | undefined): NeutralPart {
    this.#drop(call, READ_CALL, path);
    const name = neededTextAt(pick(call, "name"), `${path}.name`);
    const id = textAt(pick(call, "id"), `${path}.id`) || fallbackId;
    const args = objectAt(pick(call, "args"), `${path}.args`) ?? {};
    this.#open.add({ id, name });
    const signature = signed === undefined || signed === "" ? {} : { signature: readSignature(signed).signature };
    return { kind: "tool_call", id, name, arguments: JSON.stringify(args), ...signature };
  }

  /** Gemini CLI 0.61 sends each result twice once a conversation is resumed: the second one says nothing new, and would answer no call. */
  #isRepeated(result: JsonObject): boolean {
    const id = pick(result, "id");
    if (typeof id !== "string" || id === "") return false;
    const earlier = this.#results.get(id);
    if (earlier === undefined) this.#results.set(id, result);
    return earlier !== undefined && JSON.stringify(earlier) === JSON.stringify(result);
  }

  #result(result: JsonObject, path: string): ToolResultPart {
    this.#drop(result, READ_RESULT, path);
    const name = textAt(pick(result, "name"), `${path}.name`) ?? "";
    const given = textAt(pick(result, "id"), `${path}.id`) ?? "";
    const call = this.#open.withId(given) ?? this.#open.named(name);
    if (call === undefined) throw new TranslationFault(path, `${path} answers no functionCall that came before it.`);
    this.#open.answered(call);
    const { text, isError } = resultText(objectAt(pick(result, "response"), `${path}.response`) ?? {});
    const media = objectsAt(pick(result, "parts"), `${path}.parts`).flatMap((part, at) =>
      resultMedia(part, `${path}.parts[${at}]`),
    );
    const parts = text === "" && media.length > 0 ? media : [{ kind: "text" as const, text }, ...media];
    return { kind: "tool_result", id: call.id, name: call.name, parts, ...(isError ? { isError } : {}) };
  }
}

/** A picture or file inside a result. */
function resultMedia(part: JsonObject, path: string): ToolResultPart["parts"] {
  const blob = objectAt(pick(part, "inlineData"), `${path}.inlineData`);
  const file = objectAt(pick(part, "fileData"), `${path}.fileData`);
  if (blob === undefined && file === undefined)
    throw new TranslationFault(path, `${path} holds no inlineData or fileData.`);
  const read = blob === undefined ? filePart(file ?? {}, `${path}.fileData`) : inlinePart(blob, `${path}.inlineData`);
  if (read.kind === "image" || read.kind === "file") return [read];
  throw new TranslationFault(path, `${path} is of a kind that a result of a tool cannot hold.`);
}

/** Thoughts, text, and a signature after either. */
function* textParts(text: string | undefined, isThought: boolean, signed: string | undefined): Generator<NeutralPart> {
  const read = signed === undefined || signed === "" ? undefined : readSignature(signed);
  const redacted = read?.isRedacted === true ? { isRedacted: true } : {};
  const signature = read === undefined ? {} : { signature: read.signature, ...redacted };
  if (isThought) {
    if (text !== undefined || read !== undefined) yield { kind: "reasoning", text: text ?? "", ...signature };
    return;
  }
  if (text !== undefined && (text !== "" || read === undefined)) yield { kind: "text", text };
  if (read !== undefined) yield { kind: "reasoning", text: "", ...signature };
}

/** Pieces of one text or one thought, as a stream cuts them. A signature ends a thought. */
const joins = (last: NeutralPart, next: NeutralPart): boolean =>
  (last.kind === "text" && next.kind === "text") ||
  (last.kind === "reasoning" && next.kind === "reasoning" && last.signature === undefined && next.isRedacted !== true);

function joined(last: NeutralPart, next: NeutralPart): NeutralPart {
  if (last.kind === "text" && next.kind === "text") return { kind: "text", text: last.text + next.text };
  if (last.kind === "reasoning" && next.kind === "reasoning") return { ...next, text: last.text + next.text };
  return next;
}

/** They stand at the head of a message. */
const isResult = ({ kind }: NeutralPart): boolean => kind === "tool_result";

/** systemInstruction: a content, or plain text as some clients send it. Throws TranslationFault. */
export function readSystem(value: unknown): TextPart[] {
  if (typeof value === "string") return value === "" ? [] : [{ kind: "text", text: value }];
  const content = objectAt(value, "systemInstruction");
  if (content === undefined) return [];
  return objectsAt(pick(content, "parts"), "systemInstruction.parts").map((part, index) => {
    const path = `systemInstruction.parts[${index}].text`;
    const text = textAt(pick(part, "text"), path);
    if (text === undefined) throw new TranslationFault(path, `${path} is missing: an instruction holds text only.`);
    return { kind: "text", text };
  });
}
