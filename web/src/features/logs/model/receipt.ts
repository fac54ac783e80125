/** A row's receipt, read from its JSON text field by field: what is absent or of another kind is left out, the rest is kept. Pure. */
import { LOG_TYPE } from "../../../../../contract/src/constants.ts";
import type { LogEvent } from "../../../../../contract/src/logs/events.ts";
import { readLogEvent } from "../../../../../contract/src/logs/read-event.ts";
import type { UserReceipt } from "../../../../../contract/src/logs/receipt.ts";
import {
  type ChargeRule,
  readChargeRule,
  readSkipReason,
  type SkipReason,
} from "../../../../../contract/src/receipt-codes.ts";
import type { LogRow } from "./log-row.ts";

/** One channel and when it was asked, in ms since the call came in. */
export interface Attempt {
  id: number;
  name: string;
  /** Mark of the key it was asked with, where the channel has several. */
  key?: string | undefined;
  start_ms: number;
  ms: number;
  /** HTTP status; 0 where no answer came. */
  status: number;
  /** "kind: the upstream's own words"; blank for the one that answered. */
  reason: string;
  /** Channel type, for its mark; absent where the channel is gone. */
  type: number | undefined;
  /** By which its upstream knows the request; absent where that named none. */
  upstreamRequestId?: string | undefined;
}

export interface Skipped {
  id: number;
  name: string;
  /** Text is of another version: it is shown as it is. */
  reason: SkipReason | string;
}

/** One channel of a run of tests. */
export interface TestLine {
  id: number;
  name: string;
  ms: number;
  /** Blank for one that passed. */
  failure: string;
}

/** The upstream cost of the call, for administrators. Amounts in quota. */
export interface UpstreamCost {
  quota: number;
  /** Below 0 where the call brought less than it cost. */
  margin: number;
  /** "typed" by the operator for this channel and model, or from the price "list". */
  origin: string;
  /** Factor of the price list where it is not 1. */
  factor: string | undefined;
}

export type Receipt = Omit<UserReceipt, "event" | "rule"> & {
  /** How an answer that did not end well was charged; text of another version is shown as it is. */
  rule: ChargeRule | string | undefined;
  /** The event, where the row is about no call. */
  event: LogEvent | undefined;
  tests: readonly TestLine[];
  tried: readonly Attempt[];
  skipped: readonly Skipped[];
  /** The rule of affinity that took the call, and whether it led to a channel; for administrators. */
  affinity: { rule: string; isHit: boolean } | undefined;
  /** Operations of the channel's override: modes and paths. */
  overrides: readonly string[];
  /** Changes of an administrator's act. */
  detail: Readonly<Record<string, unknown>> | undefined;
  /** Undefined where it is not known. */
  cost: UpstreamCost | undefined;
};

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const numberOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;
const stringOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

const NUMBERS = [
  "cache_tokens",
  "cache_creation_tokens",
  "cache_creation_long_tokens",
  "tier_above",
  "web_search_call_count",
  "file_search_call_count",
  "image_generation_call_count",
  "code_interpreter_call_count",
  "google_maps_call_count",
  "frt",
  "price_version",
  "price_since",
  "status_code",
] as const;
const AMOUNTS = [
  "model_ratio",
  "model_price",
  "group_ratio",
  "user_group_ratio",
  "completion_ratio",
  "cache_ratio",
  "cache_creation_ratio",
  "image_ratio",
  "audio_ratio",
  "audio_completion_ratio",
  "image_output_ratio",
  "web_search_price",
  "file_search_price",
  "image_generation_price",
  "code_interpreter_price",
  "google_maps_price",
  "quota_per_unit",
] as const;
const TEXTS = [
  "endpoint",
  "user_group",
  "call_factor",
  "reasoning_effort",
  "upstream_model_name",
  "error_type",
  "error_code",
  "client",
] as const;
const FLAGS = ["is_model_mapped", "is_test", "estimated", "unpriced"] as const;
const TEXT_LISTS = ["usage_faults", "warnings"] as const;

const READERS: readonly [readonly string[], (value: unknown) => unknown][] = [
  [NUMBERS, numberOf],
  [AMOUNTS, (value) => numberOf(value) ?? stringOf(value)],
  [TEXTS, stringOf],
  [FLAGS, (value) => (typeof value === "boolean" ? value : undefined)],
  [TEXT_LISTS, (value) => (Array.isArray(value) ? value.filter((each) => typeof each === "string") : undefined)],
  [
    ["usage"],
    (value) =>
      typeof value === "object" && value !== null
        ? Object.fromEntries(Object.entries(value).filter(([, count]) => numberOf(count) !== undefined))
        : undefined,
  ],
  [["tool_calls"], (value) => toolCallsOf(value)],
  [["premiums"], (value) => surchargesOf(value)],
  [["raw_usage"], (value) => (typeof value === "object" && value !== null ? value : undefined)],
];

type ToolCall = NonNullable<UserReceipt["tool_calls"]>[number];

/** Calls of tools with a price each; undefined where there is no list, and without the entries that are none. */
const toolCallsOf = (value: unknown): ToolCall[] | undefined =>
  Array.isArray(value)
    ? value.map(fieldsOf).flatMap(({ tool, count, price }) => {
        const [name, calls, amount] = [stringOf(tool), numberOf(count), numberOf(price) ?? stringOf(price)];
        return name === undefined || calls === undefined || amount === undefined
          ? []
          : [{ tool: name, count: calls, price: amount }];
      })
    : undefined;

type ReceiptSurcharge = NonNullable<UserReceipt["premiums"]>[number];

/** The same of surcharges and their ratios. */
const surchargesOf = (value: unknown): ReceiptSurcharge[] | undefined =>
  Array.isArray(value)
    ? value.map(fieldsOf).flatMap(({ premium, ratio }) => {
        const [name, amount] = [stringOf(premium), numberOf(ratio) ?? stringOf(ratio)];
        return name === undefined || amount === undefined ? [] : [{ premium: name, ratio: amount }];
      })
    : undefined;

function readKnown(sent: Fields): Omit<UserReceipt, "event" | "rule"> {
  const read = READERS.flatMap(([names, reader]) => names.map((name) => [name, reader(sent[name])] as const));
  // The readers above are the schema of contract/features/logs.ts by hand; the console's bundle has no schemas.
  return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as Omit<UserReceipt, "event" | "rule">;
}

function parse(text: string): Fields {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return {}; // A row of another program: there is nothing to show.
  }
}

/** Attempts without times (older rows) are taken to have lasted the whole call. */
function attemptOf(value: unknown, totalMs: number): Attempt {
  const { id, name, key, start_ms, ms, status, reason, type, upstream_request_id } = fieldsOf(value);
  const start = numberOf(start_ms) ?? 0;
  return {
    id: numberOf(id) ?? 0,
    name: stringOf(name) ?? "",
    key: stringOf(key),
    start_ms: start,
    ms: numberOf(ms) ?? Math.max(0, totalMs - start),
    status: numberOf(status) ?? 0,
    reason: stringOf(reason) ?? "",
    type: numberOf(type),
    upstreamRequestId: stringOf(upstream_request_id) || undefined,
  };
}

function skippedOf(value: unknown): Skipped {
  const { id, name, code, reason } = fieldsOf(value);
  const words = stringOf(reason) ?? stringOf(code) ?? "";
  return { id: numberOf(id) ?? 0, name: stringOf(name) ?? "", reason: readSkipReason(value) ?? words };
}

function costOf(value: unknown): UpstreamCost | undefined {
  const { quota, margin, origin, factor } = fieldsOf(value);
  const [cost, rest] = [numberOf(quota), numberOf(margin)];
  if (cost === undefined || rest === undefined) return undefined;
  return { quota: cost, margin: rest, origin: stringOf(origin) ?? "", factor: stringOf(factor) };
}

function affinityOf(value: unknown): Receipt["affinity"] {
  const { rule, hit } = fieldsOf(value);
  const name = stringOf(rule);
  return name === undefined ? undefined : { rule: name, isHit: hit === true };
}

function testLineOf(value: unknown): TestLine {
  const { id, name, ms, failure } = fieldsOf(value);
  return { id: numberOf(id) ?? 0, name: stringOf(name) ?? "", ms: numberOf(ms) ?? 0, failure: stringOf(failure) ?? "" };
}

/** The changes, with JSON of options parsed instead of as one escaped text. */
const unpacked = (info: Fields): Fields =>
  Object.fromEntries(
    Object.entries(info).map(([name, value]) => {
      if (typeof value !== "string" || !/^\s*[{[]/.test(value)) return [name, value];
      try {
        return [name, JSON.parse(value) as unknown];
      } catch {
        return [name, value]; // A text that only begins like JSON.
      }
    }),
  );

/** Reads `other` of a row. */
export function receiptOf(row: Pick<LogRow, "other" | "type" | "use_time_ms">): Receipt {
  const sent = parse(row.other);
  const { use_channel: _tested, tests, ...info } = fieldsOf(sent["admin_info"]);
  const isCall = row.type === LOG_TYPE.consumption || row.type === LOG_TYPE.error;
  return {
    ...readKnown(sent),
    event: readLogEvent(sent["event"]),
    rule: readChargeRule(sent["rule"]) ?? stringOf(sent["rule"]),
    tests: listOf(tests).map(testLineOf),
    tried: listOf(info["tried"]).map((each) => attemptOf(each, row.use_time_ms)),
    skipped: listOf(info["skipped"]).map(skippedOf),
    overrides: listOf(info["overrides"]).filter((each) => typeof each === "string"),
    affinity: affinityOf(info["affinity"]),
    cost: isCall ? costOf(info["cost"]) : undefined,
    detail: !isCall && Object.keys(info).length > 0 ? unpacked(info) : undefined,
  };
}

/** The tried channels, for administrators; rows without a list still know the channel that answered. */
export function attemptsOf(row: LogRow, receipt: Receipt): readonly Attempt[] {
  if (receipt.tried.length > 0 || !row.channel) return receipt.tried;
  return [
    {
      id: row.channel,
      name: row.channel_name ?? "",
      start_ms: 0,
      ms: row.use_time_ms,
      status: 0,
      reason: "",
      type: undefined,
    },
  ];
}
