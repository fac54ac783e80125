/** Which failures go to another channel: the table of statuses, and what stands above it. */
import type { UpstreamErrorKind, UpstreamFailure } from "../../providers/provider.ts";

/** `unless_done`: the upstream may have done the work and billed it, so only where the operator wants such retries. */
type Verdict = "retry" | "stop" | "unless_done";

interface StatusRule {
  from: number;
  to: number;
  verdict: Verdict;
}

/**
 * First match wins. A client's fault is the same everywhere: only refused keys, spent accounts, limits and faults of the server go on.
 * 504 and 524 are an upstream's own first-byte timeout, so RetryAfterTimeoutEnabled decides on them.
 */
const STATUS_RULES: readonly StatusRule[] = [
  { from: 401, to: 403, verdict: "retry" },
  { from: 408, to: 408, verdict: "unless_done" },
  { from: 429, to: 429, verdict: "retry" },
  { from: 504, to: 504, verdict: "unless_done" },
  { from: 524, to: 524, verdict: "unless_done" },
  { from: 500, to: 599, verdict: "retry" },
];

/** Kinds that speak of the channel whatever status they came with: some vendors tell of an empty account with 400. */
const CHANNEL_KINDS: ReadonlySet<UpstreamErrorKind> = new Set(["auth", "quota", "rate", "overloaded"]);

/** Words that one vendor's rules refuse are not carried from channel to channel, whatever status says so. */
const isRefusedContent = ({ kind, isRetryable }: UpstreamFailure): boolean => kind === "content" && !isRetryable;

/** Whether another channel may be asked; `retriesTimeouts` is RetryAfterTimeoutEnabled. Without a status send.ts has judged already. */
export function mayRetry(failure: UpstreamFailure, retriesTimeouts: boolean): boolean {
  const { status, kind, isRetryable } = failure;
  if (status === 0) return isRetryable;
  if (isRefusedContent(failure)) return false;
  const verdict = STATUS_RULES.find(({ from, to }) => status >= from && status <= to)?.verdict ?? "stop";
  if (verdict === "unless_done") return retriesTimeouts;
  return verdict === "retry" || isRetryable || CHANNEL_KINDS.has(kind);
}
