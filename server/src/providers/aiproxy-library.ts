/** A knowledge base of AI Proxy: channel type 21 (docs.aiproxy.io/dev/library). */
import { checkForApp, conversationText } from "../dialects/app-request.ts";
import { listOf, numberOf, objectOf, parseObject, textOf } from "../dialects/json/fields.ts";
import { readFailure } from "../dialects/neutral/failure.ts";
import {
  type Citation,
  type JsonObject,
  type NeutralAnswer,
  type NeutralEvent,
  type NeutralRequest,
  type Warn,
  TranslationFault,
} from "../dialects/neutral/neutral.ts";
import type { StreamDecoder } from "../dialects/stream/stream.ts";
import { vendorFormat } from "../dialects/vendor-format.ts";
import { type BalanceOf, amountIn, objectIn, refusedBalance } from "./balance.ts";
import { defineProvider } from "./define.ts";
import type { ProviderChannel, UpstreamFailure } from "./provider.ts";

// Failures of AI Proxy's knowledge bases: `{success: false, errCode, message}`, also with a status of success (docs.aiproxy.io/dev/library).

/** True for a body or an event with a code, or that says it is none. */
function isFailure(text: string): boolean {
  const { success, errCode } = objectOf(parseObject(text.replace(/^data: ?/, "")));
  return success === false || (numberOf(errCode) ?? 0) !== 0;
}

/** Codes that are statuses of HTTP mean what those do; others say nothing, so that another channel may be asked. */
const failure = (status: number, body: string): UpstreamFailure =>
  readFailure(status, body, () => {
    const fields = objectOf(parseObject(body));
    const code = numberOf(fields["errCode"]) ?? 0;
    const isStatus = code >= 400 && code <= 599;
    return {
      message: textOf(fields["message"]),
      type: "",
      code: code === 0 ? "" : String(code),
      status: isStatus ? code : 0,
    };
  });

// The format of AI Proxy's knowledge bases (docs.aiproxy.io/dev/library): a question there, an answer and its documents back.

const BROKEN_EVENT = JSON.stringify({ message: "The upstream sent an event that is not JSON." });

function encodeRequest(libraryId: string, request: NeutralRequest, warn: Warn): JsonObject {
  checkForApp(request, "AI Proxy", warn);
  const isTextContent = request.messages.every(({ parts }) =>
    parts.every(({ kind }) => kind === "text" || kind === "refusal" || kind === "reasoning"),
  );
  if (!isTextContent) throw new TranslationFault("messages", "The knowledge base behind this name takes texts only.");
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

/** The documents come with one of the events, after the text. */
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

const format = ({ other }: ProviderChannel) =>
  vendorFormat({
    encodeRequest: (request, warn) => encodeRequest(other, request, warn),
    decodeAnswer,
    isErrorBody: (fields) => isFailure(JSON.stringify(fields)),
    createDecoder: () => new LibraryDecoder(),
  });

// What is left at AI Proxy, in points of its own (tests/fixtures/providers/aiproxy-library/source.txt): its accounts are at another address than
// its knowledge bases.

const LIBRARIES = "https://api.aiproxy.io";
const ACCOUNTS = "https://aiproxy.io";

const balance: BalanceOf = async (ask, { baseUrl, key }) => {
  const base = baseUrl.replace(/\/+$/, "");
  const { success, message, data } = await ask({
    method: "GET",
    url: `${base === LIBRARIES ? ACCOUNTS : base}/api/report/getUserOverview`,
    headers: ["api-key", key],
  });
  if (success !== true) throw refusedBalance(message);
  return { amount: amountIn(objectIn(data)["totalPoints"]), currency: "points" };
};

export const aiproxyLibrary = defineProvider({
  id: 21,
  slug: "aiproxy-library",
  name: "AI Proxy knowledge base",
  defaultBaseUrl: LIBRARIES,
  dialects: ["vendor"],
  operations: ["chat"],
  paths: { chat: "/api/library/ask" },
  models: ["gpt-4o", "gpt-4o-mini"],
  fields: [
    { name: "base_url", label: "baseUrl", isRequired: false, placeholder: LIBRARIES },
    { name: "other", label: "libraryId", isRequired: true, placeholder: "1234" },
  ],
  mark: { glyph: "A", colour: "#0f766e" },
  failure,
  isFailure,
  format,
  balance,
});
