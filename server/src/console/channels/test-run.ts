/** Tests of all or of chosen channels in the background: a run (counted-run.ts) that switches channels as their tests ask. */
import { AppError } from "../../../../contract/src/errors.ts";
import type { TestProgress } from "../../../../contract/src/channels/channel-tests.ts";
import { testProgress } from "../../../../contract/src/channels/channel-tests.ts";
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import { disableReason } from "../../channels/auto-disable.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import type { Actor } from "../kit/audit.ts";
import type { RunKind } from "../background-run.ts";
import {
  type CountedRun,
  type Counts,
  NOTHING_COUNTED,
  readCounted,
  startCounted,
  type StartedRun,
  stopAudited,
} from "../counted-run.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import type { ChannelTestResult } from "../relay-tools.ts";
import { autoDisableKey } from "./keys/status.ts";
import { autoDisable, autoEnable, type Slowness } from "./status.ts";
import { type ChosenChannels, findChosen } from "./store.ts";
import type { TestLine, Tester } from "./tests.ts";
import { askChannel, isTestable, keepResult, logRun, logTest, TEST_TIMEOUT_MS } from "./tests.ts";

const RUN: RunKind<TestProgress> = {
  lease: "channel_test",
  fact: "channel_test_progress",
  leaseSeconds: (TEST_TIMEOUT_MS / 1000) * 2,
  neverRun: Object.freeze({ ...NOTHING_COUNTED, enabled: 0 }),
  schema: testProgress,
};

/** How far the running test is, or how the last one ended; `running` is false for one whose process died. */
export const readProgress = (context: Pick<ConsoleContext, "database" | "clock">): Promise<TestProgress> =>
  readCounted(context, RUN);

/** Ends the run, in whichever process it is; the calls it has under way are given up. Without a run nothing happens. */
export const stopTests = (context: ConsoleContext, actor: Actor): Promise<TestProgress> =>
  stopAudited(context, actor, RUN, "channel_tests_stopped");

/** Why a test should switch its channel off, or undefined: what the upstream said, or that it took too long. */
export function reasonToDisable(
  channel: Pick<SnapshotChannel, "status" | "type" | "autoBan">,
  result: ChannelTestResult,
  options: Pick<
    ConsoleContext["snapshot"]["options"],
    | "AutomaticDisableChannelEnabled"
    | "AutomaticDisableKeywords"
    | "AutomaticDisableStatusCodes"
    | "ChannelDisableThreshold"
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
): Promise<Counts<TestProgress> | undefined> {
  const result = await testAndLog(context, tester, channel, lines, stop);
  if (result === undefined) return undefined;
  const { options } = context.snapshot;
  const reason = reasonToDisable(channel, result, options);
  const slowness = result.failure === undefined ? slownessOf(result, options) : undefined;
  // One that would be disabled again, say as slow as before, has not recovered.
  const isFit =
    result.isSuccess && reasonToDisable({ ...channel, status: CHANNEL_STATUS.enabled }, result, options) === undefined;
  const hasRecovered = isFit && channel.status === CHANNEL_STATUS.autoDisabled && options.AutomaticEnableChannelEnabled;
  const disabled = reason !== undefined && (await switchOff(context, channel, reason, slowness)) ? 1 : 0;
  const enabled = hasRecovered && (await autoEnable(context, channel.id)) ? 1 : 0;
  return { ...(result.isSuccess ? {} : failureCount(channel)), disabled, enabled };
}

/** A refused key of several counts against that key alone; a slow answer against the channel. */
function switchOff(
  context: ConsoleContext,
  { id: channelId, keys }: SnapshotChannel,
  reason: string,
  slowness: Slowness | undefined,
): Promise<boolean> {
  return keys === undefined || slowness !== undefined
    ? autoDisable(context, channelId, reason, slowness)
    : autoDisableKey(context, { channelId, keyId: keys.shownKeyId, reason });
}

const failureCount = ({ id, name }: SnapshotChannel): Counts<TestProgress> => ({ failed: 1, failure: { id, name } });

/** A test that could not be stored counts as failed, and the others go on. */
async function testAndCount(
  context: ConsoleContext,
  tester: Tester,
  run: CountedRun<TestProgress>,
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

/** Which channels a periodic run tests. */
type PeriodicScope = "all" | "auto_disabled";

/**
 * Starts a test of every channel that can be tested, whatever its status, and returns at once.
 * Throws channel_test_running while a run is under way in any process.
 */
export async function startTestOfAll(context: ConsoleContext, tester: Tester): Promise<StartedRun> {
  const started = await start(context, tester, await testableChannels(context));
  if (started === undefined) throw new AppError("channel_test_running");
  return started;
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
  const started = await start(context, tester, testable);
  if (started === undefined) throw new AppError("channel_test_running");
  return started;
}

/**
 * Starts the periodic test of all channels, or of the auto-disabled ones alone; `end` ends it with this process.
 * Undefined where a run is under way already.
 */
export async function startPeriodicTest(
  context: ConsoleContext,
  scope: PeriodicScope,
  end: AbortSignal,
): Promise<StartedRun | undefined> {
  const channels = await testableChannels(context);
  const isMeant = ({ status }: SnapshotChannel) => scope === "all" || status === CHANNEL_STATUS.autoDisabled;
  const tested = channels.filter(isMeant);
  if (tested.length === 0) return { total: 0, finished: Promise.resolve() };
  return start(context, { userId: 0, username: "" }, tested, end);
}

async function testableChannels(context: ConsoleContext): Promise<readonly SnapshotChannel[]> {
  await context.snapshot.refresh();
  return context.snapshot.channels().filter((channel) => isTestable(context, channel));
}

function start(
  context: ConsoleContext,
  tester: Tester,
  channels: readonly SnapshotChannel[],
  end?: AbortSignal,
): Promise<StartedRun | undefined> {
  const lines: TestLine[] = [];
  return startCounted(context, {
    kind: RUN,
    items: channels,
    each: (channel, run) => testAndCount(context, tester, run, channel, lines),
    atEnd: async (durationMs) => {
      if (lines.length > 0) await logRun(context, tester, lines, durationMs);
    },
    end,
  });
}
