/** Coze: channel type 49, one agent a channel (coze.cn/docs/developer_guides/chat_v3; abroad api.coze.com). */
import { randomUUID } from "node:crypto";
import { checkForApp, textIn } from "../dialects/app-request.ts";
import { defined, isObject, listOf, numberOf, objectOf, ownOf, parseObject, textOf } from "../dialects/json/fields.ts";
import { type ErrorText, readFailure, withKind } from "../dialects/neutral/failure.ts";
import type { JsonObject, NeutralEvent, NeutralPart, NeutralRequest, Warn } from "../dialects/neutral/neutral.ts";
import type { StreamDecoder } from "../dialects/stream/stream.ts";
import { uploadForm } from "../dialects/upload-form.ts";
import { vendorFormat } from "../dialects/vendor-format.ts";
import { defineProvider } from "./define.ts";
import type { SendTools } from "./outgoing.ts";
import { ProviderFault } from "./provider-fault.ts";
import type { BeforeSend, ProviderChannel, UpstreamErrorKind, UpstreamFailure } from "./provider.ts";

// Failures of Coze: `{code, msg}` with a status of success, as a body or an event (coze.cn/docs/developer_guides/coze_error_codes).

/** Codes by what they speak of: the key, what is paid for, limits of time, or an agent that cannot be asked now. */
const KINDS: Readonly<Record<string, UpstreamErrorKind>> = {
  "4008": "quota",
  "4009": "quota",
  "4010": "quota",
  "4011": "quota",
  "4027": "quota",
  "4028": "quota",
  "4013": "rate",
  "4016": "rate",
  "4019": "rate",
  "4020": "rate",
  "4015": "overloaded",
  "4200": "overloaded",
  "5000": "overloaded",
  "4100": "auth",
  "4101": "auth",
  "700012006": "auth",
};

/** The status that stands for each kind. */
const STATUSES: Readonly<Record<UpstreamErrorKind, number>> = {
  auth: 401,
  quota: 402,
  rate: 429,
  overloaded: 503,
  invalid: 400,
  timeout: 504,
  network: 502,
  content: 400,
};

/** Codes of four digits that begin with 4 speak of the request, those of the table aside; all others of the vendor. */
const kindOf = (code: number): UpstreamErrorKind =>
  ownOf(KINDS, String(code)) ?? (code >= 4000 && code < 5000 ? "invalid" : "overloaded");

function errorTextIn(parsed: unknown): ErrorText {
  const fields = objectOf(parsed);
  const said = isObject(fields["last_error"]) ? fields["last_error"] : fields;
  if (fields["status"] === "requires_action")
    return {
      message: "The agent waits for the result of a tool, which calls through here have none of.",
      type: "",
      code: "requires_action",
      status: 400,
    };
  const code = numberOf(said["code"]) ?? 0;
  const status = code === 0 ? 502 : STATUSES[kindOf(code)];
  return { message: textOf(said["msg"]), type: "", code: String(code), status };
}

const failure = (status: number, body: string): UpstreamFailure =>
  withKind(
    readFailure(status, body, () => errorTextIn(parseObject(body))),
    KINDS,
  );

// Events of Coze's agents -> neutral ones (coze.cn/docs/developer_guides/chat_v3).

const BROKEN_EVENT = JSON.stringify({ msg: "The upstream sent an event that is not JSON." });

/** Its counts in the fields of chat completions; none if it gives a sum alone. */
function usageIn({ usage }: JsonObject): NeutralEvent[] {
  const counts = objectOf(usage);
  const prompt_tokens = numberOf(counts["input_count"]);
  const completion_tokens = numberOf(counts["output_count"]);
  if (prompt_tokens === undefined || completion_tokens === undefined) return [];
  const cached = numberOf(objectOf(counts["input_tokens_details"])["cached_tokens"]);
  const thought = numberOf(objectOf(counts["output_tokens_details"])["reasoning_tokens"]);
  const raw = defined({
    prompt_tokens,
    completion_tokens,
    prompt_tokens_details: cached === undefined ? undefined : { cached_tokens: cached },
    completion_tokens_details: thought === undefined ? undefined : { reasoning_tokens: thought },
  });
  return [{ kind: "usage", raw }];
}

class CozeDecoder implements StreamDecoder {
  #hasStarted = false;
  #hasText = false;

  push(event: string, data: string): readonly NeutralEvent[] {
    if (data === "" || event === "done") return [];
    const fields = parseObject(data);
    if (fields === undefined) return [{ kind: "error", text: BROKEN_EVENT }];
    const events = this.#read(event, fields, data);
    if (this.#hasStarted || events.length === 0) return events;
    this.#hasStarted = true;
    return [{ kind: "start", id: textOf(fields["chat_id"]) || textOf(fields["id"]) }, ...events];
  }

  #read(event: string, fields: JsonObject, data: string): NeutralEvent[] {
    switch (event) {
      case "conversation.message.delta":
        return fields["type"] === "answer" ? this.#text(fields) : [];
      case "conversation.message.completed":
        // It has once more what came in pieces; answers of plugins come in one.
        return fields["type"] === "answer" && !this.#hasText ? this.#text(fields) : [];
      case "conversation.chat.completed":
        return [{ kind: "finish", choice: 0, reason: "stop" }, ...usageIn(fields), { kind: "end" }];
      case "conversation.chat.failed":
      case "conversation.chat.canceled":
      case "conversation.chat.requires_action":
      case "error":
        return [{ kind: "error", text: data }];
      default:
        return [];
    }
  }

  #text({ content, reasoning_content }: JsonObject): NeutralEvent[] {
    const [text, thought] = [textOf(content), textOf(reasoning_content)];
    if (text !== "") this.#hasText = true;
    return [
      ...(thought === "" ? [] : [{ kind: "reasoning", choice: 0, text: thought } as const]),
      ...(text === "" ? [] : [{ kind: "text", choice: 0, text } as const]),
    ];
  }
}

const createDecoder = (): StreamDecoder => new CozeDecoder();

// The format of Coze's agents (coze.cn/docs/developer_guides/chat_v3): the request is a conversation, the answer
// is always events; answers in one piece would have to be asked for again and again.

/** A part of a message of several kinds: a file by its address or with its data, which `beforeSend` uploads. */
function objectOfPart(part: NeutralPart): JsonObject[] {
  if (part.kind === "text" || part.kind === "refusal") return [{ type: "text", text: part.text }];
  if (part.kind !== "image" && part.kind !== "file" && part.kind !== "audio") return [];
  const { source, kind } = part;
  if (source.kind === "url") return [{ type: kind, file_url: source.url }];
  const name = part.kind === "file" && part.name !== undefined ? { name: part.name } : {};
  return [{ type: kind, data: source.data, mime_type: source.mimeType, ...name }];
}

const isFile = ({ kind }: NeutralPart): boolean => kind === "image" || kind === "file" || kind === "audio";

/** Its text, or the list of its parts, which is sent as text once its files have ids. */
const contentOf = (parts: readonly NeutralPart[]): JsonObject =>
  parts.some(isFile)
    ? { content: parts.flatMap(objectOfPart), content_type: "object_string" }
    : { content: textIn(parts), content_type: "text" };

/** Instructions are sent as text of the user: there is no other place for those of a call. */
function messagesOf({ system, messages }: NeutralRequest): JsonObject[] {
  const head = system.map(({ text }) => ({ role: "user", type: "question", content: text, content_type: "text" }));
  const turns = messages
    .map(({ role, parts }) => ({
      ...(role === "assistant" ? { role, type: "answer" } : { role: "user", type: "question" }),
      ...contentOf(parts),
    }))
    .filter((message) => (message as JsonObject)["content"] !== "");
  return [...head, ...turns];
}

function encodeRequest(agentId: string, request: NeutralRequest, warn: Warn): JsonObject {
  checkForApp(request, "Coze", warn);
  if (request.system.length > 0 || request.messages.some(({ role }) => role === "system"))
    warn("messages", "instructions are given to the Coze app as words of the user");
  return {
    bot_id: agentId,
    user_id: request.user ?? "",
    stream: true,
    // Every call sends all of its turns, and the vendor stores none of them.
    auto_save_history: false,
    additional_messages: messagesOf(request),
  };
}

const format = ({ other }: ProviderChannel) =>
  vendorFormat({
    encodeRequest: (request, warn) => encodeRequest(other, request, warn),
    // Every answer is asked for as events; a body in one piece is an error or nothing of theirs.
    decodeAnswer: () => undefined,
    isErrorBody: ({ code }) => typeof code === "number" && code !== 0,
    createDecoder,
  });

// The last step of a call to Coze: the user it is for, and its files, uploaded ahead of it (coze.cn/docs/developer_guides/upload_files).

interface Uploads {
  key: string;
  /** Where the vendor takes files. */
  url: string;
  tools: SendTools;
}

/** A part of a message as a call names it: a file by the id of its upload where it came with its data. */
async function uploaded(part: JsonObject, { key, url, tools }: Uploads): Promise<JsonObject> {
  if (part["data"] === undefined) return part;
  const bytes = Buffer.from(textOf(part["data"]), "base64");
  const whole = { bytes, mimeType: textOf(part["mime_type"]), name: textOf(part["name"]) };
  const form = uploadForm(whole, {}, `turnpike-${randomUUID()}`);
  const headers = ["authorization", `Bearer ${key}`, "content-type", form.mimeType];
  const answer = await tools.ask({ method: "POST", url, headers, body: form.bytes });
  const id = textOf(objectOf(answer.fields["data"])["id"]);
  if (id === "") throw new ProviderFault(failure(answer.status, answer.text));
  return { type: part["type"], file_id: id };
}

/** Content of several parts goes as the text of their list. */
async function readyMessage(message: JsonObject, uploads: Uploads): Promise<JsonObject> {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  const parts = await Promise.all(content.map((part) => uploaded(objectOf(part), uploads)));
  return { ...message, content: JSON.stringify(parts) };
}

/** Calls without a user get a name of their own each, so that the agent remembers nothing of one for another. */
const beforeSend: BeforeSend = async (request, { key }: ProviderChannel, _call, tools) => {
  const fields = parseObject(request.body.toString("utf8")) ?? {};
  const uploads = { key, tools, url: request.url.replace(/\/v3\/chat$/, "/v1/files/upload") };
  const messages = listOf(fields["additional_messages"]).map((message) => readyMessage(objectOf(message), uploads));
  const changed = {
    ...fields,
    user_id: textOf(fields["user_id"]) || `turnpike-${randomUUID()}`,
    additional_messages: await Promise.all(messages),
  };
  return { ...request, body: Buffer.from(JSON.stringify(changed)) };
};

export const coze = defineProvider({
  id: 49,
  slug: "coze",
  name: "Coze",
  defaultBaseUrl: "https://api.coze.cn",
  dialects: ["vendor"],
  keyHint: "pat_...",
  models: [],
  operations: ["chat"],
  paths: { chat: "/v3/chat" },
  notice: "coze",
  fields: [
    { name: "base_url", label: "baseUrl", isRequired: false, placeholder: "https://api.coze.cn" },
    { name: "other", label: "agentId", isRequired: true, pattern: "^\\d{1,32}$", placeholder: "7428000000000000000" },
  ],
  mark: { glyph: "C", colour: "#4d53e8" },
  failure,
  format,
  beforeSend,
});
