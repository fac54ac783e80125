/** The handshake of a realtime session and its address, in whose query the model stands. */
import type { IncomingMessage } from "node:http";

const HANDSHAKE_KEY = /^[+/0-9A-Za-z]{22}==$/;

/** True for the handshake of a WebSocket that can be accepted later (RFC 6455 section 4.2.1). */
export const isHandshake = ({ headers, method }: IncomingMessage): boolean =>
  method === "GET" &&
  headers.upgrade?.toLowerCase() === "websocket" &&
  headers["sec-websocket-version"] === "13" &&
  HANDSHAKE_KEY.test(headers["sec-websocket-key"] ?? "");

export const queryOf = (path: string): URLSearchParams => new URLSearchParams(path.split("?")[1] ?? "");

/** True for a session that only writes down what it hears. */
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
export const KEY_PROTOCOL = "openai-insecure-api-key.";
const BETA_PROTOCOL = "openai-beta.";

/** Items of the client's list, in their order. */
export const offeredProtocols = ({ headers }: IncomingMessage): string[] =>
  (headers["sec-websocket-protocol"] ?? "")
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");

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
