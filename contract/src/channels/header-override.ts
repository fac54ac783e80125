/** A channel's `header_override`: JSON text with headers of the operator's own and rules for those of the client, as stored with the channel and checked when it is saved. */
import { linearPattern, PatternError } from "../linear-pattern.ts";

export const HEADER_OVERRIDES_MAX = 64;
const HEADER_VALUE_MAX = 4_096;
const HEADER_NAME_MAX = 128;

/** Stands in place of a stored value wherever a channel is shown; sent back, it keeps that value. */
const HIDDEN_HEADER_VALUE = "***";

/** What an operator wants of headers. `value` may hold `{api_key}`; `from` is the name of a client's header, in small letters as `name` is. */
export type HeaderRule =
  | { kind: "fixed"; name: string; value: string }
  | { kind: "copied"; name: string; from: string }
  | { kind: "passed"; isPassed(name: string): boolean };

/** A header override that cannot be stored: a sentence that names the entry. */
export class HeaderOverrideError extends Error {}

/** Of one connection (RFC 9110, 7.6.1), or written by the client of upstreams itself; `turnpike-hops` is the gateway's own. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "sec-websocket-accept",
  "sec-websocket-extensions",
  "sec-websocket-key",
  "sec-websocket-version",
  "te",
  "trailer",
  "transfer-encoding",
  "turnpike-hops",
  "upgrade",
]);

/** What callers prove with who they are: keys of this site and sessions of its console. No rule hands them to an upstream. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  "api-key",
  "authorization",
  "cookie",
  "mj-api-secret",
  "new-api-user",
  "proxy-authorization",
  "sec-websocket-protocol",
  "x-api-key",
  "x-goog-api-key",
]);

/** What a pattern leaves out beside those: the form of the body, which the gateway may write anew, and where the client is. */
const NOT_BY_PATTERN =
  /^(?:accept|content-.+|cf-.+|forwarded|idempotency-key|origin|referer|sec-.+|true-client-ip|via|x-forwarded-.+|x-real-ip)$/;

const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
// oxlint-disable-next-line no-control-regex
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const COPIED = /^\{client_header:([^{}]*)\}$/;
const PATTERN = /^re(?:gex)?:/i;

const refuse = (key: string, problem: string): HeaderOverrideError =>
  new HeaderOverrideError(`Header override: "${key.slice(0, 60)}" ${problem}`);

/** True where a client's header may go on because a pattern names it. */
export const passesByPattern = (name: string): boolean =>
  !OWN_HEADERS.has(name) && !CREDENTIALS.has(name) && !NOT_BY_PATTERN.test(name);

function passing(key: string): HeaderRule | undefined {
  if (key === "*") return { kind: "passed", isPassed: () => true };
  const prefix = PATTERN.exec(key)?.[0];
  if (prefix === undefined) return undefined;
  const pattern = key.slice(prefix.length).trim();
  if (pattern === "") throw refuse(key, "has no pattern behind it");
  try {
    return { kind: "passed", isPassed: linearPattern(pattern, true) };
  } catch (error) {
    if (error instanceof PatternError) throw refuse(key, `has a pattern that cannot be read: ${error.message}`);
    throw error;
  }
}

/** Name of a header that the upstream gets, in small letters. */
function checkedName(key: string): string {
  const name = key.toLowerCase();
  if (!NAME.test(name) || name.length > HEADER_NAME_MAX) throw refuse(key, "is not the name of a header");
  if (OWN_HEADERS.has(name)) throw refuse(key, "is a header that the gateway writes itself");
  return name;
}

function copied(key: string, name: string, from: string): HeaderRule {
  const source = from.trim().toLowerCase();
  if (!NAME.test(source)) throw refuse(key, "names no header of the client");
  if (CREDENTIALS.has(source)) throw refuse(key, `would hand on "${source}", with which callers prove who they are`);
  return { kind: "copied", name, from: source };
}

function ruleOf(key: string, value: unknown): HeaderRule {
  const passed = passing(key);
  if (passed !== undefined) return passed;
  const name = checkedName(key);
  if (typeof value !== "string" || value.trim() === "") throw refuse(key, "needs a text as its value");
  if (value.length > HEADER_VALUE_MAX) throw refuse(key, `has a value of more than ${HEADER_VALUE_MAX} characters`);
  if (!VALUE.test(value)) throw refuse(key, "has characters in its value that no header can have");
  const from = COPIED.exec(value.trim())?.[1];
  if (from !== undefined) return copied(key, name, from);
  if (value.includes("{client_header:"))
    throw refuse(key, "has {client_header:…} beside other text; it has to stand alone");
  return { kind: "fixed", name, value: value.trim() };
}

const asObject = (text: string): Readonly<Record<string, unknown>> => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new HeaderOverrideError("Header override must be valid JSON");
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    throw new HeaderOverrideError("Header override must be a JSON object");
  return parsed as Readonly<Record<string, unknown>>;
};

/**
 * Reads the text: `{"X-Team":"a"}` sets a header, `{api_key}` in its value stands for the channel's key, `{client_header:X-Id}` alone for the
 * client's header, and the names `*`, `re:<pattern>` and `regex:<pattern>` pass the client's own. "" has no rules.
 * Throws HeaderOverrideError.
 */
export function readHeaderOverride(text: string): readonly HeaderRule[] {
  if (text.trim() === "") return [];
  const entries = Object.entries(asObject(text)).map(([key, value]) => [key.trim(), value] as const);
  if (entries.length > HEADER_OVERRIDES_MAX)
    throw new HeaderOverrideError(
      `Header override has ${entries.length} entries; at most ${HEADER_OVERRIDES_MAX} are allowed`,
    );
  const rules = entries.map(([key, value]) => ruleOf(key, value));
  const names = rules.flatMap((rule) => (rule.kind === "passed" ? [] : [rule.name]));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw refuse(twice, "stands there twice");
  return rules;
}

/** A value that says nothing secret: the channel's key is known by its own rules. */
const IS_PLACEHOLDER = /^(?:(?:bearer|basic|token|key)\s+)?\{(?:api_key|client_header:[^{}]*)\}$/i;

const isHidden = (key: string, value: unknown): value is string =>
  typeof value === "string" && key !== "*" && !PATTERN.test(key) && !IS_PLACEHOLDER.test(value.trim());

/** The text as people see it: values of the operator's own as `***`. */
export function shownHeaderOverride(text: string): string {
  if (text.trim() === "") return "";
  const entries = Object.entries(asObject(text));
  return JSON.stringify(
    Object.fromEntries(entries.map(([key, value]) => [key, isHidden(key.trim(), value) ? HIDDEN_HEADER_VALUE : value])),
  );
}

/** What is to be stored, and whether a stored value is in it that was not sent again. */
export interface SentHeaderOverride {
  text: string;
  keepsStored: boolean;
}

/** Whether a stored text has values that are secret. */
export const hasHiddenValues = (text: string): boolean =>
  text.trim() !== "" && Object.entries(asObject(text)).some(([key, value]) => isHidden(key.trim(), value));

/**
 * The text for the row, of a text sent by a reader who sees stored values as `***`: each keeps the stored value of the same name. Both are in
 * clear. Throws HeaderOverrideError where no value of that name is stored.
 */
export function sentHeaderOverride(sent: string, stored: string): SentHeaderOverride {
  readHeaderOverride(sent);
  if (sent.trim() === "") return { text: "", keepsStored: false };
  const known = new Map(
    (stored.trim() === "" ? [] : Object.entries(asObject(stored))).map(([key, value]) => [
      key.trim().toLowerCase(),
      value,
    ]),
  );
  let keepsStored = false;
  const entries = Object.entries(asObject(sent)).map(([key, value]): [string, unknown] => {
    if (value !== HIDDEN_HEADER_VALUE || !isHidden(key.trim(), value)) return [key.trim(), value];
    const before = known.get(key.trim().toLowerCase());
    if (typeof before !== "string") throw refuse(key.trim(), "has no stored value that *** could stand for");
    keepsStored = true;
    return [key.trim(), before];
  });
  return { text: JSON.stringify(Object.fromEntries(entries)), keepsStored };
}
