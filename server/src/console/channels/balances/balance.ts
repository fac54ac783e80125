/** The balance of one channel: asked for at its upstream, kept exactly with its currency, or with the reason why it could not be read. */
import { AppError } from "../../../../../contract/src/errors.ts";
import { multiply, parseDecimal, roundHalfAway, toSafeNumber, fractionOf } from "../../../../../contract/src/money.ts";
import type { BalanceFailure } from "../../../../../contract/src/channels/balances.ts";
import type { SnapshotChannel } from "../../../snapshot/snapshot.ts";
import { nowSeconds } from "../../../util/clock.ts";
import { startDeadline } from "../../../util/deadline.ts";
import type { ConsoleContext } from "../../http/handlers.ts";
import type { BalanceAnswer } from "../../relay-tools.ts";
import { failureText } from "../store.ts";

/** Longest time that one upstream may take, for all it is asked. */
export const BALANCE_TIMEOUT_MS = 30_000;

export const MICROS = 1_000_000;

/** A balance in millionths of its currency. */
export interface KnownBalance {
  micros: number;
  currency: string;
}

/** What asking came to: the balance, or a failure with its reason in English. */
export type BalanceOutcome = { known: KnownBalance } | { failure: BalanceFailure; message: string };

/** True where the channel's provider tells the balance behind a key. */
export const tellsBalance = (
  { relay }: Pick<ConsoleContext, "relay">,
  { type }: Pick<SnapshotChannel, "type">,
): boolean => relay.providers.find(({ manifest }) => manifest.id === type)?.balance !== undefined;

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
export async function refreshBalance(
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

/** A balance that nobody has asked for: what a channel has as long as, or again once, it is of another account. */
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
  if (outcome === undefined) throw new Error("a balance that nobody stops was stopped");
  return outcome;
}
