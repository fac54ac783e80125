/** Step 9: one log row for each call: what was used, how it was priced, which channels were tried and why. */
import type { BrokenStreamRule } from "../../../contract/src/broken-stream.ts";
import type { Usage } from "../../../contract/src/usage.ts";
import type { LogEntry } from "../billing/billing.ts";
import { effortOf } from "./effort.ts";
import type { AnswerEnd, Attempt, Exchange } from "./exchange.ts";
import { priceFields } from "./price-fields.ts";
import type { Refusal } from "./refusal.ts";
import { finallySkipped } from "./route.ts";

/** The printed rule for each way an answer can end. */
const RULES: Readonly<Record<AnswerEnd, string>> = {
  complete: "complete: charged by its usage",
  client_left: "the client left: charged for what was delivered",
  upstream_broke: "the upstream broke off: charged for what was delivered",
  quota_reached: "the balance ended: charged for what was delivered",
};

/** The same for an answer that the upstream broke off, by the option BrokenStreamBilling. */
const BROKEN_RULES: Readonly<Record<BrokenStreamRule, string>> = {
  delivered: RULES.upstream_broke,
  input_only: "the upstream broke off: charged for its input alone",
  nothing: "the upstream broke off: not charged",
};

function ruleOf({ isOwnFault }: Exchange, end: AnswerEnd, rule: BrokenStreamRule): string {
  if (end !== "upstream_broke") return RULES[end];
  return isOwnFault ? BROKEN_RULES[rule].replace("upstream", "gateway") : BROKEN_RULES[rule];
}

const CONSUMPTION = 2;
const ERROR = 5;

const COUNTS = [
  "inputTokens",
  "outputTokens",
  "cacheReadTokens",
  "cacheWriteTokens",
  "cacheWriteLongTokens",
  "reasoningTokens",
  "imageInputTokens",
  "audioInputTokens",
  "audioOutputTokens",
  "imageOutputTokens",
] as const satisfies readonly (keyof Usage)[];

/** Counts that are not 0, to keep rows short. */
function compactUsage(usage: Usage): Record<string, number> {
  const compact: Record<string, number> = {};
  for (const name of COUNTS) if (usage[name] > 0) compact[name] = usage[name];
  return compact;
}

/** Each once, though a channel may have been asked in two formats. */
const idsOf = (tried: readonly Attempt[]): number[] =>
  tried.map(({ id }) => id).filter((id, index, all) => all.indexOf(id) === index);

/** Of what clients and upstreams can make as long as they like, a receipt has so much. */
const MOST_WARNINGS = 32;
const WARNING_CHARACTERS = 256;
const MOST_CHARACTERS = 16_384;

const shortened = (warnings: readonly string[]): string[] =>
  warnings.slice(0, MOST_WARNINGS).map((warning) => warning.slice(0, WARNING_CHARACTERS));

/** As text: without the vendor's own words on usage where they are more than any count. */
function textOfReceipt(receipt: object): string {
  const text = JSON.stringify(receipt);
  if (text.length <= MOST_CHARACTERS) return text;
  return JSON.stringify({ ...receipt, raw_usage: undefined });
}

function pathFields(exchange: Exchange): Record<string, unknown> {
  const { target, facts, tried } = exchange;
  const effort = effortOf(exchange);
  const isMapped = target !== undefined && target.upstreamModel !== facts?.model;
  return {
    frt: exchange.firstByteMs === 0 ? -1000 : exchange.firstByteMs,
    ...(exchange.upgrade === undefined ? {} : { ws: true }),
    ...(isMapped ? { is_model_mapped: true, upstream_model_name: target.upstreamModel } : {}),
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
    ...(target !== undefined && target.warnings.length > 0 ? { warnings: shortened(target.warnings) } : {}),
    admin_info: { use_channel: idsOf(tried), tried, skipped: finallySkipped(exchange) },
  };
}

function receiptOf(exchange: Exchange, usage: Usage, faults: readonly string[]): Record<string, unknown> {
  const { answer, price, groupRatio, quotaPerUnit, priceVersion, priceSince, context } = exchange;
  const { options } = context.snapshot;
  const receipt: Record<string, unknown> = {
    ...priceFields({ price, groupRatio, quotaPerUnit, priceVersion, priceSince }, usage),
    ...pathFields(exchange),
    usage: compactUsage(usage),
  };
  if (answer?.rawUsage !== undefined) receipt["raw_usage"] = answer.rawUsage;
  if (usage.isEstimated) receipt["estimated"] = true;
  if (exchange.isUnpriced) receipt["unpriced"] = true;
  if (answer !== undefined && answer.end !== "complete")
    receipt["rule"] = ruleOf(exchange, answer.end, options.BrokenStreamBilling);
  if (faults.length > 0) receipt["usage_faults"] = faults;
  return receipt;
}

function rowOf(exchange: Exchange, type: 2 | 5, other: object): LogEntry {
  const { user, token, target } = exchange;
  return {
    type,
    requestId: exchange.requestId,
    createdAt: exchange.createdAt,
    userId: user?.id ?? 0,
    username: user?.username ?? "",
    tokenId: token?.id ?? 0,
    tokenName: token?.name ?? "",
    channelId: target?.channel.id ?? 0,
    modelName: exchange.model,
    groupName: exchange.groupName,
    quota: 0,
    promptTokens: 0,
    completionTokens: 0,
    useTimeMs: exchange.elapsedMs,
    firstTokenMs: exchange.firstByteMs,
    isStream: exchange.isStream,
    ip: exchange.address,
    content: "",
    other: textOfReceipt(other),
  };
}

/** Row of a charged call; it goes into the settlement's own transaction. */
export function consumptionRow(exchange: Exchange, usage: Usage, charge: number, faults: readonly string[]): LogEntry {
  const row = rowOf(exchange, CONSUMPTION, receiptOf(exchange, usage, faults));
  row.quota = charge;
  row.promptTokens = usage.inputTokens;
  row.completionTokens = usage.outputTokens;
  return row;
}

/** Refusals of our own that say nothing an operator could act on are only counted. */
const isWorthARow = (exchange: Exchange, refusal: Refusal): boolean =>
  exchange.tried.length > 0 || refusal.status >= 500;

/** Writes the row of a failed call; what goes wrong with it is logged and never reaches the client. */
export function recordFailure(exchange: Exchange, refusal: Refusal): void {
  if (exchange.user === undefined || !isWorthARow(exchange, refusal)) return;
  const other = {
    error_type: refusal.type,
    error_code: refusal.code,
    status_code: refusal.status,
    ...pathFields(exchange),
  };
  const row = rowOf(exchange, ERROR, other);
  row.content = refusal.message.slice(0, 2000);
  exchange.context.billing.record(row).catch((error: unknown) => {
    exchange.context.logger.error(
      { requestId: exchange.requestId, err: error },
      "the row of a failed call was not written",
    );
  });
}

/** Counts the call once its answer is over. */
export function measure(exchange: Exchange, status: number): void {
  exchange.context.metrics.called({
    operation: exchange.operation,
    status,
    durationSeconds: (performance.now() - exchange.startedMs) / 1000,
    promptTokens: exchange.charge > 0 ? (exchange.usage?.inputTokens ?? 0) : 0,
    completionTokens: exchange.charge > 0 ? (exchange.usage?.outputTokens ?? 0) : 0,
    quota: exchange.charge,
  });
}
