/** Composition root: the only file that knows every part. Opens them, hands each what it needs, listens, and stops them in order. */
import cluster from "node:cluster";
import { randomBytes } from "node:crypto";
import { isIP } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { Logger } from "pino";
import { createChannelTools } from "./channel-tools.ts";
import { ChannelHealth } from "./channels/health.ts";
import type { Config } from "./config.ts";
import { browserSessions } from "./console/browser-session.ts";
import { autoDisable } from "./console/channels/status.ts";
import { createConsoleApp } from "./console/console-app.ts";
import { startWarmUp } from "./console/dashboard/warm-up.ts";
import { CONSOLE_FEATURES } from "./console/features.ts";
import { clearResumeJob, pauseClears, resumeClear } from "./console/logs/clear.ts";
import type { ConsoleContext } from "./console/handlers.ts";
import { createRateLimiter } from "./console/rate-limit.ts";
import { finishEarlierSetup, isDone } from "./console/setup/service.ts";
import { openSite } from "./console/site-files.ts";
import { factStore } from "./db/facts.ts";
import { openFoundation, timed } from "./foundation.ts";
import type { Foundation, PhaseReport } from "./foundation.ts";
import { expiredKeysJob, idempotencyStore } from "./idempotency-store.ts";
import { housekeepingJobs } from "./jobs/housekeeping.ts";
import { startScheduler } from "./jobs/scheduler.ts";
import { listen } from "./listener.ts";
import type { Listener } from "./listener.ts";
import { serveMetrics, shareMetrics } from "./metrics-listener.ts";
import { createLogger } from "./observe/logger.ts";
import { Metrics } from "./observe/metrics.ts";
import { PROGRAM } from "./program.ts";
import { BUILT_IN_PROVIDERS, loadProviders } from "./providers/registry.ts";
import type { ProviderRegistry } from "./providers/registry.ts";
import { quotaTotals } from "./quota-totals.ts";
import { createRelay } from "./relay/entrance.ts";
import type { Relay } from "./relay/entrance.ts";
import { newRequestId } from "./request-id.ts";
import { createUpstreamClient } from "./upstream/client.ts";
import type { UpstreamClient } from "./upstream/client.ts";

export interface StartOptions {
  /** Told how long each phase took. */
  onPhase?: PhaseReport;
  /** Told when the process cannot go on; the program ends then. */
  onDeath?: (error: Error) => void;
  logger?: Logger;
  /** Folder of the built console; the program's own where absent. Tests may name one that does not exist. */
  webDirectory?: string;
  /** More provider folders besides the built-in ones. */
  providerDirectories?: readonly string[];
  pollMs?: number;
}

export interface RunningApp {
  /** Where a browser on this machine reaches it, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Address of the wizard with its code, until the system is set up. */
  setupUrl(): Promise<string | undefined>;
  /** For tests: the parts behind the HTTP surface. */
  readonly foundation: Foundation;
  readonly metrics: Metrics;
  /** Stops in order: no new connections, open answers finish (at most the grace time), books, database. */
  close(): Promise<void>;
}

interface Parts {
  config: Config;
  logger: Logger;
  metrics: Metrics;
  foundation: Foundation;
  providers: ProviderRegistry;
  upstream: UpstreamClient;
}

const clock = (): number => Date.now();

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

/** What the wizard asks for off loopback: the same on every process of this database, and stored nowhere. */
async function setupCodeOf({ database, secrets }: Foundation): Promise<string> {
  const salt = await factStore(database).writeOnce("setup_salt", newRequestId());
  return secrets.hash("setup_code", salt).slice(0, 20);
}

/** The environment's word, else the option's. */
const allowsPrivate =
  (config: Config, { snapshot }: Foundation) =>
  (): boolean =>
    config.allowPrivateUpstreams ?? snapshot.options.AllowPrivateUpstreamsEnabled;

function openUpstream(config: Config, foundation: Foundation): UpstreamClient {
  return createUpstreamClient({
    allowsPrivate: allowsPrivate(config, foundation),
    connectTimeoutMs: config.timeouts.connectMs,
  });
}

/** Mark of this database's site among gateways: random, so it tells nothing. */
async function siteIdOf({ database }: Foundation): Promise<string> {
  return factStore(database).writeOnce("site_id", randomBytes(8).toString("hex"));
}

function openRelay(parts: Parts, siteId: string, console: ConsoleContext): Relay {
  const { config, logger, metrics, foundation, providers, upstream } = parts;
  const { database, snapshot, billing, cache, peers } = foundation;
  const disableChannel = (channelId: number, reason: string) => {
    autoDisable({ database, snapshot, billing, clock }, channelId, reason).catch((error: unknown) =>
      logger.error({ err: error, channelId }, "a channel could not be switched off"),
    );
  };
  return createRelay({
    snapshot,
    billing,
    cache,
    providers,
    upstream,
    metrics,
    logger,
    newRequestId,
    disableChannel,
    limits: config.limits,
    timeouts: config.timeouts,
    trustedProxies: config.trustedProxies,
    ...quotaTotals(database),
    health: new ChannelHealth(),
    idempotency: idempotencyStore(database),
    siteId,
    sessionOf: browserSessions(console),
    processCount: peers.count,
    nowSeconds: () => Math.floor(clock() / 1000),
  });
}

async function consoleContext(parts: Parts): Promise<ConsoleContext> {
  const { config, logger, foundation, providers, upstream } = parts;
  const { database, snapshot, billing, secrets, cache } = foundation;
  return {
    database,
    snapshot,
    billing,
    secrets,
    logger,
    clock,
    limiter: createRateLimiter(cache),
    isSetupDone: () => isDone(database),
    relay: createChannelTools({
      providers,
      upstream,
      allowsPrivate: allowsPrivate(config, foundation),
      options: () => snapshot.options,
    }),
    site: {
      version: PROGRAM.version,
      startTime: Math.floor(clock() / 1000),
      trustedProxies: config.trustedProxies,
      setupCode: await setupCodeOf(foundation),
      isLoopback: isLoopback(config.host),
      globalApiLimit: config.globalApiRateLimit,
    },
  };
}

/** The console's own listener function, for every path the relay does not take. */
async function openConsole(parts: Parts, context: ConsoleContext, isDraining: () => boolean, webDirectory: string) {
  const { config, metrics, foundation } = parts;
  const { billing, snapshot } = foundation;
  const app = createConsoleApp({
    context,
    newRequestId,
    features: CONSOLE_FEATURES,
    site: await openSite(webDirectory),
    pageLimit: config.globalWebRateLimit,
    health: {
      checks: { books: () => billing.isHealthy, snapshot: () => snapshot.isHealthy, accepting: () => !isDraining() },
      registry: metrics.registry,
      // One of several workers knows a part only, and which one answers is chance.
      servesMetrics: config.metricsPort === undefined && cluster.isPrimary,
    },
  });
  return getRequestListener(app.fetch, { overrideGlobalObjects: false });
}

async function openParts(config: Config, options: StartOptions): Promise<Parts> {
  const { onPhase = () => undefined, pollMs } = options;
  const logger = options.logger ?? createLogger({ level: config.logLevel });
  const metrics = new Metrics({ withProcess: true });
  const onDeath = (error: Error) => {
    logger.fatal({ err: error }, "the database cannot be written any more");
    options.onDeath?.(error);
  };
  const poll = pollMs === undefined ? {} : { pollMs };
  const foundation = await openFoundation({ config, logger, metrics, onPhase, onDeath, ...poll });
  try {
    const providers = await timed(onPhase, "providers", () => loadProviders(providerDirectories(options)));
    return { config, logger, metrics, foundation, providers, upstream: openUpstream(config, foundation) };
  } catch (error) {
    await foundation.close();
    throw error;
  }
}

const providerDirectories = ({ providerDirectories: more = [] }: StartOptions): readonly string[] => [
  BUILT_IN_PROVIDERS,
  ...more,
];

type Stop = () => Promise<void>;

/**
 * Starts the whole server. Throws an Error whose message is one line for the operator where something is not as it must be;
 * what was opened is closed again then.
 */
export async function startApp(config: Config, options: StartOptions = {}): Promise<RunningApp> {
  const parts = await openParts(config, options);
  const { foundation, logger, upstream } = parts;
  const started: Stop[] = [];
  try {
    return await serve(parts, options, started);
  } catch (error) {
    for (const stop of started.toReversed()) await stop();
    await upstream.close();
    await foundation.close();
    logger.error({ err: error }, "the start was given up");
    throw error;
  }
}

/** Work beside calls: jobs, deletions that an earlier process left, and reading ahead. */
async function startBackground({ foundation, logger }: Parts, context: ConsoleContext) {
  const { database, processId } = foundation;
  const jobs = [...housekeepingJobs(database, clock), expiredKeysJob(database, clock), clearResumeJob(context)];
  const scheduler = startScheduler({ database, logger, holder: processId, clock, jobs });
  await resumeClear(context);
  const warmUp = startWarmUp(context);
  return {
    async stop() {
      await Promise.all([scheduler.stop(), warmUp.stop()]);
      await pauseClears(database);
    },
  };
}

/** Opens what answers and what works beside it; `started` is told how to stop each part that runs. */
async function serve(parts: Parts, options: StartOptions, started: Stop[]): Promise<RunningApp> {
  const { config, metrics, foundation, upstream } = parts;
  const { database, billing, snapshot } = foundation;
  await finishEarlierSetup(database, billing, { version: PROGRAM.version, nowMs: clock() });
  await snapshot.refresh();
  const context = await consoleContext(parts);
  const relay = openRelay(parts, await siteIdOf(foundation), context);
  const open: { listener?: Listener } = {};
  const isDraining = () => open.listener?.isDraining ?? false;
  const onConsole = await openConsole(parts, context, isDraining, options.webDirectory ?? PROGRAM.webDirectory);
  const background = await startBackground(parts, context);
  started.push(background.stop);
  const opened = await timed(options.onPhase ?? (() => undefined), "listen", () =>
    listen(
      config,
      (request, response) => {
        if (relay.handles(request.url ?? "/", request.method ?? "GET")) return relay.handle(request, response);
        void onConsole(request, response);
      },
      relay,
    ),
  );
  open.listener = opened;
  started.push(() => opened.drain(0));
  if (cluster.isWorker) shareMetrics(metrics.registry);
  const metricsListener = cluster.isWorker ? undefined : await serveMetrics(config.metricsPort, metrics.registry);
  return {
    url: opened.url,
    port: opened.port,
    foundation,
    metrics,
    setupUrl: async () => ((await isDone(database)) ? undefined : wizardAddress(opened.url, context)),
    async close() {
      const graceSeconds = config.shutdownGraceSeconds;
      // Sessions have no end of their own that could be waited for.
      await Promise.all([relay.endSessions(graceSeconds), opened.drain(graceSeconds)]);
      await background.stop();
      await metricsListener?.close();
      await upstream.close();
      await foundation.close();
    },
  };
}

const wizardAddress = (url: string, { site }: ConsoleContext): string =>
  site.isLoopback ? `${url}/setup` : `${url}/setup?code=${site.setupCode}`;
