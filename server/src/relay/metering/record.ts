/** Step 9: one log row for each call: what was used, how it was priced, which channels were tried and why. */
import { failureKindOf } from "../../../../contract/src/call-figures.ts";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import type { BrokenStreamRule } from "../../../../contract/src/pricing/broken-stream.ts";
import type { Usage } from "../../../../contract/src/pricing/usage.ts";
import { programOfUserAgent } from "../../../../contract/src/connect/programs.ts";
import type { ChargeRule } from "../../../../contract/src/receipt-codes.ts";
import type { LogEntry } from "../../billing/billing.ts";
import { isObject } from "../../dialects/json/fields.ts";
import type { DialectName } from "../../dialects/neutral/neutral.ts";
import type { Answer } from "../call/answer.ts";
import type { Call, Charge } from "../call/call.ts";
import type { RelayError } from "../call/relay-error.ts";
import type { Group, Target } from "../call/target.ts";
import type { SkippedChannel, TriedChannel } from "../call/trace.ts";
import { type Accepted, requestField } from "../request/accepted.ts";
import type { AnswerCost } from "./cost.ts";
import { TOKEN_FIELDS } from "./meters.ts";
import { priceFields } from "./price-fields.ts";
import type { Payer, Terms } from "./terms.ts";

/** Where each format has the effort of reasoning; Gemini's levels and budgets are no words of effort. */
const EFFORT_FIELDS: Readonly<Partial<Record<DialectName, readonly [field: string, inside?: string]>>> = {
  "openai-chat": ["reasoning_effort"],
  "openai-responses": ["reasoning", "effort"],
  "anthropic-messages": ["output_config", "effort"],
};

/** Longer texts are no effort. */
const MAX_EFFORT_LETTERS = 16;

/** Effort of reasoning for the receipt, by the suffix of a model's name or the client's field; undefined where the request names none. */
function effortOf(accepted: Accepted, target: Target | undefined): string | undefined {
  if (accepted.operation !== "chat") return undefined;
  const [field, inside] = EFFORT_FIELDS[accepted.dialect.name] ?? [];
  const value = target?.effort ?? (field === undefined ? undefined : requestField(accepted, field));
  const effort = inside !== undefined && isObject(value) ? value[inside] : value;
  return typeof effort === "string" && effort.length <= MAX_EFFORT_LETTERS ? effort : undefined;
}

/** What one answer is charged, and why. */
export interface AnswerCharge extends Charge {
  answer: Answer;
  /** Counts of the upstream that could not be believed. */
  faults: readonly string[];
  /** False where the hold is given back instead. */
  isCharged: boolean;
  /** What it cost at its upstream; undefined where that is unknown. */
  cost: AnswerCost | undefined;
}

/** By which rule an answer was charged that did not end well; for one that broke off the option BrokenStreamBilling says. */
function ruleOf({ end, isOwnFault }: Answer, rule: BrokenStreamRule): ChargeRule | undefined {
  if (end === "complete") return undefined;
  if (end !== "upstream_broke") return end;
  return isOwnFault === true ? `gateway_broke_${rule}` : `upstream_broke_${rule}`;
}

/** Counts that are not 0, to keep rows short. */
function compactUsage(usage: Usage): Record<string, number> {
  const compact: Record<string, number> = {};
  for (const name of TOKEN_FIELDS) if (usage[name] > 0) compact[name] = usage[name];
  return compact;
}

/** Each once, though a channel may have been asked in two formats. */
const idsOf = (tried: readonly TriedChannel[]): number[] =>
  tried.map(({ id }) => id).filter((id, index, all) => all.indexOf(id) === index);

/** Bound of receipt fields that clients and upstreams can make as long as they like. */
const MAX_WARNINGS = 32;
const WARNING_CHARACTERS = 256;
const PATH_CHARACTERS = 200;
const MAX_CHARACTERS = 16_384;
const MAX_SKIPPED = 100;

const shortened = (warnings: readonly string[]): string[] =>
  warnings.slice(0, MAX_WARNINGS).map((warning) => warning.slice(0, WARNING_CHARACTERS));

/** As text: without the vendor's own words on usage where they are more than any count. */
function textOfReceipt(receipt: object): string {
  const text = JSON.stringify(receipt);
  if (text.length <= MAX_CHARACTERS) return text;
  return JSON.stringify({ ...receipt, raw_usage: undefined });
}

/** The path the call came in at, without its query, which may hold a key. */
function pathOf({ request }: Call): string {
  const url = request.url ?? "";
  const end = url.indexOf("?");
  return url.slice(0, end === -1 ? PATH_CHARACTERS : Math.min(end, PATH_CHARACTERS));
}

/** What a call brought its operator, for administrators: no payer ever sees it. */
const marginOf = ({ quota, cost }: AnswerCharge): Record<string, unknown> => {
  if (cost === undefined) return {};
  const { quota: amount, origin, factor } = cost;
  return { cost: { quota: amount, margin: quota - amount, origin, ...(factor === "1" ? {} : { factor }) } };
};

/** Of thousands that were skipped a receipt names some, and counts all. */
const skippedFields = (skipped: readonly SkippedChannel[]): Record<string, unknown> =>
  skipped.length <= MAX_SKIPPED
    ? { skipped }
    : { skipped: skipped.slice(0, MAX_SKIPPED), skipped_total: skipped.length };

function pathFields(
  call: Call,
  accepted: Accepted | undefined,
  charge?: AnswerCharge | undefined,
): Record<string, unknown> {
  const { trace, operation } = call;
  const { target, tried, firstByteMs, affinity } = trace;
  const effort = accepted === undefined ? undefined : effortOf(accepted, target);
  const client = programOfUserAgent(call.request.headers["user-agent"] ?? "");
  const isMapped = target !== undefined && target.upstreamModel !== accepted?.info.model;
  return {
    endpoint: pathOf(call),
    ...(client === "" ? {} : { client }),
    frt: firstByteMs === 0 ? -1000 : firstByteMs,
    ...(operation === "realtime" ? { ws: true } : {}),
    ...(isMapped ? { is_model_mapped: true, upstream_model_name: target.upstreamModel } : {}),
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
    ...(target !== undefined && target.warnings.length > 0 ? { warnings: shortened(target.warnings) } : {}),
    admin_info: {
      use_channel: idsOf(tried),
      tried,
      ...skippedFields(trace.finallySkipped),
      ...(affinity === undefined ? {} : { affinity }),
      ...(target?.overrides === undefined || target.overrides.length === 0 ? {} : { overrides: target.overrides }),
      ...(charge === undefined ? {} : marginOf(charge)),
    },
  };
}

function receiptOf(call: Call, accepted: Accepted, terms: Terms, charge: AnswerCharge): Record<string, unknown> {
  const { usage, answer, faults } = charge;
  const { price, group, quotaPerUnit, priceVersion, priceSince } = terms;
  const receipt: Record<string, unknown> = {
    ...priceFields({ price, group, quotaPerUnit, priceVersion, priceSince }, usage),
    ...pathFields(call, accepted, charge),
    usage: compactUsage(usage),
  };
  if (answer.rawUsage !== undefined) receipt["raw_usage"] = answer.rawUsage;
  if (usage.isEstimated) receipt["estimated"] = true;
  if (terms.isUnpriced) receipt["unpriced"] = true;
  const rule = ruleOf(answer, call.context.snapshot.options.BrokenStreamBilling);
  if (rule !== undefined) receipt["rule"] = rule;
  if (faults.length > 0) receipt["usage_faults"] = faults;
  return receipt;
}

function rowOf(
  call: Call,
  { user, token, address }: Payer,
  accepted: Accepted | undefined,
  group: Group | undefined,
  type: LogEntry["type"],
  other: object,
): LogEntry {
  return {
    type,
    requestId: call.requestId,
    createdAt: call.createdAt,
    userId: user.id,
    username: user.username,
    tokenId: token.id,
    tokenName: token.name,
    channelId: call.trace.target?.channel.id ?? 0,
    modelName: accepted?.model ?? "",
    groupName: group?.name ?? "",
    quota: 0,
    promptTokens: 0,
    completionTokens: 0,
    useTimeMs: call.elapsedMs,
    firstTokenMs: call.trace.firstByteMs,
    isStream: accepted?.isStream ?? false,
    ip: user.keepsClientAddresses || call.context.snapshot.options.ClientAddressLogRequired ? address : "",
    content: "",
    other: textOfReceipt(other),
  };
}

/** Row of a charged call; it goes into the settlement's own transaction. */
export function consumptionRow(
  call: Call,
  payer: Payer,
  accepted: Accepted,
  terms: Terms,
  charge: AnswerCharge,
): LogEntry {
  const row = rowOf(call, payer, accepted, terms.group, LOG_TYPE.consumption, receiptOf(call, accepted, terms, charge));
  row.quota = charge.quota;
  row.promptTokens = charge.usage.inputTokens;
  row.completionTokens = charge.usage.outputTokens;
  return row;
}

/** Refusals of a request that another setting of the channels could have let pass. */
const REFUSALS_OF_SETUP: ReadonlySet<string> = new Set(["input_too_long", "model_not_found"]);

/** Errors of our own that say nothing an operator could act on are only counted. */
const isWorthARow = ({ trace }: Call, { status, code }: RelayError): boolean =>
  trace.tried.length > 0 || status >= 500 || REFUSALS_OF_SETUP.has(code);

/** A call that an upstream was asked for and that cost nothing. */
export function noteFree({ context, requestMemory }: Call, { user }: Payer): void {
  const { unpaidCalls, snapshot } = context;
  unpaidCalls.free(user.id, snapshot.options.UnpaidCallsPerMinute, requestMemory.everTakenBytes);
}

/** A user whose calls are refused one after the other is let in less often; what the gateway itself lacks is not their fault. */
function noteUnpaid(call: Call, { status, code }: RelayError, payer: Payer): void {
  const { unpaidCalls, snapshot } = call.context;
  if (call.trace.tried.length > 0) noteFree(call, payer);
  else if (code !== "too_many_unpaid_calls" && (status < 500 || code === "no_available_channel"))
    unpaidCalls.refused(payer.user.id, snapshot.options.UnpaidCallsPerMinute, call.requestMemory.everTakenBytes);
}

/**
 * Writes the row of a failed call as far as it came: a stranger's has none. What goes wrong with the row is logged and never reaches the
 * client.
 */
export function recordFailure(
  call: Call,
  error: RelayError,
  payer: Payer | undefined,
  accepted: Accepted | undefined,
  group: Group | undefined,
): void {
  if (payer === undefined) return;
  noteUnpaid(call, error, payer);
  if (!isWorthARow(call, error)) return;
  const other = {
    error_type: error.type,
    error_code: error.code,
    status_code: error.status,
    ...pathFields(call, accepted),
  };
  const row = rowOf(call, payer, accepted, group, LOG_TYPE.error, other);
  row.content = error.message.slice(0, 2000);
  const { billing, logger, callCounter } = call.context;
  callCounter.failed({ ...row, model: row.modelName }, failureKindOf(error.status, error.code));
  billing.record(row).catch((fault: unknown) => {
    logger.error({ ...call.logFields, err: fault }, "the row of a failed call was not written");
  });
}
