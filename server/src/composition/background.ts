/** Starts the background work of a process: scheduled jobs, periodic runs, unfinished log deletions of earlier processes, and cache warm-up. */
import type { Config } from "../config.ts";
import { payRewards } from "../console/accounts/new-account.ts";
import { startBalances } from "../console/channels/balances.ts";
import { startModelWatch } from "../console/channels/model-watch.ts";
import { startPeriodicTest } from "../console/channels/test-run.ts";
import { startWarmUp } from "../console/dashboard/usage.ts";
import type { ConsoleContext } from "../console/http/handlers.ts";
import { oldAuditJob } from "../console/audit/service.ts";
import { clearResumeJob, pauseClears, resumeClear } from "../console/logs/clear.ts";
import { logPartitionJob } from "../console/logs/partition-job.ts";
import { logRetentionJob } from "../console/logs/retention.ts";
import { telegramBotJob } from "../console/telegram-bot/poll.ts";
import { announceJob } from "../console/prices/announce.ts";
import { dueChangesJob } from "../console/prices/due-changes.ts";
import { autoTopUpJob } from "../console/wallet/stripe/auto-charge.ts";
import { unpaidOrdersJob } from "../console/wallet/unpaid-orders.ts";
import { backupJobs } from "../jobs/backups.ts";
import { callHoursFill } from "../jobs/call-hours-fill.ts";
import { housekeepingJobs } from "../jobs/housekeeping.ts";
import { leftIndexesJob } from "../jobs/left-indexes.ts";
import { logDeliveryJob } from "../jobs/log-delivery.ts";
import { notificationJobs } from "../jobs/notifications.ts";
import { type PeriodicRun, periodicRuns } from "../jobs/periodic-runs.ts";
import { type Job, startScheduler } from "../jobs/scheduler.ts";
import { expiredTokensJob } from "../stores/access-tokens.ts";
import { type OpenBreaker, expiredBreakersJob, publishOpenBreakers } from "../stores/open-breakers.ts";
import { openVitals } from "./process-vitals.ts";
import { oldSecurityEventsJob } from "../stores/security-events.ts";
import { expiredKeysJob } from "../stores/idempotency-store.ts";
import { PROGRAM } from "./program.ts";
import { type Parts, clock, deliveryContext } from "./parts.ts";

/** The intervals of channel tests and balance queries: the environment variable, else the option. */
function channelRuns({ channelTestMinutes, channelBalanceMinutes }: Config, context: ConsoleContext): PeriodicRun[] {
  const { snapshot } = context;
  return [
    {
      name: "periodic_channel_tests",
      minutes: () => channelTestMinutes ?? snapshot.options.ChannelTestFrequency,
      start: (end) => startPeriodicTest(context, snapshot.options.ChannelTestScope, end),
    },
    {
      name: "periodic_channel_balances",
      minutes: () => channelBalanceMinutes ?? snapshot.options.ChannelUpdateFrequency,
      start: (end) => startBalances(context, { userId: 0, username: "" }, end),
    },
    {
      name: "periodic_model_lists",
      minutes: () => snapshot.options.ModelListFrequency,
      start: (end) => startModelWatch(context, true, end),
    },
  ];
}

/** This process's open circuit breakers; the monotonic clock starts with the process. */
function openNow({ health, keyChoice, foundation: { snapshot } }: Parts): OpenBreaker[] {
  const nowMs = performance.now();
  const sinceEpochMs = clock() - nowMs;
  const reasonOf = (isRequested: boolean) => (isRequested ? ("resting_as_asked" as const) : ("resting" as const));
  const ofChannels = health.open(nowMs).map(({ channelId, untilMs, isRequested }) => ({
    channelId,
    keyId: 0,
    reason: reasonOf(isRequested),
    untilMs: Math.round(untilMs + sinceEpochMs),
  }));
  const cooling = new Map(keyChoice.cooling(nowMs).map((each) => [each.keyId, each]));
  if (cooling.size === 0) return ofChannels;
  const ofKeys = snapshot.channels().flatMap(({ id: channelId, keys }) =>
    (keys?.members ?? []).flatMap(({ ofKey: { id: keyId } }) => {
      const known = cooling.get(keyId);
      if (known === undefined) return [];
      const untilMs = Math.round(known.untilMs + sinceEpochMs);
      return [{ channelId, keyId, reason: reasonOf(known.isRequested), untilMs }];
    }),
  );
  return [...ofChannels, ...ofKeys];
}

/** Starts all background work, and `more` jobs; `stop` ends what is running. */
export async function startBackground(parts: Parts, context: ConsoleContext, more: readonly Job[]) {
  const { foundation, logger } = parts;
  const { database, secrets, processId } = foundation;
  const fill = callHoursFill(database);
  const periodic = periodicRuns({ database, clock, logger }, channelRuns(parts.config, context));
  const messages = { ...deliveryContext(parts), database, secrets, logger, clock };
  const jobs = [
    ...housekeepingJobs(database, clock, () => context.snapshot.options.SessionIdleDays),
    expiredKeysJob(database, clock),
    expiredTokensJob(database, clock),
    expiredBreakersJob(database, clock),
    oldSecurityEventsJob(database, clock, () => context.snapshot.options.SecurityLogDays),
    oldAuditJob(database, clock, () => context.snapshot.options.AuditTrailDays),
    clearResumeJob(context),
    logRetentionJob(context, () => context.snapshot.options.LogRetentionDays),
    logPartitionJob(context, () => context.snapshot.options.LogRetentionDays),
    ...(parts.config.migratesAtStart ? [leftIndexesJob(database, logger)] : []),
    ...(database.hasLogDatabase ? [logDeliveryJob(database, () => context.snapshot.options.LogRetentionDays)] : []),
    unpaidOrdersJob(context),
    autoTopUpJob(context),
    dueChangesJob(context),
    announceJob(context),
    { name: "pending_rewards", everySeconds: 60, run: () => payRewards(context) },
    telegramBotJob(context),
    ...notificationJobs(messages),
    ...backupJobs(messages, parts.config, PROGRAM.version),
    fill.job,
    ...periodic.jobs,
    ...more,
  ];
  const breakers = publishOpenBreakers({ database, logger, clock, process: processId, open: () => openNow(parts) });
  const scheduler = startScheduler({ database, logger, holder: processId, clock, jobs });
  const { snapshot, billing } = foundation;
  const vitals = openVitals({
    database,
    logger,
    clock,
    process: processId,
    version: PROGRAM.version,
    look: () => ({
      snapshot_age_ms: snapshot.ageMs,
      journal_entries: billing.figures.journaled,
      waiting_entries: billing.figures.waiting,
      jobs: scheduler.runs(),
    }),
  });
  await resumeClear(context);
  const warmUp = startWarmUp(context);
  return {
    vitals,
    async stop() {
      fill.stop();
      await Promise.all([vitals.stop(), scheduler.stop(), warmUp.stop(), periodic.stop(), breakers.stop()]);
      await pauseClears(database);
    },
  };
}
