/** Between two attempts: what a failure means for its channel, for the next attempt, and for the client if it was the last. */
import { disableReason } from "../channels/auto-disable.ts";
import type { UpstreamFailure } from "../providers/provider.ts";
import { type Exchange, known } from "./exchange.ts";
import { Refusal, type RefusalCode } from "./refusal.ts";
import { route } from "./route.ts";
import { send } from "./send.ts";
import { translate } from "./translate.ts";

/** Kinds that speak of the channel and not of the request. */
const CHANNEL_FAULTS: ReadonlySet<string> = new Set(["auth", "quota", "rate", "overloaded", "network", "timeout"]);

function judgeChannel(exchange: Exchange, failure: UpstreamFailure | undefined): void {
  const { context } = exchange;
  const { channel } = known(exchange.target, "target");
  if (failure === undefined && exchange.answer?.end === "complete") return context.health.succeeded(channel.id);
  if (failure === undefined || failure.code === "aborted") return context.health.ended(channel.id);
  context.metrics.upstreamFailed(failure.kind);
  if (CHANNEL_FAULTS.has(failure.kind)) context.health.failed(channel.id, performance.now());
  else context.health.ended(channel.id);
  const reason = disableReason(failure, channel.autoBan, context.snapshot.options);
  if (reason !== undefined) context.disableChannel(channel.id, reason);
}

/** Statuses of faults without an HTTP status of their own. */
const BY_CODE: Readonly<Record<string, RefusalCode>> = {
  upstream_timeout: "upstream_timeout",
  upstream_broken: "upstream_broken",
  upstream_unreachable: "upstream_unreachable",
  upstream_address: "upstream_unreachable",
  over_capacity: "over_capacity",
};

function retryAfterOf(exchange: Exchange): number {
  const seconds = Number(exchange.failureHeaders["retry-after"]);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(Math.ceil(seconds), 86_400) : 0;
}

/** The client's error for a failure, after the channel's status code mapping. */
function refusalOf(exchange: Exchange, failure: UpstreamFailure): Refusal {
  const mapping = exchange.target?.channel.statusCodeMapping ?? {};
  const mapped = mapping[String(failure.status)];
  if (failure.status === 0) return new Refusal(BY_CODE[failure.code] ?? "upstream_failed");
  const status = mapped ?? failure.status;
  if (status === 429)
    return new Refusal("upstream_saturated", {
      code: failure.code,
      type: failure.type,
      retryAfterSeconds: retryAfterOf(exchange),
    });
  return new Refusal("upstream_failed", { status, message: failure.message, type: failure.type, code: failure.code });
}

/**
 * Tries channels until one answers. Throws Refusal: the last failure's, or 503 where none could be tried. A retry starts from the
 * untouched body; it never happens once some of an answer reached the client, for then the attempt did not fail.
 */
export async function tryChannels(exchange: Exchange): Promise<void> {
  let last: UpstreamFailure | undefined;
  for (const channel of route(exchange)) {
    last = await send(exchange, translate(exchange, channel));
    judgeChannel(exchange, last);
    if (last === undefined) return;
    if (!last.isRetryable || exchange.isClientGone) break;
  }
  if (last === undefined) throw new Refusal("no_available_channel", { param: "model" });
  exchange.failure = last;
  throw refusalOf(exchange, last);
}
