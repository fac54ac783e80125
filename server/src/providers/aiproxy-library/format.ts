/** The format of AI Proxy's knowledge bases (docs.aiproxy.io/dev/library): a question there, an answer and its documents back. */
import { checkForApp, conversationText } from "../../dialects/app-request.ts";
import { listOf, objectOf, parseObject, textOf } from "../../dialects/json/fields.ts";
import {
  type Citation,
  type JsonObject,
  type NeutralAnswer,
  type NeutralEvent,
  type NeutralRequest,
  TranslationFault,
  type Warn,
} from "../../dialects/neutral/neutral.ts";
import type { StreamDecoder } from "../../dialects/stream/stream.ts";
import { vendorFormat } from "../../dialects/vendor-format.ts";
import type { ProviderChannel } from "../provider.ts";
import { isFailure } from "./errors.ts";

const BROKEN_EVENT = JSON.stringify({ message: "The upstream sent an event that is not JSON." });

function encodeRequest(libraryId: string, request: NeutralRequest, warn: Warn): JsonObject {
  checkForApp(request, "AI Proxy", warn);
  const isOfWords = request.messages.every(({ parts }) =>
    parts.every(({ kind }) => kind === "text" || kind === "refusal" || kind === "reasoning"),
  );
  if (!isOfWords) throw new TranslationFault("messages", "The knowledge base behind this name takes texts only.");
  if (request.user !== undefined) warn("user", "the knowledge base knows no users");
  return { model: request.model, query: conversationText(request), libraryId, stream: request.isStream };
}

/** The documents that an answer comes from. Those without an address are no citations. */
const citationsOf = (documents: unknown): Citation[] =>
  listOf(documents)
    .map(objectOf)
    .flatMap(({ url, title }) => (textOf(url) === "" ? [] : [{ url: textOf(url), title: textOf(title), quote: "" }]));

function decodeAnswer({ answer, documents }: JsonObject): NeutralAnswer | undefined {
  if (typeof answer !== "string") return undefined;
  const citations = citationsOf(documents);
  const part = { kind: "text", text: answer, ...(citations.length === 0 ? {} : { citations }) } as const;
  return { id: "", choices: [{ parts: [part], finish: "stop" }], rawUsage: undefined };
}

/** The documents come with one of the events, and stand behind the words. */
class LibraryDecoder implements StreamDecoder {
  #documents: unknown = [];
  #hasStarted = false;

  push(_event: string, data: string): readonly NeutralEvent[] {
    if (data === "") return [];
    if (data.startsWith("[DONE]")) return this.#end();
    const fields = parseObject(data);
    if (fields === undefined) return [{ kind: "error", text: BROKEN_EVENT }];
    if (isFailure(data)) return [{ kind: "error", text: data }];
    const { content, documents, finish } = fields;
    if (listOf(documents).length > 0) this.#documents = documents;
    const text = textOf(content);
    return [
      ...(this.#hasStarted ? [] : this.#start()),
      ...(text === "" ? [] : [{ kind: "text", choice: 0, text } as const]),
      ...(finish === true ? this.#end() : []),
    ];
  }

  #start(): NeutralEvent[] {
    this.#hasStarted = true;
    return [{ kind: "start", id: "" }];
  }

  #end(): NeutralEvent[] {
    const cited = citationsOf(this.#documents).map((citation): NeutralEvent => ({
      kind: "citation",
      choice: 0,
      citation,
    }));
    this.#documents = [];
    return [...cited, { kind: "finish", choice: 0, reason: "stop" }, { kind: "end" }];
  }
}

export const format = ({ other }: ProviderChannel) =>
  vendorFormat({
    encodeRequest: (request, warn) => encodeRequest(other, request, warn),
    decodeAnswer,
    isErrorBody: (fields) => isFailure(JSON.stringify(fields)),
    createDecoder: () => new LibraryDecoder(),
  });
