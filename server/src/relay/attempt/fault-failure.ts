/** What a fault between us and an upstream means for the next attempt, and a clock that differs told by its name; part of step 6. */
import type { UpstreamFailure } from "../../providers/provider.ts";
import type { ResponseHeaders } from "../../upstream/client.ts";
import { CLOCK_SKEW } from "../../channels/auto-disable.ts";
import type { FaultKind, UpstreamFault } from "../../upstream/fault.ts";

type FaultReading = Pick<UpstreamFailure, "kind" | "code" | "isRetryable">;

/** Before anything was sent another channel may be tried; after that the upstream may have done the work already. */
const FAULTS: Readonly<Record<FaultKind, FaultReading>> = {
  address: { kind: "network", code: "upstream_address", isRetryable: true },
  connect: { kind: "network", code: "upstream_unreachable", isRetryable: true },
  connect_timeout: { kind: "network", code: "upstream_timeout", isRetryable: true },
  first_byte_timeout: { kind: "timeout", code: "upstream_timeout", isRetryable: false },
  idle_timeout: { kind: "timeout", code: "upstream_timeout", isRetryable: false },
  reset: { kind: "network", code: "upstream_broken", isRetryable: false },
  aborted: { kind: "network", code: "aborted", isRetryable: false },
  decode: { kind: "network", code: "upstream_broken", isRetryable: false },
};

/** What a fault between us and an upstream means for the next attempt. */
export function failureOf(fault: UpstreamFault, retriesTimeouts: boolean): UpstreamFailure {
  const reading = FAULTS[fault.kind];
  const isRetryable = reading.isRetryable || (fault.kind === "first_byte_timeout" && retriesTimeouts);
  return { ...reading, isRetryable, status: 0, message: fault.message, type: "upstream_error" };
}

/** Signatures hold for five minutes at most vendors; a clock this far off is what is wrong with one that was refused. */
const CLOCK_TOLERANCE_MS = 120_000;

/**
 * A refused signature where the upstream's clock (its Date header) and ours differ: nothing is wrong with the key, and the failure says
 * by how much the clock of this server is off.
 */
export function withClockSkew(failure: UpstreamFailure, { date }: ResponseHeaders, nowMs: number): UpstreamFailure {
  const upstreamMs = typeof date === "string" ? Date.parse(date) : Number.NaN;
  const aheadMs = nowMs - upstreamMs;
  const isRefusal = failure.kind === "auth" || failure.status === 400;
  if (!isRefusal || Number.isNaN(aheadMs) || Math.abs(aheadMs) < CLOCK_TOLERANCE_MS) return failure;
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const side = aheadMs > 0 ? "ahead of" : "behind";
  const message = `the clock of this server is ${seconds} s ${side} the upstream's: ${failure.message}`;
  return { ...failure, kind: "auth", code: CLOCK_SKEW, message, isRetryable: true };
}
