/** Tests of all or of chosen channels in the background: one run at a time over all processes, to be followed and stopped in each of them. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../../../contract/src/errors.ts";
import type { TestProgress } from "../../../../contract/src/channel-tests.ts";
import { FAILURES_NAMED, testProgress } from "../../../../contract/src/channel-tests.ts";
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import { disableReason } from "../../channels/auto-disable.ts";
import { endLease, keepLease, readLease, revokeLease, takeLease } from "../../db/leases.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import { auditEntry } from "../audit-entry.ts";
import { leaseOf, readRun, type RunKind, writeProgress } from "../background-run.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import type { Actor } from "./service.ts";
import type { ChannelTestResult } from "../relay-tools.ts";
import { autoDisable, autoEnable, type Slowness } from "./status.ts";
import { type ChosenChannels, findChosen } from "./store.ts";
import type { TestLine, Tester } from "./tests.ts";
import { askChannel, isTestable, keepResult, logRun, logTest, TEST_TIMEOUT_MS } from "./tests.ts";

/** Channels tested at the same time. */
const PARALLEL = 3;
const LEASE_SECONDS = (TEST_TIMEOUT_MS / 1000) * 2;
/** How often the end of a run is tried again while the database does not take it; in all as long as its lease lasts. */
const END_RETRY_MS = 1_000;
/** How often a run looks whether somebody stopped it, maybe in another process. */
const STOP_LOOK_MS = 400;
/** Holder of the lease of a run that somebody stopped. */
const STOPPED = "stopped";

const NEVER_RUN: TestProgress = Object.freeze({
  running: false,
  done: 0,
  total: 0,
  failed: 0,
  disabled: 0,
  enabled: 0,
  stopped: false,
  failures: [],
  started_time: 0,
  finished_time: 0,
});

const secondsOf = (context: ConsoleContext): number => Math.floor(context.clock() / 1000);

const RUN: RunKind<TestProgress> = {
  lease: "channel_test",
  fact: "channel_test_progress",
  leaseSeconds: LEASE_SECONDS,
  neverRun: NEVER_RUN,
  schema: testProgress,
};

/** How far the running test is, or how the last one ended; `running` is false for one whose process died. */
export async function readProgress(context: Pick<ConsoleContext, "database" | "clock">): Promise<TestProgress> {
  const { progress, expiresTime, holder } = await readRun(context.database, RUN);
  const isAlive = expiresTime > Math.floor(context.clock() / 1000);
  const stopped = progress.stopped || (progress.running && holder === STOPPED);
  return { ...progress, stopped, running: progress.running && isAlive };
}

/** Ends the run, in whichever process it is; the calls it has under way are given up. Without a run nothing happens. */
export async function stopTests(context: ConsoleContext, actor: Actor): Promise<TestProgress> {
  const before = await readProgress(context);
  if (!before.running) return before;
  await revokeLease(context.database, RUN.lease, STOPPED);
  const { done, total } = before;
  const event = { code: "channel_tests_stopped" as const, values: { done, total } };
  await context.billing.record(
    auditEntry({ session: actor.session, request: actor.request, now: context.clock(), event }),
  );
  return readProgress(context);
}

/** What one test adds to the progress. */
type Counts = Partial<Pick<TestProgress, "done" | "failed" | "disabled" | "enabled">> & {
  failure?: TestProgress["failures"][number];
};

/** Writes the counters one after the other, so that an older count never overwrites a newer one. */
class Run {
  readonly holder: string;
  readonly #context: ConsoleContext;
  #progress: TestProgress;
  #writing: Promise<void> = Promise.resolve();
  readonly #stop = new AbortController();
  readonly #look: NodeJS.Timeout;

  constructor(context: ConsoleContext, holder: string, total: number) {
    this.holder = holder;
    this.#context = context;
    this.#progress = { ...NEVER_RUN, running: true, total, started_time: secondsOf(context) };
    this.#look = setInterval(() => void this.#lookForStop(), STOP_LOOK_MS);
    this.#look.unref();
  }

  /** Aborted once somebody stopped the run, or another one took its place. */
  get stop(): AbortSignal {
    return this.#stop.signal;
  }

  async #lookForStop(): Promise<void> {
    const { holder } = await readLease(this.#context.database, RUN.lease).catch(() => ({ holder: this.holder }));
    if (holder !== this.holder) this.#stop.abort();
  }

  /** Adds to the counters and keeps the lease. Throws where the database does not take it; a later count stores this one too. */
  count(added: Counts): Promise<void> {
    const { done = 0, failed = 0, disabled = 0, enabled = 0, failure } = added;
    const before = this.#progress;
    this.#progress = {
      ...before,
      done: before.done + done,
      failed: before.failed + failed,
      disabled: before.disabled + disabled,
      enabled: before.enabled + enabled,
      failures: failure === undefined ? before.failures : [...before.failures, failure].slice(0, FAILURES_NAMED),
    };
    return this.#write();
  }

  /** Stores the end and gives the lease back. Throws where the database took neither until the lease was over. */
  async finish(): Promise<void> {
    clearInterval(this.#look);
    const stopped = this.#stop.signal.aborted;
    this.#progress = { ...this.#progress, stopped, running: false, finished_time: secondsOf(this.#context) };
    for (let triesLeft = (LEASE_SECONDS * 1000) / END_RETRY_MS; ; triesLeft -= 1) {
      try {
        await this.#write();
        return await endLease(this.#context.database, RUN.lease, this.holder);
      } catch (error) {
        if (triesLeft <= 1) throw error;
        this.#context.logger.warn({ err: error }, "the end of a test of channels is stored later");
        await sleep(END_RETRY_MS);
      }
    }
  }

  #write(): Promise<void> {
    const progress = this.#progress;
    const { database } = this.#context;
    const write = async () => {
      const isOwn = await keepLease(database, leaseOf(RUN, this.holder, secondsOf(this.#context)));
      if (!isOwn) this.#stop.abort();
      // Where another run has begun meanwhile, its progress is the one to be read.
      if (isOwn || (await readLease(database, RUN.lease)).holder === STOPPED)
        await writeProgress(database, RUN, { ...progress, stopped: !isOwn });
    };
    // One that failed must not keep the later ones out.
    this.#writing = this.#writing.then(write, write);
    return this.#writing;
  }
}

/** Why a test should switch its channel off, or undefined: what the upstream said, or that it took too long. */
export function reasonToDisable(
  channel: Pick<SnapshotChannel, "status" | "type" | "autoBan">,
  result: ChannelTestResult,
  options: Pick<
    ConsoleContext["snapshot"]["options"],
    "AutomaticDisableChannelEnabled" | "AutomaticDisableKeywords" | "ChannelDisableThreshold"
  >,
): string | undefined {
  if (channel.status !== CHANNEL_STATUS.enabled) return undefined;
  if (result.failure !== undefined) return disableReason(result.failure, channel, options);
  const slowness = slownessOf(result, options);
  if (slowness === undefined || !channel.autoBan || !options.AutomaticDisableChannelEnabled) return undefined;
  return `response time ${slowness.seconds.toFixed(1)} s exceeds ${slowness.limit} s`;
}

/** How long a test took that took longer than the option allows, to a tenth of a second. */
function slownessOf(
  { durationMs }: Pick<ChannelTestResult, "durationMs">,
  { ChannelDisableThreshold }: Pick<ConsoleContext["snapshot"]["options"], "ChannelDisableThreshold">,
): Slowness | undefined {
  const limit = Number(ChannelDisableThreshold);
  return limit > 0 && durationMs > limit * 1000 ? { seconds: Math.round(durationMs / 100) / 10, limit } : undefined;
}

/** A failed test has a row of its own beside its line in the run's, to be found under its channel. Undefined where the run was stopped meanwhile. */
async function testAndLog(
  context: ConsoleContext,
  tester: Tester,
  channel: SnapshotChannel,
  lines: TestLine[],
  stop: AbortSignal,
) {
  const result = await askChannel(context, channel, "", stop);
  if (stop.aborted) return undefined;
  await keepResult(context, channel, result);
  const { id, name } = channel;
  lines.push({ id, name, ms: result.durationMs, failure: result.isSuccess ? "" : result.message || "failed" });
  if (!result.isSuccess) await logTest(context, tester, channel, result);
  return result;
}

/**
 * Tests a channel and switches it as the result asks; gives what there is to count, undefined where the run was stopped meanwhile.
 * Throws where the database does not answer.
 */
async function testOne(
  context: ConsoleContext,
  tester: Tester,
  channel: SnapshotChannel,
  lines: TestLine[],
  stop: AbortSignal,
): Promise<Counts | undefined> {
  const result = await testAndLog(context, tester, channel, lines, stop);
  if (result === undefined) return undefined;
  const { options } = context.snapshot;
  const reason = reasonToDisable(channel, result, options);
  const slowness = result.failure === undefined ? slownessOf(result, options) : undefined;
  const hasRecovered =
    result.isSuccess && channel.status === CHANNEL_STATUS.autoDisabled && options.AutomaticEnableChannelEnabled;
  const disabled = reason !== undefined && (await autoDisable(context, channel.id, reason, slowness)) ? 1 : 0;
  const enabled = hasRecovered && (await autoEnable(context, channel.id)) ? 1 : 0;
  return { ...(result.isSuccess ? {} : failureCount(channel)), disabled, enabled };
}

const failureCount = ({ id, name }: SnapshotChannel): Counts => ({ failed: 1, failure: { id, name } });

/** A test that could not be stored counts as failed, and the others go on. */
async function testAndCount(
  context: ConsoleContext,
  tester: Tester,
  run: Run,
  channel: SnapshotChannel,
  lines: TestLine[],
): Promise<void> {
  const report = (error: unknown) =>
    context.logger.error({ err: error, channelId: channel.id }, "the result of a channel test could not be stored");
  const counts = await testOne(context, tester, channel, lines, run.stop).catch((error: unknown) => {
    report(error);
    return failureCount(channel);
  });
  if (counts === undefined) return;
  await run.count({ done: 1, ...counts }).catch(report);
}

async function testAll(
  context: ConsoleContext,
  tester: Tester,
  run: Run,
  channels: readonly SnapshotChannel[],
): Promise<void> {
  const waiting = [...channels];
  const lines: TestLine[] = [];
  const started = performance.now();
  const work = async () => {
    for (let channel = waiting.shift(); channel !== undefined && !run.stop.aborted; channel = waiting.shift()) {
      await testAndCount(context, tester, run, channel, lines);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  if (lines.length > 0) await logRun(context, tester, lines, Math.round(performance.now() - started));
}

/** A run under way; `finished` settles with its end and never rejects. */
export interface StartedRun {
  total: number;
  finished: Promise<void>;
}

/**
 * Starts a test of every channel that can be tested, whatever its status, and returns at once.
 * Throws channel_test_running while a run is under way in any process.
 */
export async function startTestOfAll(context: ConsoleContext, tester: Tester): Promise<StartedRun> {
  await context.snapshot.refresh();
  const channels = context.snapshot.channels().filter((channel) => isTestable(context, channel));
  return start(context, tester, channels);
}

/** The same for those of the chosen channels that can be tested. Throws selection_changed, not_found, and channel_test_unsupported where none can be tested. */
export async function startTestOfChosen(
  context: ConsoleContext,
  tester: Tester,
  chosen: ChosenChannels,
): Promise<StartedRun> {
  await context.snapshot.refresh();
  const ids = await findChosen(context.database, context.database.kysely, chosen);
  const isChosen = new Set(ids);
  const channels = context.snapshot.channels().filter(({ id }) => isChosen.has(id));
  const testable = channels.filter((channel) => isTestable(context, channel));
  if (testable.length === 0) throw new AppError(channels.length === 0 ? "not_found" : "channel_test_unsupported");
  return start(context, tester, testable);
}

async function start(
  context: ConsoleContext,
  tester: Tester,
  channels: readonly SnapshotChannel[],
): Promise<StartedRun> {
  const holder = randomUUID();
  const hasLease = await takeLease(context.database, leaseOf(RUN, holder, secondsOf(context)));
  if (!hasLease) throw new AppError("channel_test_running");
  const run = new Run(context, holder, channels.length);
  await run.count({});
  const report = (error: unknown) =>
    context.logger.error({ err: error }, "the end of a test of channels could not be stored");
  const finished = testAll(context, tester, run, channels)
    .catch((error: unknown) => context.logger.error({ err: error }, "the row of a channel test run was not written"))
    .then(() => run.finish())
    .catch(report);
  return { total: channels.length, finished };
}
