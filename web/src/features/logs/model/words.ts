/** Short words for durations, failures and reasons of the log. Pure but for the language shown. */
import type { TFunction } from "i18next";
import { formatDecimals, formatNumber } from "../../../lib/format.ts";
import { causeOf, causeOfStatus, type LogRow } from "./log-row.ts";
import { receiptOf } from "./receipt.ts";

type T = TFunction<"logs">;

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
/** Of calls this long a tenth of a second says nothing, and its column has no room for it. */
const WHOLE_SECONDS_FROM_MS = 1_000_000;
const MINUTES_FROM_MS = 600_000;

/** Seconds with one decimal: "6.2 s"; from 1,000 on without. Anything measured is at least "0.1 s". */
export const secondsText = (ms: number): string =>
  `${formatDecimals(Math.max(ms / SECOND_MS, 0.1), ms < WHOLE_SECONDS_FROM_MS ? 1 : 0)} s`;

/** A time inside a call: "380 ms", "1.90 s", "56 min 51 s". */
export function spanText(ms: number): string {
  if (ms < SECOND_MS) return `${formatNumber(ms)} ms`;
  if (ms < MINUTES_FROM_MS) return `${formatDecimals(ms / SECOND_MS, 2)} s`;
  const seconds = Math.round(ms / SECOND_MS);
  return `${formatNumber(Math.floor(seconds / 60))} min ${seconds % 60} s`;
}

/** Tokens for each second: "287", below ten "4.2". */
export const speedText = (perSecond: number): string =>
  perSecond < 10 ? formatDecimals(perSecond, 1) : formatNumber(perSecond);

/** A place on the time axis: "0", "500 ms", "2 s", "20 min". */
export function tickText(ms: number): string {
  if (ms === 0) return "0";
  if (ms % MINUTE_MS === 0) return `${ms / MINUTE_MS} min`;
  return ms < 1000 ? `${ms} ms` : `${formatDecimals(ms / 1000, ms % 1000 === 0 ? 0 : 1)} s`;
}

const CAUSES = ["auth", "quota", "rate", "overloaded", "invalid", "timeout", "network", "content", "format"] as const;

/** "rate limited"; "" for a cause without a word of its own. */
const causeText = (t: T, cause: string): string => (CAUSES.some((known) => known === cause) ? t(`cause.${cause}`) : "");

/** Why one channel failed: "429 rate limited". @param reason "kind: the upstream's own words" */
export function attemptText(t: T, status: number, reason: string): string {
  const words =
    causeText(t, causeOf(reason)) ||
    causeText(t, causeOfStatus(status)) ||
    (status === 0 ? reason.replace(/^[a-z_]+: /, "") : t("cause.refused"));
  return status === 0 ? words : `${status} ${words}`;
}

/** Refusals of the gateway itself, whose status alone would say something else: a 403 of an empty balance is no refused key. */
const REFUSALS = [
  "insufficient_user_quota",
  "pre_consume_token_quota_failed",
  "quota_reached",
  "model_price_error",
  "model_not_found",
  "no_available_channel",
  "not_translatable",
  "sensitive_words_detected",
  "upstream_unreachable",
  "upstream_timeout",
  "upstream_broken",
  "internal_error",
] as const;

const refusalText = (t: T, code: string | undefined): string =>
  code !== undefined && REFUSALS.some((known) => known === code) ? t(`refusal.${code}`) : "";

/** Why a call failed, in a line: "429 rate limited, 4 channels tried"; channels are counted only where the reader may know of them. */
export function failureText(t: T, row: LogRow): string {
  const { status_code, error_code, tried } = receiptOf(row);
  const words = refusalText(t, error_code) || causeText(t, causeOfStatus(status_code));
  const what = words === "" ? row.content : `${status_code} ${words}`;
  const channels = new Set(tried.map(({ id }) => id)).size;
  const how = channels > 1 ? t("channelsTried", { count: channels }) : "";
  return [what, how].filter(Boolean).join(t("comma"));
}

const SKIP_WORDS: Readonly<Record<string, string>> = {
  disabled: "disabled",
  busy: "busy",
  "unknown channel type": "unknownType",
  "resting after failures": "resting",
  "resting as its upstream asked": "restingAsAsked",
  "being probed by another call": "probed",
};

/** Why a channel was not tried. @param reason as the relay notes it: server/src/relay/route.ts and failover.ts */
export function skipText(t: T, reason: string): string {
  const name = SKIP_WORDS[reason];
  if (name !== undefined) return t(`skip.${name}`);
  const [, kind, subject = ""] = /^(does not serve|cannot do what was asked:) (.+)$/.exec(reason) ?? [];
  if (kind === undefined) return reason;
  return kind === "does not serve"
    ? t("skip.operation", { operation: subject })
    : t("skip.untranslatable", { field: subject });
}

const RULES = [
  [/^the client left/, "clientLeft"],
  [/^the upstream broke.*input alone$/, "upstreamBrokeInput"],
  [/^the upstream broke.*not charged$/, "upstreamBrokeFree"],
  [/^the upstream broke/, "upstreamBroke"],
  [/^the gateway broke.*input alone$/, "gatewayBrokeInput"],
  [/^the gateway broke.*not charged$/, "gatewayBrokeFree"],
  [/^the gateway broke/, "gatewayBroke"],
  [/^the balance ended/, "balanceEnded"],
] as const;

/** The rule by which an answer was charged that did not end well. */
export function ruleText(t: T, rule: string): string {
  const name = RULES.find(([pattern]) => pattern.test(rule))?.[1];
  return name === undefined ? rule : t(`rule.${name}`);
}
