/** A log row as the page knows it, and its receipt read from JSON text: what is absent or of another kind is left out. Pure. */
import { z } from "zod";
import { type AdminLog, LOG_TYPE, type UserLog, userReceipt } from "../../../../../contract/src/features/logs.ts";

/** Channel facts are there for administrators alone. */
export type LogRow = UserLog & Partial<Pick<AdminLog, "channel" | "channel_name">>;

export const isCall = (row: LogRow): boolean => row.type === LOG_TYPE.consumption || row.type === LOG_TYPE.error;

const attempt = z.object({
  id: z.number(),
  name: z.string(),
  start_ms: z.number().catch(0),
  ms: z.number().optional().catch(undefined),
  status: z.number().catch(0),
  reason: z.string().catch(""),
  /** Channel type, for its mark; absent where the channel is gone. */
  type: z.number().optional(),
});

/** One channel and when it was asked, in ms since the call came in. */
export interface Attempt extends z.output<typeof attempt> {
  ms: number;
}

const skipped = z.object({ id: z.number(), name: z.string(), reason: z.string() });
export type Skipped = z.output<typeof skipped>;

/** Readings are forgiving field by field: one odd field must not hide the rest of a receipt. */
const forgiving = z.object(
  Object.fromEntries(Object.entries(userReceipt.shape).map(([name, schema]) => [name, (schema as z.ZodType).catch(undefined)])) as unknown as typeof userReceipt.shape,
);

const channelFacts = z.object({
  tried: z.array(attempt).catch([]),
  skipped: z.array(skipped).catch([]),
});

export interface Receipt extends z.output<typeof userReceipt> {
  tried: readonly z.output<typeof attempt>[];
  skipped: readonly Skipped[];
  /** What an administrator's act changed. */
  detail: Readonly<Record<string, unknown>> | undefined;
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** What an administrator sees was tried; rows without a list still know the channel that answered. */
export function attemptsOf(row: LogRow, receipt: Receipt): Attempt[] {
  const known = receipt.tried.length > 0 || !row.channel ? receipt.tried : [{ id: row.channel, name: row.channel_name ?? "", start_ms: 0, ms: undefined, status: 0, reason: "" }];
  return known.map((each) => ({ ...each, ms: each.ms ?? Math.max(0, row.use_time_ms - each.start_ms) }));
}

/** Reads `other` of a row. */
export function receiptOf(row: Pick<LogRow, "other" | "type">): Receipt {
  const sent = parseObject(row.other);
  const adminInfo = z.record(z.string(), z.unknown()).catch({}).parse(sent["admin_info"]);
  const { tried, skipped: notTried } = channelFacts.parse({ tried: adminInfo["tried"] ?? [], skipped: adminInfo["skipped"] ?? [] });
  const isAct = row.type === LOG_TYPE.admin || row.type === LOG_TYPE.system || row.type === LOG_TYPE.topUp;
  return { ...forgiving.parse(sent), tried, skipped: notTried, detail: isAct && Object.keys(adminInfo).length > 0 ? adminInfo : undefined };
}

/** Shares of the whole wait that are slow (spec section 9): plain below both thresholds. */
export function slowness(ms: number, [amberS, redS]: readonly [number, number]): "amber" | "red" | undefined {
  if (ms >= redS * 1000) return "red";
  return ms >= amberS * 1000 ? "amber" : undefined;
}

/** Time to the first token, where one was streamed. */
export const firstTokenMs = (row: LogRow): number | undefined => (row.is_stream && row.first_token_ms > 0 ? row.first_token_ms : undefined);

/** Output tokens for each second of streaming; undefined where too little streamed to say. */
export function tokensPerSecond(row: LogRow): number | undefined {
  const first = firstTokenMs(row);
  const streamedMs = first === undefined ? 0 : row.use_time_ms - first;
  return streamedMs < 50 || row.completion_tokens === 0 ? undefined : row.completion_tokens / (streamedMs / 1000);
}

/** Name of the cause of a failed attempt, before the colon of its reason: auth, quota, rate, overloaded, network, timeout, ... */
export const causeOf = (reason: string): string => /^([a-z_]+):/.exec(reason)?.[1] ?? "";

const CAUSE_BY_STATUS: Readonly<Record<number, string>> = { 401: "auth", 403: "auth", 402: "quota", 408: "timeout", 429: "rate", 504: "timeout", 529: "overloaded" };

/** The same for a whole failed call, from its answer's status. */
export const causeOfStatus = (status: number | undefined): string => CAUSE_BY_STATUS[status ?? 0] ?? "";
