/** Dify: channel type 37, one app a channel (docs.dify.ai/api-reference). */
import { randomUUID } from "node:crypto";
import { checkForApp, conversationText } from "../dialects/app-request.ts";
import { isObject, listOf, numberOf, objectOf, ownOf, parseObject, textOf } from "../dialects/json/fields.ts";
import { type ErrorText, readFailure, withKind } from "../dialects/neutral/failure.ts";
import {
  type AudioPart,
  type FilePart,
  type FinishReason,
  type ImagePart,
  type JsonObject,
  type NeutralEvent,
  type NeutralPart,
  type NeutralRequest,
  type Warn,
  TranslationFault,
} from "../dialects/neutral/neutral.ts";
import type { StreamDecoder } from "../dialects/stream/stream.ts";
import { uploadForm } from "../dialects/upload-form.ts";
import { vendorFormat } from "../dialects/vendor-format.ts";
import { defineProvider } from "./define.ts";
import type { SendTools } from "./outgoing.ts";
import { ProviderFault } from "./provider-fault.ts";
import type {
  BeforeSend,
  ProviderCall,
  ProviderChannel,
  ProviderRequest,
  UpstreamErrorKind,
  UpstreamFailure,
} from "./provider.ts";

// Where the apps of Dify are asked: each kind has a path of its own (docs.dify.ai/api-reference).

const PATHS: Readonly<Record<string, string>> = {
  completion: "/completion-messages",
  workflow: "/workflows/run",
};

function endpoint({ baseUrl, key, other }: ProviderChannel, _call: ProviderCall): ProviderRequest {
  const root = baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "");
  const path = ownOf(PATHS, other) ?? "/chat-messages";
  return { url: `${root}/v1${path}`, headers: ["authorization", `Bearer ${key}`] };
}

// Failures of Dify: `{code, message, status}`, as a body or as an event of a stream, and workflows that failed (docs.dify.ai/api-reference).

/** Codes of status 400 that speak of the app, its settings or its models, which the app of another channel may have in order. */
const KINDS: Readonly<Record<string, UpstreamErrorKind>> = {
  unauthorized: "auth",
  provider_not_initialize: "auth",
  provider_quota_exceeded: "quota",
  app_unavailable: "overloaded",
  not_chat_app: "overloaded",
  not_completion_app: "overloaded",
  not_workflow_app: "overloaded",
  model_currently_not_support: "overloaded",
  completion_request_error: "overloaded",
  workflow_failed: "overloaded",
  workflow_paused: "invalid",
  rate_limit_error: "rate",
  too_many_requests: "rate",
};

/** A workflow that ended without an answer says so in the event of its end. */
function workflowErrorText(data: Readonly<Record<string, unknown>>): ErrorText {
  if (data["status"] === "paused")
    return {
      message: "The workflow waits for a person, which a call cannot.",
      type: "",
      code: "workflow_paused",
      status: 400,
    };
  return { message: textOf(data["error"]) || "The workflow failed.", type: "", code: "workflow_failed", status: 500 };
}

function errorTextIn(parsed: unknown): ErrorText {
  const fields = objectOf(parsed);
  if (textOf(fields["event"]).startsWith("workflow_")) return workflowErrorText(objectOf(fields["data"]));
  return {
    message: textOf(fields["message"]),
    type: "",
    code: textOf(fields["code"]),
    status: numberOf(fields["status"]) ?? 0,
  };
}

const failure = (status: number, body: string): UpstreamFailure =>
  withKind(
    readFailure(status, body, () => errorTextIn(parseObject(body))),
    KINDS,
  );

// Events of Dify's chats, completions and workflows -> neutral ones (docs.dify.ai/api-reference).

const BROKEN_EVENT = JSON.stringify({ message: "The upstream sent an event that is not JSON." });

/** Outputs that are an answer by their names, where a workflow has several. */
const ANSWERS = ["answer", "text", "result", "output"];

/** The answer of a workflow that streamed no text: its one text, the one with such a name, or all outputs as JSON. */
function outputText(outputs: JsonObject): string {
  const names = Object.keys(outputs);
  const name = names.length === 1 ? names[0] : ANSWERS.find((each) => typeof outputs[each] === "string");
  const value = name === undefined ? outputs : outputs[name];
  if (typeof value === "string") return value;
  return names.length === 0 ? "" : JSON.stringify(value);
}

/** Counts where the app gives both kinds of tokens; workflows have only a sum, which no price applies to. */
function usageIn(metadata: JsonObject): NeutralEvent[] {
  const { usage } = metadata;
  return isObject(usage) && typeof usage["prompt_tokens"] === "number" ? [{ kind: "usage", raw: usage }] : [];
}

class DifyDecoder implements StreamDecoder {
  readonly #baseUrl: string;
  #hasStarted = false;
  #hasText = false;
  #finish: FinishReason = "stop";

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  push(event: string, data: string): readonly NeutralEvent[] {
    if (data === "" || event === "ping") return [];
    const fields = parseObject(data);
    if (fields === undefined) return [{ kind: "error", text: BROKEN_EVENT }];
    const events = this.#read(textOf(fields["event"]) || event, fields, data);
    if (this.#hasStarted || events.length === 0) return events;
    this.#hasStarted = true;
    const id = textOf(fields["message_id"]) || textOf(fields["workflow_run_id"]) || textOf(fields["task_id"]);
    return [{ kind: "start", id }, ...events];
  }

  #read(type: string, fields: JsonObject, data: string): NeutralEvent[] {
    const inner = objectOf(fields["data"]);
    switch (type) {
      case "message":
      case "agent_message":
        return this.#text(textOf(fields["answer"]));
      case "text_chunk":
        return this.#text(textOf(inner["text"]));
      case "reasoning_chunk": {
        const text = textOf(inner["reasoning"]);
        return text === "" ? [] : [{ kind: "reasoning", choice: 0, text }];
      }
      case "message_replace":
        // Moderation took the answer back: what was said before is with the client already.
        this.#finish = "content_filter";
        return this.#hasText ? [] : this.#text(textOf(fields["answer"]));
      case "message_file":
        return this.#file(fields);
      case "message_end":
        return this.#end(usageIn(objectOf(fields["metadata"])));
      case "workflow_finished":
        return this.#workflowEnd(fields, inner, data);
      case "workflow_paused":
      case "error":
        return [{ kind: "error", text: data }];
      default:
        return [];
    }
  }

  #text(text: string): NeutralEvent[] {
    if (text === "") return [];
    this.#hasText = true;
    return [{ kind: "text", choice: 0, text }];
  }

  /** Pictures as they are; other files as a link in the text. Addresses of servers that operators run may lack their host. */
  #file({ type, url, belongs_to: owner }: JsonObject): NeutralEvent[] {
    const address = URL.parse(textOf(url), this.#baseUrl)?.href;
    if (address === undefined || owner === "user") return [];
    if (type === "image") return [{ kind: "image", choice: 0, source: { kind: "url", url: address } }];
    return this.#text(`\n[${textOf(type) || "file"}](${address})\n`);
  }

  #end(usage: readonly NeutralEvent[]): NeutralEvent[] {
    return [{ kind: "finish", choice: 0, reason: this.#finish }, ...usage, { kind: "end" }];
  }

  /** A chat that is a flow ends with `message_end` behind this. */
  #workflowEnd(fields: JsonObject, run: JsonObject, data: string): NeutralEvent[] {
    if (run["status"] === "failed") return [{ kind: "error", text: data }];
    if (fields["message_id"] !== undefined) return [];
    const text = this.#hasText ? [] : this.#text(outputText(objectOf(run["outputs"])));
    return [...text, ...this.#end([])];
  }
}

/** `baseUrl` completes addresses of files that lack their host. */
const createDecoder = (baseUrl: string): StreamDecoder => new DifyDecoder(baseUrl);

// The format of Dify's apps (docs.dify.ai/api-reference): the request is a question, the answer always events, for agents give nothing else.

const FILE_TYPES = { image: "image", file: "document", audio: "audio" } as const;

type Attached = ImagePart | FilePart | AudioPart;

const isAttached = (part: NeutralPart): part is Attached =>
  part.kind === "image" || part.kind === "file" || part.kind === "audio";

/** A file at its address, or with its data: `beforeSend` uploads those and puts their ids in the place. */
function fileOf(part: Attached): JsonObject {
  const type = FILE_TYPES[part.kind];
  if (part.source.kind === "url") return { type, transfer_method: "remote_url", url: part.source.url };
  const { data, mimeType } = part.source;
  const name = part.kind === "file" && part.name !== undefined ? { name: part.name } : {};
  return { type, transfer_method: "local_file", data, mime_type: mimeType, ...name };
}

function encodeRequest(kind: string, request: NeutralRequest, warn: Warn): JsonObject {
  checkForApp(request, "Dify", warn);
  const files = request.messages.flatMap(({ parts }) => parts.filter(isAttached).map(fileOf));
  if (kind === "workflow" && files.length > 0)
    throw new TranslationFault(
      "messages",
      "The Dify workflow behind this name takes files in variables of its own only.",
    );
  const query = conversationText(request);
  const base = { response_mode: "streaming", user: request.user ?? "", ...(files.length === 0 ? {} : { files }) };
  // Without a stored conversation: every call sends all of its turns.
  if (kind === "completion" || kind === "workflow") return { inputs: { query }, ...base };
  return { inputs: {}, query, auto_generate_name: false, ...base };
}

const format = ({ other, baseUrl }: ProviderChannel) =>
  vendorFormat({
    encodeRequest: (request, warn) => encodeRequest(other, request, warn),
    // Every answer is asked for as events; a body in one piece is an error or nothing of theirs.
    decodeAnswer: () => undefined,
    createDecoder: () => createDecoder(baseUrl),
  });

// The last step of a call to Dify: the user it is for, and its files, uploaded ahead of it (docs.dify.ai/api-reference/files/upload-file).

/** The file as a call names it: by the id of its upload where it came with its data. */
async function uploaded(
  file: JsonObject,
  user: string,
  root: string,
  key: string,
  tools: SendTools,
): Promise<JsonObject> {
  if (file["data"] === undefined) return file;
  const bytes = Buffer.from(textOf(file["data"]), "base64");
  const whole = { bytes, mimeType: textOf(file["mime_type"]), name: textOf(file["name"]) };
  const form = uploadForm(whole, { user }, `turnpike-${randomUUID()}`);
  const headers = ["authorization", `Bearer ${key}`, "content-type", form.mimeType];
  const answer = await tools.ask({ method: "POST", url: `${root}/files/upload`, headers, body: form.bytes });
  const id = textOf(answer.fields["id"]);
  if (id === "") throw new ProviderFault(failure(answer.status, answer.text));
  return { type: file["type"], transfer_method: "local_file", upload_file_id: id };
}

/** Everything behind the address of an app of any kind is beside it. */
const rootOf = (url: string): string => url.replace(/\/(?:chat-messages|completion-messages|workflows\/run)$/, "");

/** Calls without a user get a name of their own each, so that the app remembers nothing of one for another. */
const beforeSend: BeforeSend = async (request, { key }: ProviderChannel, _call, tools) => {
  const fields = parseObject(request.body.toString("utf8")) ?? {};
  const user = textOf(fields["user"]) || `turnpike-${randomUUID()}`;
  const root = rootOf(request.url);
  const files = await Promise.all(
    listOf(fields["files"]).map((file) => uploaded(objectOf(file), user, root, key, tools)),
  );
  const changed = { ...fields, user, ...(files.length === 0 ? {} : { files }) };
  return { ...request, body: Buffer.from(JSON.stringify(changed)) };
};

export const dify = defineProvider({
  id: 37,
  slug: "dify",
  name: "Dify",
  defaultBaseUrl: "https://api.dify.ai",
  dialects: ["vendor"],
  keyHint: "app-...",
  models: [],
  operations: ["chat"],
  notice: "dify",
  fields: [
    { name: "base_url", label: "baseUrl", isRequired: false, placeholder: "https://api.dify.ai" },
    {
      name: "other",
      label: "appKind",
      isRequired: false,
      choices: [
        { value: "chat", label: "appChat" },
        { value: "completion", label: "appCompletion" },
        { value: "workflow", label: "appWorkflow" },
      ],
    },
  ],
  mark: { glyph: "D", colour: "#155eef" },
  endpoint,
  failure,
  format,
  beforeSend,
});
