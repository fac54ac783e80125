/** Failures of an upstream before or inside a response, in the few kinds that routing decides on; and the upstream's error text with its key redacted. */
import { Fault } from "../../../contract/src/fault.ts";

export type FaultKind =
  /** The connected socket's address is not allowed. */
  | "address"
  /** No connection: refused, unreachable, unknown name, TLS. Nothing was sent. */
  | "connect"
  | "connect_timeout"
  /** Sent, and no byte came back in time. */
  | "first_byte_timeout"
  | "idle_timeout"
  /** The connection broke after the request was sent. */
  | "reset"
  /** We gave the call up. */
  | "aborted"
  /** Came encoded in a way that could not be decoded. */
  | "decode";

/** A connection's fault; event streams (sse.ts) and fetched media (media.ts) have kinds of their own. Messages name no address and no key. */
export class UpstreamFault<Kind extends string = FaultKind> extends Fault<Kind> {}

const BY_CODE: Readonly<Record<string, FaultKind>> = {
  UND_ERR_CONNECT_TIMEOUT: "connect_timeout",
  UND_ERR_HEADERS_TIMEOUT: "first_byte_timeout",
  UND_ERR_BODY_TIMEOUT: "idle_timeout",
};

const codeOf = (error: unknown): string => {
  if (typeof error !== "object" || error === null || !("code" in error)) return "";
  return String(error.code);
};

/** Texts for people: host names, addresses and keys stay out of them. */
const TEXTS: Readonly<Record<FaultKind, string>> = {
  address: "the upstream address is not allowed",
  connect: "could not connect to the upstream",
  connect_timeout: "connecting to the upstream took too long",
  first_byte_timeout: "the upstream did not begin to answer in time",
  idle_timeout: "the upstream fell silent inside its answer",
  reset: "the upstream closed the connection",
  aborted: "the call was given up",
  decode: "the upstream's answer could not be decoded",
};

/** The fault of an error that undici or a socket raised; `wasSent`: the request had left. */
export function faultOf(error: unknown, wasSent: boolean): UpstreamFault {
  if (error instanceof UpstreamFault) return error;
  const kind = BY_CODE[codeOf(error)] ?? (wasSent ? "reset" : "connect");
  const code = codeOf(error);
  return new UpstreamFault(
    kind,
    code === "" || code.startsWith("UND_ERR") ? TEXTS[kind] : `${TEXTS[kind]} (${code})`,
    error,
  );
}

/** A fault of our own making, with the common text of its kind. */
export const newFault = (kind: FaultKind): UpstreamFault => new UpstreamFault(kind, TEXTS[kind]);

/** Shorter ones are placeholders of upstreams that want none, and would be found in ordinary words. */
const SHORTEST_SECRET = 8;

/** The text without `key` (patterns know the shapes of some vendors' keys, this knows the key), nor any part of a key that is made of several (`id|secret`). */
export function withoutUpstreamKey(text: string, key: string): string {
  let result = text;
  for (const part of [key, ...key.split("|")]) {
    if (part.length >= SHORTEST_SECRET && result.includes(part)) result = result.replaceAll(part, "[key]");
  }
  return result;
}
