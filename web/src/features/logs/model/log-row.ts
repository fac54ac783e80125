/** A log row of the page: the meaning of its numbers, and the links of its type and its task. Pure. */
import type { AdminLog, UserLog } from "../../../../../contract/src/features/logs.ts";
import { LOG_TYPE } from "../../../../../contract/src/constants.ts";
import type { UserReceipt } from "../../../../../contract/src/logs/receipt.ts";

/** The API's own word for all of them. */
export const EVERY_TYPE = "0";
const CALLS = `${LOG_TYPE.consumption},${LOG_TYPE.error}`;

/** Types in the query of the API. @param type as the address has it */
export function typesAsked(type: string | undefined): { type?: string; types?: string } {
  if (type === EVERY_TYPE) return {};
  return type === undefined ? { types: CALLS } : { type };
}

/** Paths of the calls that hand a task over, and the log in which it stands. */
const LOGS = [
  { path: /^\/mj(?:-\w+)?\//, platform: "mj", to: "/midjourney" },
  { path: /^\/suno\//, platform: "suno", to: "/task" },
  { path: /^\/v1\/videos/, platform: "video", to: "/task" },
  { path: /:predictLongRunning$/, platform: "video", to: "/task" },
] as const;

/**
 * The page on which the task of a call stands; undefined where the call was none.
 * @param endpoint path of the call, as its receipt has it
 * @param platform as the event of a refund has it
 */
export function taskLog(endpoint: string | undefined, platform: unknown): (typeof LOGS)[number]["to"] | undefined {
  const log = LOGS.find((each) => each.platform === platform || each.path.test(endpoint ?? ""));
  return log?.to;
}

/** Facts about channels are present for administrators alone. */
export type LogRow = UserLog & Partial<Pick<AdminLog, "channel" | "channel_name">>;

export const isCall = (row: Pick<LogRow, "type">): boolean =>
  row.type === LOG_TYPE.consumption || row.type === LOG_TYPE.error;

/** How slow a time is: undefined below both limits. */
export function slowness(ms: number, [amberS, redS]: readonly [number, number]): "amber" | "red" | undefined {
  if (ms >= redS * 1000) return "red";
  return ms >= amberS * 1000 ? "amber" : undefined;
}

/** Time to the first token, where one was streamed. */
export const firstTokenMs = (row: LogRow): number | undefined =>
  row.is_stream && row.first_token_ms > 0 ? row.first_token_ms : undefined;

/** Tokens written to caches, those that live an hour among them. */
export const cacheWritten = ({
  cache_creation_tokens = 0,
  cache_creation_long_tokens = 0,
}: Pick<UserReceipt, "cache_creation_tokens" | "cache_creation_long_tokens">): number =>
  cache_creation_tokens + cache_creation_long_tokens;

/** Channels that failed before the last one tried, in order, each once. */
export const triedBefore = (
  tried: readonly { id: number; name: string }[],
): readonly { id: number; name: string }[] => {
  const last = tried.at(-1)?.id;
  return tried.filter(({ id }, index) => id !== last && tried.findIndex((each) => each.id === id) === index);
};

/** Shorter streams say nothing about speed. */
const SHORTEST_STREAM_MS = 50;

/** Output tokens for each second of streaming; undefined where too little streamed to say. */
export function tokensPerSecond(row: LogRow): number | undefined {
  const first = firstTokenMs(row);
  const streamedMs = first === undefined ? 0 : row.use_time_ms - first;
  return streamedMs < SHORTEST_STREAM_MS || row.completion_tokens === 0
    ? undefined
    : row.completion_tokens / (streamedMs / 1000);
}

/** Name of the cause of a failed attempt, before the colon of its reason: auth, quota, rate, overloaded, network, timeout, ... */
export const causeOf = (reason: string): string => /^([a-z_]+):/.exec(reason)?.[1] ?? "";

const CAUSE_BY_STATUS: Readonly<Record<number, string>> = {
  401: "auth",
  402: "quota",
  403: "auth",
  404: "missing",
  408: "timeout",
  429: "rate",
  504: "timeout",
  529: "overloaded",
};

/** The same for a whole failed call, from its answer's status. */
export const causeOfStatus = (status: number | undefined): string => CAUSE_BY_STATUS[status ?? 0] ?? "";
