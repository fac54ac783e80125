/** Failed answers of OpenAI-compatible upstreams -> one kind, the vendor's words scrubbed of keys and addresses. */

/** As providers/provider.ts UpstreamFailure; a dialect knows nothing of providers. */
export interface ReadFailure {
  kind: "auth" | "quota" | "rate" | "overloaded" | "invalid" | "timeout" | "network" | "content";
  status: number;
  isRetryable: boolean;
  message: string;
  type: string;
  code: string;
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

/** Other places gateways put their message, in the order they are looked at (reference 4.1). */
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

const at = (source: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (isFields(value) ? value[name] : undefined), source);

/** An operator's key and the hosts behind it never reach a client or a log. */
export function scrub(text: string): string {
  return text
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)]+/gi, "[address]")
    .replace(/\b(?:sk|pk|rk|key|org|proj|pat|tok|gsk|xai|AIza)[-_][A-Za-z0-9_*.-]{6,}/g, "[key]")
    .replace(/\bBearer\s+\S+/gi, "Bearer [key]")
    .replace(/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g, "[address]")
    .replace(/\b(?=[A-Za-z0-9_-]*\d)(?=[A-Za-z0-9_-]*[A-Za-z])[A-Za-z0-9_-]{32,}\b/g, "[key]");
}

/** A code or type: a short name, which no vendor should put a key into. */
const nameOf = (value: unknown): string => scrub(textOf(value)).slice(0, 128);

const QUOTA_CODES: ReadonlySet<string> = new Set([
  "insufficient_quota",
  "billing_not_active",
  "billing_hard_limit_reached",
  "insufficient_user_quota",
]);

function kindOf(status: number, code: string, type: string): ReadFailure["kind"] {
  if (QUOTA_CODES.has(code) || QUOTA_CODES.has(type) || status === 402) return "quota";
  if (code === "content_policy_violation" || code === "content_filter") return "content";
  if (status === 401 || status === 403) return "auth";
  if (status === 429) return "rate";
  if (status === 408 || status === 504 || status === 524) return "timeout";
  return status >= 500 ? "overloaded" : "invalid";
}

/** A client's fault is the same everywhere: only refused keys, limits and faults of the server go to another channel. */
const isRetryableStatus = (status: number): boolean =>
  status === 401 || status === 403 || status === 429 || status >= 500;

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/**
 * Reads a failed answer; `status` may be 200 where the error came in the body of a success, which counts as 502 from then on unless
 * the body names a status.
 */
export function readOpenAiFailure(status: number, body: string): ReadFailure {
  const parsed = parse(body);
  const error = isFields(parsed) && isFields(parsed["error"]) ? parsed["error"] : undefined;
  const found =
    textOf(error?.["message"]) || MESSAGE_PATHS.map((path) => textOf(at(parsed, path))).find((text) => text !== "");
  const code = nameOf(error?.["code"]);
  const type = nameOf(error?.["type"]) || "upstream_error";
  const named = /^[45]\d\d$/.test(code) ? Number(code) : 502;
  const effective = status >= 400 ? status : named;
  return {
    kind: kindOf(effective, code, type),
    status: effective,
    isRetryable: isRetryableStatus(effective),
    message: scrub(found ?? `the upstream answered with status ${status}`).slice(0, 2000),
    type,
    code: code || "bad_response_status_code",
  };
}
