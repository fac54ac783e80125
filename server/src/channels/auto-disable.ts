/** Decides from a failed call whether its channel is disabled (refused key, closed account, empty balance), and how long its upstream asks to be left alone. */
import { includesStatus, type StatusRange } from "../../../contract/src/options/status-codes.ts";

/** What the rules look at; providers/provider.ts UpstreamFailure has it. */
export interface JudgedFailure {
  /** HTTP status before any mapping: a mapped 401 says nothing about the key. */
  status: number;
  code: string;
  type: string;
  message: string;
}

export interface AutoDisableOptions {
  AutomaticDisableChannelEnabled: boolean;
  AutomaticDisableStatusCodes: readonly StatusRange[];
  /** Lower case. */
  AutomaticDisableKeywords: readonly string[];
}

/** Channel types whose vendor says with the status that the key is refused, beside the statuses of the option: type 24, Gemini. */
const REFUSED_KEY_TYPES: Readonly<Record<number, readonly number[]>> = { 403: [24] };

const DISABLING_CODES: ReadonlySet<string> = new Set(["invalid_api_key", "account_deactivated", "billing_not_active"]);
const DISABLING_TYPES: ReadonlySet<string> = new Set([
  "insufficient_quota",
  "insufficient_user_quota",
  "authentication_error",
  "permission_error",
  "forbidden",
]);

/** Code of a failure whose cause is the clock of this server: nothing is wrong with the channel. */
export const CLOCK_SKEW = "clock_skew";

export interface JudgedChannel {
  /** Id of its provider. */
  type: number;
  autoBan: boolean;
}

/** Google's 403 for a file that the request names and that is another account's or gone (github.com/googleapis/python-genai/issues/1218). */
const FOREIGN_FILE = /permission to access the file\b/i;

function isDisablingStatus({ status, message }: JudgedFailure, type: number, ranges: readonly StatusRange[]): boolean {
  if (FOREIGN_FILE.test(message)) return false;
  return includesStatus(ranges, status) || REFUSED_KEY_TYPES[status]?.includes(type) === true;
}

/**
 * Why the channel should be switched off, or undefined. Needs the option and the channel's own auto-ban. `isFromClient` recognises words that
 * the request has itself: vendors repeat what they refuse, and no client may switch a channel off by writing a keyword.
 */
export function disableReason(
  failure: JudgedFailure,
  { type, autoBan }: JudgedChannel,
  options: AutoDisableOptions,
  isFromClient: (words: string) => boolean = () => false,
): string | undefined {
  if (!autoBan || !options.AutomaticDisableChannelEnabled || failure.code === CLOCK_SKEW) return undefined;
  if (isDisablingStatus(failure, type, options.AutomaticDisableStatusCodes))
    return `status ${failure.status}: ${failure.message}`;
  if (DISABLING_CODES.has(failure.code)) return `${failure.code}: ${failure.message}`;
  if (DISABLING_TYPES.has(failure.type)) return `${failure.type}: ${failure.message}`;
  const text = failure.message.toLowerCase();
  const keyword = options.AutomaticDisableKeywords.find((each) => text.includes(each) && !isFromClient(each));
  return keyword === undefined ? undefined : `"${keyword}": ${failure.message}`;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const first = (value: string | string[] | undefined): string =>
  Array.isArray(value) ? (value[0] ?? "") : (value ?? "");

const positive = (value: number): number => (Number.isFinite(value) && value > 0 ? value : 0);

/**
 * Milliseconds to wait, 0 where the upstream names none. `retry-after-ms` is OpenAI's and Azure's; Retry-After is seconds or a
 * date (RFC 9110, 10.2.3). `nowMs` is Unix milliseconds, against which a date is read.
 */
export function retryAfterMs(headers: Headers, nowMs: number): number {
  const exact = positive(Number(first(headers["retry-after-ms"])));
  if (exact > 0) return exact;
  const text = first(headers["retry-after"]).trim();
  if (text === "") return 0;
  const seconds = Number(text);
  return Number.isNaN(seconds) ? positive(Date.parse(text) - nowMs) : positive(seconds * 1000);
}
