/** Step 9: one log row for each call: what was used, how it was priced, which channels were tried and why. */
import type { Usage } from "../../../contract/src/usage.ts";
import type { LogEntry } from "../billing/billing.ts";
import type { AnswerEnd, Exchange } from "./exchange.ts";
import type { Refusal } from "./refusal.ts";
import { noteResting } from "./route.ts";

/** The printed rule for each way an answer can end. */
const RULES: Readonly<Record<AnswerEnd, string>> = {
  complete: "complete: charged by its usage",
  client_left: "the client left: charged for what was delivered",
  upstream_broke: "the upstream broke off: charged for what was delivered",
  quota_reached: "the balance ended: charged for what was delivered",
};

const CONSUMPTION = 2;
const ERROR = 5;

const COUNTS = [
  "inputTokens",
  "outputTokens",
  "cacheReadTokens",
  "cacheWriteTokens",
  "reasoningTokens",
  "imageInputTokens",
  "audioInputTokens",
  "audioOutputTokens",
] as const satisfies readonly (keyof Usage)[];

/** Counts that are not 0, to keep rows short. */
function compactUsage(usage: Usage): Record<string, number> {
  const compact: Record<string, number> = {};
  for (const name of COUNTS) if (usage[name] > 0) compact[name] = usage[name];
  return compact;
}

function priceFields({ price, groupRatio, context }: Exchange, usage: Usage): Record<string, unknown> {
  const common = {
    group_ratio: Number(groupRatio),
    price_version: context.snapshot.priceVersion,
    cache_tokens: usage.cacheReadTokens,
  };
  if (price === undefined || price.kind === "per_call") {
    return {
      ...common,
      model_ratio: 0,
      model_price: price === undefined ? -1 : Number(price.price),
      completion_ratio: 0,
      cache_ratio: 0,
    };
  }
  const fields: Record<string, unknown> = {
    ...common,
    model_ratio: Number(price.ratio),
    model_price: -1,
    completion_ratio: Number(price.completionRatio),
    cache_ratio: Number(price.cacheRatio),
  };
  if (usage.cacheWriteTokens > 0) {
    fields["cache_creation_tokens"] = usage.cacheWriteTokens;
    fields["cache_creation_ratio"] = Number(price.cacheCreationRatio);
  }
  return fields;
}

function pathFields(exchange: Exchange): Record<string, unknown> {
  noteResting(exchange);
  const { target, chat, tried, skipped } = exchange;
  const isMapped = target !== undefined && target.upstreamModel !== chat?.model;
  return {
    frt: exchange.firstByteMs === 0 ? -1000 : exchange.firstByteMs,
    ...(isMapped ? { is_model_mapped: true, upstream_model_name: target.upstreamModel } : {}),
    ...(target !== undefined && target.warnings.length > 0 ? { warnings: target.warnings } : {}),
    admin_info: { use_channel: tried.map(({ id }) => id), tried, skipped },
  };
}

function receiptOf(exchange: Exchange, usage: Usage, faults: readonly string[]): Record<string, unknown> {
  const { answer } = exchange;
  const receipt: Record<string, unknown> = {
    ...priceFields(exchange, usage),
    ...pathFields(exchange),
    usage: compactUsage(usage),
  };
  if (answer?.rawUsage !== undefined) receipt["raw_usage"] = answer.rawUsage;
  if (usage.isEstimated) receipt["estimated"] = true;
  if (exchange.isUnpriced) receipt["unpriced"] = true;
  if (answer !== undefined && answer.end !== "complete") receipt["rule"] = RULES[answer.end];
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
    other: JSON.stringify(other),
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
