/** The balances of all channels: a run (counted-run.ts) in which no upstream holds up the others, and what follows from one that is used up. */
import { AppError } from "../../../../../contract/src/errors.ts";
import { CHANNEL_STATUS } from "../../../../../contract/src/features/channels.ts";
import type { LogEvent } from "../../../../../contract/src/log-events.ts";
import { toFixedText } from "../../../../../contract/src/money.ts";
import { runProgress, type RunProgress } from "../../../../../contract/src/channel-tests.ts";
import type { SnapshotChannel } from "../../../snapshot/snapshot.ts";
import { type Actor, audit } from "../../kit/audit.ts";
import type { RunKind } from "../../background-run.ts";
import {
  type CountedRun,
  type Counts,
  NOTHING_COUNTED,
  readCounted,
  startCounted,
  type StartedRun,
  stopCounted,
} from "../../counted-run.ts";
import type { ConsoleContext } from "../../http/handlers.ts";
import { autoDisableKey } from "../keys/status.ts";
import { autoDisable, channelLog, type EmptyBalance } from "../status.ts";
import type { Tester } from "../tests.ts";
import { BALANCE_TIMEOUT_MS, type KnownBalance, MICROS, refreshBalance, tellsBalance } from "./balance.ts";

const RUN: RunKind<RunProgress> = {
  lease: "channel_balance",
  fact: "channel_balance_progress",
  leaseSeconds: (BALANCE_TIMEOUT_MS / 1000) * 2,
  neverRun: NOTHING_COUNTED,
  schema: runProgress,
};

/** How far the run is, or how the last one ended; `running` is false for one whose process died. */
export const readBalanceProgress = (context: Pick<ConsoleContext, "database" | "clock">): Promise<RunProgress> =>
  readCounted(context, RUN);

/** Ends the run, in whichever process it is; what it has under way is given up. Without a run nothing happens. */
export async function stopBalances(context: ConsoleContext, actor: Actor): Promise<RunProgress> {
  const before = await stopCounted(context, RUN);
  if (before !== undefined) {
    const event: LogEvent = { code: "balances_stopped", values: { done: before.done, total: before.total } };
    await audit(context, actor, event);
  }
  return readBalanceProgress(context);
}

/**
 * A balance that is used up, where that disables its channel: the option AutomaticDisableChannelEnabled and the channel's own auto_ban
 * have to say so.
 */
function emptinessOf(
  channel: Pick<SnapshotChannel, "status" | "autoBan">,
  { micros, currency }: KnownBalance,
  {
    AutomaticDisableChannelEnabled: mayDisable,
  }: Pick<ConsoleContext["snapshot"]["options"], "AutomaticDisableChannelEnabled">,
): EmptyBalance | undefined {
  if (micros > 0 || !mayDisable || !channel.autoBan || channel.status !== CHANNEL_STATUS.enabled) return undefined;
  return { amount: toFixedText({ numerator: BigInt(micros), denominator: BigInt(MICROS) }, 2), currency };
}

/** Of several keys the balance is of the one that asked: that one alone goes. */
async function disabledBy(context: ConsoleContext, channel: SnapshotChannel, known: KnownBalance): Promise<number> {
  const { id: channelId, keys } = channel;
  const empty = emptinessOf(channel, known, context.snapshot.options);
  if (empty === undefined) return 0;
  const reason = `balance ${empty.amount} ${empty.currency}`;
  const isDisabled = await (keys === undefined
    ? autoDisable(context, channelId, reason, empty)
    : autoDisableKey(context, { channelId, keyId: keys.shownKeyId, reason }));
  return isDisabled ? 1 : 0;
}

/** One line of a run's row. */
interface FailureLine {
  id: number;
  name: string;
  failure: string;
}

/** What a run's row says. */
interface Tally {
  count: number;
  lines: FailureLine[];
}

/** Undefined where the run was stopped meanwhile. Throws where the database does not answer. */
async function askOne(
  context: ConsoleContext,
  channel: SnapshotChannel,
  lines: FailureLine[],
  stop: AbortSignal,
): Promise<Counts<RunProgress> | undefined> {
  const outcome = await refreshBalance(context, channel, stop);
  if (outcome === undefined) return undefined;
  if ("known" in outcome) return { disabled: await disabledBy(context, channel, outcome.known) };
  const { id, name } = channel;
  lines.push({ id, name, failure: outcome.message });
  return failureCount(channel);
}

const failureCount = ({ id, name }: SnapshotChannel): Counts<RunProgress> => ({ failed: 1, failure: { id, name } });

/** One that could not be stored counts as failed, and the others go on. */
async function askAndCount(
  context: ConsoleContext,
  channel: SnapshotChannel,
  tally: Tally,
  run: CountedRun<RunProgress>,
): Promise<void> {
  const report = (error: unknown) =>
    context.logger.error({ err: error, channelId: channel.id }, "the balance of a channel could not be stored");
  const counts = await askOne(context, channel, tally.lines, run.stop).catch((error: unknown) => {
    report(error);
    return failureCount(channel);
  });
  if (counts === undefined) return;
  tally.count += 1;
  await run.count({ done: 1, ...counts }).catch(report);
}

/** A row names so many failed channels, and says so much of what each upstream said. */
const LINES_MAX = 300;
const FAILURE_LENGTH = 160;

/** The row of a run: always where somebody asked, else where one failed. */
async function logRun(context: ConsoleContext, { userId, username }: Tester, { count, lines }: Tally): Promise<void> {
  if (userId === 0 && lines.length === 0) return;
  const event: LogEvent = { code: "balances_asked", values: { count, failed: lines.length } };
  const failures = lines
    .slice(0, LINES_MAX)
    .map((line) => ({ ...line, failure: line.failure.slice(0, FAILURE_LENGTH) }));
  const other = JSON.stringify({ event, admin_info: { balances: failures } });
  await context.billing.record({ ...channelLog(context, 0, event), userId, username, other });
}

/** Disabled by hand is left alone: its operator does not use the key. */
const isAsked = (context: ConsoleContext, channel: SnapshotChannel): boolean =>
  channel.status !== CHANNEL_STATUS.disabled && tellsBalance(context, channel);

/**
 * Starts asking for the balance of every channel that is not disabled by hand and whose provider tells one, and returns at once. `asker`
 * with id 0 is the server itself; `end` ends the run with this process. Undefined where a run is under way in some process.
 */
export async function startBalances(
  context: ConsoleContext,
  asker: Tester,
  end?: AbortSignal,
): Promise<StartedRun | undefined> {
  await context.snapshot.refresh();
  const channels = context.snapshot.channels().filter((channel) => isAsked(context, channel));
  if (channels.length === 0) return { total: 0, finished: Promise.resolve() };
  const tally: Tally = { count: 0, lines: [] };
  return startCounted(context, {
    kind: RUN,
    items: channels,
    each: (channel, run) => askAndCount(context, channel, tally, run),
    atEnd: () => logRun(context, asker, tally),
    end,
  });
}

/** The same for a caller. Throws channel_balance_running, and channel_balances_none where no channel's provider tells one. */
export async function startAllBalances(context: ConsoleContext, asker: Tester): Promise<StartedRun> {
  const started = await startBalances(context, asker);
  if (started === undefined) throw new AppError("channel_balance_running");
  if (started.total === 0) throw new AppError("channel_balances_none");
  return started;
}
