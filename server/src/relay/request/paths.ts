/** The relay's paths and what each asks for: a table, read before anything else on the listener; and the handshake of a realtime session. */
import type { IncomingMessage } from "node:http";
import type { DialectName } from "../../dialects/neutral/neutral.ts";
import type { Operation } from "../../providers/provider.ts";
import { TASK_KINDS } from "../../tasks/kinds/registry.ts";
import { type TaskPath, decodePath, isTaskUrl, studioTaskPath, taskPath } from "./task-paths.ts";

/** A call of an upstream: what is wanted, and in which wire format the client speaks. */
export interface Endpoint {
  kind: "call";
  operation: Operation;
  dialect: DialectName;
  /** Named by the path; empty where the body names it. */
  model: string;
  /** The path asks for a stream; elsewhere the body does. */
  isStream: boolean;
  /** The stream is to be one JSON array (Gemini without alt=sse). */
  isArray: boolean;
  /** Path of the operation at an upstream, where the client's is another spelling of it. */
  upstreamPath?: string;
  /** Asks for a conversation in short form, which few upstreams of the format serve. */
  compacts?: true;
  /** Called by the console's page with its session, not with a token. */
  isPlayground?: boolean;
  /** A task's: its step of the pipeline is another (relay/tasks). */
  task?: TaskPath;
}

/** A request about a response which its upstream stores. */
export interface StoredPath {
  kind: "stored_response";
  method: "GET" | "POST" | "DELETE";
  id: string;
  action: "read" | "cancel" | "input_items" | "delete";
}

export type RelayPath =
  | Endpoint
  | StoredPath
  | { kind: "models"; dialect: DialectName }
  | { kind: "model"; model: string; dialect: DialectName }
  | { kind: "subscription" }
  | { kind: "usage" }
  | { kind: "token_usage" }
  | { kind: "token_log" }
  | { kind: "wrong_method"; allowed: string }
  | { kind: "unimplemented" }
  | { kind: "unknown" };

interface PathRule {
  method: "GET" | "POST" | "DELETE";
  path: RelayPath;
}

const call = (operation: Operation, dialect: DialectName = "openai-chat", model = ""): PathRule => ({
  method: "POST",
  path: { kind: "call", operation, dialect, model, isStream: false, isArray: false },
});
const at = (upstreamPath: string, { method, path }: PathRule): PathRule => ({
  method,
  path: path.kind === "call" ? { ...path, upstreamPath } : path,
});
/** The console's own address of a call. */
const ofPlayground = ({ method, path }: PathRule): PathRule => ({
  method,
  path: path.kind === "call" ? { ...path, isPlayground: true } : path,
});
const get = (path: RelayPath): PathRule => ({ method: "GET", path });

/** What each frame on a socket of /v1/responses asks for. */
export const RESPONSES: Endpoint = {
  kind: "call",
  operation: "chat",
  dialect: "openai-responses",
  model: "",
  isStream: false,
  isArray: false,
};

const RULES: Readonly<Record<string, PathRule>> = {
  "/v1/chat/completions": call("chat"),
  "/pg/chat/completions": ofPlayground(at("/v1/chat/completions", call("chat"))),
  "/pg/embeddings": ofPlayground(at("/v1/embeddings", call("embeddings"))),
  "/pg/images/generations": ofPlayground(at("/v1/images/generations", call("images"))),
  "/pg/audio/speech": ofPlayground(at("/v1/audio/speech", call("speech"))),
  "/v1/completions": call("completions"),
  "/v1/responses": { method: "POST", path: RESPONSES },
  "/v1/responses/compact": { method: "POST", path: { ...RESPONSES, compacts: true } },
  "/v1/responses/input_tokens": call("count_tokens", "openai-responses"),
  "/v1/messages": call("chat", "anthropic-messages"),
  "/v1/messages/count_tokens": call("count_tokens", "anthropic-messages"),
  "/v1/embeddings": call("embeddings"),
  "/v1/moderations": call("moderations"),
  "/v1/rerank": call("rerank"),
  "/rerank": at("/v1/rerank", call("rerank")),
  "/v1/images/generations": call("images"),
  "/v1/images/edits": call("image_edits"),
  "/v1/images/variations": call("image_variations"),
  "/v1/audio/speech": call("speech"),
  "/v1/audio/transcriptions": call("transcriptions"),
  "/v1/audio/translations": call("translations"),
  "/v1/realtime": { ...call("realtime"), method: "GET" },
  "/v1/models": get({ kind: "models", dialect: "openai-chat" }),
  "/v1beta/models": get({ kind: "models", dialect: "gemini" }),
  "/dashboard/billing/subscription": get({ kind: "subscription" }),
  "/v1/dashboard/billing/subscription": get({ kind: "subscription" }),
  "/dashboard/billing/usage": get({ kind: "usage" }),
  "/v1/dashboard/billing/usage": get({ kind: "usage" }),
  "/api/usage/token": get({ kind: "token_usage" }),
  "/api/log/token": get({ kind: "token_log" }),
};

/** Gemini's methods of a model: operation, and whether it streams. A map: every object has methods of its own, such as `constructor`. */
const GEMINI_METHODS: ReadonlyMap<string, { operation: Operation; isStream: boolean }> = new Map([
  ["generateContent", { operation: "chat", isStream: false }],
  ["streamGenerateContent", { operation: "chat", isStream: true }],
  ["countTokens", { operation: "count_tokens", isStream: false }],
  ["embedContent", { operation: "embeddings", isStream: false }],
  ["batchEmbedContents", { operation: "embeddings", isStream: false }],
  ["predict", { operation: "images", isStream: false }],
]);

/**
 * Names of models may have colons themselves (`gpt-oss:20b`). Also the paths of Google's library for its enterprise platform with a key in place of a project, the only ones it asks for pictures at
 * (cloud.google.com/vertex-ai/generative-ai/docs/start/express-mode/vertex-ai-express-mode-api-reference).
 */
const GEMINI_PATH = /^\/v1(?:beta1?|alpha)?\/(?:publishers\/google\/)?models\/(.+):(\w+)$/;
/** The same of a model whose name has its vendor in front, which the AI SDK writes without `models/` (ai-sdk.dev/providers/ai-sdk-providers/google). */
const VENDOR_MODEL_PATH = /^\/v1(?:beta1?|alpha)\/([^/]+\/.+):(\w+)$/;
const ENGINE_PATH = /^\/v1\/engines\/([^/]+)\/embeddings$/;

/** Paths that OpenAI and Anthropic have and this gateway does not serve: 501 instead of 404. */
const UNIMPLEMENTED = new RegExp(
  "^/v1/(?:agents|assistants|audio|batches|chat/completions|chatkit|containers|content_provenance_checks|conversations|decisions|" +
    "deployment_runs|deployments|dreams|edits|engines|environments|evals|files|fine-tunes|fine_tuning|images|live|memory_stores|messages|" +
    "organization|organizations|projects|realtime|responses|sessions|skills|threads|tunnels|uploads|user_profiles|vaults|vector_stores|" +
    "videos|webhook_endpoints|webhook_event_types)(?:/|$)",
);

/** The same of Google's (ai.google.dev/api, `interactions` of its libraries from 3 on, and its sockets for live conversations). */
const UNIMPLEMENTED_OF_GOOGLE = new RegExp(
  "^/(?:ws/google\\.|(?:upload/|v1(?:beta1?|alpha)?/)(?:v1(?:beta1?|alpha)?/)?(?:agents|authTokens|auth_tokens|batchPredictionJobs|batches|" +
    "cachedContents|corpora|dynamic|fileSearchStores|files|generatedFiles|interactions|operations|ragStores|tunedModels|tuningJobs|webhooks)" +
    "(?:[/:]|$))",
);

const OWN_PREFIXES = [
  "/v1/",
  "/pg/",
  "/v1beta/",
  "/v1beta1/",
  "/v1alpha/",
  "/upload/v1",
  "/ws/google.",
  "/dashboard/billing/",
];
/** What a key may ask about itself stands among the console's addresses; the key, not a session, opens it. */
const KEY_PATHS = ["/api/usage/token", "/api/log/token"];
const OWN_PATHS: ReadonlySet<string> = new Set([
  "/v1",
  "/v1beta",
  "/rerank",
  "/rerank/",
  ...KEY_PATHS,
  ...KEY_PATHS.map((path) => `${path}/`),
]);

const pathOf = (url: string): string => {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
};

/** True for every URL that the relay answers, also with an error. */
export function isRelayPath(url: string): boolean {
  return OWN_PREFIXES.some((prefix) => url.startsWith(prefix)) || OWN_PATHS.has(pathOf(url)) || isTaskUrl(url);
}

/** The path of a call where it names neither a model nor a task, nor anything else of its caller's; else empty. */
export function routeOf(url: string): string {
  const path = pathOf(url).replace(/(?<=.)\/$/, "");
  return Object.hasOwn(RULES, path) ? path : "";
}

/** The format whose envelope an error at this address has. */
export function dialectAt(url: string): DialectName {
  if (url.startsWith("/v1/messages")) return "anthropic-messages";
  if (url.startsWith("/v1/responses")) return "openai-responses";
  return /^\/v1(?:beta1?|alpha)\/|^\/upload\/|^\/ws\/google\.|^\/v1\/interactions|^\/v1\/(?:publishers\/google\/)?models\/[^/?]+:/.test(
    url,
  )
    ? "gemini"
    : "openai-chat";
}

function geminiPath(model: string, method: string, url: string): RelayPath {
  const found = GEMINI_METHODS.get(method);
  if (found === undefined) return { kind: "unimplemented" };
  const isArray = found.isStream && !/[?&]alt=sse(?:&|$)/.test(url);
  return { kind: "call", dialect: "gemini", model: decodePath(model), ...found, isArray };
}

/** Paths of tasks; those that the console's studio submits by its session come under /pg. */
function pathOfTask(path: string, asked: string, url: string): PathRule | undefined {
  const inStudio = studioTaskPath(path);
  if (inStudio !== undefined) {
    const rule = pathOfTask(inStudio, asked, url);
    return rule && ofPlayground(rule);
  }
  const rule = taskPath(path, asked, url);
  if (rule === undefined) return undefined;
  const { method, path: task } = rule;
  const { operation } = TASK_KINDS[task.platform];
  const dialect = path.startsWith("/v1beta/") ? "gemini" : "openai-chat";
  const endpoint = { dialect, model: "", isStream: false, isArray: false } as const;
  return { method, path: { kind: "call", operation, ...endpoint, task } };
}

/** Words of OpenAI's stand where an id does (platform.openai.com/docs/api-reference/responses). */
const STORED_PATH = /^\/v1\/responses\/(?!(?:compact|input_tokens)\/?$)([^/]+)(?:\/(cancel|input_items))?\/?$/;

/** The request about a stored response; at one address it depends on the method. */
function storedPath(path: string, asked: string): PathRule | undefined {
  const found = STORED_PATH.exec(path);
  if (found === null) return undefined;
  const action = (found[2] ?? (asked === "DELETE" ? "delete" : "read")) as StoredPath["action"];
  const method = ({ read: "GET", cancel: "POST", input_items: "GET", delete: "DELETE" } as const)[action];
  return { method, path: { kind: "stored_response", method, id: decodePath(found[1] ?? ""), action } };
}

/** Paths that name a model. What stands behind a colon in the path of a model that is asked about belongs to its name. */
function pathWithModel(path: string, url: string, method: string): PathRule | undefined {
  const gemini = GEMINI_PATH.exec(path);
  if (gemini !== null && (method !== "GET" || GEMINI_METHODS.has(gemini[2] ?? "")))
    return { method: "POST", path: geminiPath(gemini[1] ?? "", gemini[2] ?? "", url) };
  const ofVendor = gemini === null ? VENDOR_MODEL_PATH.exec(path) : null;
  if (ofVendor !== null && GEMINI_METHODS.has(ofVendor[2] ?? ""))
    return { method: "POST", path: geminiPath(ofVendor[1] ?? "", ofVendor[2] ?? "", url) };
  const engine = ENGINE_PATH.exec(path)?.[1];
  if (engine !== undefined) return at("/v1/embeddings", call("embeddings", "openai-chat", decodePath(engine)));
  const model = /^\/v1(beta)?\/models\/(.+)$/.exec(path);
  if (model === null) return undefined;
  return get({
    kind: "model",
    model: decodePath(model[2] ?? ""),
    dialect: model[1] === undefined ? "openai-chat" : "gemini",
  });
}

const ALLOWED = { GET: "GET, HEAD, OPTIONS", POST: "POST, OPTIONS", DELETE: "DELETE, OPTIONS" } as const;

/** What a request asks for; `wrong_method` where the path exists for another method. */
export function findPath(method: string, url: string): RelayPath {
  const path = pathOf(url);
  const rule =
    RULES[path] ??
    (path.endsWith("/") ? RULES[path.slice(0, -1)] : undefined) ??
    storedPath(path, method) ??
    pathOfTask(path, method, url) ??
    pathWithModel(path, url, method);
  if (rule !== undefined && rule.method === method) return rule.path;
  // OpenAI has DELETE for a model, which a gateway has not.
  if (rule?.path.kind === "model") return { kind: "unimplemented" };
  if (rule !== undefined) return { kind: "wrong_method", allowed: ALLOWED[rule.method] };
  return UNIMPLEMENTED.test(path) || UNIMPLEMENTED_OF_GOOGLE.test(path)
    ? { kind: "unimplemented" }
    : { kind: "unknown" };
}

/** The URL without the key that Gemini's clients may put into the query: it goes neither upstream nor into a log. */
function withoutQueryKey(url: string): string {
  if (!url.includes("key=")) return url;
  const [path = "", query = ""] = url.split("?", 2);
  const kept = query
    .split("&")
    .filter((part) => !part.startsWith("key="))
    .join("&");
  return kept === "" ? path : `${path}?${kept}`;
}

/** Path and query to ask an upstream for: as other upstreams spell them, without a slash at the end and without the client's key. */
export function upstreamPath({ upstreamPath: other }: Pick<Endpoint, "upstreamPath">, url: string): string {
  if (other !== undefined) return other;
  const own = withoutQueryKey(url);
  const end = pathOf(own).length;
  return own[end - 1] === "/" ? own.slice(0, end - 1) + own.slice(end) : own;
}

/** The client's path with the upstream's name of the model, and always asking for events where it asks for a stream. */
export function pathForModel(path: string, model: string, isStream: boolean): string {
  const place = path.includes("/models/") ? /\/models\/[^?]+:(?=\w+(?:\?|$))/ : /(?<=^\/v1\w*)\/[^?]+:(?=\w+(?:\?|$))/;
  const named = path.replace(place, () => `/models/${encodeURIComponent(model)}:`);
  if (!isStream || /[?&]alt=sse(?:&|$)/.test(named)) return named;
  return `${named}${named.includes("?") ? "&" : "?"}alt=sse`;
}

/** True for the address of Responses, whose GET is the handshake of a socket. */
export const isResponsesUrl = (url: string): boolean => /^\/v1\/responses\/?$/.test(pathOf(url));

const HANDSHAKE_KEY = /^[+/0-9A-Za-z]{22}==$/;

/** True for the handshake of a WebSocket that can be accepted later (RFC 6455 section 4.2.1). */
export const isHandshake = ({ headers, method }: IncomingMessage): boolean =>
  method === "GET" &&
  headers.upgrade?.toLowerCase() === "websocket" &&
  headers["sec-websocket-version"] === "13" &&
  HANDSHAKE_KEY.test(headers["sec-websocket-key"] ?? "");

/** The query of a path or URL. */
export const queryOf = (path: string): URLSearchParams => new URLSearchParams(path.split("?")[1] ?? "");

/** True for a session that only transcribes. */
export const isTranscription = (path: string): boolean => queryOf(path).get("intent") === "transcription";

/**
 * The same path with the upstream's name of the model; everything else of the query stays. OpenAI takes a model for a conversation
 * even where the intent is a transcription, whose model the session's own configuration names (livekit/agents-js issue 1756).
 */
export function realtimePath(path: string, model: string): string {
  const query = queryOf(path);
  if (isTranscription(path)) query.delete("model");
  else query.set("model", model);
  return `/v1/realtime?${query.toString()}`;
}

/** Subprotocols that say something beside the name of the API (openai/realtime/websocket of OpenAI's library). */
const KEY_PROTOCOL = "openai-insecure-api-key.";
const BETA_PROTOCOL = "openai-beta.";

/** Items of the client's list, in their order. */
const offeredProtocols = ({ headers }: IncomingMessage): string[] =>
  (headers["sec-websocket-protocol"] ?? "")
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");

/** The key in the list of subprotocols, as a browser sends it since it cannot set headers; undefined where none is there. */
export const protocolKey = (request: IncomingMessage): string | undefined =>
  offeredProtocols(request)
    .find((each) => each.startsWith(KEY_PROTOCOL))
    ?.slice(KEY_PROTOCOL.length);

/** The item of a list that may be written into an answer: no key, account or version, which all begin with `openai-`. A browser closes a socket that names none of its list. */
export const harmlessProtocol = (offered: Iterable<string>): string | false =>
  [...offered].find((each) => !each.startsWith("openai-")) ?? false;

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** False for a list that no handshake may have: items that are no tokens, or the same one twice (RFC 6455 section 4.1). */
export function hasValidProtocols(request: IncomingMessage): boolean {
  const offered = offeredProtocols(request);
  return offered.every((each) => TOKEN.test(each)) && new Set(offered).size === offered.length;
}

/** The version of the API that the client speaks, as the header of OpenAI has it; undefined for the present one. */
export function betaOf(request: IncomingMessage): string | undefined {
  const header = request.headers["openai-beta"];
  if (typeof header === "string") return header;
  const item = offeredProtocols(request).find((each) => each.startsWith(BETA_PROTOCOL));
  return item?.slice(BETA_PROTOCOL.length).replace("-", "=");
}
