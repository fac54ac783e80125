/** iFlytek's Spark: channel type 18 (xfyun.cn/doc/spark/Web.html; with an APIPassword xfyun.cn/doc/spark/HTTP调用文档.html). */
import { createHmac } from "node:crypto";
import type { FormatName } from "../dialects/dialect.ts";
import { defined, isObject, listOf, objectOf, ownOf, parseObject, textOf } from "../dialects/json/fields.ts";
import { fittingUser } from "../dialects/neutral/dropped-fields.ts";
import { readCodedFailure, readFailure } from "../dialects/neutral/failure.ts";
import {
  type JsonObject,
  type NeutralEvent,
  type NeutralPart,
  type NeutralRequest,
  type Warn,
  TranslationFault,
} from "../dialects/neutral/neutral.ts";
import { effortAsSwitch, olderLimit, systemRole } from "../dialects/openai-chat/compatible.ts";
import { UNSIGNED } from "../dialects/openai-chat/signature.ts";
import type { StreamDecoder } from "../dialects/stream/stream.ts";
import { vendorFormat } from "../dialects/vendor-format.ts";
import { conversationOf, refuseImpossible, warnOfUnsupported, within, joinedText } from "../dialects/vendor-turns.ts";
import { defineProvider } from "./define.ts";
import { malformedKey, keyParts } from "./provider-fault.ts";
import type {
  BeforeSend,
  Operation,
  ProviderCall,
  ProviderChannel,
  ProviderRequest,
  Quirk,
  UpstreamErrorKind,
  UpstreamFailure,
} from "./provider.ts";

// Where Spark is: a WebSocket for each version of its models, or OpenAI's path (xfyun.cn/doc/spark/Web.html, /X1http.html).

const SIGNED_HOST = /^https:\/\/spark-api\.xf-yun\.com\/*$/;
const COMPATIBLE_BASE = "https://spark-api-open.xf-yun.com";
/** Models of the compatible service that are behind another root than `/v1`. */
const ROOTS: Readonly<Record<string, string>> = { x1: "/v2", "spark-x": "/x2" };
const DEFAULT_VERSION = "v2.1";

interface Version {
  path: string;
  /** What requests name it. */
  domain: string;
  /** Takes a role system; the others have instructions in the first question. */
  hasSystem: boolean;
}

const VERSIONS: Readonly<Record<string, Version>> = {
  "v1.1": { path: "/v1.1/chat", domain: "lite", hasSystem: false },
  "v2.1": { path: "/v2.1/chat", domain: "generalv2", hasSystem: false },
  "v3.1": { path: "/v3.1/chat", domain: "generalv3", hasSystem: false },
  "pro-128k": { path: "/chat/pro-128k", domain: "pro-128k", hasSystem: false },
  "v3.5": { path: "/v3.5/chat", domain: "generalv3.5", hasSystem: true },
  "max-32k": { path: "/chat/max-32k", domain: "max-32k", hasSystem: true },
  "v4.0": { path: "/v4.0/chat", domain: "4.0Ultra", hasSystem: true },
};
const BY_DOMAIN = new Map(Object.entries(VERSIONS).map(([version, { domain }]) => [domain, version]));

/** The version of a model's name (`SparkDesk-v3.5`, `generalv3.5`), else of the channel (`other`), else the default. */
function versionOf(model: string, { other }: Pick<ProviderChannel, "other">): Version {
  const suffix = /^[^-]+-(.+)$/.exec(model)?.[1];
  const version = BY_DOMAIN.get(model) ?? suffix ?? (other.trim() || DEFAULT_VERSION);
  return (
    ownOf(VERSIONS, version) ?? { path: `/${version}/chat`, domain: version.replace(/^v/, "generalv"), hasSystem: true }
  );
}

/** A key with bars signs; the default base URL stands for the compatible service where the key is a password. */
function endpoint(channel: ProviderChannel, { path, model }: ProviderCall): ProviderRequest {
  const base = channel.baseUrl.replace(/\/+$/, "");
  if (keyParts(channel.key).length > 1)
    return { url: base.replace(/^http/, "ws") + versionOf(model, channel).path, headers: [] };
  const root = ownOf(ROOTS, model) ?? "/v1";
  const own = SIGNED_HOST.test(base) ? COMPATIBLE_BASE : base;
  const url = (/\/[vx]\d+$/.test(own) ? own : own + root) + path.replace(/^\/v1(?=\/)/, "");
  return { url, headers: ["authorization", `Bearer ${channel.key}`] };
}

// Where Spark's compatible service differs from OpenAI's chat completions (xfyun.cn/doc/spark/HTTP调用文档.html, /X1http.html).

const isCompatible = (_model: string, operation: Operation, dialect: FormatName): boolean =>
  operation === "chat" && dialect === "openai-chat";
const canThink = (model: string): boolean => /^(?:x\d|spark-x)/.test(model);

const quirks: readonly Quirk[] = [
  { reason: "the vendor knows the role system and no developer", appliesTo: isCompatible, patch: systemRole },
  { reason: "the vendor bounds answers by max_tokens alone", appliesTo: isCompatible, patch: olderLimit },
  {
    reason: "the vendor's models think or do not, by a field of its own where they can",
    appliesTo: isCompatible,
    patch: (body, _options, model) =>
      effortAsSwitch(body, (isOn) => (canThink(model) ? { thinking: { type: isOn ? "enabled" : "disabled" } } : {})),
  },
  {
    reason: "the vendor gives calls of tools as a list only where it is told to",
    appliesTo: isCompatible,
    patch: (body) =>
      listOf(body["tools"]).length === 0 || body["tool_calls_switch"] !== undefined
        ? {}
        : { set: { tool_calls_switch: true } },
  },
];

// Failures of Spark by their codes (xfyun.cn/doc/spark/接口说明.html), in each message's head or beside what OpenAI has.

const KINDS: Readonly<Record<string, UpstreamErrorKind>> = {
  "10000": "overloaded",
  "10001": "overloaded",
  "10002": "overloaded",
  "10003": "invalid",
  "10004": "invalid",
  "10005": "invalid",
  "10006": "rate",
  "10007": "rate",
  "10008": "overloaded",
  "10009": "overloaded",
  "10010": "overloaded",
  "10011": "overloaded",
  "10012": "overloaded",
  "10013": "content",
  "10014": "content",
  "10015": "auth",
  "10016": "auth",
  "10019": "content",
  "10021": "content",
  "10110": "overloaded",
  "10163": "invalid",
  "10222": "overloaded",
  "10907": "invalid",
  "11200": "auth",
  "11201": "rate",
  "11202": "rate",
  "11203": "rate",
};

/** The code is in the head of a message, at the top of an answer, or in OpenAI's envelope. */
function read(parsed: unknown): { message: string; code: string } {
  const fields = objectOf(parsed);
  const places = [fields["header"], fields["error"], fields].map(objectOf);
  const found = places.find(({ code }) => code !== undefined) ?? fields;
  return { message: textOf(found["message"]), code: String(found["code"] ?? "") };
}

const OF_VENDOR = /"code"\s*:\s*"?1[01]\d{3}\b/;

const failure = (status: number, body: string): UpstreamFailure =>
  OF_VENDOR.test(body) ? readCodedFailure(status, body, read, (code) => ownOf(KINDS, code)) : readFailure(status, body);

/** Answers have such codes too: 0. Quotes inside their text are escaped, so these names are keys. */
const isFailure = (text: string): boolean =>
  /"header"\s*:\s*\{[^{}]*"code"\s*:\s*[1-9]/.test(text) || /^(?:data:)?\s*\{\s*"code"\s*:\s*[1-9]/.test(text);

// Messages of Spark's WebSocket -> neutral events; the last one, of status 2, has the usage.

class SparkDecoder implements StreamDecoder {
  #isStarted = false;
  #isThinking = false;

  push(_event: string, data: string): readonly NeutralEvent[] {
    if (data === "") return [];
    const message = parseObject(data);
    if (message === undefined) return [{ kind: "error", text: data }];
    const header = objectOf(message["header"]);
    const payload = objectOf(message["payload"]);
    const events: NeutralEvent[] = this.#isStarted ? [] : [{ kind: "start", id: textOf(header["sid"]) }];
    this.#isStarted = true;
    for (const piece of listOf(objectOf(payload["choices"])["text"])) this.#read(piece, events);
    if (header["status"] !== 2) return events;
    this.#endThinking(events);
    events.push({ kind: "finish", choice: 0, reason: "stop" });
    const usage = objectOf(payload["usage"])["text"];
    if (isObject(usage)) events.push({ kind: "usage", raw: usage });
    return [...events, { kind: "end" }];
  }

  #read(piece: unknown, events: NeutralEvent[]): void {
    const { content, reasoning_content: thought } = objectOf(piece);
    if (textOf(thought) !== "") {
      this.#isThinking = true;
      events.push({ kind: "reasoning", choice: 0, text: textOf(thought) });
    }
    if (textOf(content) === "") return;
    this.#endThinking(events);
    events.push({ kind: "text", choice: 0, text: textOf(content) });
  }

  #endThinking(events: NeutralEvent[]): void {
    if (this.#isThinking) events.push({ kind: "signature", choice: 0, signature: UNSIGNED });
    this.#isThinking = false;
  }
}

const createDecoder = (): StreamDecoder => new SparkDecoder();

// Neutral requests -> the message that Spark's WebSocket takes (xfyun.cn/doc/spark/Web.html).

interface Addressee {
  appId: string;
  domain: string;
  hasSystem: boolean;
}

const MAX_USER_LENGTH = 32;

/** The vendor's WebSocket knows text alone; its tools are for keys of the compatible service. */
function said(parts: readonly NeutralPart[], warn: Warn): string {
  const other = parts.find(({ kind }) => kind !== "text" && kind !== "refusal" && kind !== "reasoning");
  if (other !== undefined) throw new TranslationFault("messages", `this model takes text only, no ${other.kind} parts`);
  if (parts.some(({ kind }) => kind === "reasoning"))
    warn("reasoning", "this model takes no thinking of earlier turns");
  return joinedText(parts);
}

function messagesOf(request: NeutralRequest, hasSystem: boolean, warn: Warn): JsonObject[] {
  const { system, turns } = conversationOf(request, warn);
  const messages = turns.map(({ role, parts }) => ({ role, content: said(parts, warn) }));
  if (system === "") return messages;
  if (hasSystem) return [{ role: "system", content: system }, ...messages];
  const [first, ...rest] = messages;
  if (first?.role !== "user") return [{ role: "user", content: system }, ...messages];
  return [{ ...first, content: `${system}\n\n${first.content}` }, ...rest];
}

/** Throws TranslationFault where the API cannot do what was asked. */
function encodeRequest(request: NeutralRequest, { appId, domain, hasSystem }: Addressee, warn: Warn): JsonObject {
  refuseImpossible(request, { takesTools: false, takesFormats: false }, warn);
  warnOfUnsupported(request, ["temperature", "maxTokens", "topK", "user"], warn);
  const chat = defined({
    domain,
    temperature: within(request.temperature, [0.01, 1], "temperature", warn),
    max_tokens: request.maxTokens,
    top_k: within(request.topK, [1, 6], "top_k", warn),
  });
  const uid = fittingUser(request.user, MAX_USER_LENGTH, warn);
  return {
    header: defined({ app_id: appId, uid }),
    parameter: { chat },
    payload: { message: { text: messagesOf(request, hasSystem, warn) } },
  };
}

// Spark's own format: one message to a WebSocket, its answer in pieces (xfyun.cn/doc/spark/Web.html).

/** Each message has the key's application and the version's domain. No answer comes in one piece. */
function format(channel: ProviderChannel, model: string) {
  const [appId = ""] = keyParts(channel.key);
  const { domain, hasSystem } = versionOf(model, channel);
  return vendorFormat({
    encodeRequest: (request, warn) => encodeRequest(request, { appId, domain, hasSystem }, warn),
    decodeAnswer: () => undefined,
    createDecoder,
  });
}

/** Three parts sign the vendor's own format, a password has OpenAI's. */
const dialectsOf = (_model: string, { key }: ProviderChannel): readonly FormatName[] =>
  keyParts(key).length > 1 ? ["vendor"] : ["openai-chat"];

/** The last piece has the status 2; behind a failure nothing comes either. */
function isLastMessage(text: string): boolean {
  const { code, status } = objectOf(parseObject(text)?.["header"]);
  return status === 2 || (code !== undefined && code !== 0);
}

// Signs the address of a WebSocket; a call with a password is sent unchanged.

const HOST = "spark-api.xf-yun.com";

/** The vendor's host that was called, or the one behind a proxy of the operator. */
function signedHost(url: string): string {
  const { host } = new URL(url);
  return host.endsWith(".xf-yun.com") ? host : HOST;
}

const beforeSend: BeforeSend = (request, { key }, _call, { nowMs }) => {
  const parts = keyParts(key);
  if (parts.length === 1) return request;
  const [appId = "", apiSecret = "", apiKey = ""] = parts;
  if (parts.length !== 3 || appId === "" || apiSecret === "" || apiKey === "")
    throw malformedKey("the key must be APPID|APISecret|APIKey, or an APIPassword");
  const url = signedUrl(request.url, { host: signedHost(request.url), nowMs, apiKey, apiSecret });
  return { ...request, url };
};

// iFlytek's signed URLs (xfyun.cn/doc/spark/general_url_authentication.html; an example with its result: xfyun.cn/doc/asr/voicedictation/API.html).

interface SignedUrl {
  /** Of the vendor, also where a proxy of the operator is called. */
  host: string;
  /** Now, as Unix time in milliseconds; the vendor takes 300 seconds to either side. */
  nowMs: number;
  apiKey: string;
  apiSecret: string;
}

/** The URL with its signature in the query. */
export function signedUrl(url: string, { host, nowMs, apiKey, apiSecret }: SignedUrl): string {
  const target = new URL(url);
  const date = new Date(nowMs).toUTCString();
  const text = `host: ${host}\ndate: ${date}\nGET ${target.pathname} HTTP/1.1`;
  const signature = createHmac("sha256", apiSecret).update(text).digest("base64");
  const authorization = `api_key="${apiKey}", algorithm="hmac-sha256", headers="host date request-line", signature="${signature}"`;
  target.searchParams.set("authorization", Buffer.from(authorization).toString("base64"));
  target.searchParams.set("date", date);
  target.searchParams.set("host", host);
  return target.href;
}

export const spark = defineProvider({
  id: 18,
  slug: "spark",
  name: "iFlytek Spark",
  defaultBaseUrl: "https://spark-api.xf-yun.com",
  keyHint: "APPID|APISecret|APIKey, or APIPassword",
  keyForms: [["APPID", "APISecret", "APIKey"], ["APIPassword"]],
  fields: [
    { name: "base_url", label: "baseUrl", isRequired: false, placeholder: "https://spark-api.xf-yun.com" },
    {
      name: "other",
      label: "sparkVersion",
      isRequired: false,
      placeholder: "v2.1",
      pattern: String.raw`^(?:v\d+\.\d+|pro-128k|max-32k)$`,
    },
  ],
  // Three parts sign a WebSocket of the vendor's own format, a password has the compatible service (`dialectsOf`).
  dialects: ["vendor", "openai-chat"],
  models: [
    "SparkDesk",
    "SparkDesk-v1.1",
    "SparkDesk-v3.1",
    "SparkDesk-v3.5",
    "SparkDesk-v4.0",
    "lite",
    "generalv3",
    "pro-128k",
    "generalv3.5",
    "max-32k",
    "4.0Ultra",
    "x1",
  ],
  operations: ["chat"],
  supportsStreamUsage: false,
  mark: { glyph: "S", colour: "#1677e0" },
  endpoint,
  quirks,
  failure,
  isFailure,
  format,
  dialectsOf,
  isLastMessage,
  beforeSend,
});
