/** Tests of channels: one short call through each, its time stored before the answer, log rows that no statistic counts. */
import { AppError } from "../../../../contract/src/errors.ts";
import type { TestFailure, TestKind } from "../../../../contract/src/channels/channel-tests.ts";
import type { LogEvent } from "../../../../contract/src/logs/events.ts";
import { openChannelKey } from "../../db/secrets.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import { nowSeconds } from "../../util/clock.ts";
import { startDeadline } from "../../util/deadline.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import type { ChannelTestResult } from "../relay-tools.ts";
import { findKey } from "./keys/store.ts";
import { channelLog } from "./status.ts";
import { storeTestResult } from "./test-store.ts";

/** Longest time one test may take. */
export const TEST_TIMEOUT_MS = 30_000;

/** Who tests, for the log row; 0 and "" for the server itself. */
export interface Tester {
  userId: number;
  username: string;
  /** Id of the request that asked for a single test: its log row has the same one, so the answer leads to it. */
  requestId?: string;
}

/** True where the channel's provider has something that can be tested. */
export function isTestable(context: Pick<ConsoleContext, "relay">, channel: SnapshotChannel): boolean {
  const provider = context.relay.providers.find(({ manifest }) => manifest.id === channel.type);
  return provider?.manifest.canTest ?? false;
}

/** What a single test asks: "" takes the channel's test model, no key the one that tests take. */
interface TestQuestion {
  model: string;
  keyId?: number | undefined;
}

/** The channel as it is called with one of its keys, whatever that one's status. Throws not_found. */
async function withChosenKey(context: ConsoleContext, channel: SnapshotChannel, keyId: number) {
  const { database, secrets } = context;
  const row = await findKey(database.kysely, channel.id, keyId);
  if (row === undefined) throw new AppError("not_found", { message: "The channel has no such key, refresh the page" });
  const { keys: _ring, ...rest } = channel;
  return { mark: row.key_mark, channel: { ...rest, key: openChannelKey(secrets, row) } };
}

/**
 * Tests the stored channel `id`. Never throws for what the upstream does. What a chosen key does is kept in the log alone, for it says
 * nothing of the channel. Throws not_found and channel_test_unsupported.
 */
export async function testChannelById(
  context: ConsoleContext,
  tester: Tester,
  id: number,
  { model, keyId }: TestQuestion,
): Promise<ChannelTestResult> {
  await context.snapshot.refresh();
  const channel = context.snapshot.channelById(id);
  if (channel === undefined) throw new AppError("not_found", { message: "Channel not found, refresh the page" });
  if (!isTestable(context, channel)) throw new AppError("channel_test_unsupported");
  const chosen = keyId === undefined ? undefined : await withChosenKey(context, channel, keyId);
  const result = await askChannel(context, chosen?.channel ?? channel, model);
  if (chosen === undefined) await keepResult(context, channel, result);
  await logTest(context, tester, channel, result, chosen?.mark);
  return result;
}

/** The result of a test. */
export interface TestOutcome extends ChannelTestResult {
  isTimedOut?: boolean;
}

/** Why a failed test failed, as it is stored and shown. */
export const failureOf = ({ reason, message }: ChannelTestResult): TestFailure =>
  reason ?? { code: "not_possible", values: { message } };

/** Keeps with a channel what its test said. */
export function keepResult(
  context: ConsoleContext,
  channel: SnapshotChannel,
  result: ChannelTestResult,
): Promise<void> {
  const outcome = result.isSuccess ? { responseTimeMs: result.durationMs } : { failure: failureOf(result) };
  return storeTestResult(context.database, channel.id, outcome, nowSeconds(context.clock));
}

const SECONDS_MAX = TEST_TIMEOUT_MS / 1000;

/** The result of a test that threw: our own faults stay out of the answer. */
function ofError(error: unknown, isTooLate: boolean): Pick<ChannelTestResult, "message" | "reason"> {
  if (isTooLate)
    return {
      message: `No answer within ${SECONDS_MAX} s`,
      reason: { code: "timeout", values: { seconds: SECONDS_MAX } },
    };
  if (error instanceof AppError)
    return { message: error.message, reason: { code: "not_possible", values: { message: error.message } } };
  return {
    message: "The test could not be run, see the server's log",
    reason: { code: "internal", values: {} },
  };
}

/** One test, given up after TEST_TIMEOUT_MS or once `stop` says so; nothing is kept yet. Never throws. */
export async function askChannel(
  context: ConsoleContext,
  channel: SnapshotChannel,
  model: string,
  stop?: AbortSignal,
  kind: TestKind = "plain",
): Promise<TestOutcome> {
  const started = performance.now();
  const deadline = startDeadline(TEST_TIMEOUT_MS, stop);
  const failed = (error: unknown) => {
    if (!(error instanceof AppError) && !deadline.signal.aborted)
      context.logger.error({ err: error, channelId: channel.id }, "channel test failed");
    const durationMs = Math.max(1, Math.round(performance.now() - started));
    const counts = { promptTokens: 0, completionTokens: 0 };
    const isTimedOut = deadline.isOver();
    return { isSuccess: false, durationMs, model, isTimedOut, ...counts, ...ofError(error, isTimedOut) };
  };
  return deadline.race(context.relay.testChannel(channel, model, deadline.signal, kind)).catch(failed);
}

function eventOf({ name, id }: SnapshotChannel, { isSuccess, isTimedOut, message }: TestOutcome): LogEvent {
  if (isSuccess) return { code: "channel_test_passed", values: { name, id } };
  return isTimedOut === true
    ? { code: "channel_test_timed_out", values: { name, id, seconds: TEST_TIMEOUT_MS / 1000 } }
    : { code: "channel_test_failed", values: { name, id, reason: message } };
}

/** Fields of every row about a test: type 4 and quota 0, so totals, calls a minute and hourly data leave it out. */
const testRow = (context: ConsoleContext, tester: Tester, channelId: number, event: LogEvent, info: object) => ({
  ...channelLog(context, channelId, event),
  userId: tester.userId,
  username: tester.username,
  tokenName: "model test",
  other: JSON.stringify({ is_test: true, event, admin_info: info }),
});

/** Writes the row of one test; of a chosen key it names the mark. */
export async function logTest(
  context: ConsoleContext,
  tester: Tester,
  channel: SnapshotChannel,
  result: TestOutcome,
  keyMark?: string,
): Promise<void> {
  const info = { use_channel: [channel.id], ...(keyMark === undefined ? {} : { key: keyMark }) };
  const row = testRow(context, tester, channel.id, eventOf(channel, result), info);
  await context.billing.record({
    ...row,
    requestId: tester.requestId ?? row.requestId,
    modelName: result.model,
    promptTokens: result.promptTokens,
    completionTokens: result.completionTokens,
    useTimeMs: result.durationMs,
  });
}

/** One line of a run's row. */
export interface TestLine {
  id: number;
  name: string;
  ms: number;
  /** Blank for one that passed. */
  failure: string;
}

/** A row has so many lines, those of failed channels first, and so much of what each upstream said. */
const LINES_MAX = 300;
const FAILURE_LENGTH = 160;

/** Writes the one row of a run over many channels, in which those that passed are named; `lines` in the order of their ends. */
export async function logRun(
  context: ConsoleContext,
  tester: Tester,
  lines: readonly TestLine[],
  durationMs: number,
): Promise<void> {
  const failed = lines.filter(({ failure }) => failure !== "");
  const passed = lines.filter(({ failure }) => failure === "");
  const event: LogEvent = {
    code: "channels_tested",
    values: { count: lines.length, passed: passed.length, failed: failed.length },
  };
  const shown = [...failed, ...passed]
    .slice(0, LINES_MAX)
    .map((line) => ({ ...line, failure: line.failure.slice(0, FAILURE_LENGTH) }));
  await context.billing.record({ ...testRow(context, tester, 0, event, { tests: shown }), useTimeMs: durationMs });
}
