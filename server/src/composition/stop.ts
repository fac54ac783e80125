/** Graceful shutdown, in order: readiness turns red for proxies, open calls drain, then the parts behind them close. */
import { setTimeout as delay } from "node:timers/promises";
import type { Listener } from "../http/listener.ts";
import type { Relay } from "../relay/router.ts";
import { endsWithin } from "../util/deadline.ts";
import type { Parts } from "./parts.ts";

export type Stop = () => Promise<void>;

/** For the work beside calls; with what the ledger and the database take for their end it is less than 5 s. */
const STOP_TIMEOUT_MS = 1_000;
/** Within that time: a collector of traces that hangs is no reason to call the end unclean. */
const LAST_SPANS_MS = 800;

/** For the error that ends an answer behind its time, and its charge; who does not take it by then is cut off. */
const LAST_WORDS_SECONDS = 2;

/** Running things beside the parts. */
export interface Running {
  relay: Relay;
  listener: Listener;
  background: { stop: Stop };
  metricsListener: { close: Stop } | undefined;
  /** Gives the last metrics to whom they go. */
  endMetrics: Stop;
  control: { close: Stop } | undefined;
}

/**
 * Readiness turns red; after the delay of the configuration, which a failing process leaves out, there are no new connections. Open answers
 * finish within the grace time, then the work in the background, the ledger and the database end.
 */
export async function stop(parts: Parts, running: Running, isFailing: boolean): Promise<void> {
  const { relay, listener, background, metricsListener, endMetrics, control } = running;
  const { config, logger, foundation, upstream, tracer, callCounter, keyCounter, learnedKeys, securityLog } = parts;
  const graceSeconds = config.shutdownGraceSeconds;
  listener.announceEnd();
  if (!isFailing && config.shutdownDelaySeconds > 0) await delay(config.shutdownDelaySeconds * 1000);
  // Sessions have no end of their own that could be waited for.
  const keepCalls = relay.endCallsAfter(graceSeconds);
  await Promise.all([relay.endSessions(graceSeconds), listener.drain(graceSeconds + LAST_WORDS_SECONDS)]);
  keepCalls();
  const counted = [callCounter.close(), keyCounter.close(), learnedKeys.close(), securityLog.close()];
  const stopped = Promise.all([
    background.stop(),
    ...counted,
    metricsListener?.close(),
    endMetrics(),
    control?.close(),
    upstream.close(),
    tracer?.close(LAST_SPANS_MS),
  ]);
  // A job that waits for a database which froze has no end of its own either.
  if (!(await endsWithin(stopped, STOP_TIMEOUT_MS))) logger.warn({}, "what still works in the background is cut off");
  await foundation.close();
}
