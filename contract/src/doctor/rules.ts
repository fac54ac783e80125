/**
 * What an observation means: one table of rules, the first that fits names the finding. The texts of findings and repairs stand in
 * web/src/locales/{en,zh}/connect.json under `findings`. Pure.
 */
import type { Observation } from "./observation.ts";
import type { Severity } from "./steps.ts";

export const FINDINGS = [
  "unreachable",
  "timeout",
  "too_slow_list",
  "doubled_version",
  "missing_version",
  "redirected",
  "proxy_body_limit",
  "gateway_body_limit",
  "wrong_path",
  "foreign_answer",
  "proxy_without_server",
  "proxy_timeout",
  "key_missing",
  "key_wrong",
  "key_disabled",
  "key_expired",
  "key_used_up",
  "key_quota_short",
  "balance_short",
  "account_banned",
  "address_not_allowed",
  "model_not_allowed",
  "model_unknown",
  "group_wrong",
  "no_channel",
  "no_price",
  "too_many_requests",
  "upstream_refused",
  "upstream_silent",
  "not_served",
  "count_missing",
  "buffered_stream",
  "no_stream",
  "cut_stream",
  "no_tool_call",
  "model_not_listed",
  "clock_wrong",
  "socket_refused",
  "socket_to_http",
  "other_error",
] as const;
export type FindingId = (typeof FINDINGS)[number];

export interface Finding {
  id: FindingId | "fine";
  severity: Severity;
}

interface Rule {
  id: FindingId;
  severity: Exclude<Severity, "ok">;
  fits: (seen: Observation, model: string) => boolean;
}

/** Streams shorter than this may come in one piece without anything in between holding them back. */
const JUDGED_STREAM_MS = 400;
const JUDGED_EVENTS = 6;
/** Events that say that an answer begins: nginx passes on at once what came together with the head, and holds back the rest. */
const OPENING_EVENTS = 4;
/** Events of one piece on average, from which pieces were gathered in between. */
const GATHERED_EVENTS = 4;
const CLOCK_SLACK_S = 120;

const failure = (id: FindingId, fits: Rule["fits"]): Rule => ({ id, severity: "failure", fits });
const warning = (id: FindingId, fits: Rule["fits"]): Rule => ({ id, severity: "warning", fits });
const note = (id: FindingId, fits: Rule["fits"]): Rule => ({ id, severity: "note", fits });

/** By the code of the relay's error table. */
const coded = (id: FindingId, ...codes: readonly string[]): Rule => failure(id, ({ code }) => codes.includes(code));

const isRefused = ({ status }: Observation): boolean => status === 0 || status >= 300;
const pathOf = ({ url }: Observation): string => URL.parse(url)?.pathname ?? "";
const isLost = ({ status, code }: Observation): boolean =>
  status === 404 ? code === "" || code === "invalid_url" || code === "not_found" : status === 405;
const needsVersion = ({ family }: Observation): boolean => family === "chat" || family === "responses";
/** Nothing came from the gateway itself. */
const isForeign = ({ isGateway, isJson, isEventStream }: Observation): boolean =>
  !isGateway && !isJson && !isEventStream;

/** Claude Code continues whatever `HEAD /` says, so only silence is worth a word. */
const HEAD_RULES: readonly Rule[] = [
  failure("unreachable", ({ silence }) => silence === "unreachable"),
  failure("timeout", ({ silence }) => silence === "timeout"),
];

const SOCKET_RULES: readonly Rule[] = [
  note("socket_to_http", ({ status }) => status === 426),
  warning("socket_refused", ({ status }) => status !== 101),
];

/** What keeps a call from the gateway, then what the gateway says. */
const REFUSED: readonly Rule[] = [
  failure("unreachable", ({ silence }) => silence === "unreachable"),
  warning("too_slow_list", ({ silence, step }) => silence === "timeout" && step === "models"),
  failure("timeout", ({ silence }) => silence === "timeout"),
  failure("redirected", ({ isRedirected }) => isRedirected),
  failure("doubled_version", (seen) => isLost(seen) && /\/v1(?:beta)?\/v1(?:beta)?(?:\/|$)/.test(pathOf(seen))),
  failure("missing_version", (seen) => isLost(seen) && needsVersion(seen) && !/\/v1\//.test(pathOf(seen))),
  failure("gateway_body_limit", ({ status, code }) => status === 413 && code === "body_too_large"),
  failure("proxy_body_limit", ({ status, code }) => status === 413 && code === ""),
  coded("key_missing", "key_missing"),
  coded("key_disabled", "key_disabled"),
  coded("key_expired", "key_expired"),
  coded("key_used_up", "key_exhausted"),
  coded("key_wrong", "key_invalid"),
  coded("key_quota_short", "pre_consume_token_quota_failed"),
  coded("balance_short", "insufficient_user_quota", "quota_reached"),
  coded("account_banned", "user_banned"),
  coded("address_not_allowed", "address_not_allowed"),
  coded("model_not_allowed", "model_not_allowed"),
  coded("model_unknown", "model_not_found"),
  coded("group_wrong", "group_not_allowed", "group_unknown"),
  coded("no_channel", "no_available_channel", "channels_busy"),
  coded("no_price", "model_price_error"),
  coded("not_served", "not_translatable", "not_served", "api_not_implemented"),
  coded("upstream_silent", "upstream_unreachable", "upstream_timeout", "upstream_broken"),
  coded(
    "upstream_refused",
    "channel_key_refused",
    "channel_access_refused",
    "upstream_failed",
    "upstream_account_empty",
  ),
  failure("too_many_requests", ({ status }) => status === 429),
  failure("wrong_path", isLost),
  failure("proxy_timeout", (seen) => isForeign(seen) && (seen.status === 504 || seen.status === 408)),
  failure("proxy_without_server", (seen) => isForeign(seen) && (seen.status === 502 || seen.status === 503)),
  failure("foreign_answer", isForeign),
  failure("key_wrong", ({ status }) => status === 401),
  failure("other_error", () => true),
];

/** What is wrong with an answer of status 200. */
const ANSWERED: readonly Rule[] = [
  failure(
    "missing_version",
    (seen) => needsVersion(seen) && !seen.isJson && !seen.isEventStream && !/\/v1\//.test(pathOf(seen)),
  ),
  failure("foreign_answer", ({ isJson, isEventStream }) => !isJson && !isEventStream),
  failure(
    "other_error",
    ({ step, code, isEventStream }) => (step === "stream" || step === "tool") && isEventStream && code !== "",
  ),
  failure("no_stream", ({ step, isEventStream }) => step === "stream" && !isEventStream),
  failure("cut_stream", ({ step, isCut, isWhole }) => (step === "stream" || step === "tool") && (isCut || !isWhole)),
  warning("buffered_stream", (seen) => seen.step === "stream" && isHeldBack(seen)),
  failure("no_tool_call", ({ step, hasToolCall }) => step === "tool" && !hasToolCall),
  warning("model_not_listed", ({ step, models }, model) => step === "models" && models?.includes(model) === false),
  warning("clock_wrong", ({ step, clockAheadS = 0 }) => step === "models" && Math.abs(clockAheadS) > CLOCK_SLACK_S),
];

/** A stream came at its end but for what opens it. */
const cameLate = ({ events, lateEvents }: Observation): boolean =>
  lateEvents >= JUDGED_EVENTS && lateEvents >= events - OPENING_EVENTS;

/** It came in pieces of many events that end in the middle of one, as what fills a buffer does: nginx passes on each of 4 or 8 kB once it is full. */
const cameInBuffers = ({ events, pieces, cutPieces }: Observation): boolean =>
  cutPieces > 0 && cutPieces * 2 >= pieces - 2 && events >= pieces * GATHERED_EVENTS;

/** A long stream was held back in between. */
const isHeldBack = (seen: Observation): boolean =>
  seen.ms >= JUDGED_STREAM_MS && (cameLate(seen) || cameInBuffers(seen));

/** Programs do without counting, so that its failure alone is a note. */
const COUNT_RULES: readonly Rule[] = [
  note("count_missing", (seen) => seen.status === 404 || seen.status === 501 || seen.code === "not_translatable"),
];

/** The large body is meant to be refused, by the gateway itself and for what it lacks. */
const isRefusedAsMeant = ({ status, code, isGateway }: Observation): boolean =>
  status === 400 && (code !== "" || isGateway);

function rulesFor(seen: Observation): readonly Rule[] {
  if (seen.step === "head") return HEAD_RULES;
  if (seen.step === "socket") return seen.status === 101 ? [] : SOCKET_RULES;
  if (seen.step === "size" && isRefusedAsMeant(seen)) return [];
  if (!isRefused(seen)) return seen.step === "size" ? [] : ANSWERED;
  return seen.step === "count" ? [...COUNT_RULES, ...REFUSED] : REFUSED;
}

/** What one call says: the first rule that fits, or that it is fine. */
export function findingOf(seen: Observation, model: string): Finding {
  const rule = rulesFor(seen).find(({ fits }) => fits(seen, model));
  return rule === undefined ? { id: "fine", severity: "ok" } : { id: rule.id, severity: rule.severity };
}

/** Findings after which the calls that follow would say the same. */
const ENDS: ReadonlySet<string> = new Set<FindingId>([
  "unreachable",
  "doubled_version",
  "missing_version",
  "wrong_path",
  "redirected",
  "foreign_answer",
  "key_missing",
  "key_wrong",
  "key_disabled",
  "key_expired",
  "key_used_up",
  "account_banned",
  "address_not_allowed",
]);

/** Whether nothing is gained by going on. */
export const isEnd = ({ id }: Finding, { step }: Observation): boolean => step !== "head" && ENDS.has(id);
