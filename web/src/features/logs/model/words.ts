/** Short texts for durations, failures and reasons of the log. Pure but for the language shown. */
import { type TFunction } from "../../../lib/i18n.ts";
import { CHARGE_RULES, type ChargeRule } from "../../../../../contract/src/receipt-codes.ts";
import { formatDecimals, formatDurationMs, formatNumber } from "../../../lib/format.ts";
import { causeOf, causeOfStatus, type LogRow } from "./log-row.ts";
import { receiptOf, type Skipped } from "./receipt.ts";

type T = TFunction;

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const MINUTES_FROM_MS = 600_000;

/** A time inside a call: "380 ms", "1.90 s", "56 min 51 s". */
export function spanText(ms: number): string {
  if (ms < MINUTES_FROM_MS) return formatDurationMs(ms, 2);
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

/** Why a channel was not tried. */
export const skipText = (t: T, reason: Skipped["reason"]): string =>
  typeof reason === "string" ? reason : t(`skip.${reason.code}`, { ...reason.values });

const isChargeRule = (rule: string): rule is ChargeRule => Object.hasOwn(CHARGE_RULES, rule);

/** The rule by which an answer was charged that did not end well. */
export const ruleText = (t: T, rule: string): string => (isChargeRule(rule) ? t(`rule.${rule}`) : rule);
