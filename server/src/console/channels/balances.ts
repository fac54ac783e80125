/** Balances of channels: asking one upstream how much is left, and the run that asks them all in intervals or when an administrator wants it. */
import type { BalanceFailure } from "../../../../contract/src/channels/balances.ts";
import { runProgress, type RunProgress } from "../../../../contract/src/channels/channel-tests.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import type { LogEvent } from "../../../../contract/src/logs/events.ts";
import {
  fractionOf,
  multiply,
  parseDecimal,
  roundHalfAway,
  toFixedText,
  toSafeNumber,
} from "../../../../contract/src/money.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import { nowSeconds } from "../../util/clock.ts";
import { startDeadline } from "../../util/deadline.ts";
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
import type { Actor } from "../kit/audit.ts";
import { recordBalance } from "./balance-history.ts";
import type { BalanceAnswer } from "../relay-tools.ts";
import { autoDisableKey } from "./keys/status.ts";
import { autoDisable, channelLog, type EmptyBalance } from "./status.ts";
import { failureText } from "./test-store.ts";
import type { Tester } from "./tests.ts";

/** Longest time that one upstream may take, for all it is asked. */
const BALANCE_TIMEOUT_MS = 30_000;

export const MICROS = 1_000_000;

/** A balance in millionths of its currency. */
interface KnownBalance {
  micros: number;
  currency: string;
}

/** The result of a query: the balance, or a failure with its reason in English. */
type BalanceOutcome = { known: KnownBalance } | { failure: BalanceFailure; message: string };

/** True where the channel's provider has the balance behind a key. */
const tellsBalance = ({ relay }: Pick<ConsoleContext, "relay">, { type }: Pick<SnapshotChannel, "type">): boolean =>
  relay.providers.find(({ manifest }) => manifest.id === type)?.balance !== undefined;

const CURRENCY = /^[A-Z]{3,8}$/;

/** Undefined for what is no amount that can be kept: of a size that no account has, or in a currency that is no code. */
function knownOf(amount: string, currency: string): KnownBalance | undefined {
  try {
    const micros = toSafeNumber(roundHalfAway(multiply(parseDecimal(amount), fractionOf(MICROS))));
    return CURRENCY.test(currency) ? { micros, currency } : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

type Failed = Extract<BalanceAnswer, { failure: unknown }>;

const UNREADABLE: Failed = {
  failure: { code: "unreadable_answer", values: {} },
  message: "The upstream's balance is not an amount with its currency",
};
const TOO_SLOW: Failed = {
  failure: { code: "timeout", values: { seconds: BALANCE_TIMEOUT_MS / 1000 } },
  message: `No answer within ${BALANCE_TIMEOUT_MS / 1000} s`,
};
const INTERNAL: Failed = {
  failure: { code: "internal", values: {} },
  message: "The balance could not be asked for, see the server's log",
};

/** Asks within BALANCE_TIMEOUT_MS and until `stop` says so; nothing is kept yet. Throws channel_balance_unsupported. */
async function answerOf(context: ConsoleContext, channel: SnapshotChannel, stop?: AbortSignal): Promise<BalanceAnswer> {
  const deadline = startDeadline(BALANCE_TIMEOUT_MS, stop);
  try {
    return await deadline.race(context.relay.askBalance(channel, deadline.signal));
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (deadline.isOver()) return TOO_SLOW;
    if (!deadline.signal.aborted)
      context.logger.error({ err: error, channelId: channel.id }, "the balance of a channel could not be asked for");
    return INTERNAL;
  }
}

/** Asks the upstream and keeps what it says. Undefined where `stop` came first. Throws channel_balance_unsupported. */
async function refreshBalance(
  context: ConsoleContext,
  channel: SnapshotChannel,
  stop?: AbortSignal,
): Promise<BalanceOutcome | undefined> {
  const answer = await answerOf(context, channel, stop);
  if (stop?.aborted === true) return undefined;
  const known = "balance" in answer ? knownOf(answer.balance.amount, answer.balance.currency) : undefined;
  const time = nowSeconds(context.clock);
  if (known !== undefined) {
    const { micros: balance_micros, currency: balance_currency } = known;
    await keep(context, channel.id, {
      balance_micros,
      balance_currency,
      balance_updated_time: time,
      balance_failure: null,
    });
    await recordBalance(context.database, channel.id, { ...known, time });
    return { known };
  }
  const { failure, message } = "failure" in answer ? answer : UNREADABLE;
  const kept = { ...failure, time };
  await keep(context, channel.id, { balance_failure: failureText(kept) });
  return { failure: kept, message };
}

interface BalanceColumns {
  balance_micros: number;
  balance_currency: string;
  balance_updated_time: number;
  balance_failure: string | null;
}

/** A balance that has never been asked for: what a channel has as long as, or again once, it is of another account. */
export const NO_BALANCE: Readonly<BalanceColumns> = Object.freeze({
  balance_micros: 0,
  balance_currency: "USD",
  balance_updated_time: 0,
  balance_failure: null,
});

/** No process routes by a balance, so no version is raised. A failure keeps what was known before. */
async function keep({ database }: ConsoleContext, id: number, columns: Partial<BalanceColumns>): Promise<void> {
  await database.kysely.updateTable("channels").set(columns).where("id", "=", id).execute();
}

/** The same for a stored channel. Throws not_found and channel_balance_unsupported. */
export async function refreshBalanceById(context: ConsoleContext, id: number): Promise<BalanceOutcome> {
  await context.snapshot.refresh();
  const channel = context.snapshot.channelById(id);
  if (channel === undefined) throw new AppError("not_found", { message: "Channel not found, refresh the page" });
  const outcome = await refreshBalance(context, channel);
  if (outcome === undefined) throw new Error("a check of a balance was stopped without a signal");
  return outcome;
}

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
export const stopBalances = (context: ConsoleContext, actor: Actor): Promise<RunProgress> =>
  stopAudited(context, actor, RUN, "balances_stopped");

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

/** The content of a run's row. */
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

/** The row of a run: always after a request by a person, else after a failure. */
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
 * Starts asking for the balance of every channel that is not disabled by hand and whose provider has one, and returns at once. `asker`
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

/** The same for a caller. Throws channel_balance_running, and channel_balances_none where no channel's provider has one. */
export async function startAllBalances(context: ConsoleContext, asker: Tester): Promise<StartedRun> {
  const started = await startBalances(context, asker);
  if (started === undefined) throw new AppError("channel_balance_running");
  if (started.total === 0) throw new AppError("channel_balances_none");
  return started;
}
