/** Composition root: the only file that knows every part. Opens them, hands each what it needs, listens, and stops them in order. */
import cluster from "node:cluster";
import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { Logger } from "pino";
import { askBalance } from "./composition/channel-balance.ts";
import { createChannelTools } from "./composition/channel-tools.ts";
import { ChannelHealth } from "./channels/health.ts";
import { KeyChoice } from "./channels/key-choice.ts";
import type { Config } from "./config.ts";
import { type SessionFinderContext, browserSessions } from "./console/http/browser-session.ts";
import { autoDisableKey } from "./console/channels/keys/status.ts";
import { autoDisable } from "./console/channels/status.ts";
import { createConsoleApp } from "./console/console-app.ts";
import { CONSOLE_FEATURES } from "./console/features.ts";
import type { ConsoleContext, SiteInfo } from "./console/http/handlers.ts";
import type { RelayTools } from "./console/relay-tools.ts";
import { createRateLimiter } from "./console/http/rate-limit.ts";
import { finishEarlierSetup, isDone } from "./console/setup/service.ts";
import { openSite } from "./console/http/site-files.ts";
import { databasePlace } from "./db/data-dir.ts";
import type { Migration } from "./db/migrations/steps.ts";
import { type StartupListener, createStartupListener, startWhileListening } from "./composition/startup-listener.ts";
import { watchForwarders } from "./console/options/untrusted-forwarder.ts";
import { openFoundation, timed } from "./composition/foundation.ts";
import type { Foundation, PhaseReport } from "./composition/foundation.ts";
import { accessTokens } from "./stores/access-tokens.ts";
import { sealedCompactions, storedResponses } from "./stores/stored-responses.ts";
import { backgroundResponses } from "./stores/background-responses.ts";
import { idempotencyStore, keptAnswerBounds } from "./stores/idempotency-store.ts";
import { openLearnedKeys } from "./stores/learned-keys.ts";
import type { Listener } from "./http/listener.ts";
import { type Stop, stop } from "./composition/stop.ts";
import { serveMetrics } from "./http/metrics-listener.ts";
import { shareLastMetrics, shareMetrics } from "./http/worker-metrics.ts";
import { createLogger } from "./observe/logger.ts";
import { Metrics } from "./observe/metrics.ts";
import { deliver } from "./notify/deliver.ts";
import { startBackground } from "./composition/background.ts";
import { openControl } from "./composition/control.ts";
import { type Parts, clock, deliveryContext } from "./composition/parts.ts";
import { cookiePrefixSince, setupCodeOf, siteIdOf } from "./composition/site-facts.ts";
import { PROGRAM } from "./composition/program.ts";
import { systemTools } from "./composition/system-tools.ts";
import { LAST_METRICS_MS, openMetricExport } from "./composition/metric-export.ts";
import { openTracer } from "./composition/tracing.ts";
import { watchParts } from "./composition/watched-parts.ts";
import type { Provider } from "./providers/provider.ts";
import { BUILT_IN_PROVIDERS, providerRegistry } from "./providers/registry.ts";
import { openCallCounter, openKeyCounter } from "./stores/counters.ts";
import { openSecurityLog } from "./stores/security-events.ts";
import type { Vitals } from "./composition/process-vitals.ts";
import { listTokenLog } from "./console/logs/service.ts";
import { inUserQueue } from "./console/http/user-queue.ts";
import { quotaTotals } from "./stores/quota-totals.ts";
import { createRelay } from "./relay/router.ts";
import type { Relay } from "./relay/router.ts";
import type { SessionFinder } from "./relay/call/context.ts";
import type { TaskContext } from "./tasks/context.ts";
import { createTaskRepository } from "./tasks/repository.ts";
import { notificationQueue } from "./tasks/events.ts";
import { taskPoller } from "./tasks/poller.ts";
import { newRequestId } from "./http/request-id.ts";
import { createUpstreamClient } from "./upstream/client.ts";
import type { UpstreamClient } from "./upstream/client.ts";

export interface StartOptions {
  /** Called with how long each phase took. */
  onPhase?: PhaseReport;
  /** Called once where the start has to wait for the database: the address that answers health checks meanwhile, and why. */
  onWaiting?: (url: string, error: Error) => void;
  /** Called when the process cannot go on; the program ends then. */
  onDeath?: (error: Error) => void;
  logger?: Logger;
  /** Folder of the built console; the program's own where absent. Tests may name one that does not exist. */
  webDirectory?: string;
  /** Servers in the place of other sites, by the address of the real one; for tests. */
  standIns?: SiteInfo["standIns"];
  /** More providers besides the built-in ones, for tests. */
  moreProviders?: readonly Provider[];
  pollMs?: number;
  /** Migrations of another version of this program, for tests. */
  migrations?: readonly Migration[];
  /** Seconds between two rounds of asking upstreams for their tasks; 15 where absent. */
  taskPollSeconds?: number;
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
  /**
   * Stops in order: readiness turns red, after the delay of the configuration no new connections, open answers finish (at most the grace
   * time), ledger, database. `isFailing` leaves the delay out: no further call should come to a process that cannot serve it.
   */
  close(how?: { isFailing: boolean }): Promise<void>;
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

/** What the parts of the tasks are handed. */
function taskContext(parts: Parts): TaskContext {
  const { foundation, logger } = parts;
  const { database, billing, snapshot, secrets } = foundation;
  const { post } = deliveryContext(parts);
  return { database, billing, snapshot, secrets, logger, clock, post, notifications: notificationQueue() };
}

function openRelay(parts: Parts, siteId: string, sessionOf: SessionFinder): Relay {
  const { config, logger, metrics, tracer, foundation, providers, upstream } = parts;
  const { database, snapshot, billing, secrets, cache, peers, processId } = foundation;
  const disableChannel = (channelId: number, reason: string, keyId = 0) => {
    const status = { database, snapshot, billing, secrets, clock };
    const disabling =
      keyId === 0 ? autoDisable(status, channelId, reason) : autoDisableKey(status, { channelId, keyId, reason });
    disabling.catch((error: unknown) =>
      logger.error({ err: error, channelId, keyId }, "a channel could not be switched off"),
    );
  };
  return createRelay({
    snapshot,
    billing,
    cache,
    providers,
    upstream,
    metrics,
    tracer,
    callCounter: parts.callCounter,
    keyCounter: parts.keyCounter,
    logger,
    newRequestId,
    disableChannel,
    learnKey: parts.learnedKeys.learn,
    limits: config.limits,
    timeouts: config.timeouts,
    trustedProxies: config.trustedProxies,
    ...quotaTotals(database),
    tokenLog: (token) => inUserQueue(token.userId, () => listTokenLog({ database: database.questions }, token)),
    health: parts.health,
    keyChoice: parts.keyChoice,
    idempotency: idempotencyStore({ database, secrets, bounds: () => keptAnswerBounds(snapshot.options) }),
    accessTokens: parts.accessTokens,
    compactions: sealedCompactions(secrets),
    storedResponses: storedResponses({ database, logger, clock }),
    backgroundResponses: backgroundResponses({ database, secrets, clock, processId }),
    siteId,
    tasks: createTaskRepository(taskContext(parts)),
    sessionOf,
    processCount: peers.count,
    nowSeconds: () => Math.floor(clock() / 1000),
  });
}

/** What the console asks the relay and its upstreams. */
function relayTools(parts: Parts, { probe, explainRoute }: Relay): RelayTools {
  const { config, foundation, providers, upstream, accessTokens: tokens } = parts;
  const asked = {
    providers,
    upstream,
    allowsPrivate: allowsPrivate(config, foundation),
    accessTokens: tokens,
    probe,
  };
  return {
    ...createChannelTools(asked),
    explainRoute,
    askBalance: (channel, signal) =>
      askBalance({ upstream, provider: providers.byType(channel.type), channel, nowMs: clock(), signal }),
  };
}

/** What the sessions of the console are found by; the relay finds those of the playground by it too. */
async function sessionFinderContext(parts: Parts, options: StartOptions): Promise<SessionFinderContext> {
  const { config, logger, foundation } = parts;
  const { database, snapshot, secrets, cache } = foundation;
  return {
    database,
    snapshot,
    secrets,
    clock,
    limiter: createRateLimiter(cache),
    forwarders: await watchForwarders({ database, logger, clock, trustedProxies: config.trustedProxies }),
    site: {
      version: PROGRAM.version,
      startTime: Math.floor(clock() / 1000),
      cookiePrefixSince: await cookiePrefixSince(foundation),
      trustedProxies: config.trustedProxies,
      setupCode: await setupCodeOf(config, foundation),
      databasePlace: databasePlace(config),
      standIns: options.standIns ?? {},
      givesFirstToken: config.givesFirstToken,
      globalApiLimit: config.globalApiRateLimit,
    },
  };
}

/** @param vitals of all processes; undefined until the background work has started */
function consoleContext(
  parts: Parts,
  finder: SessionFinderContext,
  relay: Relay,
  vitals: () => Vitals | undefined,
): ConsoleContext {
  const { database, billing, cache } = parts.foundation;
  return {
    ...finder,
    billing,
    cache,
    logger: parts.logger,
    recordSecurityEvent: parts.securityLog.record,
    isSetupDone: () => isDone(database),
    deliver: (delivery) => deliver(deliveryContext(parts), delivery),
    relay: relayTools(parts, relay),
    system: systemTools(parts.config, database, vitals),
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
    health: {
      checks: { books: () => billing.isHealthy, snapshot: () => snapshot.isHealthy, accepting: () => !isDraining() },
      registry: metrics.registry,
      // One of several workers would show itself alone.
      metricsToken: cluster.isWorker ? undefined : config.metricsToken,
    },
  });
  return getRequestListener(app.fetch, { overrideGlobalObjects: false, autoCleanupIncoming: false });
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
  const foundation = await openFoundation({
    config,
    logger,
    metrics,
    onPhase,
    onDeath,
    migrations: options.migrations,
    ...poll,
  });
  try {
    const providers = providerRegistry([...BUILT_IN_PROVIDERS, ...(options.moreProviders ?? [])]);
    const callCounter = openCallCounter(foundation.database, logger);
    const { database, secrets, processId: holder } = foundation;
    const tokens = accessTokens({ database, secrets, holder, clock, logger });
    const upstream = openUpstream(config, foundation);
    const keyCounter = openKeyCounter(database, logger);
    const securityLog = openSecurityLog({ database, logger, clock, processId: holder });
    const learnedKeys = openLearnedKeys({ database, secrets, logger });
    const counters = {
      learnedKeys,
      securityLog,
      callCounter,
      keyCounter,
      health: new ChannelHealth(),
      keyChoice: new KeyChoice(),
    };
    const tracer = await openTracer(config, { metrics, logger, processId: holder });
    return { config, logger, metrics, tracer, foundation, providers, upstream, ...counters, accessTokens: tokens };
  } catch (error) {
    await foundation.close();
    throw error;
  }
}

/**
 * Starts the whole server, and waits for a database that is away. Throws an Error whose message is one line for the operator where
 * something is not as it must be; what was opened is closed again then.
 */
export function startApp(config: Config, options: StartOptions = {}): Promise<RunningApp> {
  const startup = createStartupListener(config);
  return startWhileListening(
    startup,
    () => startOnce(config, options, startup),
    options.onWaiting ?? (() => undefined),
  );
}

async function startOnce(config: Config, options: StartOptions, startup: StartupListener): Promise<RunningApp> {
  const parts = await openParts(config, options);
  const { foundation, logger, upstream } = parts;
  const started: Stop[] = [];
  try {
    return await serve(parts, options, started, startup);
  } catch (error) {
    for (const stopPart of started.toReversed()) await stopPart();
    await parts.securityLog.close();
    await parts.callCounter.close();
    await parts.keyCounter.close();
    await parts.learnedKeys.close();
    await upstream.close();
    await foundation.close();
    // The caller prints one line for the operator; this is for finding a fault in the program.
    logger.debug({ err: error }, "the start was given up");
    throw error;
  }
}

/** Opens what answers and what works beside it; `started` collects how to stop each part that runs. */
async function serve(
  parts: Parts,
  options: StartOptions,
  started: Stop[],
  startup: StartupListener,
): Promise<RunningApp> {
  const { config, metrics, foundation } = parts;
  const { database, billing, snapshot } = foundation;
  await finishEarlierSetup(database, billing, { version: PROGRAM.version, nowMs: clock() });
  await snapshot.refresh();
  const finder = await sessionFinderContext(parts, options);
  const relay = openRelay(parts, await siteIdOf(foundation), browserSessions(finder));
  const open: { listener?: Listener; vitals?: Vitals } = {};
  const context = consoleContext(parts, finder, relay, () => open.vitals);
  const isDraining = () => open.listener?.isDraining ?? false;
  const onConsole = await openConsole(parts, context, isDraining, options.webDirectory ?? PROGRAM.webDirectory);
  const poller = taskPoller(taskContext(parts), relay.askOfTask, options.taskPollSeconds);
  const background = await startBackground(parts, context, [poller.job]);
  open.vitals = background.vitals;
  started.push(background.stop);
  const opened = await timed(options.onPhase ?? (() => undefined), "listen", () => startup.open());
  open.listener = opened;
  watchParts(parts);
  const endMetrics = await giveMetrics(parts);
  started.push(endMetrics);
  const metricsListener = cluster.isWorker ? undefined : await serveMetrics(config, metrics.registry);
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    if (relay.handles(request.url ?? "/", request.method ?? "GET")) return relay.handle(request, response);
    void onConsole(request, response);
  };
  startup.attach(handle, relay);
  const control = await openControl(parts, context);
  return {
    url: opened.url,
    port: opened.port,
    foundation,
    metrics,
    setupUrl: async () => ((await isDone(database)) ? undefined : wizardAddress(opened.url, context)),
    close: (how) =>
      stop(
        parts,
        { relay, listener: opened, background, metricsListener, endMetrics, control },
        how?.isFailing ?? false,
      ),
  };
}

/** Gives the metrics to whom they go beside /metrics: of a worker to the primary, else to a collector. What it returns gives the last ones. */
async function giveMetrics({ config, metrics: { registry }, logger, foundation }: Parts): Promise<Stop> {
  if (cluster.isWorker) {
    shareMetrics(registry);
    return () => shareLastMetrics(registry);
  }
  const sending = await openMetricExport(config, {
    processId: foundation.processId,
    read: () => registry.getMetricsAsJSON(),
    say: (line, isFailing) => (isFailing ? logger.warn({}, line) : logger.info({}, line)),
  });
  return async () => sending?.close(LAST_METRICS_MS);
}

const wizardAddress = (url: string, { site }: ConsoleContext): string => `${url}/setup?code=${site.setupCode}`;
