/** Tests of one channel: one short call through it, its time stored before the answer, a log row that no statistic counts. */
import { AppError } from "../../../../contract/src/errors.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import type { ConsoleContext } from "../handlers.ts";
import type { ChannelTestResult } from "../relay-tools.ts";
import { channelLog } from "./status.ts";
import { storeTestTime } from "./store.ts";

/** Longest time one test may take. */
export const TEST_TIMEOUT_MS = 30_000;

/** Who tests, for the log row; 0 and "" for the server itself. */
export interface Tester {
  userId: number;
  username: string;
}

/** True where the channel's provider has something that can be tested. */
export function isTestable(context: Pick<ConsoleContext, "relay">, channel: SnapshotChannel): boolean {
  const provider = context.relay.providers.find(({ manifest }) => manifest.id === channel.type);
  return provider?.manifest.canTest ?? false;
}

/**
 * Tests the stored channel `id` with `model` ("" takes its test model). Never throws for what the upstream does.
 * Throws not_found and channel_test_unsupported.
 */
export async function testChannelById(
  context: ConsoleContext,
  tester: Tester,
  id: number,
  model: string,
): Promise<ChannelTestResult> {
  await context.snapshot.refresh();
  const channel = context.snapshot.channelById(id);
  if (channel === undefined) throw new AppError("not_found", { message: "Channel not found, refresh the page" });
  if (!isTestable(context, channel)) throw new AppError("channel_test_unsupported");
  return runTest(context, tester, channel, model);
}

/** Tests a channel and keeps time and log row. */
export async function runTest(
  context: ConsoleContext,
  tester: Tester,
  channel: SnapshotChannel,
  model: string,
): Promise<ChannelTestResult> {
  const result = await testWithin(context, channel, model, TEST_TIMEOUT_MS);
  await storeTestTime(context.database, channel.id, result.durationMs, Math.floor(context.clock() / 1000));
  await context.billing.record(logOf(context, tester, channel, result));
  return result;
}

async function testWithin(
  context: ConsoleContext,
  channel: SnapshotChannel,
  model: string,
  timeoutMs: number,
): Promise<ChannelTestResult> {
  const started = performance.now();
  const elapsed = () => Math.max(1, Math.round(performance.now() - started));
  const signal = AbortSignal.timeout(timeoutMs);
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error(`No answer within ${timeoutMs / 1000} s`)), { once: true });
  });
  const failed = (error: unknown) => {
    if (!(error instanceof AppError) && !signal.aborted)
      context.logger.error({ err: error, channelId: channel.id }, "channel test failed");
    const message =
      error instanceof AppError || signal.aborted
        ? messageOf(error)
        : "The test could not be run, see the server's log";
    return { isSuccess: false, message, durationMs: elapsed(), model, promptTokens: 0, completionTokens: 0 };
  };
  return Promise.race([context.relay.testChannel(channel, model, signal), ended]).catch(failed);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The row of a test: type 4 and quota 0, so totals, calls a minute and hourly data never see it. */
function logOf(context: ConsoleContext, tester: Tester, channel: SnapshotChannel, result: ChannelTestResult) {
  const outcome = result.isSuccess ? "passed" : `failed: ${result.message}`;
  return {
    ...channelLog(context, channel.id, `Test of channel "${channel.name}" (#${channel.id}) ${outcome}`),
    userId: tester.userId,
    username: tester.username,
    tokenName: "model test",
    modelName: result.model,
    promptTokens: result.promptTokens,
    completionTokens: result.completionTokens,
    useTimeMs: result.durationMs,
    other: JSON.stringify({ is_test: true, admin_info: { use_channel: [channel.id] } }),
  };
}
