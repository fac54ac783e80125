/** The parts that the composition root has opened and passes to what it starts. */
import type { Logger } from "pino";
import type { ChannelHealth } from "../channels/health.ts";
import type { KeyChoice } from "../channels/key-choice.ts";
import type { Config } from "../config.ts";
import type { DeliveryContext } from "../notify/deliver.ts";
import { createMailer } from "../notify/mail.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Tracer } from "../observe/tracing/tracer.ts";
import type { ProviderRegistry } from "../providers/registry.ts";
import type { AccessTokens } from "../relay/call/ports.ts";
import type { StoredCallCounter, StoredKeyCounter } from "../stores/counters.ts";
import type { LearnedKeys } from "../stores/learned-keys.ts";
import type { SecurityLog } from "../stores/security-events.ts";
import type { UpstreamClient } from "../upstream/client.ts";
import { workerOf } from "../upstream/worker.ts";
import type { Foundation } from "./foundation.ts";
import { createPostToPublic } from "./post-to-public.ts";

export interface Parts {
  config: Config;
  logger: Logger;
  metrics: Metrics;
  /** Undefined where no collector of traces is configured. */
  tracer: Tracer | undefined;
  foundation: Foundation;
  providers: ProviderRegistry;
  upstream: UpstreamClient;
  securityLog: SecurityLog;
  callCounter: StoredCallCounter;
  accessTokens: AccessTokens;
  keyCounter: StoredKeyCounter;
  learnedKeys: LearnedKeys;
  health: ChannelHealth;
  keyChoice: KeyChoice;
}

/** Unix milliseconds. */
export const clock = (): number => Date.now();

/** Delivers notifications. */
export function deliveryContext({ foundation, upstream }: Parts): DeliveryContext {
  const { database, snapshot, secrets } = foundation;
  const options = () => snapshot.options;
  const post = createPostToPublic(upstream, () => workerOf(snapshot.options));
  return { database, secrets, options, mailer: createMailer({ options }), post, clock };
}
