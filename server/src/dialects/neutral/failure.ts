/** Classifies failed answers of any vendor, with keys and addresses redacted from the message; part of the hub. */
import { isObject, listOf, objectOf, ownOf } from "../json/fields.ts";
import { helpAddress, LONGEST_HELP } from "./help-addresses.ts";
import { type MissingFormat, missingFormatOf } from "./missing-format.ts";
import type { JsonObject } from "./neutral.ts";

/** As providers/provider.ts UpstreamFailure; a dialect knows nothing of providers. */
export interface ReadFailure {
  kind: "auth" | "quota" | "rate" | "overloaded" | "invalid" | "timeout" | "network" | "content";
  status: number;
  isRetryable: boolean;
  message: string;
  /** The message for administrators alone, where it names a vendor's page of help; redacted of all else. */
  operatorMessage?: string;
  type: string;
  code: string;
  param?: string;
  /** What else is said of the fault, in the vendor's own form, redacted as the message is. */
  details?: JsonObject;
  /** What a client may know of a limit that is the operator's: when to ask again, and of what kind the limit is. */
  limitDetails?: JsonObject;
  /** How long the body asks to wait, in milliseconds. */
  retryAfterMs?: number;
  /** Set where the server may answer in another format. */
  missingFormat?: MissingFormat;
}

const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

/** Other places gateways put their message, in the order they are looked at . */
const MESSAGE_PATHS = [
  ["message"],
  ["msg"],
  ["err"],
  ["error_msg"],
  ["error"],
  ["detail"],
  ["header", "message"],
  ["response", "error", "message"],
];

/** What FastAPI's validation complains of, each fault with its place (fastapi.tiangolo.com/tutorial/handling-errors). */
function faultsText(faults: unknown): string {
  const texts = listOf(faults).map((fault) => {
    const { loc, msg } = objectOf(fault);
    const place = listOf(loc).map(textOf).join(".");
    return place === "" ? textOf(msg) : `${place}: ${textOf(msg)}`;
  });
  return texts.filter((text) => text !== "").join("; ");
}

/** Where such lists stand: bare, or inside the message as Mistral has them. */
const FAULT_PATHS = [["detail"], ["message", "detail"], ["message"]];

const at = (source: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), source);

/**
 * Ids of things that a client has seen, by the vendors' own prefixes: an error that names one says which item of the request it means.
 * Behind the prefix stands one run or a UUID, so that no key of several parts hides behind it.
 */
const ID =
  /^(?:rs|(?:msg|req|toolu)(?:_bdrk|_vrtx)?|resp|call(?:_\d\d)?|fco?|ctco?|ws|fs|ci|ig|mcp[lr]?|cmp|cuo?|l?sho?|apco?|ts[co]|item|conv|chatcmpl(?:-tool)?|srvtoolu|file|batch|vs|cntr|container|gen(?:-\d{10})?)[_-](?:[A-Za-z0-9]{8,120}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** A long run of letters and digits mixed is a key of some shape, where it is no id. */
const keyInRun = (run: string): string => (/\d/.test(run) && /[A-Za-z]/.test(run) && !ID.test(run) ? "[key]" : run);

const ADDRESS = /[a-z][a-z0-9+.-]{0,31}:\/\/[^\s"'<>)]+/gi;
/** The same with its match kept by `split`, at each odd place. */
const ADDRESS_PARTS = new RegExp(`(${ADDRESS.source})`, "gi");

/**
 * An operator's key and the hosts behind it never reach a client or a log. Each pattern reads a character a few times at most: vendors
 * repeat what they refuse, so clients can make these texts as they like.
 */
export const redact = (text: string): string => withoutKeys(text.replace(ADDRESS, "[address]"));

/** Stops and brackets behind an address, which are of the sentence. */
const BEHIND = /[.,;:!?\]}]+$/;

/**
 * The same for administrators: the addresses of well-known vendors' help pages stay (`helpAddress`), so that they read where to get a key. Keys,
 * all other addresses and whatever stands in a query are taken out.
 */
export const redactForOperator = (text: string): string =>
  text
    .split(ADDRESS_PARTS)
    .map((part, index) => {
      if (index % 2 === 0) return withoutKeys(part);
      const address = part.slice(0, LONGEST_HELP + 1);
      const behind = BEHIND.exec(address)?.[0] ?? "";
      const help = helpAddress(address.slice(0, address.length - behind.length));
      const isHelp = help !== undefined && part.length <= LONGEST_HELP && withoutKeys(help) === help;
      return isHelp ? `${help}${behind}` : "[address]";
    })
    .join("");

/** A failure's text for administrators: the vendor's wording with its help pages. Never for clients or other people. */
export const wordsForOperator = ({
  message,
  operatorMessage,
}: Pick<ReadFailure, "message" | "operatorMessage">): string => operatorMessage ?? message;

function withoutKeys(text: string): string {
  return text
    .replace(/\b(?:sk|pk|rk|key|org|proj|pat|tok|gsk|xai|AIza)[-_][A-Za-z0-9_*.-]{6,}/g, "[key]")
    .replace(/\bBearer\s+\S+/gi, "Bearer [key]")
    .replace(/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g, "[address]")
    .replace(/[A-Za-z0-9_-]{32,}/g, keyInRun);
}

/** Stands for a code where the vendor sent none. */
export const NO_CODE = "bad_response_status_code";

/** Characters of a message. */
const MESSAGE_MOST = 2000;
const WITHOUT_WORDS = "the upstream answered with status";

/** True for the message of a failure that came without words of the vendor's. */
export const hasNoWords = (message: string): boolean => message.startsWith(WITHOUT_WORDS);

/** What an account goes by, and the words behind which no name of one stands: "Project does not have access to model x". */
const ACCOUNT_NOUN =
  /\b(?:accounts?|organi[sz]ations?|orgs?|projects?|tenants?|subscriptions?|workspaces?|teams?|users?|principals?|members?|customers?|consumers?)\b(?:\s+(?:id|name|number)\b)?\s*(?:[:=#]\s*)?/gi;
const NO_NAME =
  /^(?:$|[.,;!?)]|(?:do|does|did|has|have|had|is|are|was|were|must|may|can|cannot|could|should|will|lacks?|needs?|to|in|on|or|and|for|that|which|with|without|not|location|locations|access|permissions?|polic(?:y|ies)|settings|verification)\b)/i;
/** E-mail addresses, names of AWS, GUIDs and long numbers. */
const ACCOUNT_ID = /\S@\S|\barn:|\b[0-9a-f]{8}-[0-9a-f]{4}-|\b\d{9,}\b|\[(?:key|address)\]/i;

/**
 * True where a vendor's words may name the account that a key belongs to, or where it is: an id, or anything but a plain word behind `project`,
 * `organization` and the like. `message` is redacted.
 */
export const namesAccount = (message: string): boolean =>
  ACCOUNT_ID.test(message) ||
  [...message.matchAll(ACCOUNT_NOUN)].some(({ 0: noun, index }) => !NO_NAME.test(message.slice(index + noun.length)));

/** True where a text that is no sentence has the id of an account in it, or an e-mail address; it is redacted. */
export const holdsAccountId = (text: string): boolean => ACCOUNT_ID.test(text.replaceAll(/\[(?:key|address)\]/g, ""));

/** A code or type: a short name, which no vendor should put a key into. */
const nameOf = (value: unknown): string => redact(textOf(value)).slice(0, 128);

const QUOTA_CODES: ReadonlySet<string> = new Set([
  "insufficient_quota",
  "billing_not_active",
  "billing_hard_limit_reached",
  "insufficient_user_quota",
  "billing_error",
]);
const CONTENT_CODES: ReadonlySet<string> = new Set(["content_policy_violation", "content_filter"]);

function kindOf(status: number, code: string, type: string): ReadFailure["kind"] {
  if (QUOTA_CODES.has(code) || QUOTA_CODES.has(type) || status === 402) return "quota";
  if (CONTENT_CODES.has(code)) return "content";
  if (status === 401 || status === 403) return "auth";
  if (status === 429) return "rate";
  if (status === 408 || status === 504 || status === 524) return "timeout";
  return status >= 500 ? "overloaded" : "invalid";
}

/** A client's fault is the same everywhere: only refused keys, limits and faults of the server go to another channel. */
const isRetryableStatus = (status: number): boolean =>
  status === 401 || status === 402 || status === 403 || status === 429 || status >= 500;

function parse(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body);
    // Google's list form of an error has one entry.
    return Array.isArray(value) ? value[0] : value;
  } catch {
    return undefined;
  }
}

/** A vendor's error as read by its dialect. */
export interface ErrorText {
  message: string;
  type: string;
  code: string;
  /** Status the body names, for errors that came with a status of success; 0 where it names none. */
  status: number;
  /** The field at fault, by the vendor's name; empty if it names none. */
  param?: string;
}

/** Statuses of codes and types that compatible servers write into an answer whose own status is one of success. */
const STATUSES_OF_WORDS: Readonly<Record<string, number>> = {
  insufficient_quota: 429,
  rate_limit_exceeded: 429,
  rate_limit_error: 429,
  invalid_api_key: 401,
  authentication_error: 401,
  content_filter: 400,
  content_policy_violation: 400,
  context_length_exceeded: 400,
  tool_use_failed: 400,
  json_validate_failed: 400,
  invalid_request_error: 400,
};

const errorStatus = (value: unknown): number => (/^[45]\d\d$/.test(textOf(value)) ? Number(value) : 0);

/** The status that an error names, as a number where it has one, else by its code or type; 0 where it names none. */
function statusIn(error: JsonObject, envelope: JsonObject): number {
  const numbers = [error["code"], error["status"], error["status_code"], envelope["status_code"], envelope["status"]];
  const named = numbers.map(errorStatus).find((status) => status > 0);
  return (
    named ?? ownOf(STATUSES_OF_WORDS, textOf(error["code"])) ?? ownOf(STATUSES_OF_WORDS, textOf(error["type"])) ?? 0
  );
}

/** The error where most vendors put it: `{"error": {message, type, code}}`, or the same without the envelope (Mistral, SiliconFlow, xAI). */
export function errorTextOf(parsed: unknown): ErrorText {
  const error = isObject(parsed) && isObject(parsed["error"]) ? parsed["error"] : objectOf(parsed);
  return {
    message: textOf(error["message"]),
    type: textOf(error["type"]),
    code: textOf(error["code"]),
    status: statusIn(error, objectOf(parsed)),
    param: textOf(error["param"]),
  };
}

/**
 * Reads a failed answer; `status` may be 200 where the error came in the body of a success, which counts as 502 from then on unless
 * the body names a status. `read` finds the error in the dialect's own places.
 */
export function readFailure(
  status: number,
  body: string,
  read: (parsed: unknown) => ErrorText = errorTextOf,
): ReadFailure {
  const parsed = parse(body);
  const error = read(parsed);
  const found =
    error.message ||
    MESSAGE_PATHS.map((path) => textOf(at(parsed, path))).find((text) => text !== "") ||
    FAULT_PATHS.map((path) => faultsText(at(parsed, path))).find((text) => text !== "");
  const [code, type] = [nameOf(error.code), nameOf(error.type) || "upstream_error"];
  const param = nameOf(error.param);
  const lacks = missingFormatOf({ status, parsed, body, message: found ?? "", code: error.code });
  const effective = status >= 400 ? status : error.status || 502;
  const message = redact(found ?? `${WITHOUT_WORDS} ${status}`).slice(0, MESSAGE_MOST);
  const operatorMessage = redactForOperator(found ?? "").slice(0, MESSAGE_MOST);
  const namesHelp = found !== undefined && operatorMessage !== message;
  return {
    kind: kindOf(effective, code, type),
    status: effective,
    isRetryable: isRetryableStatus(effective),
    message,
    ...(namesHelp ? { operatorMessage } : {}),
    type,
    code: code || NO_CODE,
    ...(param === "" ? {} : { param }),
    ...(lacks === undefined ? {} : { missingFormat: lacks }),
  };
}

/**
 * A failure with the kind that the vendor's own code or type stands for, where its status does not say it. What is wrong with the key,
 * the account or the server another channel may answer all the same.
 */
export function withKind(failure: ReadFailure, kinds: Readonly<Record<string, ReadFailure["kind"]>>): ReadFailure {
  const kind = ownOf(kinds, failure.code) ?? ownOf(kinds, failure.type);
  return kind === undefined ? failure : { ...failure, kind, isRetryable: kind !== "invalid" && kind !== "content" };
}

/** Statuses that stand for a kind, for failures that come with a status of success. */
const STATUS_OF: Readonly<Record<ReadFailure["kind"], number>> = {
  auth: 401,
  quota: 402,
  rate: 429,
  overloaded: 503,
  invalid: 400,
  content: 400,
  timeout: 504,
  network: 502,
};

/**
 * Reads a failure of a vendor that answers with a status of success and says in a code of its own what went wrong: `kindOf` knows its
 * codes, and a failure whose code it does not know is one of the server.
 */
export function readCodedFailure(
  status: number,
  body: string,
  read: (parsed: unknown) => { message: string; code: string },
  kindOf: (code: string) => ReadFailure["kind"] | undefined,
): ReadFailure {
  const code = read(parse(body)).code;
  const kind = kindOf(code);
  const readError = (parsed: unknown): ErrorText => ({
    type: "",
    ...read(parsed),
    status: kind === undefined ? 0 : STATUS_OF[kind],
  });
  const failure = readFailure(status, body, readError);
  return kind === undefined ? failure : { ...failure, kind, isRetryable: kind !== "invalid" && kind !== "content" };
}
